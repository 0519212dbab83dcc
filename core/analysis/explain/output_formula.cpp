#include "explain/output_formula.h"

#include <algorithm>
#include <optional>

#include "compile/effect_inputs.h"
#include "memory/memory.h"
#include "model/operators.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

std::optional<OutputFormula> critical_batch_formula(const Settings& s) {
    const std::string_view symbols = output(Output::critical_batch).symbols;
    switch (s.choice<CriticalBatchLaw>(P::critical_batch_law)) {
        case CriticalBatchLaw::none:
        case CriticalBatchLaw::fixed: return OutputFormula{{}, symbols};
        case CriticalBatchLaw::kaplan:
            return OutputFormula{"B_crit = B* ÷ ((N_c ÷ N_l)^α_N)^(1/α_B)", "B* N_c N_l α_N α_B"};
        case CriticalBatchLaw::bergsma:
            return OutputFormula{"B_crit = B_100 · (D_tok ÷ 10^11)^α_D", "B_100 D_tok α_D"};
    }
    return std::nullopt;
}

std::optional<OutputFormula> mfu_formula(const Settings& s) {
    // The conventions do not apply to a list of operators: its matrix FLOPs are counted.
    if (s.listed()) return OutputFormula{"MFU = 3·F_s · r ÷ P", "F_s r P"};
    const LayerSequence layers(s);
    if (layers.has_pattern() && s.choice<FlopsConvention>(P::flops_convention) != FlopsConvention::six_n)
        return OutputFormula{"MFU = (6·N_a + 3·F_m) · r ÷ P", "N_a F_m r P"};
    const bool windowed = attended_tokens(s, layers.kind(0).mixer) < s[P::sequence_length];
    switch (s.choice<FlopsConvention>(P::flops_convention)) {
        case FlopsConvention::palm:
            if (windowed) return OutputFormula{"MFU = (6·N_a + 12·L·a·d·s_w) · r ÷ P", "N_a L a d s_w r P"};
            break;
        case FlopsConvention::causal:
            if (windowed) return OutputFormula{"MFU = (6·N_a + 6·L·a·d·s_w) · r ÷ P", "N_a L a d s_w r P"};
            return OutputFormula{"MFU = (6·N_a + 6·L·a·d·s) · r ÷ P", output(Output::mfu).symbols};
        case FlopsConvention::six_n: return OutputFormula{"MFU = 6·N_a · r ÷ P", "N_a r P"};
    }
    return std::nullopt;
}

// Returns whether there are experts, whose states are sharded over other groups than the dense weights.
bool has_experts(const Answer& answer) {
    const auto& layers = answer.compiled.work.layers;
    return std::ranges::any_of(layers.items(), [](const BlockWork& layer) { return layer.experts > 0; });
}

std::optional<OutputFormula> memory_copies_formula(const Answer& answer) {
    const Settings& s = answer.settings;
    const Compiled& c = answer.compiled;
    const bool one_stage = c.stages.count <= 1;
    if (!shards_weights(s)) {
        return one_stage
                   ? OutputFormula{"T_cy = m · c_g · Q_g · N_g ÷ (B_HBM · η_m)", "m c_g Q_g N_g B_HBM η_m"}
                   : OutputFormula{
                         translate("T_cy = m · c_g · Q_g · parameters of the slowest stage ÷ (B_HBM · η_m)"),
                         "m c_g Q_g B_HBM η_m"};
    }
    const bool quantizes = sharding_of(s) == Sharding::zero_pp;
    if (c.layout.shard.size() <= 1 || has_experts(answer) || c.passes.passes_per_visit > 1)
        return OutputFormula{
            quantizes
                ? translate("T_cy = ((c + 6 bytes for quantization) · parameters that the step gathers + "
                            "c_g · Q_g · gradients that it accumulates) ÷ (B_HBM · η_m)")
                : translate("T_cy = (c · parameters that the step gathers + c_g · Q_g · gradients that it "
                            "accumulates) ÷ (B_HBM · η_m)"),
            "c c_g Q_g B_HBM η_m"};
    if (quantizes)
        return OutputFormula{
            translate("T_cy = m · (c + 6 bytes for quantization) · parameters gathered ÷ (B_HBM · η_m)"),
            "m c B_HBM η_m"};
    if (!one_stage && !traffic_policy(s).gathers_each_visit)
        return OutputFormula{
            translate("T_cy = (c + m · c_g · Q_g) · parameters of the slowest stage ÷ (B_HBM · η_m)"),
            "c m c_g Q_g B_HBM η_m"};
    if (!one_stage)
        return OutputFormula{translate("T_cy = m · c · parameters of the slowest stage ÷ (B_HBM · η_m)"),
                             "m c B_HBM η_m"};
    return std::nullopt;
}

