// E20: pipelines that repeat a building block in the shape of a V (Qi et al. 2024, arXiv 2405.15362). Every
// GPU holds two virtual stages, and each micro-batch occupies every GPU for six units of time: a forward, an
// input-gradient and a weight-gradient pass of each virtual stage. A schedule is defined by the start of the
// passes of one micro-batch; the block of the next micro-batch starts six units later. The less time lies
// between a micro-batch's forward and backward pass on a GPU, the fewer activations that GPU holds.
//
// The GPUs run their passes in that order as early as possible, which the paper calls squeezing. Its further
// reordering of the first and last passes, which is optional, is not modelled.
#pragma once

#include <array>
#include <span>

#include "schedules/paths.h"

namespace shardscope {

// The starts of one micro-batch's passes on one GPU, in units.
struct BlockStarts {
    std::array<int, 2> forward;   // by virtual stage
    std::array<int, 2> backward;  // input gradients
};

// Returns the order of a GPU. A weight-gradient pass runs in the first unit without another pass.
std::vector<Pass> repeat_block(const BlockStarts& starts, double micro_batches);

// How often a pass occurs on a path.
struct Count {
    double constant, per_group, per_micro_batch;
};
// The paths of one shape through pipelines of any length. A group is a number of stages that the schedule
// defines.
struct PathFamily {
    Count forward, input, weights;
};

// Returns the bubble of a pipeline with `groups` groups of stages.
Time longest_path(std::span<const PathFamily> families, double groups, double micro_batches,
                  const StageTimes& average, const StageTimes& filling);

}  // namespace shardscope
