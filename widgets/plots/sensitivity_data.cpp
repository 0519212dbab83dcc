#include "widgets/plots/sensitivity_data.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

std::string cell(double value) { return std::isnan(value) ? std::string() : exact(value); }

std::string verdict_of(const std::optional<SensitivityEnd>& end) {
    if (!end) return {};
    return end->fits ? "fits" : "does-not-fit";
}

}  // namespace

SensitivityData sensitivity_data(const Answer& answer, Output id, Change change, bool hypothetical,
                                 bool plan_anew, const std::stop_token& stop) {
    SensitivityData out;
    if (!answer.valid()) return out;
    out.capacity = answer.estimate.memory.capacity;
    out.elasticity = answer.estimate.elasticity;
    out.shown = answer.fits() || hypothetical || !output(id).timed;
    const Scenario held = locked(answer.scenario);
    out.held = sensitivity(held, id, change, stop);
    out.held_levers = levers(shardscope::answer(held));
    if (plan_anew && answer.scenario.automatic.any()) {
        out.anew = sensitivity(answer.scenario, id, change, stop);
        out.anew_levers = levers(answer);
    }
    return out;
}

PlotTable sensitivity_table(const SensitivityData& data) {
    PlotTable out;
    const PlotUnit unit = plot_unit(output(data.held.output).quantity);
    const std::string path(output(data.held.output).path);
    const auto of_output = [&](const char* end) { return path + "_" + end + "[" + unit.symbol + "]"; };
    out.columns = {"input",
                   "plan",
                   "unit",
                   "now",
                   "less",
                   "more",
                   of_output("less"),
                   of_output("now"),
                   of_output("more"),
                   "verdict_less",
                   "verdict_more",
                   "effect[%]"};
    constexpr double kPercent = 0.01;
    const auto add = [&](const Sensitivity& found, const char* plan) {
        for (const SensitivityBar& bar : found.bars) {
            const PlotUnit input = plot_unit(parameter(bar.id).quantity);
            const auto x = [&](const std::optional<SensitivityEnd>& end) {
                return end ? cell(end->x / input.factor) : std::string();
            };
            const auto y = [&](const std::optional<SensitivityEnd>& end) {
                return end && data.shown ? cell(end->value / unit.factor) : std::string();
            };
            double effect = 0;
            for (const auto& end : {bar.less, bar.more}) {
                if (end && !std::isnan(end->value))
                    effect = std::max(effect, std::fabs(end->value / found.now - 1));
            }
            out.rows.push_back({std::string(parameter(bar.id).key), plan, input.symbol,
                                cell(bar.now / input.factor), x(bar.less), x(bar.more), y(bar.less),
                                data.shown ? cell(found.now / unit.factor) : std::string(), y(bar.more),
                                verdict_of(bar.less), verdict_of(bar.more),
                                data.shown ? cell(effect / kPercent) : std::string()});
        }
    };
    if (data.anew) add(*data.anew, "found anew");
    add(data.held, data.anew ? "held" : "as set");
    return out;
}

}  // namespace shardscope
