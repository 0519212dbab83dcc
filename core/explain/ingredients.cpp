#include "explain/ingredients.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/said.h"
#include "physics/memory.h"

namespace shardscope {
namespace {

struct Symbol {
    std::string_view symbol;
    std::string_view label;
    Quantity quantity;
    double (*get)(const Answer&);
};

double shared_out(const Answer& a, Sharding from) {
    const auto sharding = a.settings.choice<Sharding>(P::sharding);
    return sharding >= from ? a.compiled.layout.shard.size() : 1;
}

// The stage whose GPU is the fullest.
const Stage& fullest_stage(const Answer& a) {
    const Stages& stages = a.compiled.stages;
    const double position = a.estimate.memory.stage;
    if (position == stages.first.position) return stages.first;
    return position == stages.last.position ? stages.last : stages.middle;
}

// Parameters on one GPU of that stage, before data-parallel sharding.
double stage_parameters(const Answer& a) {
    const OperatorList& list = a.compiled.operators;
    const Stage& stage = fullest_stage(a);
    double out = stage.dense * list.dense.local_weights() +
                 stage.sparse * (list.sparse.local_weights() + list.sparse.local_experts());
    if (stage.embedding) out += list.embedding.local_weights();
    if (stage.head) out += list.head.local_weights();
    return out;
}

double in_flight(const Answer& a) { return held_micro_batches(fullest_stage(a), a.compiled); }

double gemm(const Answer& a, std::string_view name) {
    for (const Operator& op : a.compiled.operators.layer().operators) {
        if (op.name == name) return gemm_efficiency(op.m, op.n, op.k, a.compiled.gpu);
    }
    return std::nan("");
}

double parameter_value(const Answer& a, P id) { return a.settings[id]; }

double effective_bandwidth(const Answer& a) {
    const auto& c = a.compiled;
    if (c.layout.shard.nodes <= 1) return c.network.intra_bandwidth;
    return std::min(c.network.intra_bandwidth, c.layout.shard.local * c.network.inter_bandwidth);
}

// Bytes one GPU sends in a step through the shard group, E18.
double step_volume(const Answer& a) {
    const auto& c = a.compiled;
    const double g = std::max(c.layout.shard.size(), c.layout.replica.size());
    if (g <= 1) return 0;
    const auto sharding = a.settings.choice<Sharding>(P::sharding);
    const double n = c.parameters / c.layout.tensor / c.layout.pipeline * c.layout.copies * (g - 1) / g;
    if (sharding < Sharding::zero3) {
        const double reductions = sharding == Sharding::zero2 ? c.passes.turns() : 1;
        return (reductions + 1) * n * c.state.gradients;
    }
    const double gathers = a.settings.on(P::reshard_after_forward) ? 2 : 1;
    return c.passes.turns() * n * (gathers * c.compute_bytes + c.state.gradients);
}

double term_sum(const Answer& a, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += a.estimate.memory.terms()[i];
    return sum;
}

// clang-format off
constexpr std::array kSymbols{
    Symbol{"N", phrase("parameters"), Quantity::big_count, [](const Answer& a) { return a.compiled.parameters; }},
    Symbol{"L", phrase("layers"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::layers); }},
    Symbol{"h", phrase("hidden size"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::hidden_size); }},
    Symbol{"a", phrase("heads"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::heads); }},
    Symbol{"d", phrase("head size"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::head_size); }},
    Symbol{"V", phrase("vocabulary"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::vocab_size); }},
    Symbol{"s", phrase("sequence"), Quantity::sequence_tokens, [](const Answer& a) { return parameter_value(a, P::sequence_length); }},
    Symbol{"b", phrase("micro-batch"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::micro_batch); }},
    Symbol{"m", phrase("micro-batches a step"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::accumulation); }},
    Symbol{"B", phrase("global batch"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::global_batch); }},
    Symbol{"P", phrase("peak"), Quantity::flop_rate, [](const Answer& a) { return a.compiled.peak; }},
    Symbol{"r", phrase("tokens/s/GPU"), Quantity::rate, [](const Answer& a) { return a.estimate.tokens_per_s_per_gpu; }},
    Symbol{"K", phrase("tokens/s"), Quantity::rate, [](const Answer& a) { return a.estimate.tokens_per_s; }},
    Symbol{"T", phrase("step time"), Quantity::seconds, [](const Answer& a) { return a.estimate.step.total; }},
    Symbol{"Q", phrase("bytes per weight"), Quantity::byte_factor, [](const Answer& a) { return a.compiled.compute_bytes; }},
    Symbol{"Q_g", phrase("bytes per gradient"), Quantity::byte_factor, [](const Answer& a) { return a.compiled.state.gradients; }},
    Symbol{"Q_o", phrase("bytes of optimizer state"), Quantity::byte_factor, [](const Answer& a) { return a.compiled.state.optimizer; }},
    Symbol{"F_w", phrase("GPUs that share weights"), Quantity::count, [](const Answer& a) { return shared_out(a, Sharding::zero3); }},
    Symbol{"F_g", phrase("GPUs that share gradients"), Quantity::count, [](const Answer& a) { return shared_out(a, Sharding::zero2); }},
    Symbol{"F_o", phrase("GPUs that share optimizer state"), Quantity::count, [](const Answer& a) { return shared_out(a, Sharding::zero1); }},
    Symbol{"ψ", phrase("parameters of a layer"), Quantity::big_count, [](const Answer& a) { return a.compiled.layer_parameters; }},
    Symbol{"ψ_root", phrase("embedding and head"), Quantity::big_count, [](const Answer& a) { return a.compiled.root_parameters; }},
    Symbol{"a_layer", phrase("bytes kept per token and layer"), Quantity::count,
           [](const Answer& a) { return a.estimate.memory.by_moment[0][static_cast<std::size_t>(MemoryTerm::activations)] /
                                        a.compiled.tokens_per_micro_batch / fullest_stage(a).layers() / in_flight(a); }},
    Symbol{"N_g", phrase("parameters of this GPU's stage"), Quantity::big_count, stage_parameters},
    Symbol{"N_a", phrase("active parameters"), Quantity::big_count, [](const Answer& a) { return a.compiled.active_parameters; }},
    Symbol{"L_g", phrase("layers on this GPU"), Quantity::count, [](const Answer& a) { return fullest_stage(a).layers(); }},
    Symbol{"n_f", phrase("micro-batches in flight"), Quantity::fraction, in_flight},
    Symbol{"E", phrase("tokens per GPU"), Quantity::tokens, [](const Answer& a) { return a.compiled.tokens_per_micro_batch; }},
    Symbol{"G_m", phrase("GPUs of one model copy"), Quantity::count,
           [](const Answer& a) { return a.settings[P::gpus] / data_parallel(a.settings); }},
    Symbol{"c_p", phrase("context parallel"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::context_parallel); }},
    Symbol{"F_s", phrase("forward FLOPs of a sample"), Quantity::big_count, [](const Answer& a) { return a.compiled.flops_per_token / 3; }},
    Symbol{"k_e", phrase("experts per token"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::experts_per_token); }},
    Symbol{"t_l", phrase("GPUs that share the logits"), Quantity::count,
           [](const Answer& a) { return a.settings.on(P::parallel_loss) ? parameter_value(a, P::tensor_parallel) : 1; }},
    Symbol{"q_l", phrase("bytes per logit"), Quantity::byte_factor, [](const Answer& a) { return parameter_value(a, P::logits_bytes); }},
    Symbol{"f", phrase("allocator overhead"), Quantity::percent, [](const Answer& a) { return parameter_value(a, P::fragmentation); }},
    Symbol{"M_shared", phrase("shared by the GPUs"), Quantity::bytes, [](const Answer& a) { return term_sum(a, 0, kSharedMemoryTerms); }},
    Symbol{"M_own", phrase("stays with each GPU"), Quantity::bytes, [](const Answer& a) { return term_sum(a, kSharedMemoryTerms, kMemoryTerms); }},
    Symbol{"M_cap", phrase("usable"), Quantity::bytes, [](const Answer& a) { return a.estimate.memory.capacity; }},
    Symbol{"T_cp", phrase("compute"), Quantity::seconds, [](const Answer& a) { return a.estimate.compute_time(); }},
    Symbol{"T_cm", phrase("communication"), Quantity::seconds, [](const Answer& a) { return a.estimate.communication_time(); }},
    Symbol{"T_ol", phrase("hidden"), Quantity::seconds, [](const Answer& a) { return a.estimate.step.hidden_communication; }},
    Symbol{"T_sd", phrase("waiting"), Quantity::seconds, [](const Answer& a) { return a.estimate.schedule_time(); }},
    Symbol{"η_qkv", phrase("efficiency of QKV"), Quantity::percent, [](const Answer& a) { return gemm(a, "attention.qkv"); }},
    Symbol{"η_up", phrase("efficiency of MLP up"), Quantity::percent, [](const Answer& a) { return gemm(a, "mlp.up"); }},
    Symbol{"η_a", phrase("attention efficiency"), Quantity::percent, [](const Answer& a) { return a.compiled.gpu.attention_efficiency; }},
    Symbol{"η_m", phrase("HBM efficiency"), Quantity::percent, [](const Answer& a) { return parameter_value(a, P::memory_efficiency); }},
    Symbol{"B_HBM", phrase("memory bandwidth"), Quantity::memory_bandwidth, [](const Answer& a) { return parameter_value(a, P::memory_bandwidth); }},
    Symbol{"e", phrase("traffic factor"), Quantity::fraction, [](const Answer& a) { return parameter_value(a, P::elementwise_traffic); }},
    Symbol{"c", phrase("bytes copied per parameter"), Quantity::byte_factor, [](const Answer& a) { return parameter_value(a, P::copy_traffic); }},
    Symbol{"c_o", phrase("bytes moved per parameter"), Quantity::byte_factor, [](const Answer& a) { return parameter_value(a, P::optimizer_traffic); }},
    Symbol{"ρ", phrase("share recomputed"), Quantity::percent, [](const Answer& a) { return std::max(0.0, parameter_value(a, P::recompute)); }},
    Symbol{"ω", phrase("overlap loss"), Quantity::fraction, [](const Answer& a) { return parameter_value(a, P::overlap); }},
    Symbol{"t", phrase("tensor parallel"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::tensor_parallel); }},
    Symbol{"p", phrase("pipeline stages"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::pipeline_parallel); }},
    Symbol{"v", phrase("virtual stages"), Quantity::count, [](const Answer& a) { return a.compiled.pipeline.virtual_stages; }},
    Symbol{"κ", phrase("exposed share"), Quantity::fraction, [](const Answer& a) { return parameter_value(a, P::tensor_exposure); }},
    Symbol{"B_tp", phrase("tensor ring bandwidth"), Quantity::link_bandwidth, [](const Answer& a) {
               const RingGroup& group = a.compiled.layout.tensor_group;
               const NetworkRates& network = a.compiled.network;
               return group.nodes > 1 ? std::min(network.intra_bandwidth, group.local * network.inter_bandwidth) : network.intra_bandwidth; }},
    Symbol{"V_step", phrase("bytes sent a step"), Quantity::bytes, step_volume},
    Symbol{"B_eff", phrase("ring bandwidth"), Quantity::link_bandwidth, effective_bandwidth},
    Symbol{"B_node", phrase("bandwidth out of the node"), Quantity::link_bandwidth,
           [](const Answer& a) { return a.compiled.ideal.nodes > 1 ? a.compiled.ideal.node_bandwidth : a.compiled.ideal.intra_bandwidth; }},
    Symbol{"M_free", phrase("memory beside the states"), Quantity::bytes, [](const Answer& a) { return a.estimate.ideal.free_memory; }},
    Symbol{"F_fwd", phrase("forward FLOPs of a token"), Quantity::big_count, [](const Answer& a) { return forward_flops(a.compiled.ideal); }},
    Symbol{"φ", phrase("parameters a GPU gathers"), Quantity::big_count, [](const Answer& a) { return gathered_parameters(a.compiled.ideal); }},
    Symbol{"k", phrase("nodes"), Quantity::count, [](const Answer& a) { return a.compiled.ideal.nodes; }},
    Symbol{"TDP", phrase("thermal design power"), Quantity::watts, [](const Answer& a) { return parameter_value(a, P::tdp); }},
    Symbol{"G", phrase("GPUs"), Quantity::count, [](const Answer& a) { return parameter_value(a, P::gpus); }},
    Symbol{"Q_w", phrase("bytes of weights kept"), Quantity::byte_factor, [](const Answer& a) { return a.compiled.state.weights; }},
    Symbol{"W", phrase("power per GPU"), Quantity::watts, [](const Answer& a) { return a.estimate.power_per_gpu; }},
    Symbol{"H", phrase("GPU hours"), Quantity::hours, [](const Answer& a) { return a.estimate.run.gpu_hours; }},
    Symbol{"g", phrase("goodput"), Quantity::percent, [](const Answer& a) { return a.estimate.run.goodput; }},
    Symbol{"τ", phrase("training between checkpoints"), Quantity::seconds, [](const Answer& a) { return a.estimate.run.interval; }},
    Symbol{"δ", phrase("time of a checkpoint"), Quantity::seconds, [](const Answer& a) { return a.estimate.run.checkpoint; }},
    Symbol{"M", phrase("time between failures"), Quantity::seconds, [](const Answer& a) { return a.estimate.run.mean_time_between; }},
    Symbol{"R", phrase("restart"), Quantity::seconds, [](const Answer& a) { return parameter_value(a, P::restart_time); }},
    Symbol{"D_B", phrase("tokens needed"), Quantity::big_count, [](const Answer& a) { return a.estimate.run.tokens; }},
    Symbol{"B_tok", phrase("tokens of a batch"), Quantity::big_count, [](const Answer& a) { return a.estimate.run.batch; }},
    Symbol{"N_l", phrase("active parameters of the layers"), Quantity::big_count, [](const Answer& a) { return a.compiled.active_parameters - a.compiled.root_parameters; }},
    Symbol{"B_crit", phrase("critical batch"), Quantity::big_count, [](const Answer& a) { return a.estimate.run.critical_batch; }},
    Symbol{"D_tok", phrase("training tokens"), Quantity::big_count, [](const Answer& a) { return a.compiled.training_tokens; }},
};
// clang-format on

}  // namespace

Ingredient ingredient(std::string_view symbol, const Answer& answer) {
    const auto found = std::ranges::find(kSymbols, symbol, &Symbol::symbol);
    if (found == kSymbols.end()) return {std::string(symbol), {}, {}};
    return {std::string(symbol), said(found->label), format(found->get(answer), found->quantity)};
}

}  // namespace shardscope
