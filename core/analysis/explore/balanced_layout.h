// The layout of pipeline stages for layers that differ (model.layer_pattern, leading dense layers, experts).
// Training software counts layers; this counts their time.
#pragma once

#include <string>

#include "planner/answer.h"

namespace shardscope {

// Returns the layout in the notation of `training.pipeline_layout` whose slowest stage computes for the least
// time: consecutive layers, at least one on each stage, embedding first, prediction layers and head last.
// Returns an empty text where all layers are of one kind, without a pipeline or with virtual stages, where
// the layout is given, and where the schedule needs equal stages.
std::string balanced_layout(const Answer& answer);

}  // namespace shardscope
