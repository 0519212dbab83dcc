#include "evidence/measured.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "evidence/likely_range.h"
namespace shardscope {
namespace {

// The constants that may be wrong, with the rate that each is a share of, if any.
struct PossibleCause {
    P id;
    std::optional<P> rate;
};
constexpr std::array kPossibleCauses{PossibleCause{P::network_efficiency, P::inter_node_bandwidth},
                                     PossibleCause{P::intra_node_efficiency, P::intra_node_bandwidth},
                                     PossibleCause{P::gemm_efficiency, P::peak_flops},
                                     PossibleCause{P::attention_efficiency, std::nullopt},
                                     PossibleCause{P::memory_efficiency, P::memory_bandwidth},
                                     PossibleCause{P::overlap, std::nullopt}};

double step_time_of(const Measurement& measurement, double tokens_per_gpu) {
    switch (measurement.kind) {
        case MeasuredKind::tokens_per_s_per_gpu: return tokens_per_gpu / measurement.value;
        case MeasuredKind::tokens_per_s: return tokens_per_gpu * measurement.gpus / measurement.value;
        case MeasuredKind::step_time: break;
    }
    return measurement.value;
}

std::optional<MeasuredKind> other_reading(const Residual& found, const Measurement& measurement) {
    // The unit is doubted only if the difference exceeds any error of the model, and another one is proposed
    // only if it would explain the difference.
    constexpr double kDoubtful = 4;
    constexpr double kPlausible = 2;
    const auto factor = [](double a, double b) { return std::max(a / b, b / a); };
    const bool doubtful = found.exceeded_limit != ExceededLimit::none ||
                          factor(found.tokens_per_s_per_gpu, found.predicted_rate) > kDoubtful;
    if (!doubtful || found.gpus <= 1) return std::nullopt;
    double rate = 0;
    MeasuredKind kind = MeasuredKind::step_time;
    if (measurement.kind == MeasuredKind::tokens_per_s_per_gpu) {
        rate = measurement.value / found.gpus;
        kind = MeasuredKind::tokens_per_s;
    } else if (measurement.kind == MeasuredKind::tokens_per_s) {
        rate = measurement.value;
        kind = MeasuredKind::tokens_per_s_per_gpu;
    } else {
        return std::nullopt;
    }
    if (factor(rate, found.predicted_rate) > kPlausible) return std::nullopt;
    return kind;
}

// tokens/s/GPU with the constant at `value`; automatic parameters are planned already.
double rate_at(const Scenario& scenario, P id, double value, Answer& scratch) {
    Scenario trial = scenario;
    trial.give(id, value);
    return answer_into(trial, scratch) ? scratch.estimate.tokens_per_s_per_gpu : std::nan("");
}

Cause cause_of(const Scenario& scenario, const Settings& settings, const PossibleCause& possible,
               double target, Answer& scratch) {
    const Parameter& row = parameter(possible.id);
    Cause out{possible.id, settings[possible.id], std::nullopt, possible.rate};
    double low = row.minimum;
    double high = row.maximum;
    const double at_low = rate_at(scenario, possible.id, low, scratch);
    const double at_high = rate_at(scenario, possible.id, high, scratch);
    const bool rising = at_high > at_low;
    out.best_rate = std::clamp(target, std::min(at_low, at_high), std::max(at_low, at_high));
    if (out.best_rate == target && at_low != at_high) {
        // The rate is monotone in each of these constants.
        constexpr int kHalvings = 40;
        constexpr double kClose = 1e-10;
        double middle = out.now;
        for (int i = 0; i < kHalvings; ++i) {
            const double rate = rate_at(scenario, possible.id, middle, scratch);
            if (std::fabs(rate / target - 1) < kClose) break;
            ((rate < target) == rising ? low : high) = middle;
            middle = (low + high) / 2;
        }
        out.value = middle;
    }
    if (out.rate) {
        out.effective_now = out.now * settings[*out.rate];
        out.effective = out.value.value_or(out.now) * settings[*out.rate];
    }
    return out;
}

}  // namespace

std::string_view name_of(MeasuredKind kind) {
    switch (kind) {
        case MeasuredKind::tokens_per_s_per_gpu: return "tokens_per_s_per_gpu";
        case MeasuredKind::tokens_per_s: return "tokens_per_s";
        case MeasuredKind::step_time: return "step_time_s";
    }
    return {};
}

Quantity quantity_of(MeasuredKind kind) {
    return kind == MeasuredKind::step_time ? Quantity::seconds : Quantity::rate;
}

Scenario measured_scenario(const Answer& answer, const Measurement& measurement) {
    if (measurement.gpus == answer.settings[P::gpus]) return answer.scenario;
    return edited(answer.scenario, P::gpus, measurement.gpus);
}

Cause cause_of(const Answer& measured, const Measurement& measurement, P id, std::optional<P> rate) {
    const double tokens = measured.estimate.tokens_per_gpu;
    Answer scratch;
    return cause_of(measured.scenario, measured.settings, {id, rate},
                    tokens / step_time_of(measurement, tokens), scratch);
}

Residual residual(const Answer& answer, const Measurement& measurement) {
    Answer elsewhere;
    const Answer* same = &answer;
    if (measurement.gpus != answer.settings[P::gpus] &&
        answer_into(measured_scenario(answer, measurement), elsewhere))
        same = &elsewhere;
    const Estimate& predicted = same->estimate;
    Residual out;
    out.gpus = measurement.gpus;
    out.step_time = step_time_of(measurement, predicted.tokens_per_gpu);
    out.tokens_per_s_per_gpu = predicted.tokens_per_gpu / out.step_time;
    out.predicted_step = predicted.step.total;
    out.predicted_rate = predicted.tokens_per_s_per_gpu;
    out.predicted_mfu = predicted.mfu;
    const double faster = out.tokens_per_s_per_gpu / predicted.tokens_per_s_per_gpu;
    out.mfu = predicted.mfu * faster;
    out.hfu = predicted.hfu * faster;
    const LikelyRange likely = likely_range(*same);
    out.band_low = likely.low;
    out.band_high = likely.high;
    out.error = out.predicted_step / out.step_time - 1;
    // The latency of rings is no bound, because collectives may be merged or use other algorithms.
    IdealInputs bound = same->compiled.ideal;
    bound.latency = 0;
    out.ideal_rate = ideal_estimate(bound).tokens_per_s;
    out.verdict = predicted.verdict;
    if (out.mfu > 1) out.exceeded_limit = ExceededLimit::model_flops;
    else if (out.hfu > 1) out.exceeded_limit = ExceededLimit::hardware;
    else if (out.ideal_rate > 0 && out.tokens_per_s_per_gpu > out.ideal_rate)
        out.exceeded_limit = ExceededLimit::ideal;
    out.likely_kind = other_reading(out, measurement);
    return out;
}

double Cause::relative_change() const {
    if (!value) return 1;
    const double larger = std::max(*value, now);
    return larger > 0 ? std::fabs(*value - now) / larger : 0;
}

std::vector<Cause> causes(const Answer& answer, const Measurement& measurement) {
    std::vector<Cause> out;
    if (!answer.valid()) return out;
    Scenario scenario = measured_scenario(answer, measurement);
    Answer scratch;
    if (!answer_into(scenario, scratch)) return out;
    scenario = scratch.scenario;
    scenario.automatic.reset();  // the plan is held; no constant changes whether it fits
    const Settings settings = scratch.settings;
    const double target =
        scratch.estimate.tokens_per_gpu / step_time_of(measurement, scratch.estimate.tokens_per_gpu);
    for (const PossibleCause& possible : kPossibleCauses)
        out.push_back(cause_of(scenario, settings, possible, target, scratch));
    std::ranges::stable_sort(out, [](const Cause& a, const Cause& b) {
        if (a.value.has_value() != b.value.has_value()) return a.value.has_value();
        return a.relative_change() < b.relative_change();
    });
    return out;
}

}  // namespace shardscope
