#include "widgets/plots/scaling/scaling_data.h"

#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "evidence/measured.h"
#include "evidence/runs.h"
#include "scenario/gpu_groups.h"
#include "text/units.h"

namespace shardscope {

namespace {

// The GPU counts at which scaling curves are tried.
constexpr double kFewestGpus = 1;
constexpr double kMostGpus = 16384;

const CurvePoint* point_at(const Curve& curve, double gpus) {
    const auto found = std::ranges::find(curve, gpus, &CurvePoint::x);
    return found == curve.end() ? nullptr : &*found;
}

}  // namespace

double ScalingData::fewest_gpus() const {
    double out = kMostGpus;
    for (const Curve* curve : {&curves.weak, &curves.strong}) {
        if (!curve->empty()) out = std::min(out, curve->front().x);
    }
    return curves.weak.empty() ? kFewestGpus : out;
}

double ScalingData::y(double tokens_per_s_per_gpu, const CurvePoint& at, ScalingY quantity) const {
    switch (quantity) {
        case ScalingY::mfu: return tokens_per_s_per_gpu / full_rate;
        case ScalingY::tokens_per_s_per_gpu: return tokens_per_s_per_gpu;
        case ScalingY::tokens_per_s: return tokens_per_s_per_gpu * at.x;
        case ScalingY::days: return at.run_tokens / (tokens_per_s_per_gpu * at.x) / kSecondsPerDay;
        case ScalingY::memory: return at.peak_memory / kGiB;
    }
    return kNoValue;
}

double ScalingData::y(double tokens_per_s_per_gpu, double gpus, ScalingY quantity) const {
    CurvePoint there = current;
    there.x = gpus;
    return y(tokens_per_s_per_gpu, there, quantity);
}

double ScalingData::y(const MeasuredPoint& run, ScalingY quantity) const {
    if (quantity == ScalingY::memory) return kNoValue;
    return quantity == ScalingY::mfu ? run.mfu : y(run.tokens_per_s_per_gpu, run.gpus, quantity);
}

double ScalingData::y(const CurvePoint& point, ScalingY quantity) const {
    const bool known = quantity == ScalingY::memory ? point.valid : shows(point);
    return known ? y(point.tokens_per_s_per_gpu, point, quantity) : kNoValue;
}

double ScalingData::ideal_y(const CurvePoint& point, ScalingY quantity) const {
    // The closed form gives zero if it leaves no memory for activations.
    if (!point.valid || !(point.ideal_tokens_per_s_per_gpu > 0) || quantity == ScalingY::memory)
        return kNoValue;
    if (quantity == ScalingY::mfu) return point.ideal_mfu;
    return y(point.ideal_tokens_per_s_per_gpu, point, quantity);
}

ScalingData scaling_data(const Answer& answer, const std::optional<Measurement>& own, bool hypothetical,
                         bool held, const std::stop_token& stop) {
    ScalingData out;
    if (!answer.valid()) return out;
    const Settings& s = answer.settings;
    const Scenario scenario = held ? locked(answer.scenario) : answer.scenario;
    if (answer.scenario.automatic.any()) out.plan = held ? CurvePlan::held : CurvePlan::replanned;
    out.curves = scaling(scenario, kFewestGpus, kMostGpus, stop);
    out.current = curve_point(s[P::gpus], answer, true);
    out.full_rate = answer.compiled.peak / answer.compiled.flops_per_token;
    out.training_tokens = answer.compiled.training_tokens;
    out.capacity = answer.estimate.memory.capacity;
    out.global_batch = s[P::global_batch];
    out.replica_gpus = gpus_per_replica(s);
    out.sequences_per_replica = s[P::global_batch] / data_parallel(s);
    out.holds_global_batch = scenario.hold() == Hold::global_batch;
    out.hypothetical = hypothetical;
    if (own) {
        const Residual found = residual(answer, *own);
        out.measured.push_back({.gpus = found.gpus,
                                .tokens_per_s_per_gpu = found.tokens_per_s_per_gpu,
                                .same_settings = true,
                                .own = true,
                                .name = "my measured run",
                                .source = "this scenario",
                                .mfu = found.mfu,
                                .sequence = s[P::sequence_length]});
    }
    for (const ComparableRun& run : comparable_runs(answer)) {
        if (run.run->tokens_per_s_per_gpu > 0) {
            out.measured.push_back({.gpus = run.run->gpus,
                                    .tokens_per_s_per_gpu = run.run->tokens_per_s_per_gpu,
                                    .same_settings = run.same_settings,
                                    .own = false,
                                    .name = run.run->id,
                                    .source = run.run->source,
                                    .mfu = run.mfu,
                                    .mfu_published = run.run->mfu > 0,
                                    .sequence = run.sequence});
        }
    }
    return out;
}

void show_repair(ScalingData& data, const Repair* repair, const std::stop_token& stop) {
    data.repaired.clear();
    data.repair.clear();
    if (!repair || data.shown_y(ScalingY::mfu) != ScalingY::memory) return;
    const Scenario planned = locked(repair->planned);
    data.repaired = scaling(planned, kFewestGpus, kMostGpus, stop).weak;
    keep_plan(data.repaired, with_hold(planned, Hold::per_gpu_batch));
    data.repaired_capacity = repair->capacity;
    data.repair = repair->label;
}

PlotTable scaling_table(const ScalingData& data) {
    PlotTable out;
    out.columns = {"gpus[1]",
                   "verdict",
                   "wall",
                   "mfu_weak[%]",
                   "mfu_band_low[%]",
                   "mfu_band_high[%]",
                   "mfu_strong[%]",
                   "mfu_ideal[%]",
                   "tokens_per_s_per_gpu_weak[tokens/s]",
                   "tokens_per_s_per_gpu_strong[tokens/s]",
                   "tokens_per_s_weak[tokens/s]",
                   "tokens_per_s_strong[tokens/s]",
                   "days_weak[days]",
                   "days_strong[days]",
                   "mfu_measured[%]",
                   "tokens_per_s_per_gpu_measured[tokens/s]",
                   "run",
                   "settings",
                   "peak_memory_weak[GiB]",
                   "sharded_memory_weak[GiB]",
                   "peak_memory_strong[GiB]",
                   "peak_memory_repaired[GiB]"};
    constexpr double kPercent = 0.01;
    for (const CurvePoint& weak : data.curves.weak) {
        const CurvePoint* strong = point_at(data.curves.strong, weak.x);
        const auto weakly = [&](ScalingY y) { return data.y(weak, y); };
        const auto strongly = [&](ScalingY y) { return strong ? data.y(*strong, y) : kNoValue; };
        const CurvePoint* repaired = point_at(data.repaired, weak.x);
        const double mfu = weakly(ScalingY::mfu);
        out.rows.push_back(
            {exact_or_empty(weak.x),
             verdict_cell(weak.valid, weak.verdict),
             weak.valid ? wall_cell(weak.wall) : std::string(),
             exact_or_empty(mfu / kPercent),
             exact_or_empty((std::isnan(mfu) ? kNoValue : data.y(weak.band_low, weak, ScalingY::mfu)) /
                            kPercent),
             exact_or_empty((std::isnan(mfu) ? kNoValue : data.y(weak.band_high, weak, ScalingY::mfu)) /
                            kPercent),
             exact_or_empty(strongly(ScalingY::mfu) / kPercent),
             exact_or_empty(data.ideal_y(weak, ScalingY::mfu) / kPercent),
             exact_or_empty(weakly(ScalingY::tokens_per_s_per_gpu)),
             exact_or_empty(strongly(ScalingY::tokens_per_s_per_gpu)),
             exact_or_empty(weakly(ScalingY::tokens_per_s)),
             exact_or_empty(strongly(ScalingY::tokens_per_s)),
             exact_or_empty(weakly(ScalingY::days)),
             exact_or_empty(strongly(ScalingY::days)),
             "",
             "",
             "",
             "",
             exact_or_empty(weakly(ScalingY::memory)),
             exact_or_empty(weak.valid ? weak.sharded_memory / kGiB : kNoValue),
             exact_or_empty(strongly(ScalingY::memory)),
             exact_or_empty(repaired ? data.y(*repaired, ScalingY::memory) : kNoValue)});
    }
    // Measured runs follow in separate rows, because several may share a GPU count.
    for (const MeasuredPoint& run : data.measured) {
        std::vector<std::string> row(out.columns.size());
        row[0] = exact_or_empty(run.gpus);
        row[14] = exact_or_empty(data.y(run, ScalingY::mfu) / kPercent);
        row[15] = exact_or_empty(run.tokens_per_s_per_gpu);
        row[16] = run.name;
        row[17] = run.same_settings ? "same" : "other";
        out.rows.push_back(std::move(row));
    }
    return out;
}

}  // namespace shardscope
