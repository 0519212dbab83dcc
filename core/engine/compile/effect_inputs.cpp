#include "compile/effect_inputs.h"

#include <algorithm>

#include "model/shape.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"

namespace shardscope {

TrafficPolicy traffic_policy(const Settings& s) {
    return traffic_policy(
        {.sharding = sharding_of(s),
         .reshards_after_forward = s.on(P::reshard_after_forward),
         .defers_reductions =
             s.on(P::defers_reductions) && s[P::pipeline_parallel] > 1 && !schedule_of(s).layered,
         .overlaps_gathers = s.on(P::overlap_param_gather),
         .overlaps_reductions = s.on(P::overlap_grad_reduce),
         .recompute_gathers = s.on(P::gathers_for_recompute) ? std::max(0.0, s[P::recompute]) : 0});
}

RecomputePolicy recompute_policy(const Settings& s) {
    // The stack's own policy applies unless modules are chosen.
    const bool modules_chosen = s.origin(P::recompute_modules) == Origin::given;
    return {.selective = s[P::recompute] == kRecomputeSelective,
            .share = std::max(0.0, s[P::recompute]),
            .repeated = s[P::recompute_share],
            .selective_cost = modules_chosen ? 0 : s[P::selective_cost],
            .kept = modules_chosen ? 1 : s[P::selective_kept]};
}

StateFormats state_formats(const Settings& s) {
    const bool as_reduced = s[P::main_gradient_precision] == kAsReduced;
    StateFormats out{.weights = s.choice<Precision>(P::precision),
                     .reduced_gradients = s.choice<Precision>(P::gradient_precision),
                     .main_gradients =
                         s.choice<Precision>(as_reduced ? P::gradient_precision : P::main_gradient_precision),
                     .master = s.choice<Precision>(P::optimizer_precision),
                     .optimizer = s.choice<Optimizer>(P::optimizer)};
    if (s[P::moment_precision] != kAsMaster) out.moments = s.choice<MomentPrecision>(P::moment_precision);
    out.shards_master = shards_weights(s) && !s.on(P::half_precision_shard);
    return out;
}

QuantizedWeights quantized_weights(const Settings& s) {
    const auto recipe = s.choice<Fp8Recipe>(P::fp8_recipe);
    const bool whole_tensors = s.choice<Precision>(P::precision) == Precision::fp8 &&
                               (recipe == Fp8Recipe::delayed || recipe == Fp8Recipe::tensorwise);
    return {.operand = operand_bytes(s.choice<Precision>(P::precision), recipe),
            .block_scales = !whole_tensors,
            // The GPUs whose matrix units scale blocks multiply all layouts, too.
            .any_layout = s[P::peak_flops_mxfp8] > 0,
            .replace_16_bit = keeps_fp8_weights(s)};
}

HostWork host_work(const Settings& s) {
    const auto precision = s.choice<Precision>(P::precision);
    return {.graphs = s.on(P::cuda_graphs),
            .static_expert_buffers = s.on(P::static_expert_buffers),
            .launch = s[P::launch_overhead],
            .message_wait = s[P::pipeline_parallel] > 1 ? s[P::pipeline_layer_overhead] : 0,
            .tensor = s[P::tensor_parallel],
            .experts = s[P::expert_overhead],
            .cast = s[P::expert_cast_overhead],
            .casts = low_precision_share(s) * (precision == Precision::fp8 ? 1 : 2),
            .local_experts = s[P::experts] / s[P::expert_parallel]};
}

double host_time_per_step(const Settings& s) {
    return host_time_per_step(s[P::step_overhead], s[P::step_jitter], s[P::gpus]);
}

}  // namespace shardscope
