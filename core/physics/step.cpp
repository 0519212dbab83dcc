#include "physics/step.h"

#include <algorithm>

#include "physics/layer.h"
#include "physics/memory.h"

namespace shardscope {
namespace {

double& term_of(std::array<double, kStepTerms>& terms, StepTerm term) {
    return terms[static_cast<std::size_t>(term)];
}

Time traffic(double bytes, const Compiled& c) {
    return {Rate::memory_bandwidth, bytes / c.gpu.memory_bandwidth};
}

// Adds up a step: what computes, and what of the rest stays visible.
class Timeline {
  public:
    explicit Timeline(double omega) : omega_(omega) {}

    void add(StepTerm term, const Time& time, double times) {
        term_of(step_.terms, term) += times * time.total();
        step_.attribution += times * time;
    }
    // Both passes of one of the model's ends, nothing below them.
    void add(const BlockWork& end, double times) {
        add_terms(end, times);
        step_.attribution += times * (end.forward.time + end.backward.time);
    }
    // What a block's passes consist of; their time is attributed by `add` or `layers`.
    void add_terms(const BlockWork& work, double times) {
        for (std::size_t i = 0; i < kStepTerms; ++i)
            step_.terms[i] += times * (work.forward.terms[i] + work.backward.terms[i]);
        step_.hidden_communication += times * (work.forward.hidden + work.backward.hidden);
    }
    // Communication under `busy`, which is added elsewhere; only what stays visible is added here.
    void below(StepTerm term, const Time& busy, const Time& communication, double times) {
        const Time both = overlapped(busy, communication, omega_);
        const double visible = both.total() - busy.total();
        term_of(step_.terms, term) += times * visible;
        step_.hidden_communication += times * std::max(0.0, communication.total() - visible);
        Time attributed = both;
        for (std::size_t i = 0; i < kRates; ++i) attributed.by[i] -= busy.by[i];
        step_.attribution += times * attributed;
    }

    // `times` passes of a layer, each of which computes while it communicates and keeps the host busy for
    // `host` seconds. `recompute` is the part of the compute that repeats the forward pass; the other parts
    // are added by `add_terms`.
    void layers(const Time& pass, const Time& recompute, const Time& communication, double host,
                double times) {
        if (times <= 0) return;
        const Time busy = pass + recompute;
        const Time device = overlapped(busy, communication, omega_);
        const double visible = device.total() - busy.total();
        term_of(step_.terms, StepTerm::recompute) += times * recompute.total();
        term_of(step_.terms, StepTerm::network) += times * visible;
        step_.hidden_communication += times * std::max(0.0, communication.total() - visible);
        // E12: the host issues the next layer's work meanwhile; only what is longer shows.
        const double wait = host - device.total();
        if (wait > 0) {
            term_of(step_.terms, StepTerm::host) += times * wait;
            step_.attribution += Time{Rate::latency, times * host};
        } else {
            step_.attribution += times * device;
        }
    }

    StepTime done() {
        for (const double seconds : step_.terms) step_.total += seconds;
        return step_;
    }

