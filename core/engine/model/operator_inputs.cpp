#include "model/operator_inputs.h"

#include <cmath>
#include <initializer_list>

#include "scenario/gpu_groups.h"

namespace shardscope {
namespace {

ParameterSet set_of(std::initializer_list<P> ids) {
    ParameterSet out;
    for (const P id : ids) out.set(index(id));
    return out;
}

}  // namespace

const ParameterSet& operator_inputs() {
    static const ParameterSet inputs = ~set_of(
        {P::gpus, P::memory, P::price_per_gpu_hour, P::tdp, P::global_batch, P::training_tokens, P::sharding,
         P::shard_group, P::recompute, P::activation_offload, P::offload, P::reshard_after_forward,
         P::pipeline_parallel, P::schedule, P::virtual_stages, P::accumulation});
    return inputs;
}

const ParameterSet& operator_inputs_between_nodes() {
    static const ParameterSet inputs = set_of({P::inter_node_bandwidth, P::inter_node_latency,
                                               P::network_efficiency, P::pod_gpus, P::oversubscription});
    return inputs;
}

const ParameterSet& operator_split_parameters() {
    static const ParameterSet split = [] {
        ParameterSet out;
        for (std::size_t i = 0; i < kParameters; ++i)
            out.set(i, parameter(static_cast<P>(i)).plan == PlanRole::operators);
        return out;
    }();
    return split;
}

bool operators_cross_nodes(const Settings& s) {
    const double dense = s[P::tensor_parallel] * s[P::context_parallel];
    const double experts = expert_tensor_parallel(s) * s[P::expert_parallel];
    const double node = s[P::gpus_used_per_node];
    if (s[P::gpus] <= node) return false;
    // In a job of several nodes a group straddles two of them unless its GPUs divide those of a node.
    const double dense_groups = node / dense, expert_groups = node / experts;
    return dense_groups != std::floor(dense_groups) || expert_groups != std::floor(expert_groups);
}

bool same_slice(const Settings& a, const Settings& b) {
    const auto has_torus = [](const Settings& s) {
        return s.choice<Topology>(P::topology) == Topology::torus;
    };
    return (!has_torus(a) && !has_torus(b)) || a[P::gpus] == b[P::gpus];
}

bool same_values(const Settings& a, const Settings& b, const ParameterSet& parameters) {
    return a.all_differences(b, [&](P id) { return !parameters[index(id)] || same_value(a[id], b[id]); });
}

bool same_operators(const Settings& a, const Settings& b) {
    // A list of operators may have been freed, and another may have the same address.
    if (a.listed() || b.listed()) return false;
    // Weights are cast to fp8 once per step, so the time per micro-batch depends on the accumulation.
    if (is_low(a.choice<Precision>(P::precision)) && a[P::accumulation] != b[P::accumulation]) return false;
    static const ParameterSet inside = operator_inputs() & ~operator_inputs_between_nodes();
    // Whether groups straddle nodes depends on the job's GPUs as well, which are no input of an operator.
    const bool cross = operators_cross_nodes(a);
    return cross == operators_cross_nodes(b) && same_slice(a, b) &&
           same_values(a, b, cross ? operator_inputs() : inside);
}

}  // namespace shardscope
