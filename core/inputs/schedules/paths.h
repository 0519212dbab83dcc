// E20: critical paths through a pipeline, as numbers of passes. The bubble of a schedule whose
// weight-gradient passes fill gaps is the length of its longest path, less the passes of one GPU.
#pragma once

#include "schedules/schedule.h"

namespace shardscope {

// A sum of passes: those of the average stage less those of the slowest one, which fill gaps.
struct Path {
    double forward, input, weights;  // how often each pass occurs; negative if it fills a gap
};

Time length_of(const Path& path, const StageTimes& average, const StageTimes& filling);

}  // namespace shardscope
