// Memory over the time of a step, E3–E8: model states throughout; during the passes, unsharded parameters and
// the activations of the micro-batches in flight; logits at the end of a forward pass; recomputed activations
// in a backward pass. The maximum is the peak memory of the engine.
#pragma once

#include <vector>

#include "explore/timeline.h"
#include "layout/pipeline_run.h"

namespace shardscope {

struct MemoryContext {
    const Compiled& compiled;
    double head_share = 0;       // share of a forward pass's time: that of the LM head, at its end
    int head_virtual_stage = 0;  // index of the GPU's virtual stage with the head
    bool splits_backward = false;
};

// `passes` are in the order of their starts. The last of them ends at `done`, the step at `end`.
std::vector<MemoryPoint> memory_of_passes(const std::vector<TimedPass>& passes, const MemoryUse& use,
                                          double done, double end, const MemoryContext& context);

// Moves the points after `end` to the beginning, where they stand for the previous step.
std::vector<MemoryPoint> wrapped(const std::vector<MemoryPoint>& points, double end);

}  // namespace shardscope
