#include <algorithm>
#include <cmath>

#include "estimate/compiled.h"
#include "physics/memory.h"

namespace shardscope {
namespace {

// Model FLOPs per token, forward and backward: six per parameter, and attention by the convention.
// Source: Chowdhery et al. 2022, arXiv 2204.02311, appendix B (palm).
double model_flops_per_token(const Settings& s, double parameters) {
    const double attention = 12 * s[P::layers] * s[P::heads] * s[P::head_size] * s[P::sequence_length];
    switch (s.choice<FlopsConvention>(P::flops_convention)) {
        case FlopsConvention::palm: return 6 * parameters + attention;
        case FlopsConvention::causal: return 6 * parameters + attention / 2;
        case FlopsConvention::six_n: return 6 * parameters;
    }
    return 6 * parameters;
}

// What the recomputed forward passes add, by the same convention.
double recomputed_flops(const Settings& s, double layer_parameters) {
    const double share = s[P::recompute];
    const double halved = s.choice<FlopsConvention>(P::flops_convention) == FlopsConvention::palm ? 1 : 0.5;
    const double attention = halved * 4 * s[P::heads] * s[P::head_size] * s[P::sequence_length];
    if (share == kRecomputeSelective) return s[P::layers] * attention;
    return share * s[P::layers] * (2 * layer_parameters + attention);
}

IdealInputs ideal_inputs(const Compiled& c) {
    const Settings& s = c.settings;
    IdealInputs in;
    in.layers = s[P::layers];
    in.hidden = s[P::hidden_size];
    in.sequence = s[P::sequence_length];
    in.layer_parameters = c.layer_parameters * in.layers;
    in.element_bytes = c.compute_bytes;
    in.gpus = data_parallel(s);
    const RingGroup all = innermost_group(in.gpus, s[P::gpus_per_node]);
    in.nodes = all.nodes;
    in.memory = s[P::memory];
    in.state_bytes = c.state.weights + c.state.gradients + c.state.optimizer;
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
    out.gpu.peak_low = out.peak;
    out.gpu.gemm_efficiency = s[P::gemm_efficiency];
    out.gpu.half_depth = s[P::gemm_half_depth];
    out.gpu.half_area = s[P::gemm_half_area];
    out.gpu.attention_efficiency = s[P::attention_efficiency] * s[P::attention_generation];
    out.gpu.flash = s.choice<AttentionKernel>(P::attention) == AttentionKernel::flash;
    out.gpu.memory_bandwidth = s[P::memory_bandwidth] * s[P::memory_efficiency];
    out.gpu.elementwise_traffic = s[P::elementwise_traffic];
    out.gpu.composed_traffic = s[P::composed_traffic];
    out.gpu.launch = s[P::kernel_launch];

    out.network.intra_bandwidth = s[P::intra_node_bandwidth] * s[P::intra_node_efficiency];
    out.network.inter_bandwidth = s[P::inter_node_bandwidth] * s[P::network_efficiency];
    out.network.intra_latency = s[P::intra_node_latency];
    out.network.inter_latency = s[P::inter_node_latency];
    out.network.sharpness = s[P::bandwidth_sharpness];

    const double dp = data_parallel(s);
    const double group = shard_group(s);
    out.shard = innermost_group(group, s[P::gpus_per_node]);
    out.replica = outer_group(dp / group, group, s[P::gpus_per_node]);
    out.state =
        state_bytes(precision, s.choice<Precision>(P::gradient_precision), s.choice<Optimizer>(P::optimizer));
    out.compute_bytes = activation_bytes(precision);

    out.layer_parameters = out.operators.blocks[1].weights();
    out.root_parameters = out.operators.blocks[0].weights() + out.operators.blocks[2].weights();
    out.parameters = out.root_parameters + s[P::layers] * out.layer_parameters;
    out.tokens_per_micro_batch = s[P::sequence_length] * s[P::micro_batch];
    out.tokens_per_gpu = out.tokens_per_micro_batch * s[P::accumulation];
    out.flops_per_token = model_flops_per_token(s, out.parameters);
    out.recomputed_flops_per_token = recomputed_flops(s, out.layer_parameters);
    out.training_tokens = s[P::training_tokens] > 0 ? s[P::training_tokens] : 20 * out.parameters;
    out.ideal = ideal_inputs(out);
}

Compiled compile(const Settings& settings) {
    Compiled out;
    compile(settings, out);
    return out;
}

}  // namespace shardscope
