#include <algorithm>
#include <cmath>

#include "compile/compiled.h"
#include "compile/effect_inputs.h"
#include "compile/mixer_flops.h"
#include "compile/stage_parameters.h"
#include "model/operator_inputs.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"

namespace shardscope {
namespace {

// Model FLOPs per token, forward and backward: six per active parameter, and attention by the convention.
// Source: Chowdhery et al. 2022, arXiv 2204.02311, appendix B (palm).
double model_flops_per_token(const Settings& s, double parameters) {
    const MixerFlops mixers = mixer_flops(s);
    const double attention = 3 * mixers.attention;
    const double linear = 6 * parameters + 3 * mixers.recurrence;
    switch (s.choice<FlopsConvention>(P::flops_convention)) {
        case FlopsConvention::palm: return linear + attention;
        case FlopsConvention::causal: return linear + attention / 2;
        case FlopsConvention::six_n: return 6 * parameters;
    }
    return 6 * parameters;
}

// FLOPs that the kernels execute for one token on all GPUs of one model replica. FLOPs that they skip (the
// masked half of causal attention, scores outside a window) do not count. Recomputed FLOPs count as backward.
struct ExecutedFlops {
    double forward = 0, backward = 0;
};
ExecutedFlops executed_flops(const Compiled& c) {
    const RecomputePolicy policy = recompute_policy(c.settings);
    ExecutedFlops out;
    const auto add = [&](const Block& block, const BlockWork& work, double recomputed) {
        out.forward += block.repeat * work.forward_flops;
        out.backward += block.repeat * (work.backward_flops + recomputed);
    };
    add(c.operators.embedding, c.work.embedding, 0);
    add(c.operators.head, c.work.head, 0);
    if (c.work.predictions > 0)
        add(c.operators.prediction, c.work.prediction,
            recompute(c.work.prediction.forward_work(), policy).flops);
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i) {
        const BlockWork& work = c.work.layers[i];
        add(c.operators.of_kind[i], work, recompute(work.forward_work(), policy).flops);
    }
    const double per_token = c.layout.tensor / c.tokens_per_micro_batch;
    return {out.forward * per_token, out.backward * per_token};
}

Traffic traffic_of(const Compiled& c) {
    const Settings& s = c.settings;
    const BucketPolicy policy{
        .per_unit = shards_weights(s),
        .collectives_per_unit = s[P::unit_collectives],
        .bucket_size = s[P::bucket_size],
        .stage_parameters = c.parameters * c.layout.weight_copies / c.layout.tensor / c.layout.pipeline,
        .weight_bytes = c.gathered_bytes,
        .gradient_bytes = c.state.reduced_gradients,
        .quantizes = sharding_of(s) == Sharding::zero_pp};
    BucketTimes shared(policy, c.layout.shard, c.layout.replica, c.network);
    BucketTimes experts(policy, c.layout.expert_shard, c.layout.expert_replica, c.network);
    const auto unit = [&](double weights, double expert_weights) {
        UnitTraffic out;
        shared.add(out, weights);
        experts.add(out, expert_weights);
        return out;
    };
    Traffic out;
    for (const BlockWork& layer : c.work.layers.items()) out.layers.add(unit(layer.weights, layer.experts));
    const auto end = [&](const Stage& stage) {
        const ModelParameters parameters = end_parameters(stage, c);
        return unit(parameters.non_expert, parameters.experts);
    };
    out.first_end = end(c.stages.first);
    if (c.stages.count > 1) out.last_end = end(c.stages.last);
    for (const Stage& stage : c.stages.middles.items()) {
        if (stage.predictions > 0) out.predictions = end(stage);
    }
    return out;
}

// The rates of the network if collectives reached the full rate of every link.
NetworkRates full_rates(const Compiled& c) {
    const Settings& s = c.settings;
    NetworkRates out = c.network;
    const double inside = std::min(1.0, s[P::intra_node_efficiency]);
    const double between = std::min(1.0, s[P::network_efficiency]);
    out.intra_bandwidth /= inside;
    out.peer_bandwidth /= inside;
    out.inter_bandwidth /= between;
    return out;
}

// The number n of equal gathers with the latency of those of all layers, of `held` parameters together: for
// layers of x_i parameters n^κ = Σ (x_i ÷ Σx)^(1−κ).
double equal_gathers(const Compiled& c, double held, double kappa) {
    const std::size_t kinds = kinds_of_layers(c);
    if (kinds <= 1 || !(held > 0)) return c.settings[P::layers];
    double sum = 0;
    for (std::size_t i = 0; i < kinds; ++i) {
        const double parameters = c.work.layers[i].weights + c.work.layers[i].experts;
        if (parameters > 0) sum += c.operators.of_kind[i].repeat * std::pow(parameters / held, 1 - kappa);
    }
    return std::pow(sum, 1 / kappa);
}

// The closed form models fully sharded data parallelism. Tensor and pipeline parallelism divide weights and
// work evenly in it and take no time.
IdealInputs ideal_inputs(const Compiled& c, const ExecutedFlops& executed) {
    const Settings& s = c.settings;
    const double model_gpus = c.layout.tensor * c.layout.pipeline;
    const auto sharding = sharding_of(s);
    const auto factor = [&](Sharding from) {
        return sharding >= from ? 1.0 : static_cast<double>(data_context_parallel(s));
    };
    IdealInputs in;
    in.layers = s[P::layers];
    in.hidden = c.width;
    in.sequence = s[P::sequence_length];
    in.layer_parameters = c.active_parameters - c.root_parameters;
    double held = 0;
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i)
        held += c.operators.of_kind[i].repeat * (c.work.layers[i].weights + c.work.layers[i].experts);
    in.held_parameters = c.layout.tensor * held;
    const LayerSequence layers(s);
    // Without windows and recurrences the closed form counts attention itself.
    if (!s.listed() &&
        (layers.has_pattern() || attended_tokens(s, layers.kind(0).mixer) < attended_tokens(s, Mixer::full)))
        in.mixer_flops = mixer_flops(s).total();
    if (s.listed()) {
        in.forward_flops = c.flops_per_token / 3;
        in.kept_bytes =
            c.operators.of_kind.front().repeat * c.work.layers[0].saved / c.tokens_per_micro_batch;
    }
    in.element_bytes = c.gathered_bytes;
    in.gpus = data_context_parallel(s);
    const RingGroup all =
        ring_group(in.gpus, c.layout.tensor, std::min(s[P::gpus], s[P::gpus_used_per_node]));
    in.nodes = all.nodes;
    in.memory = s[P::memory];
    // The closed form divides the state by the GPUs, so a state that is not sharded is multiplied by them.
    in.state_bytes =
        (c.state.weights * factor(Sharding::zero3) + c.state.gradients * factor(Sharding::zero2) +
         c.state.optimizer * factor(Sharding::zero1)) /
        model_gpus;
    in.model_gpus = model_gpus;
    in.micro_batches = shards_weights(s) ? 1 : s[P::accumulation];
    in.peak = c.peak;
    in.intra_bandwidth = s[P::intra_node_bandwidth];
    in.node_bandwidth = std::min(in.intra_bandwidth, all.local * s[P::inter_node_bandwidth]);
    // Plans that send less than one gather of each layer in each pass have no network in the closed form.
    in.gathers_layers = sharding != Sharding::zero_pp && shards_weights(s) && model_gpus == 1 &&
                        c.layout.expert == 1 && c.layout.weight_copies <= 1 && c.passes.passes_per_visit <= 1;
    const NetworkRates links = full_rates(c);
    in.ring_share = 1 - 1 / c.layout.shard.size();
    in.ring_bandwidth = ring_bottleneck(c.layout.shard, links).bandwidth;
    in.sharpness = links.sharpness / M_LN2;
    in.gathers = equal_gathers(c, held, in.sharpness);
    // ε·G is the latency of all hops of the ring.
    in.latency = ring_latency(c.layout.shard, links) / in.gpus;
    // Gradients may be reduced in fewer bytes than the weights have.
    if (!s.on(P::reshard_after_forward))
        in.backward_gathers = std::min(1.0, c.state.reduced_gradients / c.gathered_bytes);
    in.executed_forward = executed.forward;
    in.executed_backward = executed.backward;
    in.model_flops = c.flops_per_token;
    in.kept = 1 - std::max(0.0, s[P::recompute]);
    in.tokens = c.tokens_per_micro_batch;
    return in;
}

}  // namespace

