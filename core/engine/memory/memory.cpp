#include "memory/memory.h"

#include <algorithm>

#include "compile/effect_inputs.h"
#include "compile/stage_parameters.h"
#include "containers/pick.h"
#include "effects/allocator.h"
#include "effects/loss.h"
#include "effects/offload.h"
#include "effects/quantized_traffic.h"
#include "effects/unsharded_parameters.h"
#include "effects/workspaces.h"
#include "memory/kept_activations.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "text/translate.h"

namespace shardscope {
namespace {

double sum(const MemoryTerms& terms) {
    double total = 0;
    for (const double bytes : terms) total += bytes;
    return total;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
    return pick(std::array<std::string_view, 3>{"fits", "risky", "does-not-fit"}, verdict);
}
std::string label_of(Verdict verdict) {
    return translate(pick(std::array<std::string_view, 3>{translatable("fits"), translatable("risky"),
                                                          translatable("does not fit")},
                          verdict));
}
std::string_view name_of(MemoryTerm term) {
    return pick(std::array<std::string_view, kMemoryTerms>{"weights", "gradients", "optimizer", "gathered",
                                                           "activations", "logits", "context", "allocator"},
                term);
}
std::string label_of(MemoryTerm term) {
    return translate(pick(
        std::array<std::string_view, kMemoryTerms>{
            translatable("weights"), translatable("gradients"), translatable("optimizer state"),
            translatable("unsharded parameters"), translatable("activations"), translatable("logits + loss"),
            translatable("CUDA + NCCL"), translatable("allocator")},
        term));
}
std::string_view name_of(Moment moment) {
    return pick(std::array<std::string_view, kMoments>{"forward-end", "backward", "optimizer-step"}, moment);
}
std::string label_of(Moment moment) {
    return translate(pick(std::array<std::string_view, kMoments>{translatable("end of forward"),
                                                                 translatable("start of backward"),
                                                                 translatable("optimizer step")},
                          moment));
}

MemoryLimits memory_limits(const Settings& s) { return {s[P::memory], s[P::risk_margin] * s[P::memory]}; }

Verdict verdict_of(double peak, const Settings& s) {
    const MemoryLimits limits = memory_limits(s);
    if (peak > limits.most_at_risk()) return Verdict::does_not_fit;
    return peak > limits.most_that_fits() ? Verdict::risky : Verdict::fits;
}

double MemoryUse::at(Moment moment) const { return sum(by_moment[static_cast<std::size_t>(moment)]); }

namespace {

double allocator_bytes(const StateMemory& state, const TemporaryBytes& now, const Settings& s) {
    return allocator_overhead(now, state.gathered_forward, {s[P::fragmentation], s[P::gathered_slack]});
}

double with_held_back(double peak, const TemporaryBytes& now, const Settings& s) {
    return peak_with_held_back(peak, now.held_back, memory_limits(s).most_that_fits());
}

// All memory of a GPU but what is held back.
MemoryTerms terms_of(const StateMemory& state, const TemporaryBytes& now, const Settings& s) {
    MemoryTerms terms{};
    const auto term = [&](MemoryTerm which) -> double& { return terms[static_cast<std::size_t>(which)]; };
    term(MemoryTerm::weights) = state.weights;
    term(MemoryTerm::gradients) = state.gradients;
    term(MemoryTerm::optimizer) = state.optimizer;
    term(MemoryTerm::gathered) = now.gathered;
    term(MemoryTerm::activations) = now.resident;
    term(MemoryTerm::logits) = now.logits;
    term(MemoryTerm::context) = s[P::memory_reserve];
    term(MemoryTerm::allocator) = allocator_bytes(state, now, s);
    return terms;
}

// Calls `record(moment, temporary)` for every moment of a step. The end of forward is the last layer's
// attention or the loss.
template <typename Record>
void each_moment(const StateMemory& state, const ActivationMemory& work, Record&& record) {
    const double resident = work.resident(state.on_host) + state.buffers;
    record(Moment::forward_end,
           TemporaryBytes{state.gathered_forward, resident, work.logits, work.held_back});
    if (work.attention > 0)
        record(Moment::forward_end,
               TemporaryBytes{state.gathered_forward, resident + work.attention, 0, work.held_back});
    record(Moment::backward, TemporaryBytes{state.gathered_backward,
                                            resident + work.working + state.new_gradient, 0, work.held_back});
    record(Moment::optimizer_step, TemporaryBytes{.resident = state.buffers});
}

}  // namespace

MemoryUse memory_use(const Stage& stage, const Compiled& c) {
    MemoryUse use{memory_limits(c.settings)};
    use.stage = stage.position;
    const StateMemory state = state_memory(stage, c);
    const ActivationMemory work = activation_memory(stage, c);
    use.resident = work.resident(state.on_host);
    each_moment(state, work, [&](Moment moment, const TemporaryBytes& now) {
        MemoryTerms terms = terms_of(state, now, c.settings);
        const double needed = sum(terms);
        const double total = with_held_back(needed, now, c.settings);
        if (total <= use.at(moment)) return;
        terms[static_cast<std::size_t>(MemoryTerm::allocator)] += total - needed;
        use.by_moment[static_cast<std::size_t>(moment)] = terms;
        if (total <= use.peak) return;
        use.peak = total;
        use.peak_moment = moment;
    });
    return use;
}

namespace {

UnshardedParameters unsharded_of(const StageParameters& all, const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    const bool shared = c.layout.shard.size() > 1;
    const TrafficPolicy policy = traffic_policy(s);
    const bool gathers = shards_weights(s) && (shared || keeps_weights_on_host(s));
    const bool reduces_units = policy.reduces_each_visit && shared;
    if (!gathers && !reduces_units) return {};

    // Experts that are not sharded need no gather.
    const double experts = c.layout.expert_shard.size() > 1 ? 1 : 0;
    // The engine counts the gate and up projections as one product, but they are gathered as two matrices.
    const bool matrices = s.on(P::gathers_matrices);
    const double products = s.choice<Mlp>(P::mlp) == Mlp::gated ? 2 : 1;
    double largest = 0;
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i) {
        const BlockWork& layer = c.work.layers[i];
        if (stage.counts[i] > 0)
            largest = std::max(largest, matrices ? layer.largest_matrix / c.compute_bytes / products
                                                 : layer.weights + experts * layer.experts);
    }
    const UnitSizes units{.root = matrices ? 0 : all.root,
                          .layer = largest,
                          .all_layers = all.all.non_expert - all.root + experts * all.experts,
                          .layers = stage.layers(),
                          .together = c.passes.layers_per_visit};
    UnshardedParameters out;
    if (matrices && gathers && stage.head) out.head = c.work.head.weights;
    if (reduces_units) out.gradients = unsharded_gradients(units);
    if (gathers) {
        out.weights = gathered_weights(units, s.on(P::reshard_after_forward));
        out.weight_bytes = c.compute_bytes * units.root + c.gathered_bytes * (out.weights - units.root);
    }
    return out;
}

}  // namespace

UnshardedParameters unsharded_parameters(const Stage& stage, const Compiled& c) {
    return unsharded_of(stage_parameters(stage, c), stage, c);
}

double secondary_shard_bytes(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    const bool keeps = sharding_of(s) == Sharding::zero_pp && s.on(P::reshard_after_forward);
    if (!keeps || c.layout.shard.nodes <= 1) return 0;
    return secondary_shard_bytes(c.compute_bytes, stage_parameters(stage, c).all, c.layout.shard,
                                 c.layout.expert_shard);
}

double quantized_weight_bytes(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    const double share = low_precision_share(s);
    if (share <= 0 || shards_weights(s)) return 0;
    const StageParameters parameters = stage_parameters(stage, c);
    const double matrices = parameters.all.non_expert + parameters.all.experts - parameters.vocabulary;
    return share * matrices * quantized_weight_bytes(quantized_weights(s));
}

bool reduces_by_virtual_stage(const Compiled& c) {
    return c.stages.count > 1 && c.schedule->completes_virtual_stages &&
           c.schedule->completes_virtual_stages(c.pipeline);
}

double unsharded_gradient_bytes(const ModelParameters& parameters, const Compiled& c) {
    const Settings& s = c.settings;
    if (!s.on(P::defers_reductions) || !shards_weights(s) || traffic_policy(s).reduces_each_visit) return 0;
    return accumulated_gradient_bytes(c.state.reduced_gradients, parameters, c.layout.shard.size(),
                                      c.layout.expert_shard.size(),
                                      reduces_by_virtual_stage(c) ? c.pipeline.virtual_stages : 1);
}

namespace {

StateShards shards_of(const StageParameters& parameters, const Compiled& c) {
    const auto sharding = sharding_of(c.settings);
    const ShardCounts shares = shard_counts(sharding, c.layout.shard.size());
    const ShardCounts expert_shares = shard_counts(sharding, c.layout.expert_shard.size());
    const auto sharded = [&](double bytes, double ShardCounts::*by) {
        return sharded_bytes(bytes, parameters.all, shares.*by, expert_shares.*by);
    };
    return {sharded(c.state.weights, &ShardCounts::weights), sharded(c.compute_bytes, &ShardCounts::weights),
            sharded(c.state.gradients * (1 + c.settings[P::gradient_copies]), &ShardCounts::gradients),
            sharded(c.state.optimizer, &ShardCounts::optimizer) +
                c.state.end_moment * parameters.vocabulary / shares.optimizer};
}

double offloaded(const StateShards& shards, const Compiled& c) {
    const Settings& s = c.settings;
    const auto offload = s.choice<Offload>(P::offload);
    if (offload == Offload::none) return 0;
    return offloaded_bytes(shards, {.optimizer = offload != Offload::optimizer_nvme,
                                    .gradients = keeps_gradients_on_host(s),
                                    .weights = keeps_weights_on_host(s)});
}

}  // namespace

double offloaded_state_bytes(const Stage& stage, const Compiled& c) {
    return offloaded(shards_of(stage_parameters(stage, c), c), c);
}

double state_share_on_host(const Stage& stage, const Compiled& c) {
    if (c.settings.choice<Offload>(P::offload) == Offload::none) return 1;
    return share_on_host(offloaded_state_bytes(stage, c), host_memory_share(c.settings));
}

StateMemory state_memory(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    const StageParameters parameters = stage_parameters(stage, c);
    const StateShards shards = shards_of(parameters, c);
    const UnshardedParameters units = unsharded_of(parameters, stage, c);
    StateMemory out;
    out.gathered_forward = std::max(units.weight_bytes, c.compute_bytes * units.head);
    out.gathered_backward = units.weight_bytes + c.state.reduced_gradients * units.gradients;
    const auto offload = s.choice<Offload>(P::offload);
    const bool offloads = offload != Offload::none;
    const double moved = offloaded(shards, c);
    const double host_memory = host_memory_share(s);
    // Where the sharded master copy is in host memory or on drives, the GPU has a shard in the compute
    // precision. The drives have room for all of it.
    double away = 0;
    if (shards_weights(s) && offloads)
        away = offload == Offload::optimizer_nvme ? 1 : share_on_host(moved, host_memory);
    if (!keeps_weights_on_host(s))
        out.weights = away * shards.half_weights + (1 - away) * shards.weights +
                      secondary_shard_bytes(stage, c) + quantized_weight_bytes(stage, c);
    out.gradients =
        (keeps_gradients_on_host(s) ? 0 : shards.gradients) + unsharded_gradient_bytes(parameters.all, c);
    const auto software = s.choice<Software>(P::software);
    // GPUs with fp8 are taken for Hopper or newer. Ada has fp8, too, but its workspaces are smaller.
    if (stage.layers() > 0 || stage.predictions > 0 || stage.head)
        out.buffers =
            workspace_bytes({.is_pytorch = software != Software::jax && software != Software::maxtext,
                             .transformer_engine = is_of_megatron_core(software),
                             .grouped = s[P::experts] > 0,
                             .large = s[P::peak_flops_fp8] > 0});
    if (!shards_weights(s)) {
        // Layers with the same mixer, and those with the same kind of feed-forward, share placeholders.
        double largest = 0, mixer = 0, dense = 0, experts = 0;
        const auto add = [&](const BlockWork& layer) {
            largest = std::max(largest, layer.largest_matrix);
            mixer = std::max(mixer, layer.mixer_shapes);
            double& feed_forward = layer.experts > 0 ? experts : dense;
            feed_forward = std::max(feed_forward, layer.feed_forward_shapes);
        };
        for (std::size_t i = 0; i < kinds_of_layers(c); ++i) {
            if (stage.counts[i] > 0) add(c.work.layers[i]);
        }
        if (stage.predictions > 0) add(c.work.prediction);
        if (is_of_megatron_core(software)) out.buffers += mixer + dense + experts;
        else out.new_gradient = largest;
    }
    out.optimizer = offloads ? left_on_gpu(moved, host_memory) : shards.optimizer;
    out.on_host = std::min(moved, host_memory);
    return out;
}

double micro_batches_in_flight(const Stage& stage, const Compiled& c) {
    if (c.stages.count <= 1 && !c.schedule->layered) return 1;
    return c.schedule->in_flight(c.pipeline, stage.position);
}

namespace {

// Returns the most that one layer's backward pass holds beside the activations that it was given.
double backward_bytes(const BlockWork& layer, bool recomputed, const Compiled& c) {
    // The gradient of the residual connection stays beside those of the layer's operators.
    return layer_input_bytes(c) +
           std::max(layer.gradients, backward_excess(layer.buffers, layer.saved_after_attention, recomputed));
}

double held_back_collectives(const Stage& stage, const Compiled& c) {
    // In pipelines the host waits for messages.
    if (c.layout.tensor <= 1 || c.stages.count > 1) return 0;
    return held_back_tensors(stage.layers(), c.settings[P::collective_slack], activation_tensor_bytes(c));
}

}  // namespace

MicroBatchMemory micro_batch_memory(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    double kept = 0;             // by all layers of the stage
    double kept_recomputed = 0;  // by them, if all of them were recomputed
    double working = 0;          // the most that one layer needs while it is recomputed
    double gradients = 0;        // the most that one layer's backward pass holds, if it is not recomputed
    double with_recompute = 0;   // the same, if it is recomputed
    double attention = 0;        // the most that one layer's attention needs in the forward pass
    const auto add_backward = [&](const BlockWork& work, const Activations& layer) {
        working = std::max(working, layer.working);
        gradients = std::max(gradients, backward_bytes(work, false, c));
        with_recompute = std::max(with_recompute, backward_bytes(work, layer.working > 0, c));
    };
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i) {
        if (stage.counts[i] <= 0) continue;
        const BlockWork& work = c.work.layers[i];
        const Activations layer = kept_activations(work, c);
        kept += stage.counts[i] * layer.kept;
        kept_recomputed += stage.counts[i] * layer.kept_recomputed;
        add_backward(work, layer);
        attention = std::max(
            attention, forward_excess(work.buffers, work.saved_after_attention, layer.kept / work.saved));
    }
    double ends = 0;
    double stored_predictions = 0;
    if (stage.embedding) ends += c.work.embedding.saved;
    if (stage.head) ends += c.work.head.saved;
    if (stage.predictions > 0) {
        const Activations prediction = kept_activations(c.work.prediction, c);
        ends += stage.predictions * prediction.kept;
        stored_predictions = stage.predictions * (prediction.kept - prediction.kept_recomputed);
        add_backward(c.work.prediction, prediction);
    }
    const double buffers = c.stages.count > 1 ? s[P::stage_buffers] * layer_input_bytes(c) : 0;
    const double offloaded = s[P::activation_offload];
    const double copied = share_being_copied(stage.layers());
    // A micro-batch passes through only one of the weight copies.
    const double copies = c.stages.weight_copies;
    return {((1 - offloaded) * kept + ends) / copies + buffers,
            offloaded * kept / copies,
            gradients + offloaded * copied * kept / copies,
            attention,
            held_back_collectives(stage, c),
            working + with_recompute + offloaded * copied * kept_recomputed / copies,
            ((1 - offloaded) * (kept - kept_recomputed) + stored_predictions) / copies};
}

