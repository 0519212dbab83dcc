// E5 and E7: the activations of one layer and one micro-batch on one GPU under the scenario's recomputation.
#pragma once

#include "compile/compiled.h"
#include "effects/activations.h"

namespace shardscope {

Activations kept_activations(const BlockWork& layer, const Compiled& compiled);
// Returns the bytes of the activations that one layer passes to the next.
double layer_input_bytes(const Compiled& compiled);

}  // namespace shardscope
