// Parameters of one pipeline stage on one GPU, before data-parallel sharding.
#pragma once

#include "effects/model_states.h"

namespace shardscope {

struct Compiled;
struct Stage;

struct StageParameters {
    double root = 0;      // embedding and head
    double experts = 0;   // the experts of all layers
    ModelParameters all;  // the whole stage
};
StageParameters stage_parameters(const Stage& stage, const Compiled& compiled);

// Returns the parameters of the embedding and the head that the stage holds. A tied head keeps its own copy
// of the embedding if the embedding is on another stage.
double end_parameters(const Stage& stage, const Compiled& compiled);

}  // namespace shardscope
