#include "planner/operator_work_cache.h"

#include "model/operator_inputs.h"
#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"

namespace shardscope {

namespace {

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
            layers + both(work.embedding) + work.predictions * both(work.prediction) + both(work.head)};
}

}  // namespace

OperatorSplit operator_split_of(const Settings& s) {
    OperatorSplit out;
    for (std::size_t i = 0; i < kCellSize; ++i) {
        const P id = kPlanParameters[i];
        if (parameter(id).plan == PlanRole::operators) out.value[i] = s[id];
    }
    out.value[Plan::place(P::expert_tensor_parallel)] = expert_tensor_parallel(s);
    if (is_low(s.choice<Precision>(P::precision))) out.accumulation = s[P::accumulation];
    return out;
}

void OperatorWorkCache::prepare(const Settings& settings) {
    static const ParameterSet crossing = operator_inputs() & ~operator_split_parameters();
    static const ParameterSet inside = crossing & ~operator_inputs_between_nodes();
    const std::uint64_t list = settings.listed() ? settings.listed()->number : 0;
    const bool same = list == list_ && same_slice(settings, settings_);
    if (!same || !same_values(settings, settings_, inside)) inside_.clear();
    if (!same || !same_values(settings, settings_, crossing)) crossing_.clear();
    settings_ = settings;
    list_ = list;
}

const OperatorWork& OperatorWorkCache::of(Compiled& c, OperatorWork& uncached) {
    constexpr std::size_t kMost = 4096;  // about 25 MB in each of the two tables
    const OperatorSplit split = operator_split_of(c.settings);
    Table& table = operators_cross_nodes(c.settings) ? crossing_ : inside_;
    {
        const std::lock_guard lock(mutex_);
        const auto found = table.find(split);
        if (found != table.end()) return found->second;
    }
    uncached = compute_operator_work(c);
    const std::lock_guard lock(mutex_);
    if (table.size() >= kMost) return uncached;
    return table.try_emplace(split, uncached).first->second;
}

}  // namespace shardscope
