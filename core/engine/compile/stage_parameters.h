// Parameters of one pipeline stage on one GPU, before data-parallel sharding.
#pragma once

#include "effects/model_states.h"

namespace shardscope {

struct Compiled;
struct Stage;

struct StageParameters {
    double root = 0;              // embedding and head
    double dense_layer = 0;       // of one layer
    double sparse_layer = 0;      // of one layer, experts left out
    double experts_of_layer = 0;  // of one layer
    ModelParameters all;          // of the stage
};
StageParameters stage_parameters(const Stage& stage, const Compiled& compiled);

// Of the embedding and the head alone. A tied head on a stage of its own keeps a copy of the embedding.
double end_parameters(const Stage& stage, const Compiled& compiled);

}  // namespace shardscope