ScheduleMemory schedule_memory(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    ScheduleMemory out{.in_flight = micro_batches_in_flight(stage, c), .share = c.passes.share};
    if (s[P::activation_offload] > 0) out.host_memory = host_memory_share(s);
    if (!stage.head || s.listed()) return out;  // a list of operators has no vocabulary
    const double loss = logits_memory({.tokens = c.passes.share * c.tokens_per_micro_batch,
                                       .vocabulary = s[P::vocab_size],
                                       .bytes_per_logit = s[P::logits_bytes],
                                       .loss = s.choice<Loss>(P::loss),
                                       .in_place = is_of_megatron_core(s.choice<Software>(P::software)),
                                       .tensor = c.layout.tensor,
                                       .parallel_loss = s.on(P::parallel_loss)});
    // The backward pass begins with the LM head, when the other tensors of the loss are free: it holds the
    // gradients of the logits and of its weights. A chunked loss computes them for each chunk.
    const bool chunked = s.choice<Loss>(P::loss) == Loss::chunked;
    const double head = chunked ? 0 : c.passes.share * c.work.head.gradients + c.work.head.largest_matrix;
    // Every prediction layer has a loss of its own, whose logits are kept until the backward pass.
    out.logits = c.work.predictions * loss + std::max(loss, head);
    return out;
}

