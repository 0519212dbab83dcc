#include "physics/step.h"

#include <algorithm>

#include "physics/layer.h"
#include "physics/memory.h"
#include "scenario/gpu_groups.h"

namespace shardscope {
namespace {

double& term_of(std::array<double, kStepTerms>& terms, StepTerm term) {
    return terms[static_cast<std::size_t>(term)];
}

Time traffic(double bytes, const Compiled& c) {
    return {Rate::memory_bandwidth, bytes / c.gpu.memory_bandwidth};
}

// What one pass of a layer takes: `busy` computes while `communication` travels, and meanwhile the host
// issues the next layer's work, E12; only what is longer shows.
Time pass_time(const Time& busy, const Time& communication, double host, double omega) {
    const Time device = overlapped(busy, communication, omega);
    return host > device.total() ? Time{Rate::latency, host} : device;
}

// By how much `part` of what a GPU computes lengthens the pass.
Time added_by(const Time& part, const Time& busy, const Time& communication, double host, double omega) {
    return pass_time(busy, communication, host, omega) +
           -1.0 * pass_time(busy + -1.0 * part, communication, host, omega);
}

// Adds up the step of one stage: what computes, and what of the rest stays visible.
class StepSum {
  public:
    StepSum(double omega, bool fills_gaps) : omega_(omega), fills_gaps_(fills_gaps) {}

    void add(StepTerm term, const Time& time, double times) {
        term_of(step_.terms, term) += times * time.total();
        step_.attribution += times * time;
    }
    // Both passes of one of the model's ends, nothing below them.
    void add(const BlockWork& end, double times) {
        add_terms(end, times);
        step_.attribution += times * (end.forward.time + end.backward.time);
        filling_.forward += times * end.forward.time;
        filling_.backward += times * end.backward.time;
    }
    // What a block's passes consist of; their time is attributed by `add` or `layers`.
    void add_terms(const BlockWork& work, double times) {
        for (std::size_t i = 0; i < kStepTerms; ++i)
            step_.terms[i] += times * (work.forward.terms[i] + work.backward.terms[i]);
        step_.hidden_communication += times * (work.forward.hidden + work.backward.hidden);
    }
    // Communication below everything that has been added so far.
    void below(StepTerm term, const Time& communication) {
        const double busy = step_.attribution.total();
        const Time both = overlapped(step_.attribution, communication, omega_);
        const double visible = both.total() - busy;
        term_of(step_.terms, term) += visible;
        step_.hidden_communication += std::max(0.0, communication.total() - visible);
        step_.attribution = both;
    }

    // A layer's passes in one direction, alike: each computes `pass` and `recompute`, the part that repeats
    // the forward pass, while it communicates and keeps the host busy for `host` seconds. Their terms but for
    // recomputation are added by `add_terms`.
    struct LayerPasses {
        Time pass;
        Time recompute;
        Time weight_gradient;  // part of `pass`
        bool backward = false;
    };
    void layers(const LayerPasses& work, const Time& communication, double host, double times) {
        const Time busy = work.pass + work.recompute;
        const Time device = overlapped(busy, communication, omega_);
        const double visible = device.total() - busy.total();
        term_of(step_.terms, StepTerm::recompute) += times * work.recompute.total();
        term_of(step_.terms, StepTerm::network) += times * visible;
        step_.hidden_communication += times * std::max(0.0, communication.total() - visible);
        if (host > device.total()) term_of(step_.terms, StepTerm::host) += times * (host - device.total());
        step_.attribution += times * pass_time(busy, communication, host, omega_);
        if (!fills_gaps_) return;
        (work.backward ? filling_.backward : filling_.forward) +=
            times * added_by(busy, busy, communication, host, omega_);
        if (work.backward)
            filling_.weight_gradient +=
                times * added_by(work.weight_gradient, busy, communication, host, omega_);
    }

