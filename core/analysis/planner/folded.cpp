#include "planner/folded.h"

#include <algorithm>
#include <array>

#include "scenario/listed_model.h"

namespace shardscope {
namespace {

// Nothing that an operator's time depends on, or part of the cut. Whatever is not named here is taken to
// matter.
constexpr std::array kElsewhere{P::gpus,
                                P::memory,
                                P::price_per_gpu_hour,
                                P::tdp,
                                P::global_batch,
                                P::accumulation,
                                P::training_tokens,
                                P::sharding,
                                P::shard_group,
                                P::reshard_after_forward,
                                P::recompute,
                                P::pipeline_parallel,
                                P::virtual_stages,
                                P::schedule,
                                P::offload,
                                P::collective_efficiency,
                                P::tensor_parallel,
                                P::context_parallel,
                                P::expert_parallel,
                                P::sequence_parallel,
                                P::async_tensor_parallel,
                                P::micro_batch};
// What only collectives between nodes take longer by.
constexpr std::array kBetweenNodes{P::inter_node_bandwidth, P::inter_node_latency, P::network_efficiency};

template <std::size_t n>
ParameterSet set_of(const std::array<P, n>& ids) {
    ParameterSet out;
    for (const P id : ids) out.set(index(id));
    return out;
}

bool alike(const Settings& a, const Settings& b, const ParameterSet& but) {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        // Unknown is like unknown.
        if (!but[i] && a[id] != b[id] && !(a[id] != a[id] && b[id] != b[id])) return false;
    }
    return true;
}

Folded folded(Compiled& c) {
    compile_operators(c);
    const Work& work = c.work;
    const auto both = [](const BlockWork& block) {
        return (block.forward.time + block.backward.time).total();
    };
    const Settings& s = c.settings;
    return {work, s[P::sequence_length] * s[P::micro_batch] / s[P::context_parallel],
            c.operators.dense.repeat * both(work.dense) + c.operators.sparse.repeat * both(work.sparse) +
                both(work.embedding) + both(work.head)};
}

}  // namespace

Cut cut_of(const Settings& s) {
    const bool casts = s.choice<Precision>(P::precision) == Precision::fp8;
    return {s[P::tensor_parallel],         s[P::context_parallel],      s[P::expert_parallel],
            s[P::sequence_parallel],       s[P::async_tensor_parallel], s[P::micro_batch],
            casts ? s[P::accumulation] : 0};
}

void FoldedOperators::prepare(const Settings& settings) {
    static const ParameterSet elsewhere = set_of(kElsewhere);
    static const ParameterSet elsewhere_inside = elsewhere | set_of(kBetweenNodes);
    constexpr std::size_t kMost = 4096;  // some 16 MB
    const std::uint64_t list = settings.listed() ? settings.listed()->number : 0;
    const bool same = list == list_;
    if (!same || !alike(settings, settings_, elsewhere_inside) || inside_.size() > kMost) inside_.clear();
    if (!same || !alike(settings, settings_, elsewhere) || crossing_.size() > kMost) crossing_.clear();
    settings_ = settings;
    list_ = list;
}

const Folded& FoldedOperators::of(Compiled& c) {
    const Cut cut = cut_of(c.settings);
    const double node = c.settings[P::gpus_per_node];
    const bool crosses = cut.tensor * std::max(cut.context, cut.expert) > node;
    const auto [found, is_new] = (crosses ? crossing_ : inside_).try_emplace(cut);
    if (is_new) found->second = folded(c);
    return found->second;
}

}  // namespace shardscope