  private:
    double omega_;
    StepTime step_;
};

Time time_of(const Stage& stage, const Computed& dense, const Computed& sparse, const Compiled& c) {
    Time out = stage.dense * dense.both;
    if (stage.sparse > 0) out += stage.sparse * sparse.both;
    if (stage.embedding) out += both_passes(c.work.embedding);
    if (stage.head) out += both_passes(c.work.head);
    return out;
}

// One micro-batch on the average stage.
StageTimes average_stage(const Compiled& c, const Computed& dense, const Computed& sparse) {
    const double share = 1 / c.stages.count;
    const double dense_layers = c.operators.dense.repeat * share;
    const double sparse_layers = c.operators.sparse.repeat * share;
    const Time ends_time = share * (both_passes(c.work.embedding) + both_passes(c.work.head));
    StageTimes out;
    // A third of the ends' two passes is the forward one.
    out.forward = dense_layers * c.work.dense.forward.time + sparse_layers * c.work.sparse.forward.time +
                  (1.0 / 3) * ends_time;
    out.backward = dense_layers * (c.work.dense.backward.time + dense.recompute) +
                   sparse_layers * (c.work.sparse.backward.time + sparse.recompute) + (2.0 / 3) * ends_time;
    out.weight_gradient =
        dense_layers * c.work.dense.weight_gradient + sparse_layers * c.work.sparse.weight_gradient;
    return out;
}

// Every piece's message to a neighbour lengthens the pass.
StageTimes with_messages(StageTimes stage, const Compiled& c) {
    stage.forward += c.pipeline.virtual_stages * c.message;
    stage.backward += c.pipeline.virtual_stages * c.message;
    return stage;
}

// Whether gradients are reduced without FSDP with every micro-batch, as ZeRO-2 must, which has no room for
// whole ones; else they are with the last.
bool reduces_each(const Compiled& c) { return c.settings.choice<Sharding>(P::sharding) == Sharding::zero2; }

// What nothing hides: communication before the first and after the last layer, copies, optimizer, host.
// `once(term, time)` for what comes once a step, `each(term, time)` for what comes with every micro-batch.
template <typename Once, typename Each>
void visit_unhidden(const Stage& stage, const Held& dense, const Held& sparse, const Compiled& c, Once&& once,
                    Each&& each) {
    const Settings& s = c.settings;
    const auto sharding = s.choice<Sharding>(P::sharding);
    const double root_parameters = end_parameters(stage, c);
    const double stage_parameters =
        stage.dense * dense.parameters + stage.sparse * sparse.parameters + root_parameters;
    const UnitTraffic root = end_traffic(stage, c);
    const UnitTraffic& last = stage.sparse > 0 ? sparse.traffic : dense.traffic;
    const Time reduce = last.reduce + last.combine + root.reduce + root.combine;
    const double accumulated = s[P::gradient_traffic] * c.state.gradients;  // bytes per parameter
    if (is_fsdp(s)) {
        each(StepTerm::network, root.gather + last.gather);
        each(StepTerm::network, reduce);
        // Experts that no GPU shares out are neither gathered nor copied.
        const bool experts_whole = c.layout.expert_shard.size() <= 1;
        const double whole = c.layout.shard.size() <= 1 ? stage_parameters
                             : experts_whole            ? stage.sparse * c.work.sparse.experts
                                                        : 0;
        const double bytes = s[P::copy_traffic] * (stage_parameters - whole) + accumulated * whole;
        each(StepTerm::copies, traffic(bytes, c));
    } else {
        if (reduces_each(c)) each(StepTerm::network, reduce);
        else once(StepTerm::network, reduce);
        if (sharding != Sharding::ddp) once(StepTerm::network, root.gather);
        each(StepTerm::copies, traffic(accumulated * stage_parameters, c));
    }

    // E11: the optimizer streams over its shard of the state, on the GPU or on the host.
    const double root_updated = root_parameters / (sharding == Sharding::ddp ? 1 : c.layout.shard.size());
    const double local = stage.dense * dense.updated + stage.sparse * sparse.updated + root_updated;
    if (s.choice<Offload>(P::offload) == Offload::none) {
        once(StepTerm::optimizer, traffic(s[P::optimizer_traffic] * local, c));
    } else {
        const double moved = (c.state.gradients + c.state.weights) * local / s[P::host_bandwidth];
        const double updated = s[P::optimizer_traffic] * local / s[P::host_memory_bandwidth];
        once(StepTerm::host_link, Time{Rate::latency, moved + updated});
    }
    once(StepTerm::host, Time{Rate::latency, s[P::step_overhead]});
}

}  // namespace

ComputeFloor compute_floor(const Compiled& c) {
    const Settings& s = c.settings;
    const Computed dense = computed(c.work.dense, c);
    const Computed sparse = computed(c.work.sparse, c);
    const Stage& stage = slowest_stage(c, dense, sparse);
    ComputeFloor out;
    const auto kind = [&](double count, const Computed& layer) {
        if (count <= 0) return LayerFloor{};
        const LayerFloor floor{count, layer.work.forward.time.total(),
                               (layer.work.backward.time + layer.recompute).total()};
        // A pass lasts as long as the host takes to issue it, if that is longer.
        const double host = s[P::layer_overhead];
        out.computing += count * (std::max(host, floor.forward) + std::max(host, floor.backward));
        return floor;
    };
    out.dense = kind(stage.dense, dense);
    out.sparse = kind(stage.sparse, sparse);
    if (stage.embedding) out.computing += both_passes(c.work.embedding).total();
    if (stage.head) out.computing += both_passes(c.work.head).total();
    out.computing *= s[P::accumulation];
    if (c.stages.count > 1) out.average = average_stage(c, dense, sparse);
    return out;
}

double with_bubble(const ComputeFloor& floor, const Compiled& c) {
    if (c.stages.count <= 1) return floor.computing;
    return floor.computing + c.schedule->bubble(c.pipeline, with_messages(floor.average, c)).total();
}

UnhiddenFloor unhidden_floor(const Stage& stage, const Compiled& c) {
    const Held dense = held(c.work.dense, c.traffic.dense, c);
    const Held sparse = held(c.work.sparse, c.traffic.sparse, c);
    UnhiddenFloor out;
    visit_unhidden(
        stage, dense, sparse, c, [&](StepTerm, const Time& time) { out.once += time.total(); },
        [&](StepTerm, const Time& time) { out.per_micro_batch += time.total(); });
    return out;
}

TrafficFloor traffic_floor(const Compiled& c) {
    const auto kind = [&](const BlockWork& work, const UnitTraffic& unit) {
        const UnitTraffic held_unit = held(work, unit, c).traffic;
        const double gather = held_unit.gather.total();
        const double reduce = (held_unit.reduce + held_unit.combine).total();
        LayerTraffic out;
        if (is_fsdp(c.settings)) {
            out.forward_each = gather;
            out.backward_each = reduce + (c.settings.on(P::reshard_after_forward) ? gather : 0);
        } else {
            if (c.settings.choice<Sharding>(P::sharding) != Sharding::ddp) out.forward_once = gather;
            (reduces_each(c) ? out.backward_each : out.backward_once) = reduce;
        }
        return out;
    };
    return {kind(c.work.dense, c.traffic.dense), kind(c.work.sparse, c.traffic.sparse)};
}

double visible_floor(const ComputeFloor& computing, const TrafficFloor& traffic, const Compiled& c) {
    const double host = c.settings[P::layer_overhead];
    const double omega = c.settings[P::overlap];
    const double micro_batches = c.settings[P::accumulation];
    const auto visible = [&](double busy, double communication) {
        const double device = std::max(busy, communication) + omega * std::min(busy, communication);
        return std::max(host, device) - std::max(host, busy);
    };
    const auto kind = [&](const LayerFloor& layer, const LayerTraffic& unit, bool last) {
        // The layer at the end has nothing to hide behind; that part is in `unhidden_floor`.
        const double layers = layer.count - (last ? std::min(1.0, layer.count) : 0);
        if (layers <= 0) return 0.0;
        const double once = visible(layer.forward, unit.forward_each + unit.forward_once) +
                            visible(layer.backward, unit.backward_each + unit.backward_once);
        const double each =
            visible(layer.forward, unit.forward_each) + visible(layer.backward, unit.backward_each);
        return layers * (once + (micro_batches - 1) * each);
    };
    return kind(computing.dense, traffic.dense, computing.sparse.count <= 0) +
           kind(computing.sparse, traffic.sparse, true);
}

StepTime step_time(const Compiled& c) {
    const Settings& s = c.settings;
    const double micro_batches = s[P::accumulation];
    const double host = s[P::layer_overhead];

    const Computed dense = computed(c.work.dense, c);
    const Computed sparse = computed(c.work.sparse, c);
    const Held dense_held = held(c.work.dense, c.traffic.dense, c);
    const Held sparse_held = held(c.work.sparse, c.traffic.sparse, c);
    const Stage& stage = slowest_stage(c, dense, sparse);

    Timeline line(s[P::overlap]);
    if (stage.embedding) line.add(c.work.embedding, micro_batches);
    if (stage.head) line.add(c.work.head, micro_batches);
    if (stage.dense > 0) line.add_terms(c.work.dense, micro_batches * stage.dense);
    if (stage.sparse > 0) line.add_terms(c.work.sparse, micro_batches * stage.sparse);

    // Layers of the stage in turn; the one at its end has nothing to hide its communication behind.
    const auto each_layer = [&](auto&& visit) {
        const auto kind = [&](const Computed& layer, const Held& weights, double count, bool last) {
            if (count <= 0) return;
            const double at_end = last ? std::min(1.0, count) : 0;
            visit(layer, weights.traffic, count - at_end, at_end);
        };
        kind(dense, dense_held, stage.dense, stage.sparse <= 0);
        kind(sparse, sparse_held, stage.sparse, true);
    };
    const Time none;
    if (is_fsdp(s)) {
        // Every pass gathers a layer while it computes the one before.
        const bool reshards = s.on(P::reshard_after_forward);
        each_layer([&](const Computed& layer, const UnitTraffic& unit, double inner, double at_end) {
            const Time again = reshards ? unit.gather : none;
            line.layers(layer.work.forward.time, none, unit.gather, host, micro_batches * inner);
            line.layers(layer.work.forward.time, none, none, host, micro_batches * at_end);
            line.layers(layer.work.backward.time, layer.recompute, again + unit.reduce + unit.combine, host,
                        micro_batches * inner);
            line.layers(layer.work.backward.time, layer.recompute, again, host, micro_batches * at_end);
        });
    } else {
        // Weights stay whole; gradients are reduced during the backward pass.
        const double reducing = reduces_each(c) ? micro_batches : 1;
        const bool gathers = s.choice<Sharding>(P::sharding) != Sharding::ddp;
        each_layer([&](const Computed& layer, const UnitTraffic& unit, double inner, double at_end) {
            const Time reduce = unit.reduce + unit.combine;
            const double count = inner + at_end;
            line.layers(layer.work.forward.time, none, none, host, (micro_batches - 1) * count);
            // The updated shards are gathered once, during the next step's first forward pass.
            line.layers(layer.work.forward.time, none, gathers ? unit.gather : none, host, count);
            line.layers(layer.work.backward.time, layer.recompute, none, host,
                        (micro_batches - reducing) * count);
            line.layers(layer.work.backward.time, layer.recompute, reduce, host, reducing * inner);
            line.layers(layer.work.backward.time, layer.recompute, none, host, reducing * at_end);
        });
    }
    visit_unhidden(
        stage, dense_held, sparse_held, c, [&](StepTerm term, const Time& time) { line.add(term, time, 1); },
        [&](StepTerm term, const Time& time) { line.add(term, time, micro_batches); });

    if (c.stages.count > 1) {
        // One message forward and one back for each piece of the model.
        line.below(StepTerm::stage_network, time_of(stage, dense, sparse, c),
                   2 * c.pipeline.virtual_stages * c.message, micro_batches);
        const StageTimes average = with_messages(average_stage(c, dense, sparse), c);
        line.add(StepTerm::bubble, c.schedule->bubble(c.pipeline, average), 1);
    }
    return line.done();
}

}  // namespace shardscope
