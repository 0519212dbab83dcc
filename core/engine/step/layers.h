// One layer of each kind under the plan, and the stage that computes longest. Step time, timeline and bounds
// use them.
#pragma once

#include "compile/compiled.h"
#include "effects/recompute.h"

namespace shardscope {

struct Layer {
    const BlockWork& work;
    Recompute recompute;
    UnitTraffic traffic;    // data parallelism, including weights fetched from the host
    double parameters = 0;  // on one GPU, before data-parallel sharding
    double updated = 0;     // parameters that this GPU's optimizer updates
    double host = 0;        // s, the host's time to issue one pass
    Time copy = {};         // of one pass, between GPU and host: the offloaded activations of a micro-batch

    [[nodiscard]] Time backward() const { return work.backward.time + recompute.time; }
    [[nodiscard]] Time both_passes() const { return work.both_passes() + recompute.time; }
};
Layer layer_of(const BlockWork& work, const UnitTraffic& traffic, const Compiled& c);

// One end of the model, with which no data-parallel traffic overlaps.
struct End {
    PassTime forward, backward;
    [[nodiscard]] Time both_passes() const { return forward.time + backward.time; }
};
// Returns the LM head and the prediction layers (MTP) before it. Like other layers, the latter are
// recomputed.
End last_end_of(const Compiled& c);

struct Layers {
    explicit Layers(const Compiled& c)
        : first_end{c.work.embedding.forward, c.work.embedding.backward}, last_end(last_end_of(c)) {
        for (std::size_t i = 0; i < kinds_of_layers(c); ++i)
            of_kind.add(layer_of(c.work.layers[i], c.traffic.layers[i], c));
    }
    [[nodiscard]] std::size_t kinds() const { return of_kind.size(); }
    // Returns the layer at the end of a stage.
    [[nodiscard]] const Layer& last(const Stage& stage) const { return of_kind[stage.last_kind]; }
    BoundedList<Layer, kLayerKinds> of_kind;
    End first_end, last_end;
};

// The numbers of layers of a stage by how their communication overlaps with compute.
struct LayerPositions {
    double inner = 0;       // it overlaps with all passes of a visit
    double beside_end = 0;  // layers visited together with the last one: it overlaps with one of their passes
    double at_end = 0;      // the last layer: nothing is left to hide it
};
// Returns how many of `layers` layers of one kind are at each position. `last`: the stage ends with this
// kind.
LayerPositions layer_positions(double layers, bool last, const Passes& passes);

// Returns the stage that computes longest. Another stage may still have the longest step, because stages also
// communicate and wait.
const Stage& busiest_stage(const Compiled& c, const Layers& layers);

// Returns the data-parallel traffic of the ends of the model that the stage holds.
UnitTraffic end_traffic(const Stage& stage, const Compiled& c);
// Returns the data-parallel traffic of the stage.
StageTraffic stage_traffic(const Stage& stage, const Layers& layers, const Compiled& c);

}  // namespace shardscope
