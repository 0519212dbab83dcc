// E2 of models that are given as a list of operators (scenario/listed_model.h): their operators, sized for
// one micro-batch on one GPU. one GPU.
#pragma once

#include <vector>

#include "model/operators.h"
#include "scenario/listed_model.h"

namespace shardscope {

// Each of the list's blocks for one micro-batch on one GPU.
std::vector<Block> listed_blocks(const ListedModel& model, const Settings& settings);
// The same as the engine folds it: stem, layers, head. Where the layers differ, one layer is their average,
// so that all of them together are exact and a pipeline's stages are equal.
void build_listed(const ListedModel& model, const Settings& settings, OperatorList& out);

}  // namespace shardscope