// Returns whether the host has no memory for a part of the offloaded state.
bool exceeds_host_memory(const Answer& answer) {
    return answer.settings.choice<Offload>(P::offload) != Offload::none &&
           answer.estimate.memory.term(MemoryTerm::optimizer) > 0;
}

std::optional<OutputFormula> tensor_network_formula(const Settings& s) {
    if (s.listed() || s[P::tensor_parallel] <= 1 || s.on(P::parallel_loss)) return std::nullopt;
    return OutputFormula{
        translate(
            "per pair of matrices: exchange forward; backward exchange, and twice max(gradient, "
            "exchange) + ω·min − gradient; exchange = (t − 1)/t · Q·E·h ÷ B_tp + latency; all-gather of "
            "the logits, forward: (t − 1)/t · Q·E·V ÷ B_tp + latency"),
        "t Q E h V B_tp ω"};
}

std::optional<OutputFormula> optimizer_formula(const Answer& answer) {
    const auto offload = answer.settings.choice<Offload>(P::offload);
    if (exceeds_host_memory(answer) && offload != Offload::optimizer_nvme)
        return OutputFormula{"T_op = (1 − M_host ÷ M_off) · c_o · N_g ÷ F_o ÷ (B_HBM · η_m)",
                             "M_host M_off c_o N_g F_o B_HBM η_m"};
    if (offload != Offload::none)
        return OutputFormula{translate("T_op = 0: the host updates the weights"), {}};
    if (answer.compiled.stages.count > 1)
        return OutputFormula{translate("T_op = c_o · parameters of the slowest stage ÷ F_o ÷ (B_HBM · η_m)"),
                             "c_o F_o B_HBM η_m"};
    if (has_experts(answer))
        return OutputFormula{"T_op = c_o · (N_d ÷ F_o + N_x ÷ X_o) ÷ (B_HBM · η_m)",
                             "c_o N_d F_o N_x X_o B_HBM η_m"};
    return std::nullopt;
}

std::optional<OutputFormula> host_link_formula(const Answer& answer) {
    const auto offload = answer.settings.choice<Offload>(P::offload);
    if (answer.settings[P::activation_offload] > 0)
        return OutputFormula{translate("T_hl = update of offloaded state + Σ max(0, offloaded activations ÷ "
                                       "B_host − pass) over the layers"),
                             "B_host"};
    if (offload == Offload::none) return OutputFormula{translate("T_hl = 0: nothing is offloaded"), {}};
    if (keeps_weights_on_host(answer.settings))
        return OutputFormula{translate("T_hl = update of offloaded state + what compute does not hide of the "
                                       "fetches of the layers' weights over B_host"),
                             "B_host"};
    if (offload != Offload::optimizer_nvme) {
        if (!exceeds_host_memory(answer)) return std::nullopt;
        return OutputFormula{
            "T_hl = M_host ÷ M_off · max((Q_g + Q_w) · N_g ÷ F_o ÷ B_host, c_o · N_g ÷ F_o ÷ B_hm)",
            "M_host M_off Q_g Q_w N_g F_o B_host c_o B_hm"};
    }
    return OutputFormula{
        "T_hl = max((Q_g + Q_w) · N_g ÷ F_o ÷ B_host, c_o · N_g ÷ F_o ÷ B_hm, 2 · Q_o · N_g ÷ F_o ÷ B_nvme)",
        "Q_g Q_w N_g F_o B_host c_o B_hm Q_o B_nvme"};
}

