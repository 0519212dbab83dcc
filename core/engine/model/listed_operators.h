// E2 of models that are given as a list of operators (scenario/listed_model.h): their operators, sized for
// one micro-batch on one GPU.
#pragma once

#include <vector>

#include "model/operators.h"
#include "scenario/listed_model.h"

namespace shardscope {

// Returns the blocks of the list for one micro-batch on one GPU.
std::vector<Block> listed_blocks(const ListedModel& model, const Settings& settings);
// Builds the blocks that the engine uses: stem, layers and head. If the layers differ, their average stands
// for each of them. So the sum over all layers is exact, and the stages of a pipeline are equal.
void build_listed(const ListedModel& model, const Settings& settings, OperatorList& out);

}  // namespace shardscope
