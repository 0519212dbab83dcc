// The content of every pipeline stage as a text in Megatron's notation (`training.pipeline_layout`).
//
// E is the embedding, t a layer, m a prediction layer (MTP; a model without any ignores it) and L the loss
// with the LM head. | ends a stage, *n repeats the symbol or the group in parentheses before it. Stages are
// virtual stages in the order in which a micro-batch passes through them: the first p are on GPUs 0 … p − 1,
// and so on. Source: Megatron-Core, pipeline-model-parallel-layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parameters/settings.h"

namespace shardscope {

struct PipelineLayout {
    std::vector<int> layers;           // of each virtual stage
    int total = 0;                     // layers of all stages
    int predictions = 0;               // prediction layers
    std::size_t prediction_stage = 0;  // the virtual stage with the prediction layers
    bool misplaced = false;            // whether a layer follows them, or two stages have them
    std::string problem;               // why the text is not a layout; "" if it is one
};

PipelineLayout parse_pipeline_layout(std::string_view text);

// Returns the layout of the settings; nullptr if they have none. It is parsed once per text.
const PipelineLayout* pipeline_layout(const Settings& settings);

}  // namespace shardscope