std::optional<OutputFormula> memory_formula(Output id, const Answer& answer) {
    const bool experts = has_experts(answer);
    const auto offload = answer.settings.choice<Offload>(P::offload);
    const bool is_zero = output(id).get(answer) == 0;
    if (id == Output::memory_weights) {
        if (is_zero)
            return OutputFormula{
                offload == Offload::optimizer_and_parameters
                    ? translate("M_w = 0: the weights are in host memory")
                    : translate("M_w = 0: the master weights are part of the optimizer state and are cast "
                                "when they are gathered"),
                {}};
        const bool on_drives = answer.settings.choice<Offload>(P::offload) == Offload::optimizer_nvme;
        if (shards_weights(answer.settings) && exceeds_host_memory(answer) && !on_drives &&
            answer.compiled.state.weights == 0)
            return experts ? OutputFormula{"M_w = M_host ÷ M_off · Q · (N_d ÷ F_w + N_x ÷ X_w)",
                                           "M_host M_off Q N_d F_w N_x X_w"}
                           : OutputFormula{"M_w = M_host ÷ M_off · N_g · Q ÷ F_w", "M_host M_off N_g Q F_w"};
        const bool secondary_shards = sharding_of(answer.settings) == Sharding::zero_pp;
        if (experts && secondary_shards)
            return OutputFormula{"M_w = Q · (N_d ÷ F_w + N_x ÷ X_w) + M_2", "Q N_d F_w N_x X_w M_2"};
        const bool quantized = low_precision_share(answer.settings) > 0 && !shards_weights(answer.settings);
        if (experts && quantized)
            return OutputFormula{"M_w = Q · (N_d ÷ F_w + N_x ÷ X_w) + M_q", "Q N_d F_w N_x X_w M_q"};
        if (experts) return OutputFormula{"M_w = Q · (N_d ÷ F_w + N_x ÷ X_w)", "Q N_d F_w N_x X_w"};
        if (secondary_shards) return OutputFormula{"M_w = N_g · Q ÷ F_w + M_2", "N_g Q F_w M_2"};
        if (quantized) return OutputFormula{"M_w = N_g · Q ÷ F_w + M_q", "N_g Q F_w M_q"};
    }
    if (id == Output::memory_gradients) {
        if (is_zero) return OutputFormula{translate("M_g = 0: the gradients are in host memory"), {}};
        const bool by_virtual_stage = reduces_by_virtual_stage(answer.compiled);
        if (keeps_gradients_on_host(answer.settings))
            return by_virtual_stage ? OutputFormula{"M_g = Q_r · N_g ÷ v", "Q_r N_g v"}
                                    : OutputFormula{"M_g = Q_r · N_g", "Q_r N_g"};
        if (unsharded_gradient_bytes({1, 1}, answer.compiled) > 0) {
            if (experts && by_virtual_stage)
                return OutputFormula{"M_g = Q_r · N_g ÷ v + Q_g · (1 + β) · (N_d ÷ F_g + N_x ÷ X_g)",
                                     "Q_r N_g v Q_g β N_d F_g N_x X_g"};
            if (by_virtual_stage)
                return OutputFormula{"M_g = N_g · (Q_r ÷ v + Q_g · (1 + β) ÷ F_g)", "N_g Q_r v Q_g β F_g"};
            if (experts)
                return OutputFormula{"M_g = Q_r · N_g + Q_g · (1 + β) · (N_d ÷ F_g + N_x ÷ X_g)",
                                     "Q_r N_g Q_g β N_d F_g N_x X_g"};
            return OutputFormula{"M_g = N_g · (Q_r + Q_g · (1 + β) ÷ F_g)", "N_g Q_r Q_g β F_g"};
        }
        if (experts)
            return OutputFormula{"M_g = Q_g · (1 + β) · (N_d ÷ F_g + N_x ÷ X_g)", "Q_g β N_d F_g N_x X_g"};
    }
    if (id == Output::memory_optimizer) {
        if (offload != Offload::none && is_zero)
            return OutputFormula{translate("M_o = 0: the state is in host memory"), {}};
        if (offload != Offload::none) return OutputFormula{"M_o = M_off − M_host", "M_off M_host"};
        const bool muon = answer.settings.choice<Optimizer>(P::optimizer) == Optimizer::muon;
        if (experts && muon)
            return OutputFormula{"M_o = Q_o · (N_d ÷ F_o + N_x ÷ X_o) + Q_2 · N_v ÷ F_o",
                                 "Q_o N_d F_o N_x X_o Q_2 N_v"};
        if (muon) return OutputFormula{"M_o = (Q_o · N_g + Q_2 · N_v) ÷ F_o", "Q_o N_g Q_2 N_v F_o"};
        if (experts) return OutputFormula{"M_o = Q_o · (N_d ÷ F_o + N_x ÷ X_o)", "Q_o N_d F_o N_x X_o"};
    }
    // Memory may peak at another moment, or on a stage without the head.
    if (id == Output::memory_logits && is_zero)
        return OutputFormula{
            translate(
                "M_l = 0 at this moment; q_l · E · V ÷ t_l at the end of the last stage's forward pass"),
            output(id).symbols};
    return std::nullopt;
}

