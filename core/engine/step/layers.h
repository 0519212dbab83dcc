// One layer of each kind under the plan, and the stage that takes longest: what the length of a step, its
// timeline and its bounds are made of.
#pragma once

#include "compile/compiled.h"
#include "effects/recompute.h"

namespace shardscope {

struct Layer {
    const BlockWork& work;
    Recompute recompute;
    UnitTraffic traffic;    // of data parallelism; with what comes from the host
    double parameters = 0;  // on one GPU, before data-parallel sharding
    double updated = 0;     // of them by this GPU's optimizer

    [[nodiscard]] Time backward() const { return work.backward.time + recompute.time; }
    [[nodiscard]] Time both_passes() const { return work.both_passes() + recompute.time; }
};
Layer layer_of(const BlockWork& work, const UnitTraffic& traffic, const Compiled& c);

struct Layers {
    explicit Layers(const Compiled& c)
        : dense(layer_of(c.work.dense, c.traffic.dense, c)),
          sparse(layer_of(c.work.sparse, c.traffic.sparse, c)) {}
    // The kind of the layer at the end of a stage.
    [[nodiscard]] const Layer& last(const Stage& stage) const { return stage.sparse > 0 ? sparse : dense; }
    Layer dense, sparse;
};

// Layers of a stage by what travels while they compute. The layer at its end has nothing to hide its
// communication behind; those that share its turn hide theirs behind one pass of their own.
struct LayerPlaces {
    double inner = 0;
    double beside_end = 0;
    double at_end = 0;
};
// Of `layers` of one kind; `last`: the stage ends with this kind.
LayerPlaces places_of(double layers, bool last, const Passes& passes);

// The stage that computes longest. Whether its step is the longest, too, depends on what else it does.
const Stage& busiest_stage(const Compiled& c, const Layers& layers);

// What data parallelism moves for the ends of the model that the stage holds.
UnitTraffic end_traffic(const Stage& stage, const Compiled& c);

}  // namespace shardscope
