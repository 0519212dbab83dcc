// E18: what data parallelism moves for the weights of one unit, and how long that takes by itself.
//
// FSDP gathers and reduces unit by unit. Without it several layers, or parts of one, share a bucket, so that
// the latency of a large group is paid less often. Sources: Rajbhandari et al. 2020, arXiv 1910.02054; Zhao
// et al. 2023 (PyTorch FSDP), arXiv 2304.11277; Megatron-Core's DistributedDataParallelConfig (buckets).
#pragma once

#include "time/rates.h"

namespace shardscope {

struct Compiled;

struct UnitTraffic {  // time of one FSDP unit's collectives
    Time gather;      // weights, within the shard group
    Time reduce;      // gradients, within the shard group
    Time combine;     // the shards' gradients among replicas
};

// Of one layer of each kind, and of the ends of the model: what the first and the last stage hold beyond
// their layers (both of them where there is one stage).
struct Traffic {
    UnitTraffic dense, sparse, first_end, last_end;
};

// Fills `c.traffic`. Needs rates, layout, stages and the folded operators' weights.
void time_traffic(Compiled& c);

}  // namespace shardscope
