// The data of the sweep: outputs over one input, as a family of curves over a second one.
#pragma once

#include <array>
#include <optional>
#include <stop_token>
#include <vector>

#include "explore/sweep.h"
#include "widgets/plots/curve_ranges.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

inline constexpr std::size_t kMaxPanels = 3;

struct SweepPoint {
    double x = 0;      // the input
    double along = 0;  // position along the axis: the input, or the output it is drawn against
    bool valid = false;
    Verdict verdict = Verdict::does_not_fit;
    Wall wall = Wall::memory;
    std::array<double, kMaxPanels> value{};  // NaN if not meaningful
    [[nodiscard]] bool fits() const { return valid && verdict != Verdict::does_not_fit; }
};
struct SweepSeries {
    double member = 0;    // value of the second axis
    bool current = true;  // the scenario's own value
    std::vector<SweepPoint> points;
};
struct SweepData {
    P x = P::sequence_length;
    std::optional<Output> against;  // quantity of the x axis; none: the input itself
    std::optional<P> family;
    std::vector<Output> outputs;  // one to kMaxPanels
    std::vector<SweepSeries> series;
    SweepPoint current;
    double capacity = 0;        // usable bytes, drawn across a panel of memory
    bool hypothetical = false;  // show rates even where memory does not suffice
    CurvePlan plan = CurvePlan::as_set;
};
// The first axis is the x axis, a second one makes a family of lines. Without axes the sequence length is
// swept; without outputs MFU and memory are shown. `held`: automatic parameters keep the answer's values.
// After a stop request the result must not be used.
SweepData sweep_data(const Answer& answer, const std::vector<Axis>& axes, const std::vector<Output>& outputs,
                     bool hypothetical = false, bool held = false, std::optional<Output> against = {},
                     const std::stop_token& stop = {});
PlotTable sweep_table(const SweepData& data);

}  // namespace shardscope
