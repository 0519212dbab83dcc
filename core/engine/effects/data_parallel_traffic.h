// E18 and E21: the data-parallel collectives of one unit (a layer, or an end of the model), their time
// without overlap, and when they run in a step.
//
// FSDP gathers and reduces unit by unit. Without FSDP several layers, or parts of one layer, share a bucket,
// so the latency of a large group occurs less often. Sources: Rajbhandari et al. 2020, arXiv 1910.02054; Zhao
// et al. 2023 (PyTorch FSDP), arXiv 2304.11277; Megatron-Core's DistributedDataParallelConfig (buckets).
#pragma once

#include "effects/collectives.h"
#include "parameters/parameter.h"

namespace shardscope {

struct UnitTraffic {      // time of one unit's collectives
    Time gather;          // all-gather of the weights within the shard group
    Time regather;        // the same again before the backward pass
    Time reduce;          // reduce-scatter of the gradients within the shard group
    Time replica_reduce;  // all-reduce of the sharded gradients among replicas
    [[nodiscard]] Time gradients() const { return reduce + replica_reduce; }
};

struct BucketPolicy {                 // how a unit's parameters are grouped into collectives
    bool per_unit = false;            // FSDP: no collective spans two units
    double collectives_per_unit = 1;  // FSDP
    double bucket_size = 0;           // parameters, without FSDP; large groups use larger buckets
    double stage_parameters = 0;      // on one GPU: the upper limit of a bucket
    double weight_bytes = 2;          // of one gathered weight
    double gradient_bytes = 2;        // of one gradient that is reduced
    bool quantizes = false;           // ZeRO++, see effects/quantized_traffic.h
};

// The collective times of units that are sharded over the same GPUs. The last bucket's times are reused for
// buckets of the same size.
class BucketTimes {
  public:
    BucketTimes(const BucketPolicy& policy, const RingGroup& shard, const RingGroup& replica,
                const NetworkRates& network)
        : policy_(policy), shard_(shard), replica_(replica), network_(network) {}
    // Adds the times of a unit that has `parameters` on one GPU.
    void add(UnitTraffic& out, double parameters);

  private:
    const BucketPolicy& policy_;
    const RingGroup& shard_;
    const RingGroup& replica_;
    const NetworkRates& network_;
    double timed_ = 0;  // parameters of the bucket to which `time_` applies
    UnitTraffic time_;
};

// When weights are gathered and gradients reduced. A visit of a layer is one pass or, with a schedule that
// runs layer by layer, all of its passes (see Passes in compile/compiled.h).
struct TrafficPolicy {
    bool gathers_each_visit = false;  // FSDP: before the layer's forward pass in each visit
    bool gathers_again = false;       // FSDP that reshards after the forward pass: before the backward pass
    double recompute_gathers = 0;     // gathers beside that one, for recomputation; the mean over the layers
    bool gathers_once = false;        // ZeRO-1 and ZeRO-2: the updated shards, in the next step's first visit
    // ZeRO-2, and FSDP unless it defers its reductions, because they keep no unsharded gradients. If it is
    // false, gradients are reduced only in the last visit.
    bool reduces_each_visit = false;
    bool overlaps_gathers = true;     // off: ZeRO-1 and ZeRO-2 gather all weights before the first layer
    bool overlaps_reductions = true;  // off: gradients of the last visit are reduced after the last layer
};
// The settings of the software stack from which the policy follows.
struct TrafficChoices {
    Sharding sharding = Sharding::ddp;
    bool reshards_after_forward = true;
    // FSDP accumulates unsharded gradients and reduces them once a step. It then gathers weights that it does
    // not reshard once a step, too. FSDP2 does so in a pipeline (PyTorch, backward_maybe_with_nosync in
    // torch/distributed/pipelining/stage.py).
    bool defers_reductions = false;
    bool overlaps_gathers = true, overlaps_reductions = true;
    // Share of the layers whose weights are gathered for their recomputation, and once more for their
    // backward pass. DeepSpeed frees a layer after any forward pass if it has more parameters than
    // stage3_max_live_parameters (Rajbhandari et al. 2021, arXiv 2104.07857, section 4.1).
    double recompute_gathers = 0;
};
TrafficPolicy traffic_policy(const TrafficChoices& choices);
// Returns the bytes that one GPU sends in a step for one parameter, whose layer is visited `visits` times.
double sent_bytes(const TrafficPolicy& when, const BucketPolicy& how, const RingGroup& shard,
                  const RingGroup& replica, double visits);

// The collectives that run while a layer computes.
struct LayerTraffic {
    Time gather, reduce;  // once for all passes of a visit
    [[nodiscard]] Time both() const { return gather + reduce; }
};
// `at_end`: the layer is at the end of its stage. Fewer collectives overlap with it, because FSDP gathers the
// first layer's weights before that layer computes, and the last layer's gradients are reduced after it.
LayerTraffic forward_traffic(const TrafficPolicy& policy, const UnitTraffic& layer, bool at_end,
                             bool first_visit);
LayerTraffic backward_traffic(const TrafficPolicy& policy, const UnitTraffic& layer, bool at_end,
                              bool last_visit);
// Collectives that no compute hides: gathers before the first layer of a visit and reductions after its last
// one.
struct StageTraffic {
    UnitTraffic ends;        // embedding and head
    UnitTraffic last_layer;  // the layer at the end of the stage
    UnitTraffic layers;      // all layers of the stage
};
Time gathers_before(const TrafficPolicy& policy, const StageTraffic& stage, bool first_visit);
Time reductions_after(const TrafficPolicy& policy, const StageTraffic& stage, bool last_visit);

}  // namespace shardscope
