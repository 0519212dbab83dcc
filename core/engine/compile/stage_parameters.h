// Parameters of one pipeline stage on one GPU, before data-parallel sharding.
#pragma once

#include "effects/model_states.h"

namespace shardscope {

struct Compiled;
struct Stage;

struct StageParameters {
    double root = 0;      // embedding, head and prediction layers, without experts
    double experts = 0;   // the experts of all layers
    ModelParameters all;  // the whole stage
};
StageParameters stage_parameters(const Stage& stage, const Compiled& compiled);

// Returns the parameters of the embedding, the head and the prediction layers (MTP) that the stage holds. A
// tied head and prediction layers use the embedding: if it is on another stage, theirs has a copy of it
// (Megatron-Core's GPTModel).
ModelParameters end_parameters(const Stage& stage, const Compiled& compiled);

}  // namespace shardscope