void compile_machine(Compiled& c) {
    const Settings& s = c.settings;
    c.complete = false;
    const auto precision = s.choice<Precision>(P::precision);
    c.width = s.listed() ? s.listed()->width(s[P::image_size]) : s[P::hidden_size];
    c.peak = peak_flops(s);
    c.bf16_peak = bf16_peak_flops(s);
    c.gpu = gpu_rates(s);
    c.network = network_rates(s);
    c.host = {s[P::host_bandwidth], s[P::host_memory_bandwidth], s[P::nvme_bandwidth]};
    c.compute_bytes = activation_bytes(precision);
    c.gathered_bytes = gathers_fp8(s) ? 1 : c.compute_bytes;
}

void compile_operators(Compiled& c) {
    const Settings& s = c.settings;
    c.layout = layout_of(s);
    build_operators(s, c.operators);
    c.work = work_of(c.operators, block_rates(s, c.layout, c.gpu, c.network));
    c.layer_parameters = c.operators.usual_layer().weights();
    c.root_parameters = c.operators.embedding.weights() + c.operators.head.weights() +
                        c.operators.prediction.repeat * c.operators.prediction.weights();
    c.parameters = c.operators.parameters();
    c.active_parameters = c.operators.active_parameters();
    if (s.listed()) {
        // Per sample and in every convention: three times the FLOPs of the forward matrices.
        c.flops_per_token = 3 * c.operators.flops() / s[P::micro_batch];
    } else {
        c.flops_per_token = model_flops_per_token(s, c.active_parameters);
    }
}

