#include "step/trace.h"

#include <algorithm>

#include "compile/effect_inputs.h"
#include "compile/stage_parameters.h"
#include "effects/collectives.h"
#include "effects/host.h"
#include "effects/memory_copies.h"
#include "effects/model_states.h"
#include "effects/muon.h"
#include "effects/offload.h"
#include "effects/optimizer.h"
#include "effects/quantized_traffic.h"
#include "memory/memory.h"
#include "scenario/gpu_groups.h"

namespace shardscope {
namespace {

// Returns one pass of a layer over `share` of a micro-batch, without traffic.
LayerPasses pass_of(const Layer& layer, std::size_t kind, Phase phase, double share) {
    LayerPasses out;
    out.kind = kind;
    out.phase = phase;
    out.host = phase == Phase::forward ? layer.forward_host : layer.backward_host;
    out.offload = share * layer.offload;
    out.busy = share * (phase == Phase::forward ? layer.work.forward.time : layer.work.backward.time);
    if (phase == Phase::forward) return out;
    if (layer.recompute.time.total() > 0) {
        const Time repeated = share * layer.recompute.time;
        out.busy += repeated;
        out.recompute = repeated.total();
    }
    out.weight_gradient = share * layer.work.weight_gradient;
    return out;
}

// Turns one pass into an item of `together` consecutive passes that overlap with `traffic`.
void overlap_with(LayerPasses& out, double together, const Time& traffic, const Compiled& c) {
    if (together != 1) {
        out.together = together;
        out.busy *= together;
        out.recompute *= together;
        out.weight_gradient *= together;
        out.offload *= together;
        out.host *= together;
    }
    out.traffic = traffic;
    out.exposure = exposure(out.busy, traffic, c.settings[P::overlap]);
    out.time = host_bound_time(out.device(), out.host);
}

// The shares of a stage's offloaded state and activations for which the host has memory.
struct OnHost {
    double state = 1;
    double activations = 1;
};

void add_layers(LayerTrace& trace, const Stage& stage, const Layers& layers, std::size_t kind,
                const OnHost& on_host, const Compiled& c) {
    const Layer& layer = layers.of_kind[kind];
    const double count = stage.counts[kind];
    if (count <= 0) return;
    const bool last = kind == stage.last_kind;
    const TrafficPolicy policy = traffic_policy(c.settings);
    UnitTraffic made;
    const UnitTraffic& unit = layer.traffic_with_fetch(on_host.state, made);
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        const bool forwards = phase == Phase::forward;
        const Passes passes =
            passes_beside_traffic(forwards ? policy.gathers_each_visit : policy.reduces_each_visit, c.passes);
        const LayerPositions positions = layer_positions(count, last, passes);
        // Returns the traffic of the visit that has the most of it, or of the others.
        const auto traffic = [&](bool at_layers_end, bool most) {
            return forwards ? forward_traffic(policy, unit, at_layers_end, most)
                            : backward_traffic(policy, unit, at_layers_end, most);
        };
        LayerPasses one = pass_of(layer, kind, phase, c.passes.share);
        if (on_host.activations < 1) one.offload *= on_host.activations;
        double without_traffic = 0;  // number of passes without gather and reduction, which are all equal
        const auto add_items = [&](double times, double together, const Time& overlapping) -> LayerPasses& {
            LayerPasses& item = trace.add(one);
            item.count = times;
            overlap_with(item, together, overlapping, c);
            return item;
        };
        const auto add = [&](double times, double together, const LayerTraffic& overlapping,
                             LayerPosition position, Visits visits) {
            if (times <= 0) return;
            const Time both = overlapping.both();
            if (both.total() <= 0) {
                without_traffic += times * together;
                return;
            }
            LayerPasses& item = add_items(times, together, both);
            item.gather = overlapping.gather.total();
            const double gathers = forwards ? 1 : 1 + policy.recompute_gathers;
            if (layer.fetches && item.gather > 0) item.fetch = gathers * on_host.state * layer.fetch.total();
            item.position = position;
            item.visits = visits;
        };
        // Without FSDP the layer at the end gathers in the same way as the others.
        const bool end_alike = forwards && !policy.gathers_each_visit;
        const double inner = positions.inner + (end_alike ? positions.at_end : 0);
        const double at_end = end_alike ? 0 : positions.at_end;
        // One visit of the step, the first or the last, may have traffic that the others do not have.
        const bool alike = forwards ? !policy.gathers_once : policy.reduces_each_visit;
        const double visits = alike ? passes.visits() : 1;
        const auto add_visits = [&](double number, Visits which) {
            const bool most = which != Visits::others;
            const LayerTraffic overlapping = traffic(false, most);
            add(number * inner, passes.passes_per_visit, overlapping,
                end_alike ? LayerPosition::inner_and_end : LayerPosition::inner, which);
            add(number * positions.beside_end, 1, overlapping, LayerPosition::beside_end, which);
            if (at_end > 0)
                add(number * at_end, passes.passes_per_visit, traffic(true, most), LayerPosition::at_end,
                    which);
        };
        add_visits(visits, alike ? Visits::all : Visits::with_most_traffic);
        // The others gather again before the backward pass, or have no traffic.
        if (const double others = passes.visits() - visits; !forwards && policy.gathers_again && others > 0)
            add_visits(others, Visits::others);
        else without_traffic += others * ((inner + at_end) * passes.passes_per_visit + positions.beside_end);
        // The traffic of layers visited together with the last one overlaps with only one of their passes.
        without_traffic += (passes.count - passes.visits()) * positions.beside_end;
        if (without_traffic > 0) add_items(without_traffic, 1, {});
    }
}

Time orthogonalization_time(const Stage& stage, const Layers& layers, const Compiled& c) {
    MuonWork shared, experts;
    if (sharding_of(c.settings) != Sharding::ddp) {
        shared.sharded_over = c.layout.shard;
        experts.sharded_over = c.layout.expert_shard;
    }
    const auto add = [&](const BlockWork& layer, double count) {
        if (count <= 0) return;
        shared.flops += count * layer.orthogonalization;
        experts.flops += count * layer.expert_orthogonalization;
        shared.largest = std::max(shared.largest, layer.largest_orthogonalization);
        experts.largest = std::max(experts.largest, layer.largest_expert_orthogonalization);
        shared.parameters += count * layer.weights;
        experts.parameters += count * layer.experts;
    };
    for (std::size_t i = 0; i < layers.kinds(); ++i) add(layers.of_kind[i].work, stage.counts[i]);
    add(c.work.prediction, stage.predictions);
    const double rate = c.gpu.peak * c.gpu.gemm_efficiency;
    return muon_time(shared, rate, c.network) + muon_time(experts, rate, c.network);
}

}  // namespace

