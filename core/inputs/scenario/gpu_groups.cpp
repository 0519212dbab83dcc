#include "scenario/gpu_groups.h"

#include <algorithm>
#include <cmath>

#include "parameters/layer_pattern.h"
#include "schedules/schedule.h"

namespace shardscope {

double gpus_per_replica(const Settings& s) {
    return s[P::tensor_parallel] * s[P::pipeline_parallel] * s[P::context_parallel];
}

int data_parallel(const Settings& s) {
    // The values may be unchecked.
    const double replicas = s[P::gpus] / gpus_per_replica(s);
    return replicas >= 1 && replicas <= parameter(P::gpus).maximum ? static_cast<int>(replicas) : 1;
}

int data_context_parallel(const Settings& s) {
    const double gpus = static_cast<double>(data_parallel(s)) * s.whole(P::context_parallel);
    return static_cast<int>(std::min(gpus, parameter(P::gpus).maximum));
}

int max_shard_group(const Settings& s) {
    return data_context_parallel(s) * static_cast<int>(weight_copies(s));
}

double host_memory_share(const Settings& s) {
    // The hosts of a rack do not share their memory.
    if (s[P::gpus_per_node] > kLargestNode) return s[P::host_memory];
    return s[P::host_memory] * s[P::gpus_per_node] / std::min(s[P::gpus], s[P::gpus_used_per_node]);
}

bool is_planned_tensor_degree(double degree, const Settings& s) {
    return degree <= s[P::gpus_used_per_node] || s.on(P::tensor_across_nodes);
}

double expert_tensor_parallel(const Settings& s) {
    return s[P::expert_tensor_parallel] > 0 ? s[P::expert_tensor_parallel] : s[P::tensor_parallel];
}

double context_parallel_inner(const Settings& s) {
    const double in_node = std::max(1.0, std::floor(s[P::gpus_used_per_node] / s[P::tensor_parallel]));
    return std::min(s[P::context_parallel],
                    s[P::context_parallel_inner] > 0 ? s[P::context_parallel_inner] : in_node);
}

bool supports_attention(ContextParallelKind kind, const Settings& s) {
    if (!is_of_megatron_core(s.choice<Software>(P::software))) return true;
    if (s.on(P::attention_sinks)) return kind == ContextParallelKind::a2a;
    return !has_mixer(s, Mixer::sliding) || kind == ContextParallelKind::a2a ||
           kind == ContextParallelKind::all_gather;
}

ContextParallelKind usual_context_kind(const Settings& s) {
    for (const ContextParallelKind kind : {ContextParallelKind::p2p, ContextParallelKind::all_gather}) {
        if (supports_attention(kind, s)) return kind;
    }
    return ContextParallelKind::a2a;
}

double expert_imbalance(const Settings& s) { return std::min(s[P::expert_imbalance], s[P::expert_parallel]); }

double head_exchange_group(const Settings& s) {
    switch (s.choice<ContextParallelKind>(P::context_parallel_kind)) {
        case ContextParallelKind::a2a: return s[P::context_parallel];
        case ContextParallelKind::a2a_p2p: return context_parallel_inner(s);
        default: return 1;
    }
}

double context_imbalance(const Settings& s) {
    const double parts = s[P::context_parallel] / head_exchange_group(s);
    return std::clamp(s[P::context_imbalance], 1.0, std::max(1.0, parts));
}

double max_expert_parallel(const Settings& s) {
    return data_context_parallel(s) * s[P::tensor_parallel] / expert_tensor_parallel(s);
}

int shard_group(const Settings& s) {
    const int sharers = max_shard_group(s);
    const auto sharding = s.choice<Sharding>(P::sharding);
    if (sharding == Sharding::ddp) return 1;
    const int requested = s.whole(P::shard_group);
    if (requested > 0) return std::min(requested, sharers);
    if (sharding != Sharding::hsdp) return sharers;
    const int in_node =
        std::max(1, s.whole(P::gpus_used_per_node) / std::max(1, s.whole(P::tensor_parallel)));
    return std::min(sharers, in_node);
}

bool shards_over_one_gpu(const Settings& s) {
    double group = s[P::shard_group];
    if (group == 0) {
        if (s.choice<Sharding>(P::sharding) != Sharding::hsdp) return false;  // all GPUs
        group = std::floor(s[P::gpus_used_per_node] / s[P::tensor_parallel]);
    }
    if (group > 1) return false;
    // The tensor-parallel GPUs of a group may hold the same experts.
    const double apart = expert_tensor_parallel(s) * s[P::expert_parallel];
    if (s[P::experts] > 0 && s[P::tensor_parallel] > apart) return false;
    return max_shard_group(s) > 1;
}

}  // namespace shardscope
