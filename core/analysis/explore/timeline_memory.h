// Memory over a step, E3–E8 laid out in time: states all the while; while passes run, gathered units and the
// activations of the micro-batches on their way; logits at the end of a forward pass; what is computed again
// in a backward pass. Its fullest moment is the one the engine's peak is taken from.
#pragma once

#include <vector>

#include "explore/timeline.h"
#include "layout/pipeline_run.h"

namespace shardscope {

struct MemoryContext {
    const Compiled& compiled;
    double head_share = 0;  // of a forward pass: the LM head's, at its end
    int head_piece = 0;     // the GPU's that ends in it
    bool splits_backward = false;
};

// `passes` in the order of their starts. `done`: the last of them has ended; `end`: the step has.
std::vector<MemoryPoint> memory_of_passes(const std::vector<TimedPass>& passes, const MemoryUse& use,
                                          double done, double end, const MemoryContext& context);

// What lies beyond `end` comes first instead.
std::vector<MemoryPoint> wrapped(const std::vector<MemoryPoint>& points, double end);

}  // namespace shardscope
