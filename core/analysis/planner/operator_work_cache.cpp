#include "planner/operator_work_cache.h"

#include <algorithm>

#include "model/operator_inputs.h"
#include "scenario/listed_model.h"

namespace shardscope {

OperatorWork compute_operator_work(Compiled& c) {
    compile_operators(c);
    const Work& work = c.work;
    const auto both = [](const BlockWork& block) {
        return (block.forward.time + block.backward.time).total();
    };
    const Settings& s = c.settings;
    double layers = 0;
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i)
        layers += c.operators.of_kind[i].repeat * both(work.layers[i]);
    return {work, s[P::sequence_length] * s[P::micro_batch] / s[P::context_parallel],
            layers + both(work.embedding) + both(work.head)};
}

OperatorSplit operator_split_of(const Settings& s) {
    const bool casts = is_low(s.choice<Precision>(P::precision));
    return {s[P::tensor_parallel],         s[P::context_parallel],      s[P::expert_parallel],
            s[P::sequence_parallel],       s[P::async_tensor_parallel], s[P::micro_batch],
            casts ? s[P::accumulation] : 0};
}

void OperatorWorkCache::prepare(const Settings& settings) {
    static const ParameterSet crossing = operator_inputs() & ~operator_split_parameters();
    static const ParameterSet inside = crossing & ~operator_inputs_between_nodes();
    const std::uint64_t list = settings.listed() ? settings.listed()->number : 0;
    const bool same = list == list_;
    if (!same || !same_values(settings, settings_, inside)) inside_.clear();
    if (!same || !same_values(settings, settings_, crossing)) crossing_.clear();
    settings_ = settings;
    list_ = list;
}

OperatorWork* OperatorWorkCache::entry(const Settings& settings) {
    constexpr std::size_t kMost = 4096;  // about 25 MB in each of the two tables
    const OperatorSplit split = operator_split_of(settings);
    const bool crosses =
        split.tensor * std::max(split.context, split.expert) > settings[P::gpus_used_per_node];
    Table& table = crosses ? crossing_ : inside_;
    const auto found = table.find(split);
    if (found != table.end()) return &found->second;
    return table.size() < kMost ? &table[split] : nullptr;
}

}  // namespace shardscope
