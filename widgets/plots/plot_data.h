// What each plot shows, as plain numbers: the figures draw it, the table view and the CSV print it.
//
// Rates are in SI units here; a table's numbers are in the unit its header names.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "explain/output.h"
#include "explore/scaling.h"
#include "explore/sweep.h"
#include "widgets/pin.h"

namespace shardscope {

struct PlotTable {
    std::vector<std::string> columns;  // "gpus[1]", "mfu_weak[%]"
    std::vector<std::vector<std::string>> rows;
};
std::string to_csv(const PlotTable& table);
// A parameter's column, and its value as tables show it: a choice by its name, a number in its unit.
std::string parameter_header(P id);
std::string parameter_cell(P id, double value);

// The unit a quantity has on an axis: "%" and 0.01, "GiB" and 2^30; "1" and 1 for bare numbers.
struct PlotUnit {
    std::string symbol;
    double factor = 1;
};
PlotUnit plot_unit(Quantity quantity);

// Part of an axis, in axis values.
struct Stretch {
    double from = 0;
    double to = 0;
};
// Where nothing fits: from the last value that fits to the next one that does. Values need not grow: what one
// part of a curve leaves out another may fit.
std::vector<Stretch> unfit_stretches(const std::vector<double>& x, const std::vector<bool>& fits);

// Neighbouring points that the same wall binds.
struct WallSample {
    double x = 0;
    bool fits = false;
    Wall wall = Wall::compute;
};
struct WallStretch : Stretch {
    Wall wall = Wall::compute;
};
std::vector<WallStretch> wall_stretches(const std::vector<WallSample>& samples);

// Whether the plan is found anew at every point: only where something is automatic.
enum class SweepPlan { as_set, held, found_anew };

// ---- scaling ---------------------------------------------------------------------------------------------
enum class ScalingY { mfu, tokens_per_s_per_gpu, tokens_per_s, days };

struct MeasuredPoint {
    double gpus = 0;
    double tokens_per_s_per_gpu = 0;
    bool same_settings = false;
    bool own = false;  // of this scenario, by the person themselves
    std::string name;
    std::string source;
    double mfu = 0;  // as published, else by the run's own settings; NaN when neither says it
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
    double replica_gpus = 1;     // that one copy of the model takes: tensor × context × pipeline parallel
    SweepPlan plan = SweepPlan::as_set;
    double sequences_per_replica = 0;  // weak: held
    double global_batch = 0;           // strong: held
    bool hypothetical = false;         // show rates where memory does not suffice

    // GPUs from which on the plan stays as it is: the curves begin there.
    [[nodiscard]] double fewest_gpus() const { return curves.weak.empty() ? 1 : curves.weak.front().x; }
    [[nodiscard]] bool shows(const CurvePoint& point) const {
        return point.valid && (hypothetical || point.fits());
    }
    // NaN where nothing is to be shown.
    [[nodiscard]] double y(const CurvePoint& point, ScalingY quantity) const;
    // Of another rate at that point, and of a run of the scenario's tokens and losses on any GPU count.
    [[nodiscard]] double y(double tokens_per_s_per_gpu, const CurvePoint& at, ScalingY quantity) const;
    [[nodiscard]] double y(double tokens_per_s_per_gpu, double gpus, ScalingY quantity) const;
    // A measured run's MFU is its own: other settings take other FLOPs for a token.
    [[nodiscard]] double y(const MeasuredPoint& run, ScalingY quantity) const;
    [[nodiscard]] double ideal_y(const CurvePoint& point, ScalingY quantity) const;
};
// `held`: what is automatic keeps the answer's values. A stopped one returns what means nothing.
ScalingData scaling_data(const Answer& answer, bool hypothetical = false, bool held = false,
                         const std::stop_token& stop = {});

// ---- sweep -----------------------------------------------------------------------------------------------
inline constexpr std::size_t kMostPanels = 3;

struct SweepPoint {
    double x = 0;      // the input
    double along = 0;  // where the point stands along the axis: the input, or what it is drawn against
    bool valid = false;
    Verdict verdict = Verdict::does_not_fit;
    Wall wall = Wall::memory;
    std::array<double, kMostPanels> value{};  // NaN where it means nothing
    [[nodiscard]] bool fits() const { return valid && verdict != Verdict::does_not_fit; }
};
struct SweepSeries {
    double member = 0;    // value of the second axis
    bool current = true;  // the scenario's own value
    std::vector<SweepPoint> points;
};
struct SweepData {
    P x = P::count;
    Output against = Output::count;  // what the points are drawn against; Output::count: the input itself
    P family = P::count;             // P::count: none
    std::vector<Output> outputs;     // one to kMostPanels
    std::vector<SweepSeries> series;
    SweepPoint current;
    double capacity = 0;        // usable bytes, drawn across a panel of memory
    bool hypothetical = false;  // rates are shown where memory does not suffice
    SweepPlan plan = SweepPlan::as_set;
};
// The first axis runs along x, a second one gives the lines. None: the sequence length. No outputs: MFU and
// memory. `held`: what is automatic keeps the answer's values. A stopped one returns what means nothing.
SweepData sweep_data(const Answer& answer, const std::vector<Axis>& axes, const std::vector<Output>& outputs,
                     bool hypothetical = false, bool held = false, Output against = Output::count,
                     const std::stop_token& stop = {});

// ---- tables ----------------------------------------------------------------------------------------------
// The scenario's table with those of pins below it, told apart by a first column; without pins as it is.
PlotTable with_pins(PlotTable table, const std::vector<std::pair<char, PlotTable>>& pinned);
// Ghosts have a letter and the data that `table_of` makes a table of.
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
