// The options of the model in Megatron-LM's arguments.
#pragma once

#include "launch/megatron_arguments.h"

namespace shardscope::launch {

// Returns whether the arguments have --bf16. Lower precisions are those of matrix products alone.
bool has_bf16_weights(const LaunchSettings& plan);
// Returns one letter for each layer of a hybrid model, of which each is a mixer or a feed-forward; "" for
// any other model.
std::string hybrid_letters(const Settings& settings);
// Returns the layers that predict further tokens (MTP). Megatron-LM does not start with them and learned
// positions; a hybrid model needs a pattern of its own for them.
double prediction_layers(const Settings& settings);
// Writes the shape of the model: layers, attention, vocabulary, norms, positions and experts.
void write_model(LaunchSettings& plan, const LaunchFormat& tool, Arguments& out);

}  // namespace shardscope::launch
