// The data of the scaling plot: MFU or another quantity over the number of GPUs.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "explore/repair.h"
#include "explore/scaling.h"
#include "widgets/plots/curve_ranges.h"
#include "widgets/plots/plot_options.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

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
    CurvePlan plan = CurvePlan::as_set;
    double sequences_per_replica = 0;  // held by weak scaling
    double global_batch = 0;           // held by strong scaling
    bool holds_global_batch = false;   // by the scenario, so that its own job is that of strong scaling
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
    // The curve of the job that the scenario holds, whose walls are shown along the axis: those that the
    // headline names after a change of the GPU count.
    [[nodiscard]] const Curve& held_job() const {
        return holds_global_batch && !curves.strong.empty() ? curves.strong : curves.weak;
    }
    // The smallest GPU count of the curves; with fewer GPUs the plan would have to change.
    [[nodiscard]] double fewest_gpus() const;
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
PlotTable scaling_table(const ScalingData& data);

}  // namespace shardscope
