#include "widgets/plots/difference/difference_data.h"

#include <algorithm>
#include <cmath>

#include "files/view.h"
#include "text/text.h"
#include "text/translate.h"
#include "text/units.h"

namespace shardscope {
namespace {

constexpr double kShortestBar = 1e-5;  // of the longer step; a shorter one would be written as 0.0 ms

// Returns the step time that was measured on as many GPUs as the scenario has, or 0.
double measured_step(const Answer& answer, const std::optional<Measurement>& own) {
    return own && own->gpus == answer.settings[P::gpus] ? residual(answer, *own).step_time : 0;
}

DifferenceSide side_of(char letter, const Answer& answer, double measured, double step) {
    return {letter, answer.scenario.title(), step, measured > 0, answer.fits()};
}

std::vector<std::string> changes(const GapBar& bar) {
    std::vector<std::string> out;
    for (const GapInput& input : bar.inputs)
        out.push_back(label_of(input.id) + ' ' + format(input.id, input.from) + " → " +
                      format(input.id, input.to));
    return out;
}

}  // namespace

AxisRange DifferenceData::range() const {
    AxisRange out{0, std::max(from.step, to.step)};
    for (const DifferenceBar& bar : bars) out.to = std::max(out.to, bar.to);
    return out;
}

DifferenceData difference_data(const Answer& answer, const std::optional<Measurement>& own, const Pin* other,
                               bool hypothetical) {
    DifferenceData out;
    if (!other) {
        out.problem = translate(
            "To see where the difference in step time comes from, pin a scenario, or right-click a run in "
            "the Validation plot and choose “Compare the step”.");
        return out;
    }
    if (!answer.valid() || !other->answer.valid()) {
        out.problem = translate("One of the two scenarios is not valid.");
        return out;
    }
    const double measured_from = measured_step(other->answer, other->view.measured);
    const double measured_to = measured_step(answer, own);
    const auto refuse = [&](char letter, const Answer& side, double measured) {
        if (side.fits() || measured > 0) return false;
        out.hypothetical = hypothetical;
        if (!hypothetical)
            out.problem = translate(
                "{1} does not fit, so it has no step time. Show hypothetical times to compare the step that "
                "it "
                "would have with enough memory.",
                {std::string_view(&letter, 1)});
        return !hypothetical;
    };
    if (refuse(kCurrentScenario, answer, measured_to) || refuse(other->letter, other->answer, measured_from))
        return out;
    const StepGap gap = step_gap(other->answer, measured_from, answer, measured_to);
    out.from = side_of(other->letter, other->answer, measured_from, gap.from);
    out.to = side_of(kCurrentScenario, answer, measured_to, gap.to);
    double at = gap.from;
    const auto add = [&](const std::string& label, std::vector<std::string> inputs, double seconds,
                         bool explained) {
        out.bars.push_back({label, std::move(inputs), at, at + seconds, explained});
        at += seconds;
    };
    const auto beyond = [](char letter) {
        return translate("Prediction error of {1}", {std::string_view(&letter, 1)});
    };
    if (measured_from > 0) add(beyond(other->letter), {}, gap.unexplained_from, false);
    // Bars too short to be seen are left out; the longest one takes their seconds.
    const auto length = [](const GapBar& bar) { return std::fabs(bar.seconds); };
    std::vector<GapBar> bars = gap.bars;
    double left_out = 0;
    std::erase_if(bars, [&](const GapBar& bar) {
        const bool none = length(bar) < kShortestBar * std::max(gap.from, gap.to);
        if (none) left_out += bar.seconds;
        out.unchanged = out.unchanged || (none && !bar.inputs.empty());
        return none;
    });
    if (const auto longest = std::ranges::max_element(bars, {}, length); longest != bars.end())
        longest->seconds += left_out;
    std::ranges::stable_partition(bars, [](const GapBar& bar) { return bar.seconds > 0; });
    for (const GapBar& bar : bars) add(label_of(bar), changes(bar), bar.seconds, true);
    if (measured_to > 0) add(beyond(kCurrentScenario), {}, gap.unexplained_to, false);
    return out;
}

PlotTable difference_table(const DifferenceData& data) {
    PlotTable out;
    out.columns = {"bar", "from[s]", "to[s]", "change[s]", "inputs"};
    if (!data.problem.empty()) return out;
    const auto side = [&](const DifferenceSide& one) {
        out.rows.push_back({std::string(1, one.letter), exact(0), exact(one.step), exact(one.step),
                            one.measured ? "measured" : "predicted"});
    };
    side(data.from);
    for (const DifferenceBar& bar : data.bars) {
        out.rows.push_back(
            {bar.label, exact(bar.from), exact(bar.to), exact(bar.seconds()), joined(bar.inputs, "; ")});
    }
    side(data.to);
    return out;
}

}  // namespace shardscope
