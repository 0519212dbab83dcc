// One layer of each kind under the plan, and the stage that computes longest. Step time, timeline and bounds
// use them.
#pragma once

#include "compile/compiled.h"
#include "effects/recompute.h"

namespace shardscope {

struct Layer {
    const BlockWork& work;
    Recompute recompute;
    UnitTraffic traffic;                         // data parallelism
    bool fetches = false;                        // the weights are offloaded
    Time fetch;                                  // of this GPU's shard of the weights from the host
    double parameters = 0;                       // on one GPU, before data-parallel sharding
    double updated = 0;                          // parameters that this GPU's optimizer updates
    double forward_host = 0, backward_host = 0;  // s, the host's time to issue one pass
    Time offload = {};  // of one pass: transfers a micro-batch's offloaded activations to or from the host

    [[nodiscard]] Time backward() const { return work.backward.time + recompute.time; }
    [[nodiscard]] Time both_passes() const { return work.both_passes() + recompute.time; }
    // Returns the traffic if `share` of the weights are on the host. Every GPU fetches them before it
    // gathers. `made` stores the result if it differs from `traffic`.
    [[nodiscard]] const UnitTraffic& traffic_with_fetch(double share, UnitTraffic& made) const {
        if (!fetches) return traffic;
        made = traffic;
        made.gather += share * fetch;
        made.regather += share * fetch;
        return made;
    }
};
Layer layer_of(const BlockWork& work, const UnitTraffic& traffic, const Compiled& c);

// The embedding, the head or a prediction layer. No data-parallel traffic overlaps with it.
struct End {
    PassTime forward, backward;
    [[nodiscard]] Time both_passes() const { return forward.time + backward.time; }
};
// Returns one prediction layer (MTP). It is recomputed like other layers.
End prediction_of(const Compiled& c);

struct Layers {
    explicit Layers(const Compiled& c)
        : embedding{c.work.embedding.forward, c.work.embedding.backward},
          prediction(prediction_of(c)),
          head{c.work.head.forward, c.work.head.backward} {
        for (std::size_t i = 0; i < kinds_of_layers(c); ++i)
            of_kind.add(layer_of(c.work.layers[i], c.traffic.layers[i], c));
    }
    [[nodiscard]] std::size_t kinds() const { return of_kind.size(); }
    // Returns the layer at the end of a stage; any layer for a stage without layers.
    [[nodiscard]] const Layer& last(const Stage& stage) const { return of_kind[stage.last_kind]; }
    BoundedList<Layer, kLayerKinds> of_kind;
    End embedding, prediction, head;
};

// Calls `visit(end, times)` for everything that a stage computes in addition to its layers, in the order of
// the forward pass.
template <typename Visit>
void each_end(const Stage& stage, const Layers& layers, Visit&& visit) {
    if (stage.embedding) visit(layers.embedding, 1.0);
    if (stage.predictions > 0) visit(layers.prediction, stage.predictions);
    if (stage.head) visit(layers.head, 1.0);
}

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

// Returns the data-parallel traffic of what the stage holds in addition to its layers.
UnitTraffic end_traffic(const Stage& stage, const Compiled& c);
// Returns the data-parallel traffic of the stage if `on_host` is the share of its offloaded state for which
// the host has memory.
StageTraffic stage_traffic(const Stage& stage, const Layers& layers, double on_host, const Compiled& c);

}  // namespace shardscope
