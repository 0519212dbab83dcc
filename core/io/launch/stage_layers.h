// Layers of every stage of a pipeline, one after the other, as tools deal them out and as the engine does.
#pragma once

#include <string>
#include <vector>

#include "schedules/stages.h"

namespace shardscope::launch {

using StageLayers = std::vector<double>;

// The engine's. `layers` is at least `stages`, and the partition deals them.
StageLayers dealt_here(double layers, double stages, Partition partition);

double layers_of(const StageLayers& stages);  // all of them

// What GPUs hold that take the pieces of a pipeline in turn: GPU 0 of 4 the pieces 0, 4, 8, …
StageLayers of_gpus(const StageLayers& pieces, double gpus);

// "8, 9, 8 and 7"; of long pipelines those alike are counted: "5 (20 times) and 4 (12 times)".
std::string as_text(const StageLayers& stages);

}  // namespace shardscope::launch
