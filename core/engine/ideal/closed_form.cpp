#include "ideal/closed_form.h"

#include <algorithm>
#include <cmath>

#include "containers/no_value.h"

namespace shardscope {
namespace {

double bandwidth(const IdealInputs& in) { return in.nodes > 1 ? in.node_bandwidth : in.intra_bandwidth; }

double held(const IdealInputs& in) {
    return in.held_parameters > 0 ? in.held_parameters : in.layer_parameters;
}

// E15 for one gather of each layer: V/B · (1 + (α·B/x)^κ) with the ring's latency α and the bytes x of a
// layer.
double transfer_time(const IdealInputs& in) {
    const double bytes = gathered_parameters(in) * in.element_bytes;
    if (!(in.gpus > 1) || !in.gathers_layers || !(bytes > 0)) return 0;
    const double ring = in.ring_bandwidth > 0 ? in.ring_bandwidth : bandwidth(in);
    const double gathers = in.gathers > 0 ? in.gathers : in.layers;
    const double latencies = gathers * in.gpus * in.latency / in.micro_batches;
    return in.ring_share * bytes / ring * (1 + std::pow(latencies * ring / bytes, in.sharpness));
}

double free_memory(const IdealInputs& in) { return in.memory - in.state_bytes * held(in) / in.gpus; }

}  // namespace

// Each parameter takes one multiplication and one addition per token.
double forward_flops(const IdealInputs& in) {
    if (in.forward_flops > 0) return in.forward_flops;
    return 2 * in.layer_parameters + in.mixer_flops.value_or(4 * in.layers * in.hidden * in.sequence);
}

IdealEstimate ideal_estimate(const IdealInputs& in) {
    IdealEstimate out;
    const double q = in.element_bytes;
    const double width = in.layers * in.hidden;
    out.free_memory = free_memory(in);
    // With full recompute each layer keeps one vector per token; without recomputation it keeps eight pairs
    // of vectors and the mask.
    const double bytes_per_token =
        (1 - in.kept) * q * width + in.kept * (in.kept_bytes > 0 ? in.kept_bytes : (16 * q + 2) * width);
    out.max_tokens = std::max(0.0, out.free_memory / bytes_per_token);
    out.tokens = in.tokens > 0 ? in.tokens / in.model_gpus : out.max_tokens;
    const double forward = forward_flops(in);
    out.threshold_tokens = in.gpus > 1 ? threshold_tokens(in.peak, bandwidth(in), q, in.nodes) : 0;
    // If weights are used more than once per token, as in convolutions, fewer tokens hide their gather.
    if (in.forward_flops > 0) out.threshold_tokens *= 2 * held(in) / forward;

    out.transfer_time = transfer_time(in);
    const bool counted = in.executed_forward > 0;
    const double executed_forward = counted ? in.executed_forward : forward;
    const double executed_backward = counted ? in.executed_backward : (3 - in.kept) * forward;
    const double forward_time = out.tokens * executed_forward / in.peak;
    const double backward_time = out.tokens * executed_backward / in.peak;
    out.step_time = std::max(forward_time, out.transfer_time) +
                    std::max(backward_time, in.backward_gathers * out.transfer_time);
    if (out.step_time > 0) out.tokens_per_s = out.tokens / out.step_time;
    out.mfu = (in.model_flops > 0 ? in.model_flops : 3 * forward) * out.tokens_per_s / in.peak;
    out.hfu = (executed_forward + executed_backward) * out.tokens_per_s / in.peak;
    return out;
}

double threshold_tokens(double peak, double bandwidth, double element_bytes, double nodes) {
    const double share = nodes > 1 ? (nodes - 1) / nodes : 1;
    return peak / bandwidth * (element_bytes / 2) * share;
}

double gathered_parameters(const IdealInputs& in) { return held(in) / in.model_gpus / in.micro_batches; }

double bandwidth_bound_tokens_per_s(const IdealInputs& in) {
    if (!(in.gpus > 1)) return kNoValue;
    const double q = in.element_bytes;
    const double tokens = std::max(0.0, free_memory(in)) / (q * in.layers * in.hidden);
    return tokens / (2 * gathered_parameters(in) * q / bandwidth(in));
}

double bandwidth_bound_mfu(const IdealInputs& in) {
    return 3 * forward_flops(in) * bandwidth_bound_tokens_per_s(in) / in.peak;
}

double memory_bandwidth_per_flops(const IdealInputs& in) {
    if (!(in.gpus > 1)) return kNoValue;
    return std::max(0.0, free_memory(in)) * bandwidth(in) / in.peak;
}

}  // namespace shardscope
