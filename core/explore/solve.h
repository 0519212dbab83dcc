// The value of one input at which an output reaches a target, by scan and bisection: outputs have steps.
#pragma once

#include <optional>

#include "estimate/answer.h"
#include "explain/output.h"

namespace shardscope {

enum class Comparison { at_least, at_most };

// The smallest value of `id` in [low, high] at which `output` meets the target, all else held; empty when
// none does.
std::optional<double> solve(const Scenario& scenario, P id, double low, double high, Output output,
                            Comparison comparison, double target);

}  // namespace shardscope