Time passes_time(const LayerPasses& passes, const Time& busy, const Compiled& c) {
    const Time both = overlapped(busy, passes.traffic, c.settings[P::overlap]);
    return host_bound_time(longer(both, passes.offload), passes.host);
}

LayerPasses computing_passes(const Stage& stage, const Layers& layers, std::size_t kind, Phase phase,
                             const Passes& passes) {
    LayerPasses out = pass_of(layers.of_kind[kind], kind, phase, passes.share);
    out.count = stage.counts[kind] * passes.count;
    return out;
}

UnhiddenTerms unhidden_terms(const Stage& stage, const Layers& layers, const Compiled& c) {
    const Settings& s = c.settings;
    const auto sharding = sharding_of(s);
    const TrafficPolicy policy = traffic_policy(s);
    const ModelParameters ends = end_parameters(stage, c);
    double of_layers = 0, updated_layers = 0;
    double experts = ends.experts;
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        of_layers += stage.counts[i] * layers.of_kind[i].parameters;
        experts += stage.counts[i] * layers.of_kind[i].work.experts;
        updated_layers += stage.counts[i] * layers.of_kind[i].updated;
    }
    const double parameters = of_layers + ends.non_expert + ends.experts;
    UnhiddenTerms out;

    const double on_host = state_share_on_host(stage, c);
    const StageTraffic traffic = stage_traffic(stage, layers, on_host, c);
    const Frequency gathers = policy.gathers_each_visit ? Frequency::visit : Frequency::step;
    const Time gathered = gathers_before(policy, traffic, true);
    const Layer& last_layer = layers.last(stage);
    if (last_layer.fetches && on_host > 0) {
        const Time between_gpus = gathers_before(policy, stage_traffic(stage, layers, 0, c), true);
        out.add({StepTerm::network, Phase::forward, gathers, between_gpus});
        out.add({StepTerm::host_link, Phase::forward, gathers, gathered + -1.0 * between_gpus});
    } else {
        out.add({StepTerm::network, Phase::forward, gathers, gathered});
    }
    out.add({StepTerm::network, Phase::backward,
             policy.reduces_each_visit ? Frequency::visit : Frequency::step,
             reductions_after(policy, traffic, true)});
    // Experts that are not sharded are neither gathered nor copied.
    const bool experts_whole = c.layout.expert_shard.size() <= 1;
    const MemoryCopies copies = memory_copies(
        {.parameters = parameters,
         .whole = c.layout.shard.size() <= 1 ? parameters
                  : experts_whole            ? experts
                                             : 0,
         .copied = s[P::copy_traffic] + (sharding == Sharding::zero_pp ? kQuantizationTraffic : 0),
         .accumulated = s[P::gradient_traffic] * c.state.gradients,
         .fsdp = shards_weights(s),
         .each_visit = policy.gathers_each_visit,
         .more_passes = c.passes.passes_per_visit > 1});
    const auto add_copies = [&](Frequency frequency, double bytes) {
        if (bytes > 0)
            out.add({StepTerm::memory_copies,
                     Phase::backward,
                     frequency,
                     {Rate::memory_bandwidth, bytes / c.gpu.memory_bandwidth}});
    };
    add_copies(Frequency::step, copies.per_step);
    add_copies(Frequency::visit, copies.per_visit);
    add_copies(Frequency::pass, copies.per_pass);
    add_copies(Frequency::further_pass, copies.per_further_pass);

    const double updated = updated_layers + updated_parameters(ends, sharding, c.layout.shard.size(),
                                                               c.layout.expert_shard.size());
    const auto offload = s.choice<Offload>(P::offload);
    const double bytes = optimizer_traffic(s[P::optimizer_traffic], c.state.optimizer);
    // The host updates the parameters whose state it has, and the GPU the others. Drives have room for all.
    const double on_gpu = offload == Offload::none             ? updated
                          : offload == Offload::optimizer_nvme ? 0
                                                               : (1 - on_host) * updated;
    const double elsewhere = updated - on_gpu;
    if (on_gpu > 0)
        out.add({StepTerm::optimizer, Phase::update, Frequency::step,
                 optimizer_time(on_gpu, bytes, c.gpu.memory_bandwidth)});
    if (elsewhere > 0) {
        const double moved = (c.state.gradients + c.state.weights) * elsewhere;
        const double handled = bytes * elsewhere;
        out.add({StepTerm::host_link, Phase::update, Frequency::step,
                 offload == Offload::optimizer_nvme
                     ? nvme_update_time(moved, handled, c.state.optimizer * elsewhere, c.host)
                     : host_update_time(moved, handled, c.host)});
    }
    // Muon's matrix products run on the GPU also if the state is on the host.
    if (s.choice<Optimizer>(P::optimizer) == Optimizer::muon)
        out.add(
            {StepTerm::optimizer, Phase::update, Frequency::step, orthogonalization_time(stage, layers, c)});
    out.add({StepTerm::host, Phase::update, Frequency::step, {Rate::latency, host_time_per_step(s)}});
    return out;
}