ActivationMemory activation_memory(const MicroBatchMemory& micro_batch, const ScheduleMemory& schedule) {
    const double working = schedule.share * micro_batch.working;
    // The recomputation of a layer needs no more than if all layers were recomputed: the stored layers of its
    // micro-batch keep more than their inputs only until their own backward passes.
    const double recomputing = schedule.share * micro_batch.recomputing -
                               std::min(schedule.share, schedule.in_flight) * micro_batch.stored;
    return {.held = schedule.in_flight * micro_batch.held,
            .working = std::max(working, recomputing),
            .attention = schedule.share * micro_batch.attention,
            .logits = schedule.logits,
            .held_back = schedule.share * micro_batch.held_back,
            .offloaded = schedule.in_flight * micro_batch.offloaded,
            .host_memory = schedule.host_memory};
}

double ActivationMemory::resident(double state_on_host) const {
    return held + left_on_gpu(offloaded, std::max(0.0, host_memory - state_on_host));
}

double offloaded_activation_bytes(const Stage& stage, const Compiled& c) {
    return micro_batches_in_flight(stage, c) * micro_batch_memory(stage, c).offloaded;
}

double host_memory_for_activations(const Stage& stage, const Compiled& c) {
    const double host_memory = host_memory_share(c.settings);
    return host_memory - std::min(offloaded_state_bytes(stage, c), host_memory);
}

