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

// Returns the most compact part of the torus that has `gpus` GPUs: the one whose axes have the smallest sum,
// with the shortest axis first, as slices of TPU pods are chosen (Google Cloud, TPU v5p topologies). Returns
// the whole torus if no part has exactly so many.
TorusShape torus_slice(const TorusShape& torus, double gpus);

}  // namespace shardscope
