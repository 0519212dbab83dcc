// The data of each plot as plain numbers: the figures draw them, the table view and the CSV print them.
//
// Rates are in SI units here; a table's numbers are in the unit that its header names.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "explain/output.h"
#include "explore/repair.h"
#include "explore/scaling.h"
#include "explore/sweep.h"
#include "widgets/chart/axis_range.h"
#include "widgets/pin.h"

namespace shardscope {

struct PlotTable {
    std::vector<std::string> columns;  // "gpus[1]", "mfu_weak[%]"
    std::vector<std::vector<std::string>> rows;
};
std::string to_csv(const PlotTable& table);
// The header of a parameter's column, and the parameter's value in tables: the name of a choice, a number in
// its unit.
std::string parameter_header(P id);
std::string parameter_cell(P id, double value);

// The unit of a quantity on an axis: "%" and 0.01, "GiB" and 2^30; "1" and 1 for bare numbers.
struct PlotUnit {
    std::string symbol;
    double factor = 1;
};
PlotUnit plot_unit(Quantity quantity);

// Returns the intervals in which nothing fits, from the last value that fits to the next one that does. `x`
// need not be ascending: where parts of the curve overlap, an interval fits if any of them fits.
std::vector<AxisRange> unfit_ranges(const std::vector<double>& x, const std::vector<bool>& fits);

// A point of a curve; neighbouring points that the same wall binds form a WallRange.
struct WallSample {
    double x = 0;
    bool fits = false;
    Wall wall = Wall::compute;
};
struct WallRange : AxisRange {
    Wall wall = Wall::compute;
};
std::vector<WallRange> wall_ranges(const std::vector<WallSample>& samples);

// How a curve treats the plan: `as_set` if nothing is automatic, else held fixed or re-planned at every
// point.
enum class SweepPlan { as_set, held, replanned };

// ---- scaling ---------------------------------------------------------------------------------------------
// Memory is that of the fullest GPU, in GiB.
enum class ScalingY { mfu, tokens_per_s_per_gpu, tokens_per_s, days, memory };

struct MeasuredPoint {
    double gpus = 0;
    double tokens_per_s_per_gpu = 0;
    bool same_settings = false;
    bool own = false;  // of this scenario, by the user
    std::string name;
    std::string source;
    double mfu = 0;  // as published, else from the run's settings; NaN if neither is known
    bool mfu_published = false;
    double sequence = 0;
};

struct ScalingData {
    Scaling curves;
    CurvePoint current;
    std::vector<MeasuredPoint> measured;
    double full_rate = 1;        // tokens/s/GPU at 100 % MFU
    double training_tokens = 0;  // of the whole run
    double capacity = 0;         // usable bytes
    double replica_gpus = 1;     // of one model replica: tensor × context × pipeline parallel degree
    SweepPlan plan = SweepPlan::as_set;
    double sequences_per_replica = 0;  // held by weak scaling
    double global_batch = 0;           // held by strong scaling
    bool hypothetical = false;         // show rates even where memory does not suffice
    // Set for a scenario that does not fit: the weak curve after a repair, the usable bytes, and what it is.
    Curve repaired;
    double repaired_capacity = 0;
    std::string repair;

    // Returns the quantity to show if the user has chosen `chosen`: memory where there is no rate to show.
    [[nodiscard]] ScalingY shown_y(ScalingY chosen) const {
        return current.fits() || hypothetical ? chosen : ScalingY::memory;
    }
    // A repair by more memory changes the limit and not the curve.
    [[nodiscard]] bool repair_raises_limit() const {
        return !repaired.empty() && repaired_capacity > capacity;
    }
    // The smallest GPU count of the curves; with fewer GPUs the plan would have to change.
    [[nodiscard]] double fewest_gpus() const { return curves.weak.empty() ? 1 : curves.weak.front().x; }
    [[nodiscard]] bool shows(const CurvePoint& point) const {
        return point.valid && (hypothetical || point.fits());
    }
    // NaN if there is no value to show.
    [[nodiscard]] double y(const CurvePoint& point, ScalingY quantity) const;
    // The quantity at another rate than that of the point, and on any GPU count for a run with the current
    // scenario's tokens, including what failures cost.
    [[nodiscard]] double y(double tokens_per_s_per_gpu, const CurvePoint& at, ScalingY quantity) const;
    [[nodiscard]] double y(double tokens_per_s_per_gpu, double gpus, ScalingY quantity) const;
    // A measured run has its own MFU, because other settings need another number of FLOPs per token.
    [[nodiscard]] double y(const MeasuredPoint& run, ScalingY quantity) const;
    [[nodiscard]] double ideal_y(const CurvePoint& point, ScalingY quantity) const;
};
// `held`: automatic parameters keep the answer's values. `own` is the user's measured run, if there is one.
// After a stop request the result must not be used.
ScalingData scaling_data(const Answer& answer, const std::optional<Measurement>& own = {},
                         bool hypothetical = false, bool held = false, const std::stop_token& stop = {});
// Adds the curve after a repair, where the data has no rates to show. nullptr removes it.
void show_repair(ScalingData& data, const Repair* repair, const std::stop_token& stop = {});

// ---- sweep -----------------------------------------------------------------------------------------------
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
    SweepPlan plan = SweepPlan::as_set;
};
// The first axis is the x axis, a second one makes a family of lines. Without axes the sequence length is
// swept; without outputs MFU and memory are shown. `held`: automatic parameters keep the answer's values.
// After a stop request the result must not be used.
SweepData sweep_data(const Answer& answer, const std::vector<Axis>& axes, const std::vector<Output>& outputs,
                     bool hypothetical = false, bool held = false, std::optional<Output> against = {},
                     const std::stop_token& stop = {});

// ---- tables ----------------------------------------------------------------------------------------------
// Appends the pins' tables below the scenario's table and adds a first column with the scenario's letter.
// Without pins the table is returned unchanged.
PlotTable with_pins(PlotTable table, const std::vector<std::pair<char, PlotTable>>& pinned);
// The same for ghosts, which have a letter and the data from which `table_of` makes a table.
template <typename Ghost, typename TableOf>
PlotTable with_ghosts(PlotTable table, const std::vector<Ghost>& ghosts, TableOf table_of) {
    std::vector<std::pair<char, PlotTable>> pinned;
    pinned.reserve(ghosts.size());
    for (const Ghost& ghost : ghosts) pinned.emplace_back(ghost.letter, table_of(ghost.data));
    return with_pins(std::move(table), pinned);
}
PlotTable with_pins(const std::function<PlotTable(const Answer&)>& table_of, const Answer& answer,
                    const std::vector<Pin>& pins);
PlotTable scaling_table(const ScalingData& data);
PlotTable sweep_table(const SweepData& data);
PlotTable memory_table(const Answer& answer);
PlotTable waterfall_table(const Answer& answer, bool hypothetical = false);

}  // namespace shardscope
