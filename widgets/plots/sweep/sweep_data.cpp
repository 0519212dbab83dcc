#include "widgets/plots/sweep/sweep_data.h"

#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "text/units.h"

namespace shardscope {

namespace {

SweepPoint sweep_point(double x, const Answer& answer, bool valid, const std::vector<Output>& outputs,
                       bool hypothetical, std::optional<Output> against) {
    SweepPoint point{x, x, valid, answer.estimate.verdict, answer.estimate.wall, {}};
    point.value.fill(kNoValue);
    if (against) point.along = valid ? value_of(*against, answer, hypothetical) : kNoValue;
    for (std::size_t i = 0; valid && i < outputs.size(); ++i)
        point.value[i] = value_of(outputs[i], answer, hypothetical);
    return point;
}

}  // namespace

SweepData sweep_data(const Answer& answer, const std::vector<Axis>& axes, const std::vector<Output>& outputs,
                     bool hypothetical, bool held, std::optional<Output> against,
                     const std::stop_token& stop) {
    SweepData out;
    if (!answer.valid()) return out;
    const Settings& s = answer.settings;
    constexpr int kSteps = 80;
    constexpr double kFewest = 0.125;  // of the current value: a slider's range is too wide for a figure
    std::vector<Axis> used = axes;
    if (used.empty()) {
        const P id = P::sequence_length;
        const Parameter& row = parameter(id);
        const double low = std::max(row.slider_low, s[id] * kFewest);
        const double high = std::max(low, std::min(row.slider_high, s[id] / kFewest));
        used.push_back(make_axis(answer.scenario, id, low, high, kSteps, true));
        // The curve contains the scenario itself as a point.
        auto& values = used.front().values;
        const auto place = std::ranges::lower_bound(values, s[id]);
        if (place == values.end() || *place != s[id]) values.insert(place, s[id]);
    }
    out.outputs = outputs.empty() ? std::vector<Output>{Output::mfu, Output::peak_memory} : outputs;
    if (out.outputs.size() > kMaxPanels) out.outputs.resize(kMaxPanels);
    out.x = used[0].id;
    out.against = against;
    out.capacity = answer.estimate.memory.capacity;
    out.hypothetical = hypothetical;
    if (answer.scenario.automatic.any()) out.plan = held ? CurvePlan::held : CurvePlan::replanned;
    const Scenario scenario = held ? locked(answer.scenario) : answer.scenario;
    out.current = sweep_point(s[out.x], answer, true, out.outputs, hypothetical, against);

    std::vector<Axis> order;  // the family is the outer loop, x the inner one
    if (used.size() > 1) {
        const P family = used[1].id;
        out.family = family;
        order.push_back(used[1]);
        for (const double member : used[1].values) out.series.push_back({member, member == s[family], {}});
    } else {
        out.series.push_back({0, true, {}});
    }
    order.push_back(used[0]);
    Answer scratch;
    for (std::size_t i = 0; i < combinations(order) && !stop.stop_requested(); ++i) {
        const std::vector<std::size_t> at = indices_of(order, i);
        const bool valid = answer_point(scenario, order, at, scratch);
        SweepSeries& series = out.series[at.size() > 1 ? at[0] : 0];
        series.points.push_back(
            sweep_point(used[0].values[at.back()], scratch, valid, out.outputs, hypothetical, against));
    }
    return out;
}

PlotTable sweep_table(const SweepData& data) {
    PlotTable out;
    out.columns.push_back(parameter_header(data.x));
    if (data.family) out.columns.push_back(parameter_header(*data.family));
    // The quantity of the x axis has its own column unless it is one of the outputs.
    const bool has_own_column =
        data.against && std::ranges::find(data.outputs, *data.against) == data.outputs.end();
    if (has_own_column)
        out.columns.push_back(
            column_header(output(*data.against).path, plot_unit(output(*data.against).quantity).symbol));
    for (const Output id : data.outputs)
        out.columns.push_back(column_header(output(id).path, plot_unit(output(id).quantity).symbol));
    const bool planned = data.plan != CurvePlan::as_set;
    if (planned) out.columns.emplace_back("plan");
    out.columns.emplace_back("verdict");
    for (const SweepSeries& series : data.series) {
        for (const SweepPoint& point : series.points) {
            std::vector<std::string> row{parameter_cell(data.x, point.x)};
            if (data.family) row.push_back(parameter_cell(*data.family, series.member));
            if (has_own_column)
                row.push_back(exact_or_empty(point.along / plot_unit(output(*data.against).quantity).factor));
            for (std::size_t i = 0; i < data.outputs.size(); ++i) {
                row.push_back(
                    exact_or_empty(point.value[i] / plot_unit(output(data.outputs[i]).quantity).factor));
            }
            if (planned) row.emplace_back(data.plan == CurvePlan::held ? "held" : "re-planned");
            row.push_back(verdict_cell(point.valid, point.verdict));
            out.rows.push_back(std::move(row));
        }
    }
    return out;
}

}  // namespace shardscope
