#include "physics/memory.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr double moments_bytes(Optimizer optimizer) {
    switch (optimizer) {
        case Optimizer::adamw: return 8;       // two fp32 moments
        case Optimizer::adamw_8bit: return 2;  // two moments of one byte
        case Optimizer::adafactor: return 0;   // row and column sums: negligible
        case Optimizer::lion:
        case Optimizer::muon:
        case Optimizer::momentum: return 4;  // one fp32 moment
        case Optimizer::sgd: return 0;
    }
    return 8;
}

struct Shares {
    double weights, gradients, optimizer;  // GPUs that share one copy
};

Shares shares_of(const Compiled& c) {
    const double group = c.shard.size();
    switch (c.settings.choice<Sharding>(P::sharding)) {
        case Sharding::ddp: return {1, 1, 1};
        case Sharding::zero1: return {1, 1, group};
        case Sharding::zero2: return {1, group, group};
        case Sharding::zero3:
        case Sharding::hsdp: return {group, group, group};
    }
    return {1, 1, 1};
}

double sum(const MemoryTerms& terms) {
    double total = 0;
    for (const double bytes : terms) total += bytes;
    return total;
}

}  // namespace

StateBytes state_bytes(Precision precision, Precision gradients, Optimizer optimizer) {
    StateBytes out;
    out.weights = precision == Precision::fp32 ? 4 : 2;
    out.gradients = gradients == Precision::fp32 || precision == Precision::fp32 ? 4 : 2;
    // With fp32 weights there is no second master copy.
    out.optimizer = (precision == Precision::fp32 ? 0 : 4) + moments_bytes(optimizer);
    return out;
}

double MemoryUse::at(Moment moment) const { return sum(by_moment[static_cast<std::size_t>(moment)]); }

MemoryUse memory_use(const Compiled& c) {
    const Settings& s = c.settings;
    const Shares shares = shares_of(c);
    const double layers = s[P::layers];
    const Block& layer = c.operators.blocks[1];
    const double hidden = s[P::hidden_size];
    const double tokens = c.tokens_per_micro_batch;

    // E5: what a layer keeps, and what it keeps when it is computed again.
    const double all_kept = layer.saved();
    const double input_only = activation_bytes(s.choice<Precision>(P::precision)) * tokens * hidden;
    const double recompute = s[P::recompute];
    double kept = all_kept;
    double working = 0;  // E7: the layer being computed again holds everything
    if (recompute == kRecomputeSelective) {
        double core = 0;
        for (const Operator& op : layer.operators) {
            if (op.attention_core && op.kind == OperatorKind::softmax) core += op.saved;
        }
        kept = all_kept - core;
        working = core;
    } else if (recompute > 0) {
        kept = (1 - recompute) * all_kept + recompute * input_only;
        working = all_kept - input_only;
    }

    // E4: FSDP holds the root unit (embedding and head) whole, the current layer and the one prefetched.
    const auto sharding = s.choice<Sharding>(P::sharding);
    const bool gathers = (sharding == Sharding::zero3 || sharding == Sharding::hsdp) && c.shard.size() > 1;
    const bool reshards = s.on(P::reshard_after_forward);
    const double root = c.root_parameters;
    const double unit = c.layer_parameters;
    double gathered_forward = 0;
    double gathered_backward = 0;
    if (gathers) {
        const double live = std::min(2.0, layers);
        gathered_forward = c.compute_bytes * (root + (reshards ? live : layers) * unit);
        gathered_backward = gathered_forward + c.state.gradients * (root + unit);
    } else if (sharding == Sharding::zero2 && c.shard.size() > 1) {
        gathered_backward = c.state.gradients * (root + unit);
    }

    MemoryTerms terms{};
    const auto term = [&](MemoryTerm which) -> double& { return terms[static_cast<std::size_t>(which)]; };
    const double n = c.parameters;
    term(MemoryTerm::weights) = c.state.weights * n / shares.weights;
    term(MemoryTerm::gradients) = c.state.gradients * n / shares.gradients;
    term(MemoryTerm::optimizer) = c.state.optimizer * n / shares.optimizer;
    term(MemoryTerm::context) = s[P::memory_reserve];
    const double boundary = c.operators.blocks[0].saved() + c.operators.blocks[2].saved();

    MemoryUse use;
    use.capacity = s[P::memory];
    use.margin = s[P::risk_margin] * use.capacity;
    const auto record = [&](Moment moment, double gathered, double activations, double logits) {
        term(MemoryTerm::gathered) = gathered;
        term(MemoryTerm::activations) = activations;
        term(MemoryTerm::logits) = logits;
        term(MemoryTerm::allocator) = 0;
        const double in_use = sum(terms) - term(MemoryTerm::context);
        term(MemoryTerm::allocator) = s[P::fragmentation] * in_use;
        use.by_moment[static_cast<std::size_t>(moment)] = terms;
        const double total = sum(terms);
        if (total > use.peak) {
            use.peak = total;
            use.peak_moment = moment;
        }
    };
    record(Moment::forward_end, gathered_forward, layers * kept + boundary,
           s[P::logits_bytes] * tokens * s[P::vocab_size]);
    record(Moment::backward, gathered_backward, layers * kept + boundary + working, 0);
    record(Moment::optimizer_step, 0, 0, 0);
    return use;
}

}  // namespace shardscope