double activation_share_on_host(const Stage& stage, const Compiled& c) {
    if (c.settings[P::activation_offload] <= 0) return 1;
    return share_on_host(offloaded_activation_bytes(stage, c), host_memory_for_activations(stage, c));
}

ActivationMemory activation_memory(const Stage& stage, const Compiled& c) {
    return activation_memory(micro_batch_memory(stage, c), schedule_memory(stage, c));
}

double peak_memory(const StateMemory& state, const ActivationMemory& work, const Compiled& c) {
    // The sum over the terms, in their order, so that it equals that of memory_use bit by bit.
    const double states = state.weights + state.gradients + state.optimizer;
    const double reserve = c.settings[P::memory_reserve];
    double peak = 0;
    each_moment(state, work, [&](Moment, const TemporaryBytes& now) {
        const double needed = states + now.gathered + now.resident + now.logits + reserve +
                              allocator_bytes(state, now, c.settings);
        peak = std::max(peak, with_held_back(needed, now, c.settings));
    });
    return peak;
}

ActivationBytes bytes_of(const ActivationMemory& work) {
    const double resident = work.resident();
    return {resident + std::max(work.attention, work.logits), resident + work.working};
}

ActivationBytes activation_limit(const StateMemory& state, double bytes, const Compiled& c) {
    const Settings& s = c.settings;
    const double free = bytes - (state.weights + state.gradients + state.optimizer) - s[P::memory_reserve];
    ActivationBytes out;
    each_moment(state, {}, [&](Moment moment, const TemporaryBytes& now) {
        if (moment == Moment::optimizer_step) return;  // the other moments need at least as much
        const double held = now.gathered + now.resident + now.logits + allocator_bytes(state, now, s);
        // The allocator adds a share to every byte of the work.
        (moment == Moment::backward ? out.backward : out.forward) = (free - held) / (1 + s[P::fragmentation]);
    });
    return out;
}

MemoryUse memory_use(const Compiled& c) {
    MemoryUse use = memory_use(c.stages.first, c);
    // The first stage holds the most micro-batches, the last one the logits, and a middle one the most layers
    // or the largest ones.
    for (std::size_t i = 1; i < c.stages.size(); ++i) {
        const MemoryUse other = memory_use(c.stages[i], c);
        if (other.peak > use.peak) use = other;
    }
    return use;
}

std::vector<double> allocated_by_stage(const Compiled& c) {
    std::vector<double> out;
    for (const Stage& stage : every_stage(c.stages, LayerSequence(c.settings)))
        out.push_back(memory_use(stage, c).allocated());
    return out;
}

double total_memory(const Compiled& c) {
    const std::vector<Stage> stages = every_stage(c.stages, LayerSequence(c.settings));
    double pipeline = 0;
    for (const Stage& stage : stages) pipeline += memory_use(stage, c).peak;
    return pipeline * c.settings[P::gpus] / static_cast<double>(stages.size());
}

}  // namespace shardscope
