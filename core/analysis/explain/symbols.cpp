#include "explain/symbols.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compile/effect_inputs.h"
#include "compile/stage_parameters.h"
#include "effects/attention.h"
#include "effects/collectives.h"
#include "effects/data_parallel_traffic.h"
#include "effects/gemm.h"
#include "effects/loss.h"
#include "effects/optimizer.h"
#include "hardware/power.h"
#include "memory/memory.h"
#include "scenario/gpu_groups.h"
#include "text/translate.h"

namespace shardscope {

const Stage& fullest_stage(const Answer& a) {
    const Stages& stages = a.compiled.stages;
    std::size_t i = 0;
    while (i + 1 < stages.size() && stages[i].position != a.estimate.memory.stage) ++i;
    return stages[i];
}
namespace {

// The GPUs of `group` over which a state is sharded.
double sharding_gpus(const Answer& a, double ShardCounts::*state, RingGroup Layout::*group) {
    const auto sharding = sharding_of(a.settings);
    return shard_counts(sharding, (a.compiled.layout.*group).size()).*state;
}

// Parameters on one GPU of that stage, before data-parallel sharding.
ModelParameters parameters_of(const Answer& a) { return stage_parameters(fullest_stage(a), a.compiled).all; }

// Bytes of workspaces, and of the tensors that exist only while a layer's attention or backward pass runs, if
// the memory peak is there.
double working(const Answer& a) {
    const MemoryUse& memory = a.estimate.memory;
    return std::max(0.0, memory.term(MemoryTerm::activations) - memory.resident);
}

// The unsharded parameters at the moment of the memory peak.
UnshardedParameters unsharded(const Answer& a) {
    UnshardedParameters out = unsharded_parameters(fullest_stage(a), a.compiled);
    const Moment moment = a.estimate.memory.peak_moment;
    if (moment == Moment::optimizer_step) return {};
    if (moment == Moment::forward_end) {
        out.gradients = 0;
        const double head = a.compiled.compute_bytes * out.head;
        if (head > out.weight_bytes) out = {out.head, head};
    }
    return out;
}

double gathered_weight_bytes(const Answer& a) {
    const UnshardedParameters units = unsharded(a);
    return units.weights > 0 ? units.weight_bytes / units.weights : 0;
}

// Bytes of the loss, or of the LM head's backward pass, per token of a micro-batch and entry of the
// vocabulary on one GPU. With chunks of sequences they exist for one chunk only.
double bytes_per_logit(const Answer& a) {
    const Compiled& c = a.compiled;
    // In a folded pipeline the first stage holds the head.
    const Stage& stage = c.stages.first.head ? c.stages.first : c.stages.last;
    const double shards = logit_shards(c.layout.tensor, a.settings.on(P::parallel_loss));
    return schedule_memory(stage, c).logits * shards / (c.tokens_per_micro_batch * a.settings[P::vocab_size]);
}

double in_flight(const Answer& a) { return micro_batches_in_flight(fullest_stage(a), a.compiled); }

double launches_of_a_layer(const Answer& a) {
    const OperatorList& all = a.compiled.operators;
    const auto usual = static_cast<std::size_t>(&all.usual_layer() - all.layers().data());
    return a.compiled.work.layers[usual].launches.forward;
}

double gemm(const Answer& a, std::string_view name) {
    const OperatorList& all = a.compiled.operators;
    const auto find = [&](const Block& layer) {
        const auto op = std::ranges::find(layer.operators, name, &Operator::name);
        return op != layer.operators.end() ? gemm_efficiency(op->m, op->n, op->k, a.compiled.gpu)
                                           : std::nan("");
    };
    if (!all.has_pattern) return find(all.usual_layer());
    // The first kind of layer that has it.
    for (const Block& layer : all.layers()) {
        if (const double efficiency = find(layer); !std::isnan(efficiency)) return efficiency;
    }
    return std::nan("");
}

double ring_bandwidth(const RingGroup& group, const NetworkRates& network) {
    return ring_bottleneck(group, network).bandwidth;
}

// The bytes that one GPU sends in a step, E18.
double step_volume(const Answer& a) {
    const Compiled& c = a.compiled;
    const TrafficPolicy when = traffic_policy(c.settings);
    const BucketPolicy how{.weight_bytes = c.gathered_bytes,
                           .gradient_bytes = c.state.reduced_gradients,
                           .quantizes = sharding_of(c.settings) == Sharding::zero_pp};
    const auto sent = [&](double parameters, const RingGroup& shard, const RingGroup& replica) {
        return parameters * sent_bytes(when, how, shard, replica, c.passes.visits());
    };
    const ModelParameters parameters = parameters_of(a);
    return sent(parameters.non_expert, c.layout.shard, c.layout.replica) +
           sent(parameters.experts, c.layout.expert_shard, c.layout.expert_replica);
}

double term_sum(const Answer& a, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += a.estimate.memory.terms()[i];
    return sum;
}

// clang-format off
constexpr std::array kSymbols{
    Symbol{.symbol = "N", .quantity = Quantity::big_count, .output = Output::parameters},
    Symbol{.symbol = "L", .quantity = Quantity::count, .parameter = P::layers},
    Symbol{.symbol = "h", .quantity = Quantity::count, .parameter = P::hidden_size},
    Symbol{.symbol = "a", .quantity = Quantity::count, .parameter = P::heads},
    Symbol{.symbol = "d", .quantity = Quantity::count, .parameter = P::head_size},
    Symbol{.symbol = "V", .quantity = Quantity::count, .parameter = P::vocab_size},
    Symbol{.symbol = "s", .quantity = Quantity::sequence_tokens, .parameter = P::sequence_length},
    Symbol{.symbol = "b", .quantity = Quantity::count, .parameter = P::micro_batch},
    Symbol{.symbol = "m", .quantity = Quantity::count, .parameter = P::accumulation},
    Symbol{.symbol = "B", .quantity = Quantity::count, .parameter = P::global_batch},
    Symbol{.symbol = "P", .quantity = Quantity::flop_rate, .get = [](const Answer& a) { return a.compiled.peak; }, .parameter = P::peak_flops},
    Symbol{.symbol = "r", .quantity = Quantity::rate, .output = Output::tokens_per_s_per_gpu},
    Symbol{.symbol = "K", .quantity = Quantity::rate, .output = Output::tokens_per_s},
    Symbol{.symbol = "T", .quantity = Quantity::seconds, .output = Output::step_time},
    Symbol{.symbol = "Q", .label = translatable("bytes per weight"), .quantity = Quantity::byte_factor, .get = [](const Answer& a) { return a.compiled.compute_bytes; }, .parameter = P::precision},
    Symbol{.symbol = "Q_g", .label = translatable("bytes per gradient"), .quantity = Quantity::byte_factor, .get = [](const Answer& a) { return a.compiled.state.gradients; }, .parameter = P::gradient_precision},
    Symbol{.symbol = "Q_r", .label = translatable("bytes per gradient while it is reduced"), .quantity = Quantity::byte_factor, .get = [](const Answer& a) { return a.compiled.state.reduced_gradients; }, .parameter = P::gradient_precision},
    Symbol{.symbol = "Q_u", .label = translatable("bytes per gathered weight"), .quantity = Quantity::byte_factor, .get = gathered_weight_bytes, .parameter = P::fp8_param_gather},
    Symbol{.symbol = "Q_o", .label = translatable("bytes of optimizer state"), .quantity = Quantity::byte_factor, .get = [](const Answer& a) { return a.compiled.state.optimizer; }, .parameter = P::optimizer},
    Symbol{.symbol = "Q_w", .label = translatable("bytes of weights kept"), .quantity = Quantity::byte_factor, .get = [](const Answer& a) { return a.compiled.state.weights; }, .parameter = P::precision},
    Symbol{.symbol = "F_w", .label = translatable("GPUs that shard weights"), .quantity = Quantity::count, .get = [](const Answer& a) { return sharding_gpus(a, &ShardCounts::weights, &Layout::shard); },
           .formula = translatable("F_w = GPUs of the shard group from ZeRO-3 on, else 1"), .symbols = "G G_m", .assumptions = "sharding shard_group"},
    Symbol{.symbol = "F_g", .label = translatable("GPUs that shard gradients"), .quantity = Quantity::count, .get = [](const Answer& a) { return sharding_gpus(a, &ShardCounts::gradients, &Layout::shard); },
           .formula = translatable("F_g = GPUs of the shard group from ZeRO-2 on, else 1"), .symbols = "G G_m", .assumptions = "sharding shard_group"},
    Symbol{.symbol = "F_o", .label = translatable("GPUs that shard optimizer state"), .quantity = Quantity::count, .get = [](const Answer& a) { return sharding_gpus(a, &ShardCounts::optimizer, &Layout::shard); },
           .formula = translatable("F_o = GPUs of the shard group from ZeRO-1 on, else 1"), .symbols = "G G_m", .assumptions = "sharding shard_group"},
    Symbol{.symbol = "M_2", .label = translatable("secondary shards of the weights"), .quantity = Quantity::bytes, .get = [](const Answer& a) { return secondary_shard_bytes(fullest_stage(a), a.compiled); },
           .formula = translatable("M_2 = N_g · Q ÷ GPUs of the shard group in one node, if the group has several nodes"), .symbols = "N_g Q", .assumptions = "sharding reshard_after_forward"},
    Symbol{.symbol = "M_q", .label = translatable("weights in low precision, beyond those in 16 bits"), .quantity = Quantity::bytes, .get = [](const Answer& a) { return quantized_weight_bytes(fullest_stage(a), a.compiled); },
           .formula = translatable("M_q = b_q · (N_g − N_v)"), .symbols = "b_q N_g N_v", .assumptions = "bf16_layers"},
    Symbol{.symbol = "M_off", .label = translatable("offloaded state"), .quantity = Quantity::bytes, .get = [](const Answer& a) { return offloaded_state_bytes(fullest_stage(a), a.compiled); },
           .formula = translatable("M_off = optimizer state that is not on drives and, from ZeRO-2 on, gradients of this GPU, and its weights where they are offloaded"), .assumptions = "offload sharding"},
    Symbol{.symbol = "M_host", .label = translatable("host memory of a GPU"), .quantity = Quantity::bytes, .get = [](const Answer& a) { return host_memory_share(a.settings); },
           .formula = translatable("M_host = memory of a node's host ÷ GPUs in use in the node"), .assumptions = "host_memory gpus_per_node"},
    Symbol{.symbol = "b_q", .label = translatable("additional bytes per weight in low precision"), .quantity = Quantity::byte_factor, .get = [](const Answer& a) { return quantized_weight_bytes(quantized_weights(a.settings)); },
           .formula = translatable("b_q = bytes of one weight with its scale, twice where the backward pass needs a transposed copy; less 2 where the GPUs gather the weights in fp8"), .assumptions = "precision fp8_recipe fp8_param_gather"},
    Symbol{.symbol = "N_v", .label = translatable("embedding and head of this GPU's stage"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return vocabulary_parameters(fullest_stage(a), a.compiled); },
           .formula = translatable("N_v = V·h ÷ t for the embedding, and again for the head or a copy of the embedding"), .symbols = "V h t", .assumptions = "tied_embeddings embedding_size"},
    Symbol{.symbol = "Q_2", .label = translatable("bytes of Muon's second moment of embedding and head"), .quantity = Quantity::byte_factor, .get = [](const Answer& a) { return a.compiled.state.end_moment; }, .parameter = P::moment_precision},
    Symbol{.symbol = "N_x", .label = translatable("expert parameters"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return parameters_of(a).experts; },
           .formula = translatable("N_x = parameters of the experts in the layers on this GPU"), .symbols = "L_g", .assumptions = "experts expert_parallel expert_size"},
    Symbol{.symbol = "N_d", .label = translatable("parameters without experts"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return parameters_of(a).non_expert; },
           .formula = "N_d = N_g − N_x", .symbols = "N_g N_x"},
    Symbol{.symbol = "X_w", .label = translatable("GPUs that shard experts"), .quantity = Quantity::count, .get = [](const Answer& a) { return sharding_gpus(a, &ShardCounts::weights, &Layout::expert_shard); },
           .formula = translatable("X_w = GPUs with the same experts, from ZeRO-3 on, else 1"), .symbols = "G G_m", .assumptions = "sharding expert_parallel"},
    Symbol{.symbol = "X_g", .label = translatable("GPUs that shard expert gradients"), .quantity = Quantity::count, .get = [](const Answer& a) { return sharding_gpus(a, &ShardCounts::gradients, &Layout::expert_shard); },
           .formula = translatable("X_g = GPUs with the same experts, from ZeRO-2 on, else 1"), .symbols = "G G_m", .assumptions = "sharding expert_parallel"},
    Symbol{.symbol = "X_o", .label = translatable("GPUs that shard expert state"), .quantity = Quantity::count, .get = [](const Answer& a) { return sharding_gpus(a, &ShardCounts::optimizer, &Layout::expert_shard); },
           .formula = translatable("X_o = GPUs with the same experts, from ZeRO-1 on, else 1"), .symbols = "G G_m", .assumptions = "sharding expert_parallel"},
    Symbol{.symbol = "M_r", .label = translatable("temporary tensors"), .quantity = Quantity::bytes, .get = working,
           .formula = translatable("M_r = workspaces of matrix products and, at the peak, bytes of one layer: what it recomputes, gradients of its activations, new gradients of weights, and buffers of context parallelism"), .assumptions = "recompute context_parallel context_parallel_kind"},
    Symbol{.symbol = "ψ", .label = translatable("parameters of a layer"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return a.compiled.layer_parameters; },
           .formula = translatable("ψ = Σ weights of the layer"), .symbols = "h V", .assumptions = "mlp ffn_size kv_heads experts", .sum_of = SummedProperty::layer_weights},
    Symbol{.symbol = "ψ_root", .label = translatable("embedding and head"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return a.compiled.root_parameters; },
           .formula = translatable("ψ_root = V·h, twice where they are not tied"), .symbols = "V h", .assumptions = "tied_embeddings embedding_size", .sum_of = SummedProperty::root_weights},
    Symbol{.symbol = "N_u", .label = translatable("unsharded weights"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return unsharded(a).weights; },
           .formula = translatable("N_u = (ψ_root + 2ψ) ÷ t: embedding, head, this layer and the next; two matrices where single ones are gathered; all layers where they stay gathered"), .symbols = "ψ_root ψ t", .assumptions = "sharding reshard_after_forward gathers_matrices"},
    Symbol{.symbol = "N_r", .label = translatable("unsharded gradients"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return unsharded(a).gradients; },
           .formula = translatable("N_r = (ψ_root + ψ) ÷ t: embedding, head and one layer, in the backward pass"), .symbols = "ψ_root ψ t", .assumptions = "sharding"},
    Symbol{.symbol = "a_layer", .label = translatable("bytes kept per token and layer"), .quantity = Quantity::count,
           .get = [](const Answer& a) { return a.estimate.memory.resident / a.compiled.tokens_per_micro_batch / fullest_stage(a).layers() / in_flight(a); },
           .formula = translatable("a_layer = Σ bytes that the operators of one layer keep ÷ E"), .symbols = "E h", .assumptions = "recompute attention norm_copies gate_copies selective_kept tensor_parallel sequence_parallel", .sum_of = SummedProperty::layer_saved},
    Symbol{.symbol = "N_g", .label = translatable("parameters of this GPU's stage"), .quantity = Quantity::big_count, .get = [](const Answer& a) { const ModelParameters n = parameters_of(a); return n.non_expert + n.experts; },
           .formula = translatable("N_g = L_g · ψ ÷ t, and embedding or head on the first and last stage"), .symbols = "L_g ψ t ψ_root", .assumptions = "expert_parallel"},
    Symbol{.symbol = "N_a", .quantity = Quantity::big_count, .output = Output::active_parameters},
    Symbol{.symbol = "L_g", .label = translatable("layers on this GPU"), .quantity = Quantity::count, .get = [](const Answer& a) { return fullest_stage(a).layers(); },
           .formula = translatable("L_g = layers of the fullest stage, about L ÷ p"), .symbols = "L p", .assumptions = "first_stage_layers last_stage_layers"},
    Symbol{.symbol = "n_f", .label = translatable("micro-batches in flight"), .quantity = Quantity::fraction, .get = in_flight,
           .formula = translatable("n_f = micro-batches that the schedule keeps on the fullest stage"), .symbols = "p m v", .assumptions = "schedule sequence_pieces"},
    Symbol{.symbol = "E", .quantity = Quantity::tokens, .output = Output::tokens_per_gpu},
    Symbol{.symbol = "G_m", .label = translatable("GPUs of one model replica"), .quantity = Quantity::count, .get = [](const Answer& a) { return a.settings[P::gpus] / data_parallel(a.settings); },
           .formula = "G_m = t · p · c_p", .symbols = "t p c_p"},
    Symbol{.symbol = "c_p", .quantity = Quantity::count, .parameter = P::context_parallel},
    Symbol{.symbol = "F_s", .label = translatable("forward FLOPs of a sample"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return a.compiled.flops_per_token / 3; },
           .formula = translatable("F_s = Σ FLOPs of the operators"), .sum_of = SummedProperty::flops},
    Symbol{.symbol = "F_x", .label = translatable("FLOPs executed for a token"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return a.compiled.executed_flops_per_token; },
           .formula = translatable("F_x = Σ FLOPs of the operators' kernels, forward, backward and recomputed"), .assumptions = "attention recompute recompute_share selective_cost"},
    Symbol{.symbol = "s_w", .label = translatable("tokens attended to"), .quantity = Quantity::count, .get = [](const Answer& a) { return attended_tokens(a.settings, LayerSequence(a.settings).kind(0).mixer); },
           .formula = translatable("s_w = w · (2 − w ÷ s) with a causal window of w tokens, else w; with packing, s is the documents' length"), .symbols = "w s", .assumptions = "causal packing"},
    Symbol{.symbol = "F_m", .label = translatable("FLOPs of the mixers for a token"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return (a.compiled.flops_per_token - 6 * a.compiled.active_parameters) / 3; },
           .formula = translatable("F_m = 4·a·d·s, added over the layers, with s_w instead of s in sliding layers and with the updates of the state in linear and Mamba-2 layers"), .symbols = "a d s s_w", .assumptions = "layer_pattern attention_window flops_convention"},
    Symbol{.symbol = "k_e", .quantity = Quantity::count, .parameter = P::experts_per_token},
    Symbol{.symbol = "t_l", .label = translatable("GPUs that shard the logits"), .quantity = Quantity::count, .get = [](const Answer& a) { return logit_shards(a.settings[P::tensor_parallel], a.settings.on(P::parallel_loss)); },
           .formula = translatable("t_l = t where the loss is parallel, else 1"), .symbols = "t", .assumptions = "parallel_loss"},
    Symbol{.symbol = "q_l", .label = translatable("bytes per logit, in all losses"), .quantity = Quantity::byte_factor, .get = bytes_per_logit,
           .formula = translatable("q_l = bytes of the software stack with the plain loss, at most 9 with the fused one, at most 2 with that of Megatron-Core and at most 0.5 with the chunked one, for each loss, or the gradients in the backward pass of the LM head if they need more"), .assumptions = "logits_bytes loss"},
    Symbol{.symbol = "f", .quantity = Quantity::percent, .parameter = P::fragmentation},
    Symbol{.symbol = "M_states", .label = translatable("model states"), .quantity = Quantity::bytes, .get = [](const Answer& a) { return term_sum(a, 0, kModelStateTerms); },
           .formula = translatable("M_states = M_w + M_g + M_o"), .symbols = "M_w M_g M_o"},
    Symbol{.symbol = "M_work", .label = translatable("working memory"), .quantity = Quantity::bytes, .get = [](const Answer& a) { return term_sum(a, kModelStateTerms, kMemoryTerms); },
           .formula = "M_work = M_u + M_a + M_l + M_c + M_f", .symbols = "M_u M_a M_l M_c M_f"},
    Symbol{.symbol = "M_w", .quantity = Quantity::bytes, .output = Output::memory_weights},
    Symbol{.symbol = "M_g", .quantity = Quantity::bytes, .output = Output::memory_gradients},
    Symbol{.symbol = "M_o", .quantity = Quantity::bytes, .output = Output::memory_optimizer},
    Symbol{.symbol = "M_u", .quantity = Quantity::bytes, .output = Output::memory_gathered},
    Symbol{.symbol = "M_a", .quantity = Quantity::bytes, .output = Output::memory_activations},
    Symbol{.symbol = "M_l", .quantity = Quantity::bytes, .output = Output::memory_logits},
    Symbol{.symbol = "M_c", .quantity = Quantity::bytes, .output = Output::memory_context},
    Symbol{.symbol = "M_f", .quantity = Quantity::bytes, .output = Output::memory_allocator},
    Symbol{.symbol = "M_cap", .quantity = Quantity::bytes, .output = Output::capacity},
    Symbol{.symbol = "T_cp", .quantity = Quantity::seconds, .output = Output::compute_time},
    Symbol{.symbol = "T_cm", .quantity = Quantity::seconds, .output = Output::communication_time},
    Symbol{.symbol = "T_ol", .quantity = Quantity::seconds, .output = Output::hidden_communication},
    Symbol{.symbol = "T_sd", .quantity = Quantity::seconds, .output = Output::waiting_time},
    Symbol{.symbol = "η_qkv", .label = translatable("efficiency of QKV"), .quantity = Quantity::percent, .get = [](const Answer& a) { return gemm(a, "attention.qkv"); }, .op = "attention.qkv",
           .formula = translatable("η_max · depth ÷ (depth + k½) · area ÷ (area + A½) of the product"), .symbols = "η_max k½ A½"},
    Symbol{.symbol = "η_up", .label = translatable("efficiency of MLP up"), .quantity = Quantity::percent, .get = [](const Answer& a) { return gemm(a, "mlp.up"); }, .op = "mlp.up",
           .formula = translatable("η_max · depth ÷ (depth + k½) · area ÷ (area + A½) of the product"), .symbols = "η_max k½ A½"},
    Symbol{.symbol = "η_a", .quantity = Quantity::percent, .get = [](const Answer& a) { return flash_efficiency(a.compiled.gpu); }, .parameter = P::attention_efficiency},
    Symbol{.symbol = "η_m", .quantity = Quantity::percent, .parameter = P::memory_efficiency},
    Symbol{.symbol = "B_HBM", .quantity = Quantity::memory_bandwidth, .parameter = P::memory_bandwidth},
    Symbol{.symbol = "e", .quantity = Quantity::fraction, .parameter = P::elementwise_traffic},
    Symbol{.symbol = "c", .quantity = Quantity::byte_factor, .parameter = P::copy_traffic},
    Symbol{.symbol = "c_g", .quantity = Quantity::fraction, .parameter = P::gradient_traffic},
    Symbol{.symbol = "c_o", .label = translatable("bytes moved per parameter"), .quantity = Quantity::byte_factor, .get = [](const Answer& a) { return optimizer_traffic(a.settings[P::optimizer_traffic], a.compiled.state.optimizer); }, .parameter = P::optimizer_traffic},
    Symbol{.symbol = "ρ", .label = translatable("share recomputed"), .quantity = Quantity::percent, .get = [](const Answer& a) { return std::max(0.0, a.settings[P::recompute]); }, .parameter = P::recompute},
    Symbol{.symbol = "ω", .quantity = Quantity::fraction, .parameter = P::overlap},
    Symbol{.symbol = "t", .quantity = Quantity::count, .parameter = P::tensor_parallel},
    Symbol{.symbol = "p", .quantity = Quantity::count, .parameter = P::pipeline_parallel},
    Symbol{.symbol = "v", .quantity = Quantity::count, .get = [](const Answer& a) { return a.compiled.pipeline.virtual_stages; }, .parameter = P::virtual_stages},
    Symbol{.symbol = "B_in", .quantity = Quantity::link_bandwidth, .parameter = P::intra_node_bandwidth},
    Symbol{.symbol = "B_out", .quantity = Quantity::network_bandwidth, .parameter = P::inter_node_bandwidth},
    Symbol{.symbol = "B_tp", .label = translatable("tensor ring bandwidth"), .quantity = Quantity::link_bandwidth, .get = [](const Answer& a) { return ring_bandwidth(a.compiled.layout.tensor_group, a.compiled.network); },
           .formula = translatable("B_tp = B_in · efficiency; over several nodes at most B_out · GPUs in the node"), .symbols = "B_in B_out", .assumptions = "intra_node_efficiency network_efficiency gpus_per_node"},
    Symbol{.symbol = "V_step", .label = translatable("bytes sent a step"), .quantity = Quantity::bytes, .get = step_volume,
           .formula = translatable("V_step = N_g · bytes that each pass gathers (Q) and reduces (Q_g) per parameter · (1 − 1 ÷ GPUs of the group)"), .symbols = "N_g Q Q_g", .assumptions = "sharding reshard_after_forward gathers_for_recompute"},
    Symbol{.symbol = "B_eff", .label = translatable("ring bandwidth"), .quantity = Quantity::link_bandwidth, .get = [](const Answer& a) { return ring_bandwidth(a.compiled.layout.shard, a.compiled.network); },
           .formula = translatable("B_eff = B_in · efficiency; over several nodes at most B_out · GPUs in the node"), .symbols = "B_in B_out", .assumptions = "intra_node_efficiency network_efficiency gpus_per_node"},
    Symbol{.symbol = "B_node", .label = translatable("bandwidth out of the node"), .quantity = Quantity::link_bandwidth, .get = [](const Answer& a) { return a.compiled.ideal.nodes > 1 ? a.compiled.ideal.node_bandwidth : a.compiled.ideal.intra_bandwidth; },
           .formula = translatable("B_node = min(B_in, B_out · GPUs in the node), inside one node B_in"), .symbols = "B_in B_out", .assumptions = "gpus_per_node"},
    Symbol{.symbol = "M_free", .label = translatable("memory beside the states"), .quantity = Quantity::bytes, .get = [](const Answer& a) { return a.estimate.ideal.free_memory; },
           .formula = translatable("M_free = M_cap − (Q_w + Q_g + Q_o) · parameters of the layers ÷ G"), .symbols = "M_cap Q_w Q_g Q_o N_l G"},
    Symbol{.symbol = "F_fwd", .label = translatable("forward FLOPs of a token"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return forward_flops(a.compiled.ideal); },
           .formula = translatable("F_fwd = 2 · N_l + 4 · L · h · s; with layers of different kinds, F_m instead of the second term"), .symbols = "N_l L h s F_m"},
    Symbol{.symbol = "F_tok", .label = translatable("model FLOPs of a token, forward and backward"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return a.compiled.flops_per_token; },
           .formula = translatable("F_tok = 6·N_a + 12·L·a·d·s, or what the convention of the MFU counts"), .symbols = "N_a L a d s", .assumptions = "flops_convention"},
    Symbol{.symbol = "φ", .label = translatable("parameters a GPU gathers"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return gathered_parameters(a.compiled.ideal); },
           .formula = translatable("φ = N_l ÷ GPUs of one model replica"), .symbols = "N_l G_m", .assumptions = "sharding"},
    Symbol{.symbol = "k", .label = translatable("nodes"), .quantity = Quantity::count, .get = [](const Answer& a) { return a.compiled.ideal.nodes; },
           .formula = translatable("k = nodes of the shard group"), .symbols = "G", .assumptions = "gpus_per_node shard_group"},
    Symbol{.symbol = "TDP", .quantity = Quantity::watts, .parameter = P::tdp},
    Symbol{.symbol = "G", .quantity = Quantity::count, .parameter = P::gpus},
    Symbol{.symbol = "W", .quantity = Quantity::watts, .output = Output::power_per_gpu},
    Symbol{.symbol = "H", .quantity = Quantity::hours, .output = Output::gpu_hours},
    Symbol{.symbol = "g", .quantity = Quantity::percent, .output = Output::goodput},
    Symbol{.symbol = "τ", .quantity = Quantity::seconds, .output = Output::checkpoint_interval},
    Symbol{.symbol = "δ", .quantity = Quantity::seconds, .output = Output::checkpoint_write},
    Symbol{.symbol = "M", .quantity = Quantity::seconds, .output = Output::time_between_failures},
    Symbol{.symbol = "R", .quantity = Quantity::seconds, .parameter = P::restart_time},
    Symbol{.symbol = "D_B", .quantity = Quantity::big_count, .output = Output::tokens_needed},
    Symbol{.symbol = "B_tok", .quantity = Quantity::big_count, .output = Output::batch_tokens},
    Symbol{.symbol = "N_l", .label = translatable("active parameters of the layers"), .quantity = Quantity::big_count, .get = [](const Answer& a) { return a.compiled.active_parameters - a.compiled.root_parameters; },
           .formula = translatable("N_l = N_a − ψ_root"), .symbols = "N_a ψ_root"},
    Symbol{.symbol = "B_crit", .quantity = Quantity::big_count, .output = Output::critical_batch},
    Symbol{.symbol = "D_tok", .quantity = Quantity::big_count, .get = [](const Answer& a) { return a.compiled.training_tokens; }, .parameter = P::training_tokens},
    Symbol{.symbol = "MFU", .quantity = Quantity::percent, .output = Output::mfu},
    Symbol{.symbol = "P_bf16", .quantity = Quantity::flop_rate, .parameter = P::peak_flops_bf16},
    Symbol{.symbol = "r*", .quantity = Quantity::rate, .output = Output::ideal_tokens_per_s_per_gpu},
    Symbol{.symbol = "M_peak", .quantity = Quantity::bytes, .output = Output::peak_memory},
    Symbol{.symbol = "M_alloc", .quantity = Quantity::bytes, .output = Output::allocated_memory},
    Symbol{.symbol = "M_res", .quantity = Quantity::bytes, .output = Output::reserved_memory},
    Symbol{.symbol = "β", .quantity = Quantity::fraction, .parameter = P::gradient_copies},
    Symbol{.symbol = "σ", .quantity = Quantity::fraction, .parameter = P::gathered_slack},
    Symbol{.symbol = "T_ex", .quantity = Quantity::seconds, .output = Output::exposed_communication},
    Symbol{.symbol = "η_max", .quantity = Quantity::percent, .parameter = P::gemm_efficiency},
    Symbol{.symbol = "k½", .quantity = Quantity::count, .parameter = P::gemm_half_depth},
    Symbol{.symbol = "A½", .quantity = Quantity::count, .parameter = P::gemm_half_area},
    Symbol{.symbol = "s½", .quantity = Quantity::count, .parameter = P::attention_half_sequence},
    Symbol{.symbol = "w", .quantity = Quantity::sequence_tokens, .parameter = P::attention_window},
    Symbol{.symbol = "n_k", .label = translatable("kernels of a layer in the forward pass; about twice as many in the backward pass"), .get = launches_of_a_layer,
           .formula = translatable("kernels of all operators"), .assumptions = "composed_traffic precision tensor_parallel"},
    Symbol{.symbol = "t_k", .quantity = Quantity::seconds, .parameter = P::launch_overhead},
    Symbol{.symbol = "B_host", .quantity = Quantity::link_bandwidth, .parameter = P::host_bandwidth},
    Symbol{.symbol = "B_hm", .quantity = Quantity::link_bandwidth, .parameter = P::host_memory_bandwidth},
    Symbol{.symbol = "B_nvme", .quantity = Quantity::link_bandwidth, .parameter = P::nvme_bandwidth},
    Symbol{.symbol = "B_storage", .quantity = Quantity::link_bandwidth, .parameter = P::storage_bandwidth},
    Symbol{.symbol = "u", .label = translatable("throughput relative to a step without waiting"), .quantity = Quantity::percent,
           .get = [](const Answer& a) { return utilization_at(a.settings[P::tdp], a.estimate.power_per_gpu); },
           .formula = translatable("u = T_cp ÷ T, at the predicted MFU"), .symbols = "T_cp T"},
    Symbol{.symbol = "D", .quantity = Quantity::days, .output = Output::training_days},
    Symbol{.symbol = "c_h", .quantity = Quantity::money, .parameter = P::price_per_gpu_hour},
    Symbol{.symbol = "MTBF", .quantity = Quantity::hours, .parameter = P::mtbf_hours_per_gpu},
    Symbol{.symbol = "B*", .quantity = Quantity::big_count, .parameter = P::loss_batch},
    Symbol{.symbol = "N_c", .quantity = Quantity::big_count, .parameter = P::loss_parameters},
    Symbol{.symbol = "α_N", .quantity = Quantity::fraction, .parameter = P::loss_exponent},
    Symbol{.symbol = "α_B", .quantity = Quantity::fraction, .parameter = P::loss_batch_exponent},
    Symbol{.symbol = "B_100", .quantity = Quantity::big_count, .parameter = P::data_batch},
    Symbol{.symbol = "α_D", .quantity = Quantity::fraction, .parameter = P::data_batch_exponent},
};
// clang-format on

}  // namespace

const Symbol* find_symbol(std::string_view symbol) {
    const auto found = std::ranges::find(kSymbols, symbol, &Symbol::symbol);
    return found == kSymbols.end() ? nullptr : &*found;
}

std::string label_of(const Symbol& symbol) {
    if (!symbol.label.empty()) return translate(symbol.label);
    return symbol.output ? label_of(*symbol.output) : label_of(*symbol.parameter);
}

double value_of(const Symbol& symbol, const Answer& answer) {
    if (!answer.valid()) return std::nan("");
    if (symbol.get) return symbol.get(answer);
    return symbol.output ? output(*symbol.output).get(answer) : answer.settings[*symbol.parameter];
}

}  // namespace shardscope