Stages stages_of(const Compiled& c) {
    return partition_layers(LayerSequence(c.settings), c.layout.pipeline, c.layout.weight_copies,
                            partition_of(c.settings));
}

void compile_sharding(Compiled& c) {
    c.layout = layout_of(c.settings);
    c.state = state_bytes(state_formats(c.settings));
    c.stages = stages_of(c);
    c.traffic = traffic_of(c);
}

void compile_tokens(Compiled& c) {
    const Settings& s = c.settings;
    const double tokens = s[P::sequence_length] * s[P::micro_batch];
    c.tokens_per_micro_batch = tokens / c.layout.context;
    c.tokens_per_gpu = tokens * s[P::accumulation] * data_parallel(s) / s[P::gpus];
}

void compile_schedule(Compiled& c) {
    const Settings& s = c.settings;
    c.schedule = &schedule_of(s);
    c.pipeline = pipeline_shape(s);
    c.passes.count = c.pipeline.micro_batches * c.pipeline.sequence_chunks / c.layout.weight_copies;
    c.passes.share = 1 / c.pipeline.sequence_chunks;
    c.passes.passes_per_visit = c.schedule->layered ? c.passes.count : 1;
    c.passes.layers_per_visit = c.passes.group = c.passes.layers_per_group = 1;
    c.message = {};
    if (c.stages.count <= 1) return;
    // The activations of one pass, sharded over the tensor-parallel GPUs.
    const double bytes = activation_tensor_bytes(c) / c.layout.tensor / c.pipeline.sequence_chunks;
    c.message = send_time(bytes, c.layout.stages, c.network);
    const double layers_per_virtual_stage =
        std::max(1.0, s[P::layers] / (c.pipeline.stages * c.pipeline.virtual_stages));
    if (c.schedule->layered) {
        c.passes.layers_per_visit = layers_per_virtual_stage;
    } else if (c.schedule->interleaves && c.pipeline.virtual_stages > 1) {
        c.passes.group = std::min(c.pipeline.stages, c.passes.count);
        c.passes.layers_per_group = layers_per_virtual_stage;
    }
}

void compile_outputs(Compiled& c) {
    const Settings& s = c.settings;
    // Twenty tokens per parameter are usual for language models only.
    const double usual = s.listed() ? std::nan("") : 20 * c.active_parameters;
    c.training_tokens = s[P::training_tokens] > 0 ? s[P::training_tokens] : usual;
    const ExecutedFlops executed = executed_flops(c);
    c.executed_flops_per_token = executed.forward + executed.backward;
    c.ideal = ideal_inputs(c, executed);
}

void compile(const Settings& settings, Compiled& out) {
    const bool same = out.complete && same_operators(settings, out.settings);
    out.settings = settings;
    compile_machine(out);
    if (!same) compile_operators(out);
    compile_sharding(out);
    compile_tokens(out);
    compile_schedule(out);
    compile_outputs(out);
    out.complete = true;
}

Compiled compile(const Settings& settings) {
    Compiled out;
    compile(settings, out);
    return out;
}

}  // namespace shardscope