StageTimes average_stage(const Compiled& c, const Layers& layers) {
    const double share = 1 / c.stages.count;
    const Time ends = share * (layers.embedding.both_passes() + layers.head.both_passes() +
                               c.work.predictions * layers.prediction.both_passes());
    StageTimes out;
    // The forward pass is a third of the time of both passes of the ends.
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        const double count = c.operators.of_kind[i].repeat * share;
        const Layer& layer = layers.of_kind[i];
        out.forward += count * layer.work.forward.time;
        out.backward += count * layer.backward();
        out.weight_gradient += count * layer.work.weight_gradient;
    }
    out.forward += (1.0 / 3) * ends;
    out.backward += (2.0 / 3) * ends;
    return out;
}

StageTimes with_messages(StageTimes stage, const Compiled& c) {
    const double messages = c.pipeline.virtual_stages * c.pipeline.sequence_chunks;
    stage.forward += messages * c.message;
    stage.backward += messages * c.message;
    return stage;
}

Time messages_of_step(const Compiled& c) {
    // Every virtual stage sends one message forward and one backward for each sequence chunk.
    const double per_micro_batch =
        c.pipeline.virtual_stages * c.stages.weight_copies * c.pipeline.sequence_chunks;
    return 2 * per_micro_batch * c.passes.count * c.passes.share * c.message;
}

LayerTrace layer_trace(const Stage& stage, const Layers& layers, const Compiled& c) {
    const OnHost on_host{state_share_on_host(stage, c), activation_share_on_host(stage, c)};
    LayerTrace out;
    for (std::size_t i = 0; i < layers.kinds(); ++i) add_layers(out, stage, layers, i, on_host, c);
    return out;
}

StepTrace::StepTrace(const Stage& of, const Layers& with, const Compiled& c)
    : stage(of), layers(layer_trace(of, with, c)), unhidden(unhidden_terms(of, with, c)) {
    if (c.stages.count > 1) messages = messages_of_step(c);
}

const LayerPasses& StepTrace::passes(std::size_t kind, Phase phase, bool at_end, bool most_traffic) const {
    const LayerPosition position = at_end ? LayerPosition::at_end : LayerPosition::inner;
    const Visits visits = most_traffic ? Visits::with_most_traffic : Visits::others;
    static const LayerPasses kNone;  // of a layer that the stage does not have
    const LayerPasses* without_traffic = &kNone;
    for (const LayerPasses& item : layers.items()) {
        if (item.kind != kind || item.phase != phase) continue;
        if (!item.has_traffic()) {
            without_traffic = &item;
        } else if ((item.position == position || item.position == LayerPosition::inner_and_end) &&
                   (item.visits == visits || item.visits == Visits::all)) {
            return item;
        }
    }
    return *without_traffic;
}

}  // namespace shardscope
