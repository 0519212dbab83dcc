#include "planner/operator_work_cache.h"

#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"

namespace shardscope {

namespace {

double both_passes(const BlockWork& block) { return (block.forward.time + block.backward.time).total(); }

OperatorWork compute_operator_work(Compiled& c) {
    compile_operators(c);
    const Work& work = c.work;
    double layers = 0;
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i)
        layers += c.operators.of_kind[i].repeat * both_passes(work.layers[i]);
    return {work, layers + both_passes(work.embedding) + work.predictions * both_passes(work.prediction) +
                      both_passes(work.head)};
}

// Returns whether few layers are of this kind, such as the dense layers before those with experts.
bool is_rare(const Block& layer, const OperatorList& operators) {
    constexpr double kFew = 0.1;  // of the layers of the most frequent kind
    const Block& most = *std::ranges::max_element(operators.layers(), {}, &Block::repeat);
    return layer.repeat < kFew * most.repeat;
}

double compute_least_layers(Compiled& c) {
    const Settings& s = c.settings;
    c.layout = layout_of(s);
    build_operators(s, c.operators);
    const BlockRates rates = block_rates(s, c.layout, c.gpu, c.network);
    double out =
        both_passes(work_of(c.operators.embedding, rates)) + both_passes(work_of(c.operators.head, rates));
    for (const Block& layer : c.operators.layers()) {
        if (!is_rare(layer, c.operators)) out += layer.repeat * both_passes(work_of(layer, rates));
    }
    return out;
}

}  // namespace

bool has_rare_blocks(const OperatorList& operators) {
    return operators.prediction.repeat > 0 ||
           std::ranges::any_of(operators.layers(),
                               [&](const Block& layer) { return is_rare(layer, operators); });
}

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
    if (!same || !same_values(settings, settings_, inside)) inside_ = {};
    if (!same || !same_values(settings, settings_, crossing)) crossing_ = {};
    settings_ = settings;
    list_ = list;
}

const OperatorWork& OperatorWorkCache::of(Compiled& c, OperatorWork& uncached) {
    const OperatorSplit split = operator_split_of(c.settings);
    auto& table = tables(c.settings).work;
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

double OperatorWorkCache::least_layers(Compiled& c) {
    constexpr std::size_t kMostTimes = 65536;  // about 10 MB in each of the two tables
    const OperatorSplit split = operator_split_of(c.settings);
    auto& table = tables(c.settings).least;
    {
        const std::lock_guard lock(mutex_);
        const auto found = table.find(split);
        if (found != table.end()) return found->second;
    }
    const double least = compute_least_layers(c);
    const std::lock_guard lock(mutex_);
    if (table.size() < kMostTimes) table.try_emplace(split, least);
    return least;
}

}  // namespace shardscope