    // By how much the passes of one of so many micro-batches lengthen the step, see Schedule::bubble.
    [[nodiscard]] StageTimes filling(double micro_batches) const {
        StageTimes out = filling_;
        for (Time* time : {&out.forward, &out.backward, &out.weight_gradient}) *time *= 1 / micro_batches;
        return out;
    }

    StepTime done() {
        for (const double seconds : step_.terms) step_.total += seconds;
        return step_;
    }

  private:
    double omega_;
    bool fills_gaps_;
    StepTime step_;
    StageTimes filling_;  // of all micro-batches
};

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

// The same on one of the stages, with nothing but compute: no pass lengthens the step by more.
StageTimes computing_stage(const Stage& stage, const Compiled& c, const Computed& dense,
                           const Computed& sparse) {
    const double share = 1 / c.stages.copies;
    const auto add = [&](StageTimes& out, const BlockWork& work, const Time& recompute, double blocks) {
        out.forward += share * blocks * work.forward.time;
        out.backward += share * blocks * (work.backward.time + recompute);
    };
    StageTimes out;
    add(out, c.work.dense, dense.recompute, stage.dense);
    add(out, c.work.sparse, sparse.recompute, stage.sparse);
    if (stage.embedding) add(out, c.work.embedding, {}, 1);
    if (stage.head) add(out, c.work.head, {}, 1);
    out.weight_gradient = share * stage.dense * c.work.dense.weight_gradient +
                          share * stage.sparse * c.work.sparse.weight_gradient;
    return out;
}

// Every piece's message to a neighbour lengthens the pass.
StageTimes with_messages(StageTimes stage, const Compiled& c) {
    const double messages = c.pipeline.virtual_stages * c.pipeline.sequence_pieces;
    stage.forward += messages * c.message;
    stage.backward += messages * c.message;
    return stage;
}

// Whether gradients are reduced without FSDP in every turn of a layer, as ZeRO-2 must, which has no room for
// whole ones; else they are in the last.
bool reduces_each(const Compiled& c) { return c.settings.choice<Sharding>(P::sharding) == Sharding::zero2; }

// What nothing hides: communication before the first and after the last layer, copies, optimizer, host.
// `once(term, time)` for what comes once a step, `each(term, time)` for what comes with every turn of a
// layer, `pass(term, time)` with every pass, `further(term, time)` with those of a turn beyond its first.
template <typename Once, typename Each, typename Pass, typename Further>
void visit_unhidden(const Stage& stage, const Held& dense, const Held& sparse, const Compiled& c, Once&& once,
                    Each&& each, Pass&& pass, Further&& further) {
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
        if (c.passes.turn > 1) further(StepTerm::copies, traffic(accumulated * stage_parameters, c));
    } else {
        if (reduces_each(c)) each(StepTerm::network, reduce);
        else once(StepTerm::network, reduce);
        if (sharding != Sharding::ddp) once(StepTerm::network, root.gather);
        pass(StepTerm::copies, traffic(accumulated * stage_parameters, c));
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
    const Stage& stage = busiest_stage(c, dense, sparse);
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
    out.computing *= s[P::accumulation] / c.stages.copies;
    if (c.stages.count > 1) {
        out.average = average_stage(c, dense, sparse);
        out.filling = computing_stage(stage, c, dense, sparse);
    }
    return out;
}

double with_bubble(const ComputeFloor& floor, const Compiled& c) {
    if (c.stages.count <= 1) return floor.computing;
    return floor.computing +
           c.schedule->bubble(c.pipeline, with_messages(floor.average, c), with_messages(floor.filling, c))
               .total();
}

UnhiddenFloor unhidden_floor(const Stage& stage, const Compiled& c) {
    const Held dense = held(c.work.dense, c.traffic.dense, c);
    const Held sparse = held(c.work.sparse, c.traffic.sparse, c);
    UnhiddenFloor out;
    visit_unhidden(
        stage, dense, sparse, c, [&](StepTerm, const Time& time) { out.once += time.total(); },
        [&](StepTerm, const Time& time) { out.per_turn += time.total(); },
        [&](StepTerm, const Time& time) { out.per_pass += time.total(); },
        [&](StepTerm, const Time& time) { out.per_further_pass += time.total(); });
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
    const Passes& passes = c.passes;
    const auto visible = [&](double layer, double communication) {
        const double busy = passes.turn * passes.share * layer;
        const double launch = passes.turn * host;
        const double device = std::max(busy, communication) + omega * std::min(busy, communication);
        return std::max(launch, device) - std::max(launch, busy);
    };
    const auto kind = [&](const LayerFloor& layer, const LayerTraffic& unit, bool last) {
        // The layer at the end has nothing to hide behind; that part is in `unhidden_floor`. Those that share
        // its turn hide less than the others, which does no harm to a bound.
        const double layers = layer.count - (last ? std::min(passes.layers, layer.count) : 0);
        if (layers <= 0) return 0.0;
        const double once = visible(layer.forward, unit.forward_each + unit.forward_once) +
                            visible(layer.backward, unit.backward_each + unit.backward_once);
        const double each =
            visible(layer.forward, unit.forward_each) + visible(layer.backward, unit.backward_each);
        return layers * (once + (passes.turns() - 1) * each);
    };
    return kind(computing.dense, traffic.dense, computing.sparse.count <= 0) +
           kind(computing.sparse, traffic.sparse, true);
}

namespace {

// What the stages of one pipeline have in common.
struct Layers {
    explicit Layers(const Compiled& c)
        : dense(computed(c.work.dense, c)),
          sparse(computed(c.work.sparse, c)),
          dense_held(held(c.work.dense, c.traffic.dense, c)),
          sparse_held(held(c.work.sparse, c.traffic.sparse, c)) {}
    Computed dense, sparse;
    Held dense_held, sparse_held;
};

// The step as long as this stage takes it.
StepTime stage_step(const Stage& stage, const Layers& layers, const Compiled& c) {
    const Settings& s = c.settings;
    const Passes& passes = c.passes;
    const double turns = passes.turns();
    const double micro_batches = passes.count * passes.share;  // that come by each layer

    StepSum sum(s[P::overlap], c.stages.count > 1 && c.schedule->fills_gaps);
    if (stage.embedding) sum.add(c.work.embedding, micro_batches);
    if (stage.head) sum.add(c.work.head, micro_batches);
    if (stage.dense > 0) sum.add_terms(c.work.dense, micro_batches * stage.dense);
    if (stage.sparse > 0) sum.add_terms(c.work.sparse, micro_batches * stage.sparse);

    // Layers of the stage in turn; the one at its end has nothing to hide its communication behind, those
    // that share its turn only one pass of their own.
    const auto each_layer = [&](auto&& visit) {
        const auto kind = [&](const Computed& layer, const Held& weights, double count, bool last) {
            if (count <= 0) return;
            const double at_end = last ? std::min(1.0, count) : 0;
            const double near = last ? std::min(passes.layers - 1, count - at_end) : 0;
            visit(layer, weights.traffic, count - at_end - near, near, at_end);
        };
        kind(layers.dense, layers.dense_held, stage.dense, stage.sparse <= 0);
        kind(layers.sparse, layers.sparse_held, stage.sparse, true);
    };
    // `times` times as many passes of a layer as `together` says, and below them the communication.
    const Time none;
    const double host = s[P::layer_overhead];
    const auto forward = [&](const Computed& layer, const Time& communication, double together,
                             double times) {
        if (times <= 0) return;
        const double part = together * passes.share;
        sum.layers({part * layer.work.forward.time, none, none, false}, communication, together * host,
                   times);
    };
    const auto backward = [&](const Computed& layer, const Time& communication, double together,
                              double times) {
        if (times <= 0) return;
        const double part = together * passes.share;
        sum.layers({part * layer.work.backward.time, part * layer.recompute,
                    part * layer.work.weight_gradient, true},
                   communication, together * host, times);
    };
    if (is_fsdp(s)) {
        // Every turn gathers a layer while it computes the one before.
        const bool reshards = s.on(P::reshard_after_forward);
        each_layer(
            [&](const Computed& layer, const UnitTraffic& unit, double far, double near, double at_end) {
                forward(layer, unit.gather, passes.turn, turns * far);
                forward(layer, unit.gather, 1, turns * near);
                forward(layer, none, 1, (passes.count - turns) * near + passes.count * at_end);
                const Time again = reshards ? unit.gather : none;
                const Time both = again + unit.reduce + unit.combine;
                backward(layer, both, passes.turn, turns * far);
                backward(layer, both, 1, turns * near);
                backward(layer, again, passes.turn, turns * at_end);
                backward(layer, none, 1, (passes.count - turns) * near);
            });
    } else {
        // Weights stay whole; gradients are reduced during the backward pass.
        const double reducing = reduces_each(c) ? turns : 1;
        const bool gathers = s.choice<Sharding>(P::sharding) != Sharding::ddp;
        each_layer(
            [&](const Computed& layer, const UnitTraffic& unit, double far, double near, double at_end) {
                // The updated shards are gathered once, during the next step's first turn.
                const Time gather = gathers ? unit.gather : none;
                forward(layer, none, 1,
                        (passes.count - passes.turn) * (far + at_end) + (passes.count - 1) * near);
                forward(layer, gather, passes.turn, far + at_end);
                forward(layer, gather, 1, near);
                const Time reduce = unit.reduce + unit.combine;
                backward(layer, none, 1,
                         (turns - reducing) * passes.turn * far + (passes.count - reducing) * near +
                             passes.count * at_end);
                backward(layer, reduce, passes.turn, reducing * far);
                backward(layer, reduce, 1, reducing * near);
            });
    }
    if (c.stages.count > 1) {
        // One message forward and one back for each piece of the model and of the micro-batch.
        const double messages = c.pipeline.virtual_stages * c.stages.copies * c.pipeline.sequence_pieces;
        sum.below(StepTerm::stage_network, 2 * messages * micro_batches * c.message);
        const StageTimes average = with_messages(average_stage(c, layers.dense, layers.sparse), c);
        const StageTimes filling = with_messages(sum.filling(c.pipeline.micro_batches), c);
        sum.add(StepTerm::bubble, c.schedule->bubble(c.pipeline, average, filling), 1);
    }
    const auto add = [&](double times) {
        return [&sum, times](StepTerm term, const Time& time) {
            if (times > 0) sum.add(term, time, times);
        };
    };
    visit_unhidden(stage, layers.dense_held, layers.sparse_held, c, add(1), add(turns), add(passes.count),
                   add(passes.count - turns));
    return sum.done();
}

}  // namespace

StepTime step_time(const Compiled& c, StagePlace place) {
    StepTime out = stage_step(c.stages.at(place), Layers(c), c);
    out.slowest = place;
    return out;
}

StepTime step_time(const Compiled& c) {
    const Layers layers(c);
    StepTime slowest = stage_step(c.stages.first, layers, c);
    if (c.stages.count <= 1) return slowest;
    const auto compare = [&](StagePlace place) {
        StepTime other = stage_step(c.stages.at(place), layers, c);
        if (other.total <= slowest.total) return;
        slowest = other;
        slowest.slowest = place;
    };
    // A stage in the middle with no more layers of either kind than the first one does nothing else.
    const Stage& first = c.stages.first;
    const Stage& middle = c.stages.middle;
    if (middle.dense > first.dense || middle.sparse > first.sparse) compare(StagePlace::middle);
    compare(StagePlace::last);
    return slowest;
}

}  // namespace shardscope
