#include <algorithm>
#include <cmath>

#include "estimate/compiled.h"
#include "physics/layer.h"
#include "physics/memory.h"
#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"

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
    return 2 * s[P::heads] * widths * attended_tokens(s);
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

// FLOPs that the kernels execute for one token on all GPUs of one model copy: what they skip (the masked half
// of causal attention, what lies outside a window) does not count, what they compute twice does.
double executed_flops(const Compiled& c) {
    const auto of = [&](const Block& block, const BlockWork& work, double recomputed) {
        return block.repeat * (work.forward_flops + work.backward_flops + recomputed);
    };
    const double flops = of(c.operators.embedding, c.work.embedding, 0) +
                         of(c.operators.head, c.work.head, 0) +
                         of(c.operators.dense, c.work.dense, computed(c.work.dense, c).recomputed_flops) +
                         of(c.operators.sparse, c.work.sparse, computed(c.work.sparse, c).recomputed_flops);
    return flops * c.layout.tensor / c.tokens_per_micro_batch;
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
    in.hidden = c.width;
    in.sequence = s[P::sequence_length];
    in.layer_parameters = c.active_parameters - c.root_parameters;
    in.held_parameters =
        c.layout.tensor * (c.operators.dense.repeat * c.work.dense.weights +
                           c.operators.sparse.repeat * (c.work.sparse.weights + c.work.sparse.experts));
    if (s.listed()) {
        in.forward_flops = c.flops_per_token / 3;
        in.kept_bytes = c.operators.dense.repeat * c.work.dense.saved / c.tokens_per_micro_batch;
    }
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

void compile_machine(Compiled& c) {
    const Settings& s = c.settings;
    const auto precision = s.choice<Precision>(P::precision);
    const double bf16 = s[P::peak_flops_bf16];
    c.width = s.listed() ? s.listed()->width(s[P::image_size]) : s[P::hidden_size];
    c.peak = s[P::peak_flops];
    c.bf16_peak = precision == Precision::fp8 ? bf16 : c.peak;
    // No matrix is faster than the peak that the MFU is measured against, whatever has been overridden.
    c.gpu.peak = std::min(c.bf16_peak, c.peak);
    c.gpu.gemm_efficiency = s[P::gemm_efficiency];
    c.gpu.peak_low = c.peak * std::min(s[P::fp8_efficiency], 1 / c.gpu.gemm_efficiency);
    c.gpu.half_depth = s[P::gemm_half_depth];
    c.gpu.half_area = s[P::gemm_half_area];
    constexpr double kFullHead = 128;
    const double half_head = s[P::attention_half_head];
    const double head = s[P::head_size] / (s[P::head_size] + half_head) * (kFullHead + half_head) / kFullHead;
    // The product of a GPU's and a stack's constant; no kernel is faster than the peak.
    c.gpu.attention_efficiency =
        std::min(1.0, s[P::attention_efficiency] * s[P::attention_generation] * head);
    c.gpu.half_sequence = s[P::attention_half_sequence];
    c.gpu.naive_efficiency = s[P::naive_attention_efficiency];
    // Tensor cores take head sizes in steps of 8.
    if (std::fmod(s[P::head_size], 8) != 0) c.gpu.naive_efficiency /= s[P::unaligned_heads];
    c.gpu.flash = s.choice<AttentionKernel>(P::attention) == AttentionKernel::flash;
    c.gpu.memory_bandwidth = s[P::memory_bandwidth] * s[P::memory_efficiency];
    c.gpu.elementwise_traffic = s[P::elementwise_traffic];
    c.gpu.composed_traffic = s[P::composed_traffic];
    c.gpu.backward_traffic = s[P::elementwise_backward];
    c.gpu.launch = s[P::kernel_launch];

    c.network.intra_bandwidth = s[P::intra_node_bandwidth] * s[P::intra_node_efficiency];
    c.network.inter_bandwidth = s[P::inter_node_bandwidth] * s[P::network_efficiency];
    c.network.start_latency = s[P::collective_latency];
    c.network.intra_latency = s[P::intra_node_latency];
    c.network.inter_latency = s[P::inter_node_latency];
    c.network.sharpness = s[P::bandwidth_sharpness];

    c.sharing = c.network;
    c.sharing.intra_bandwidth *= s[P::collective_efficiency];
    c.sharing.inter_bandwidth *= s[P::collective_efficiency];

    c.state = state_bytes(precision, s.choice<Precision>(P::gradient_precision),
                          s.choice<Optimizer>(P::optimizer), s.choice<Precision>(P::optimizer_precision));
    c.compute_bytes = activation_bytes(precision);
}

void compile_operators(Compiled& c) {
    const Settings& s = c.settings;
    c.layout = layout_of(s);
    build_operators(s, c.operators);
    fold_operators(c);
    c.layer_parameters = c.operators.layer().weights();
    c.root_parameters = c.operators.embedding.weights() + c.operators.head.weights();
    c.parameters = c.operators.parameters();
    c.active_parameters = c.operators.active_parameters();
    if (s.listed()) {
        // Of one sample, whatever the convention: three times the forward matrices.
        c.flops_per_token = 3 * c.operators.flops() / s[P::micro_batch];
    } else {
        c.flops_per_token = model_flops_per_token(s, c.active_parameters);
    }
    // Twenty tokens a parameter are a language model's.
    const double usual = s.listed() ? std::nan("") : 20 * c.active_parameters;
    c.training_tokens = s[P::training_tokens] > 0 ? s[P::training_tokens] : usual;
}

Stages stages_of(const Compiled& c) {
    return deal_layers(c.operators.dense.repeat, c.operators.sparse.repeat, c.layout.pipeline,
                       c.layout.copies, partition_of(c.settings));
}

void compile_sharing(Compiled& c) {
    c.layout = layout_of(c.settings);
    c.stages = stages_of(c);
    time_traffic(c);
}

void compile_pipeline(Compiled& c) {
    const Settings& s = c.settings;
    const double tokens = s[P::sequence_length] * s[P::micro_batch];
    c.tokens_per_micro_batch = tokens / c.layout.context;
    c.tokens_per_gpu = tokens * s[P::accumulation] * data_parallel(s) / s[P::gpus];
    c.message = {};
    if (c.stages.count > 1) {
        // One pass's activations, cut among the tensor-parallel GPUs.
        const double bytes = activation_bytes(s.choice<Precision>(P::precision)) * c.tokens_per_micro_batch *
                             c.width / c.layout.tensor / pipeline_shape(s).sequence_pieces;
        c.message = send_time(bytes, c.layout.stages_cross_nodes, c.sharing);
    }
}

void compile_schedule(Compiled& c) {
    const Settings& s = c.settings;
    c.schedule = &schedule_of(s.choice<ScheduleKind>(P::schedule));
    c.pipeline = pipeline_shape(s);
    c.passes.count = c.pipeline.micro_batches * c.pipeline.sequence_pieces / c.layout.copies;
    c.passes.share = 1 / c.pipeline.sequence_pieces;
    c.passes.turn = c.schedule->layered ? c.passes.count : 1;
    c.passes.layers = 1;
    if (c.schedule->layered && c.stages.count > 1) {
        c.passes.layers = std::max(1.0, s[P::layers] / (c.pipeline.stages * c.pipeline.virtual_stages));
    }
}

void compile_outputs(Compiled& c) {
    c.executed_flops_per_token = executed_flops(c);
    c.ideal = ideal_inputs(c);
}

void compile(const Settings& settings, Compiled& out) {
    out.settings = settings;
    compile_machine(out);
    compile_operators(out);
    compile_sharing(out);
    compile_pipeline(out);
    compile_schedule(out);
    compile_outputs(out);
}

Compiled compile(const Settings& settings) {
    Compiled out;
    compile(settings, out);
    return out;
}

}  // namespace shardscope
