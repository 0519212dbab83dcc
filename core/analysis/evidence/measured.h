// A user's measured run: its comparison with the prediction, and the single constants that would explain the
// difference.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// The quantity that was measured; `name_of` is its field in the file.
enum class MeasuredKind { tokens_per_s_per_gpu, tokens_per_s, step_time };
inline constexpr std::array kMeasuredKinds{MeasuredKind::tokens_per_s_per_gpu, MeasuredKind::tokens_per_s,
                                           MeasuredKind::step_time};
std::string_view name_of(MeasuredKind kind);  // "step_time_s"
Quantity quantity_of(MeasuredKind kind);

// What a user has measured of a run.
struct Measurement {
    MeasuredKind kind = MeasuredKind::tokens_per_s_per_gpu;
    double value = 0;  // tokens/s or s
    double gpus = 0;   // of the run; independent of the scenario's GPU count
    bool operator==(const Measurement&) const = default;
};

// The upper limit that a measurement exceeds. It was then probably given in a wrong unit.
enum class ExceededLimit {
    none,
    model_flops,  // MFU above 100 %
    hardware,     // HFU above 100 %, recomputation included
    ideal,        // above the closed form without latency: full peak, perfect overlap, one gather per layer
};

// The comparison of measured and predicted results, both for the GPU count of the measurement.
struct Residual {
    double gpus = 0;
    double step_time = 0;             // s, measured
    double tokens_per_s_per_gpu = 0;  // measured
    double mfu = 0;                   // implied by the measurement
    double hfu = 0;
    double predicted_step = 0;
    double predicted_rate = 0;  // tokens/s/GPU
    double predicted_mfu = 0;
    double band_low = 0;  // of the predicted rate
    double band_high = 0;
    double error = 0;  // predicted ÷ measured step time − 1, as in `validate`
    double ideal_rate = 0;
    Verdict verdict = Verdict::fits;
    ExceededLimit exceeded_limit = ExceededLimit::none;
    // The more plausible unit if this one is not: per GPU instead of in total, or the reverse.
    std::optional<MeasuredKind> likely_kind;

    [[nodiscard]] bool inside_band() const {
        return tokens_per_s_per_gpu >= band_low && tokens_per_s_per_gpu <= band_high;
    }
};
// `answer` must be valid.
Residual residual(const Answer& answer, const Measurement& measurement);

// One constant that would make the prediction equal the measurement, all else held.
struct Cause {
    P id;
    double now = 0;
    std::optional<double> value;  // none: no value in the parameter's range does so
    // The rate that the constant is a share of, if any: P::inter_node_bandwidth for the network efficiency.
    std::optional<P> rate;
    double effective_now = 0;  // now × rate
    double effective = 0;      // value × rate
    double best_rate = 0;      // tokens/s/GPU nearest to the measurement over all values

    // 0 … 1; half and twice the value are equal changes.
    [[nodiscard]] double relative_change() const;
};
// Returns the cause of one constant; `measured` has the GPU count of the measurement and no automatic
// parameters.
Cause cause_of(const Answer& measured, const Measurement& measurement, P id, std::optional<P> rate);
// Returns the scenario with the GPU count of the measurement.
Scenario measured_scenario(const Answer& answer, const Measurement& measurement);
// The causes that can explain the measurement come first, the smallest change first. This takes hundreds of
// estimates, too many for every frame.
std::vector<Cause> causes(const Answer& answer, const Measurement& measurement);

}  // namespace shardscope
