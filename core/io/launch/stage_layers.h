// The number of layers of each pipeline stage, in the tools and in the engine.
#pragma once

#include <string>
#include <vector>

#include "schedules/stages.h"

namespace shardscope::launch {

using StageLayers = std::vector<double>;

// Returns how the engine divides the layers. `layers` is at least `stages`, and the partition is possible.
// `predictions` layers (MTP) follow them.
StageLayers engine_stage_layers(double layers, double predictions, double stages, Partition partition);

// Returns the layers of each virtual stage of the plan, as Megatron-LM would have them.
StageLayers planned_stages(const Settings& settings);

double total_layers(const StageLayers& stages);  // the sum

// Returns the layers that each rank holds: rank i has the virtual stages i, i + ranks and so on or, if they
// are folded, i and its mirror image.
StageLayers layers_per_rank(const StageLayers& virtual_stages, double ranks, bool folded = false);

// Returns how many layers each of `count` virtual stages has if they do not divide the layers: those at the
// ends, which also have the embedding and the LM head, are the last to get one more.
StageLayers uneven_virtual_stages(double layers, double count);

// Returns Megatron-LM's notation for virtual stages with these numbers of layers. The last one also has the
// prediction layers (MTP).
std::string layout_text(const StageLayers& layers, double mtp_layers);

// Returns "8, 9, 8 and 7". For long pipelines equal neighbours are counted: "5 (20 times) and 4 (12 times)".
std::string format_stage_layers(const StageLayers& stages);

}  // namespace shardscope::launch
