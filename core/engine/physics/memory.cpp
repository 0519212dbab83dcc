#include "physics/memory.h"

#include <algorithm>

#include "scenario/gpu_groups.h"

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

Shares shares_of(Sharding sharding, double group) {
    switch (sharding) {
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

// A stage's parameters on this GPU before data-parallel sharding.
struct StageParameters {
    double root, dense_layer, sparse_layer, experts_of_layer;
    double shared, experts;  // of all layers
};
StageParameters parameters_of(const Stage& stage, const Compiled& c) {
    StageParameters out{};
    out.root = end_parameters(stage, c);
    if (stage.dense > 0) out.dense_layer = c.work.dense.weights;
    if (stage.sparse > 0) {
        out.sparse_layer = c.work.sparse.weights;
        out.experts_of_layer = c.work.sparse.experts;
    }
    out.shared = out.root + stage.dense * out.dense_layer + stage.sparse * out.sparse_layer;
    out.experts = stage.sparse * out.experts_of_layer;
    return out;
}

}  // namespace

StateBytes state_bytes(Precision precision, Precision gradients, Optimizer optimizer,
                       Precision optimizer_precision) {
    StateBytes out;
    out.weights = precision == Precision::fp32 ? 4 : 2;
    out.gradients = gradients == Precision::fp32 || precision == Precision::fp32 ? 4 : 2;
    // With fp32 weights there is no second master copy, with a half-precision optimizer none at all.
    const bool whole = optimizer_precision == Precision::fp32;
    const double master = whole && precision != Precision::fp32 ? 4 : 0;
    out.optimizer = master + moments_bytes(optimizer) * (whole ? 1 : 0.5);
    return out;
}

double end_parameters(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    double out = 0;
    if (stage.embedding) out += c.work.embedding.weights;
    if (stage.head) out += c.work.head.weights;
    if (stage.head && !stage.embedding && s.on(P::tied_embeddings))
        out += s[P::vocab_size] * s[P::hidden_size] / c.layout.tensor;
    return out;
}

double MemoryUse::at(Moment moment) const { return sum(by_moment[static_cast<std::size_t>(moment)]); }

namespace {

// What one layer keeps of one micro-batch for its backward pass, E5, and what it needs on top while it is
// computed again, E7; bytes.
struct Kept {
    double kept = 0;
    double working = 0;
};

Kept kept_of(const BlockWork& layer, const Compiled& c) {
    const Settings& s = c.settings;
    const double all = layer.saved;
    const double recompute = s[P::recompute];
    if (recompute == kRecomputeSelective) {
        const double kept = s[P::selective_kept] * (all - layer.scores);
        return {kept, all - kept};
    }
    if (recompute <= 0) return {all, 0};
    double input = activation_bytes(s.choice<Precision>(P::precision)) * c.tokens_per_micro_batch * c.width;
    if (s.on(P::sequence_parallel)) input /= c.layout.tensor;
    return {(1 - recompute) * all + recompute * input, all - input};
}

// Everything on a GPU while `gathered`, `resident` and `logits` bytes come and go.
MemoryTerms terms_of(const StateMemory& state, double gathered, double resident, double logits,
                     const Compiled& c) {
    const Settings& s = c.settings;
    MemoryTerms terms{};
    const auto term = [&](MemoryTerm which) -> double& { return terms[static_cast<std::size_t>(which)]; };
    term(MemoryTerm::weights) = state.weights;
    term(MemoryTerm::gradients) = state.gradients;
    term(MemoryTerm::optimizer) = state.optimizer;
    term(MemoryTerm::gathered) = gathered;
    term(MemoryTerm::activations) = resident;
    term(MemoryTerm::logits) = logits;
    term(MemoryTerm::context) = s[P::memory_reserve];
    // States are allocated once; what comes and goes leaves holes.
    term(MemoryTerm::allocator) =
        s[P::fragmentation] * (gathered + resident + logits) + s[P::gathered_slack] * gathered;
    return terms;
}

// `record(moment, terms)` for every moment of a step.
template <typename Record>
void each_moment(const StateMemory& state, const WorkMemory& work, const Compiled& c, Record&& record) {
    record(Moment::forward_end, terms_of(state, state.gathered_forward, work.resident, work.logits, c));
    record(Moment::backward, terms_of(state, state.gathered_backward, work.resident + work.working, 0, c));
    record(Moment::optimizer_step, terms_of(state, 0, 0, 0, c));
}

}  // namespace

MemoryUse memory_use(const Stage& stage, const Compiled& c) {
    MemoryUse use;
    use.stage = stage.position;
    use.capacity = c.settings[P::memory];
    use.margin = c.settings[P::risk_margin] * use.capacity;
    each_moment(state_memory(stage, c), work_memory(stage, c), c,
                [&](Moment moment, const MemoryTerms& terms) {
                    use.by_moment[static_cast<std::size_t>(moment)] = terms;
                    const double total = sum(terms);
                    if (total <= use.peak) return;
                    use.peak = total;
                    use.peak_moment = moment;
                });
    return use;
}

namespace {

GatheredUnits gathered_of(const StageParameters& all, const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    const bool shared_out = c.layout.shard.size() > 1;
    const bool from_host = s.choice<Offload>(P::offload) == Offload::optimizer_and_parameters;
    const bool gathers = is_fsdp(s) && (shared_out || from_host);
    const bool reduces = s.choice<Sharding>(P::sharding) == Sharding::zero2 && shared_out;
    if (!gathers && !reduces) return {};

    // Experts that no GPU shares out are whole already.
    const double experts = c.layout.expert_shard.size() > 1 ? all.experts_of_layer : 0;
    const double unit = std::max(all.dense_layer, all.sparse_layer + experts);
    // Layers whose turns are one are gathered, and give their gradients, together.
    const double at_once = std::min(c.passes.layers, stage.layers());
    GatheredUnits out;
    out.gradients = all.root + at_once * unit;
    if (gathers) {
        // FSDP holds the root unit (embedding and head) whole, the current layer and the one prefetched.
        const double live = std::min(2 * at_once, stage.layers());
        const double layers =
            s.on(P::reshard_after_forward) ? live * unit : all.shared - all.root + stage.sparse * experts;
        out.weights = all.root + layers;
    }
    return out;
}

}  // namespace

GatheredUnits gathered_units(const Stage& stage, const Compiled& c) {
    return gathered_of(parameters_of(stage, c), stage, c);
}

StateMemory state_memory(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    const auto sharding = s.choice<Sharding>(P::sharding);
    const Shares shares = shares_of(sharding, c.layout.shard.size());
    const Shares expert_shares = shares_of(sharding, c.layout.expert_shard.size());
    const auto offload = s.choice<Offload>(P::offload);
    const bool from_host = is_fsdp(s) && offload == Offload::optimizer_and_parameters;
    const StageParameters all = parameters_of(stage, c);
    const GatheredUnits units = gathered_of(all, stage, c);
    StateMemory out;
    out.gathered_forward = c.compute_bytes * units.weights;
    out.gathered_backward = out.gathered_forward + c.state.gradients * units.gradients;
    // Without FSDP nothing gathers weights from the host, so they stay.
    if (!from_host)
        out.weights = c.state.weights * (all.shared / shares.weights + all.experts / expert_shares.weights);
    out.gradients = c.state.gradients * (1 + s[P::gradient_copies]) *
                    (all.shared / shares.gradients + all.experts / expert_shares.gradients);
    if (offload == Offload::none)
        out.optimizer =
            c.state.optimizer * (all.shared / shares.optimizer + all.experts / expert_shares.optimizer);
    return out;
}

double held_micro_batches(const Stage& stage, const Compiled& c) {
    if (c.stages.count <= 1 && !c.schedule->layered) return 1;
    return c.schedule->in_flight(c.pipeline, stage.position);
}

WorkMemory work_memory(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    Kept dense, sparse;
    if (stage.dense > 0) dense = kept_of(c.work.dense, c);
    if (stage.sparse > 0) sparse = kept_of(c.work.sparse, c);
    const double in_flight = held_micro_batches(stage, c);
    double boundary = 0;
    if (stage.embedding) boundary += c.work.embedding.saved;
    if (stage.head) boundary += c.work.head.saved;
    const double buffers = c.stages.count > 1
                               ? s[P::stage_buffers] * activation_bytes(s.choice<Precision>(P::precision)) *
                                     c.tokens_per_micro_batch * c.width /
                                     (s.on(P::sequence_parallel) ? c.layout.tensor : 1)
                               : 0;
    WorkMemory out;
    // Of two copies a micro-batch passes through one.
    out.resident =
        in_flight *
        ((stage.dense * dense.kept + stage.sparse * sparse.kept + boundary) / c.stages.copies + buffers);
    out.working = c.passes.share * std::max(dense.working, sparse.working);
    if (stage.head)
        out.logits = c.passes.share * s[P::logits_bytes] * c.tokens_per_micro_batch * s[P::vocab_size] /
                     (s.on(P::parallel_loss) ? c.layout.tensor : 1);
    return out;
}

double peak_memory(const StateMemory& state, const WorkMemory& work, const Compiled& c) {
    double peak = 0;
    each_moment(state, work, c, [&](Moment, const MemoryTerms& terms) { peak = std::max(peak, sum(terms)); });
    return peak;
}

MemoryUse memory_use(const Compiled& c) {
    MemoryUse use = memory_use(c.stages.first, c);
    if (c.stages.count <= 1) return use;
    // The first stage holds the most micro-batches, the last one the logits, one between them the most
    // layers.
    for (const Stage* stage : {&c.stages.middle, &c.stages.last}) {
        const MemoryUse other = memory_use(*stage, c);
        if (other.peak > use.peak) use = other;
    }
    return use;
}

double total_memory(const Compiled& c) {
    const std::vector<Stage> stages =
        every_stage(c.stages, c.operators.dense.repeat, c.operators.sparse.repeat);
    double pipeline = 0;
    for (const Stage& stage : stages) pipeline += memory_use(stage, c).peak;
    return pipeline * c.settings[P::gpus] / static_cast<double>(stages.size());
}

}  // namespace shardscope
