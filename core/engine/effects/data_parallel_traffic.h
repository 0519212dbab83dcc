// E18 and E21: what data parallelism moves for the weights of one unit (a layer, or an end of the model), how
// long that takes by itself, and when in a step it is moved.
//
// FSDP gathers and reduces unit by unit. Without it several layers, or parts of one, share a bucket, so that
// the latency of a large group is paid less often. Sources: Rajbhandari et al. 2020, arXiv 1910.02054; Zhao
// et al. 2023 (PyTorch FSDP), arXiv 2304.11277; Megatron-Core's DistributedDataParallelConfig (buckets).
#pragma once

#include "effects/collectives.h"
#include "parameters/settings.h"

namespace shardscope {

struct UnitTraffic {  // time of one unit's collectives
    Time gather;      // weights, within the shard group
    Time reduce;      // gradients, within the shard group
    Time combine;     // the shards' gradients among replicas
    [[nodiscard]] Time gradients() const { return reduce + combine; }
};

struct BucketPolicy {                 // how a unit's parameters are grouped into collectives
    bool per_unit = false;            // FSDP: each unit has collectives of its own
    double collectives_per_unit = 1;  // FSDP
    double bucket_size = 0;           // parameters, without FSDP; grows with the number of GPUs
    double stage_parameters = 0;      // on one GPU: no bucket holds more
    double weight_bytes = 2;          // of one gathered weight
    double gradient_bytes = 2;
};

// Times of the collectives of units with parameters that the same GPUs share. Buckets of equal size are timed
// once.
class BucketTimes {
  public:
    BucketTimes(const BucketPolicy& policy, const RingGroup& shard, const RingGroup& replica,
                const NetworkRates& network)
        : policy_(policy), shard_(shard), replica_(replica), network_(network) {}
    // Adds those of a unit with so many parameters on one GPU.
    void add(UnitTraffic& out, double parameters);

  private:
    const BucketPolicy& policy_;
    const RingGroup& shard_;
    const RingGroup& replica_;
    const NetworkRates& network_;
    double timed_ = 0;  // parameters of the bucket that `time_` is of
    UnitTraffic time_;
};

// When weights are gathered and gradients reduced. A turn is what a layer does before other layers work: one
// pass, or all passes of a schedule that works layer by layer.
struct TrafficPolicy {
    bool gathers_each_turn = false;  // FSDP: before the layer's forward pass
    bool gathers_again = false;      // FSDP that frees the weights after the forward pass
    bool gathers_once = false;       // ZeRO-1 and ZeRO-2: the updated shards, in the next step's first turn
    bool reduces_each_turn =
        false;  // FSDP and ZeRO-2, which has no room for whole gradients; else in the last
};
TrafficPolicy traffic_policy(const Settings& settings);

// What travels while a layer computes.
struct LayerTraffic {
    Time gather, reduce;
    [[nodiscard]] Time both() const { return gather + reduce; }
};
// FSDP gathers the first layer's weights before it works, and the last layer's gradients are reduced after it
// has worked: the layer at the end of a stage has less traffic below it (`at_end`).
LayerTraffic forward_traffic(const TrafficPolicy& policy, const UnitTraffic& layer, bool at_end,
                             bool first_turn);
LayerTraffic backward_traffic(const TrafficPolicy& policy, const UnitTraffic& layer, bool at_end,
                              bool last_turn);
// What nothing hides: gathers before the first layer of a turn and reductions after its last one. `ends`:
// embedding and head; `layer`: the layer at the end of the stage.
Time gathers_before(const TrafficPolicy& policy, const UnitTraffic& ends, const UnitTraffic& layer,
                    bool first_turn);
Time reductions_after(const TrafficPolicy& policy, const UnitTraffic& ends, const UnitTraffic& layer,
                      bool last_turn);

}  // namespace shardscope
