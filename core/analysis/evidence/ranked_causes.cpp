#include "evidence/ranked_causes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "evidence/calibration.h"
#include "scenario/domain.h"

namespace shardscope {
namespace {

constexpr double kModelError = 0.05;  // one standard deviation of what a setting leaves unexplained

// Settings that logs and papers often leave out. Numbers are tried at half and at twice their value, choices
// at their other names.
constexpr std::array kUnstated{P::recompute,
                               P::attention,
                               P::precision,
                               P::gradient_precision,
                               P::optimizer_precision,
                               P::sequence_parallel,
                               P::async_tensor_parallel,
                               P::overlap_grad_reduce,
                               P::overlap_param_gather,
                               P::reshard_after_forward,
                               P::parallel_loss,
                               P::loss,
                               P::cuda_graphs,
                               P::moe_dispatcher,
                               P::moe_overlap,
                               P::context_parallel_kind,
                               P::offload,
                               P::inter_node_bandwidth,
                               P::expert_imbalance};

// The measured run with the plan held, and its measured step time.
struct Discrepancy {
    Answer answer;
    Measurement measurement;
    double measured = 0;  // s
    bool valid = false;

    [[nodiscard]] double predicted() const { return answer.estimate.step.total; }
    [[nodiscard]] double misfit() const { return std::log(predicted() / measured); }
};

Discrepancy discrepancy_of(const Answer& answer, const Measurement& measurement) {
    Discrepancy out;
    out.measurement = measurement;
    if (!answer.valid()) return out;
    Scenario scenario = measured_scenario(answer, measurement);
    if (!answer_into(scenario, out.answer)) return out;
    scenario = out.answer.scenario;
    scenario.automatic.reset();  // the plan is held
    out.valid = answer_into(scenario, out.answer);
    if (out.valid) out.measured = residual(out.answer, measurement).step_time;
    return out;
}

// Sets what the prediction would be with the value; returns false where the value is not valid.
bool predict(const Discrepancy& discrepancy, RankedCause& out, Answer& scratch) {
    Scenario trial = discrepancy.answer.scenario;
    trial.give(out.id, out.value);
    if (!answer_into(trial, scratch)) return false;
    out.step_time = scratch.estimate.step.total;
    double most = -1;
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        const double before = discrepancy.answer.estimate.step.terms[i];
        const double after = scratch.estimate.step.terms[i];
        if (std::fabs(after - before) <= most) continue;
        most = std::fabs(after - before);
        out.term = static_cast<StepTerm>(i);
    }
    return true;
}

// Returns whether the run's software offloads to NVMe. Of the known ones, DeepSpeed does.
bool offloads_to_nvme(const Settings& settings) {
    switch (settings.choice<Software>(P::software)) {
        case Software::deepspeed:
        case Software::deepspeed_2021:
        case Software::megatron_deepspeed:
        case Software::other: return true;
        default: return false;
    }
}

std::vector<double> other_values(P id, const Settings& settings) {
    const Parameter& row = parameter(id);
    const double now = settings[id];
    std::vector<double> out;
    if (row.quantity == Quantity::flag) return {now != 0 ? 0.0 : 1.0};
    for (const Named& named : row.names) out.push_back(named.value);
    if (id == P::recompute) out = {0, kRecomputeSelective, 1};
    if (out.empty()) out = {now / 2, now * 2};
    std::erase_if(out, [&](double value) {
        return value == now || value > row.maximum || (value < row.minimum && !is_named(row, value)) ||
               (id == P::offload && value == static_cast<double>(Offload::optimizer_nvme) &&
                !offloads_to_nvme(settings));
    });
    return out;
}

void add_settings(const Discrepancy& discrepancy, std::vector<RankedCause>& out) {
    constexpr double kEnough = 0.5;  // of the difference
    const Settings& settings = discrepancy.answer.settings;
    Answer scratch;
    for (const P id : kUnstated) {
        if (discrepancy.answer.scenario.is_given(id) || !applies_to(id, settings) || std::isnan(settings[id]))
            continue;
        std::optional<RankedCause> best;
        for (const double value : other_values(id, settings)) {
            RankedCause trial{.id = id, .setting = true, .now = settings[id], .value = value};
            if (!predict(discrepancy, trial, scratch)) continue;
            const double left = std::fabs(std::log(trial.step_time / discrepancy.measured));
            trial.deviations = 1 + left / kModelError;
            const bool explains = left <= kEnough * std::fabs(discrepancy.misfit());
            if (explains && (!best || trial.deviations < best->deviations)) best = trial;
        }
        if (best) out.push_back(*best);
    }
}

void add_constants(const Discrepancy& discrepancy, std::vector<RankedCause>& out) {
    Answer scratch;
    for (const PriorWidth& prior : prior_widths()) {
        const double now = discrepancy.answer.settings[prior.id];
        if (!applies_to(prior.id, discrepancy.answer.settings) || std::isnan(now)) continue;
        const Cause cause = cause_of(discrepancy.answer, discrepancy.measurement, prior.id, std::nullopt);
        if (!cause.value || *cause.value == now) continue;
        // A value outside of the physical range is no explanation.
        if (*cause.value < std::min(prior.low, now) || *cause.value > std::max(prior.high, now)) continue;
        RankedCause found{.id = prior.id, .now = now, .value = *cause.value};
        const bool logarithmic = prior.logarithmic && now > 0 && found.value > 0;
        found.deviations =
            std::fabs(logarithmic ? std::log(found.value / now) : found.value - now) / prior.deviation;
        if (predict(discrepancy, found, scratch)) out.push_back(found);
    }
}

}  // namespace

std::vector<RankedCause> ranked_causes(const Answer& answer, const Measurement& measurement) {
    std::vector<RankedCause> out;
    const Discrepancy discrepancy = discrepancy_of(answer, measurement);
    if (!discrepancy.valid || std::fabs(discrepancy.misfit()) < kNegligibleDifference) return out;
    add_settings(discrepancy, out);
    add_constants(discrepancy, out);
    std::ranges::stable_sort(out, {}, &RankedCause::deviations);
    return out;
}

std::vector<TermGap> term_gaps(const Answer& answer, const Measurement& measurement) {
    std::vector<TermGap> out;
    const Discrepancy discrepancy = discrepancy_of(answer, measurement);
    if (!discrepancy.valid) return out;
    const double difference = discrepancy.measured - discrepancy.predicted();
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        const double term = discrepancy.answer.estimate.step.terms[i];
        if (term > 0) out.push_back({static_cast<StepTerm>(i), term, term + difference});
    }
    // All terms would have to change by the same time, so the longest changes relatively the least.
    std::ranges::stable_sort(out, std::ranges::greater{}, &TermGap::predicted);
    return out;
}

}  // namespace shardscope
