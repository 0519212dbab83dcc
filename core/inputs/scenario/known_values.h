// Values of a parameter that people know by name, to which its slider snaps.
#pragma once

#include <vector>

#include "parameters/parameter.h"
#include "scenario/catalogue.h"

namespace shardscope {

// Returns the values that the presets of clusters, GPUs and models have for the parameter, in rising order:
// the memory of an A100, the width of Llama 3 8B. Networks also have the usual rates from 100 to 1,600
// Gbit/s, and sequences the usual lengths from 512 to 1,048,576 tokens. For `peak_flops` pass the peak of the
// precision in use.
std::vector<double> known_values(P id, const Catalogue& catalogue);

}  // namespace shardscope
