// The shape of a node whose GPUs form a torus (`cluster.torus`).
#pragma once

#include <array>
#include <optional>

#include "parameters/settings.h"

namespace shardscope {

// GPUs along the axes; an axis of 0 GPUs does not exist.
using TorusShape = std::array<double, 3>;

// Returns the shape that the settings give as a text such as "16x16"; no value if the text is not one to
// three whole numbers.
std::optional<TorusShape> torus_shape(const Settings& settings);

}  // namespace shardscope