std::optional<OutputFormula> failures_formula(Output id, const Settings& s) {
    if (id == Output::time_between_failures && s[P::mtbf_hours_per_gpu] == 0)
        return OutputFormula{translate("M is infinite, because no failures are assumed"), "MTBF"};
    if (id == Output::checkpoint_write && s[P::checkpoint_time] > 0)
        return OutputFormula{translate("δ is set"), {}};
    if (id == Output::checkpoint_interval && s[P::checkpoint_interval] > 0)
        return OutputFormula{translate("τ is set"), {}};
    return std::nullopt;
}

std::optional<OutputFormula> cost_formula(const Settings& s) {
    if (s[P::price_per_gpu_hour] > 0) return std::nullopt;
    return OutputFormula{translate("$ is unknown, because no price per GPU hour is set"), "H c_h"};
}

std::optional<OutputFormula> specific_formula(Output id, const Answer& answer) {
    switch (id) {
        case Output::critical_batch: return critical_batch_formula(answer.settings);
        case Output::mfu: return mfu_formula(answer.settings);
        case Output::memory_weights:
        case Output::memory_gradients:
        case Output::memory_optimizer:
        case Output::memory_logits: return memory_formula(id, answer);
        case Output::step_copies: return memory_copies_formula(answer);
        case Output::step_tensor_network: return tensor_network_formula(answer.settings);
        case Output::step_optimizer: return optimizer_formula(answer);
        case Output::step_host_link: return host_link_formula(answer);
        case Output::step_bubble: {  // each schedule has its own rule
            const Schedule& schedule = *answer.compiled.schedule;
            return OutputFormula{translate(schedule.title) + ": " + translate(schedule.rule),
                                 output(id).symbols};
        }
        case Output::time_between_failures:
        case Output::checkpoint_write:
        case Output::checkpoint_interval: return failures_formula(id, answer.settings);
        case Output::cost: return cost_formula(answer.settings);
        default: return std::nullopt;
    }
}

}  // namespace

OutputFormula formula_of(Output id, const Answer& answer) {
    if (std::optional<OutputFormula> here = specific_formula(id, answer)) return *here;
    return {translate(output(id).formula), output(id).symbols};
}

}  // namespace shardscope
