// Parameters of one pipeline stage on one GPU, before data-parallel sharding.
#pragma once

#include "effects/model_states.h"

namespace shardscope {

struct Compiled;
struct Stage;

struct StageParameters {
    double root = 0;        // embedding, head and prediction layers, without experts
    double vocabulary = 0;  // embedding and head
    double experts = 0;     // the experts of all layers
    ModelParameters all;    // the whole stage
};
StageParameters stage_parameters(const Stage& stage, const Compiled& compiled);

// Returns the parameters of the embedding and the head that the stage holds. A tied head and prediction
// layers (MTP) use the embedding: if it is on another stage, theirs has a copy of it (Megatron-Core's
// GPTModel).
double vocabulary_parameters(const Stage& stage, const Compiled& compiled);
// Returns the parameters of the embedding, the head and the prediction layers that the stage holds.
ModelParameters end_parameters(const Stage& stage, const Compiled& compiled);

}  // namespace shardscope
