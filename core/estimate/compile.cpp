#include <algorithm>
#include <cmath>

#include "estimate/compiled.h"
#include "physics/memory.h"

namespace shardscope {
namespace {

// FLOPs of attention's two products for one token in one layer, forward: 4·a·d·s where queries, keys and
// values are equally wide.
double attention_flops(const Settings& s) {
    double widths = 2 * s[P::head_size];
    if (s[P::kv_lora_rank] > 0) {
        const double value = s[P::value_head_size] > 0 ? s[P::value_head_size] : s[P::head_size];
        widths = s[P::head_size] + s[P::rope_head_size] + value;
    }
    return 2 * s[P::heads] * widths * s[P::sequence_length];
}

// Model FLOPs per token, forward and backward: six per active parameter, and attention by the convention.
// Source: Chowdhery et al. 2022, arXiv 2204.02311, appendix B (palm).
double model_flops_per_token(const Settings& s, double parameters) {
    const double attention = 3 * s[P::layers] * attention_flops(s);
    switch (s.choice<FlopsConvention>(P::flops_convention)) {
        case FlopsConvention::palm: return 6 * parameters + attention;
        case FlopsConvention::causal: return 6 * parameters + attention / 2;
        case FlopsConvention::six_n: return 6 * parameters;
    }
    return 6 * parameters;
}

// What the recomputed forward passes add, by the same convention.
double recomputed_flops(const Settings& s, double active_layer_parameters) {
    const double share = s[P::recompute];
    const auto convention = s.choice<FlopsConvention>(P::flops_convention);
    const double counted = convention == FlopsConvention::palm     ? 1
                           : convention == FlopsConvention::causal ? 0.5
                                                                   : 0;
    const double attention = counted * attention_flops(s);
    if (share == kRecomputeSelective) return s[P::layers] * attention;
    return share * s[P::layers] * (2 * active_layer_parameters + attention);
}

// The closed form knows data parallelism: tensor and pipeline parallelism divide weights and work evenly in
// it, and cost nothing.
IdealInputs ideal_inputs(const Compiled& c) {
    const Settings& s = c.settings;
    const double model_gpus = c.layout.tensor * c.layout.pipeline;
    const auto sharding = s.choice<Sharding>(P::sharding);
    const auto over = [&](Sharding from) {
        return sharding >= from ? 1.0 : static_cast<double>(sharing_gpus(s));
    };
    IdealInputs in;
    in.layers = s[P::layers];
    in.hidden = s[P::hidden_size];
    in.sequence = s[P::sequence_length];
    in.layer_parameters = c.active_parameters - c.root_parameters;
    const Block& dense = c.operators.dense;
    const Block& sparse = c.operators.sparse;
    in.held_parameters =
        c.layout.tensor * (dense.repeat * dense.local_weights() +
                           sparse.repeat * (sparse.local_weights() + sparse.local_experts()));
    in.element_bytes = c.compute_bytes;
    in.gpus = sharing_gpus(s);
    const RingGroup all = ring_group(in.gpus, c.layout.tensor, s[P::gpus_per_node]);
    in.nodes = all.nodes;
    in.memory = s[P::memory];
    // What is not shared out counts as often as there are GPUs to share it.
    in.state_bytes = (c.state.weights * over(Sharding::zero3) + c.state.gradients * over(Sharding::zero2) +
                      c.state.optimizer * over(Sharding::zero1)) /
                     model_gpus;
    in.model_gpus = model_gpus;
    in.micro_batches = sharding >= Sharding::zero3 ? 1 : s[P::accumulation];
    in.peak = c.peak;
    in.intra_bandwidth = s[P::intra_node_bandwidth];
    in.node_bandwidth = std::min(in.intra_bandwidth, all.local * s[P::inter_node_bandwidth]);
    // ε·G is the ring's way round, hop by hop.
    in.latency = ring_latency(all, c.network) / in.gpus;
    in.kept = 1 - std::max(0.0, s[P::recompute]);
    in.tokens = c.tokens_per_micro_batch;
    return in;
}

}  // namespace

void compile(const Settings& settings, Compiled& out) {
    const Settings& s = settings;
    out.settings = settings;
    build_transformer(s, out.operators);

    const auto precision = s.choice<Precision>(P::precision);
    const double bf16 = s[P::peak_flops_bf16];
    out.peak = s[P::peak_flops];
    out.bf16_peak = precision == Precision::fp8 ? bf16 : out.peak;
    out.gpu.peak = out.bf16_peak;
    out.gpu.peak_low = out.peak * s[P::fp8_efficiency];
    out.gpu.gemm_efficiency = s[P::gemm_efficiency];
    out.gpu.half_depth = s[P::gemm_half_depth];
    out.gpu.half_area = s[P::gemm_half_area];
    constexpr double kFullHead = 128;
    const double half_head = s[P::attention_half_head];
    const double head = s[P::head_size] / (s[P::head_size] + half_head) * (kFullHead + half_head) / kFullHead;
    out.gpu.attention_efficiency = s[P::attention_efficiency] * s[P::attention_generation] * head;
    out.gpu.half_sequence = s[P::attention_half_sequence];
    out.gpu.naive_efficiency = s[P::naive_attention_efficiency];
    // Tensor cores take head sizes in steps of 8.
    if (std::fmod(s[P::head_size], 8) != 0) out.gpu.naive_efficiency /= s[P::unaligned_heads];
    out.gpu.flash = s.choice<AttentionKernel>(P::attention) == AttentionKernel::flash;
    out.gpu.memory_bandwidth = s[P::memory_bandwidth] * s[P::memory_efficiency];
    out.gpu.elementwise_traffic = s[P::elementwise_traffic];
    out.gpu.composed_traffic = s[P::composed_traffic];
    out.gpu.backward_traffic = s[P::elementwise_backward];
    out.gpu.launch = s[P::kernel_launch];

    out.network.intra_bandwidth = s[P::intra_node_bandwidth] * s[P::intra_node_efficiency];
    out.network.inter_bandwidth = s[P::inter_node_bandwidth] * s[P::network_efficiency];
    out.network.start_latency = s[P::collective_latency];
    out.network.intra_latency = s[P::intra_node_latency];
    out.network.inter_latency = s[P::inter_node_latency];
    out.network.sharpness = s[P::bandwidth_sharpness];

    out.sharing = out.network;
    out.sharing.intra_bandwidth *= s[P::collective_efficiency];
    out.sharing.inter_bandwidth *= s[P::collective_efficiency];

    out.layout = layout_of(s);
    out.stages = deal_layers(out.operators.dense.repeat, out.operators.sparse.repeat, out.layout.pipeline);
    out.schedule = &schedule_of(s.choice<ScheduleKind>(P::schedule));
    out.pipeline = {out.layout.pipeline, s[P::virtual_stages], s[P::accumulation]};
    out.state = state_bytes(precision, s.choice<Precision>(P::gradient_precision),
                            s.choice<Optimizer>(P::optimizer), s.choice<Precision>(P::optimizer_precision));
    out.compute_bytes = activation_bytes(precision);

    out.layer_parameters = out.operators.layer().weights();
    out.root_parameters = out.operators.embedding.weights() + out.operators.head.weights();
    out.parameters = out.operators.parameters();
    out.active_parameters = out.operators.active_parameters();
    const double tokens = s[P::sequence_length] * s[P::micro_batch];
    out.tokens_per_micro_batch = tokens / out.layout.context;
    out.tokens_per_gpu = tokens * s[P::accumulation] * data_parallel(s) / s[P::gpus];
    out.flops_per_token = model_flops_per_token(s, out.active_parameters);
    const double active_layers = out.active_parameters - out.root_parameters;
    out.recomputed_flops_per_token = recomputed_flops(s, active_layers / s[P::layers]);
    out.training_tokens = s[P::training_tokens] > 0 ? s[P::training_tokens] : 20 * out.active_parameters;
    out.ideal = ideal_inputs(out);
}

Compiled compile(const Settings& settings) {
    Compiled out;
    compile(settings, out);
    return out;
}

}  // namespace shardscope
