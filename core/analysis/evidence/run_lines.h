// Tables of measured runs as JSON Lines, one run per line with its whole scenario.
#pragma once

#include <string_view>
#include <vector>

#include "evidence/runs.h"

namespace shardscope {

std::vector<MeasuredRun> read_run_lines(std::string_view text, Problems& problems);
// With real routing, the GPU with the busiest experts gets this many times the average number of tokens. The
// value explains four public pairs of Qwen3-235B-A22B on 256 H100, each with balanced and with real routing,
// at 16,384 to 131,072 tokens (yanring/Megatron-MoE-ModelZoo@e865051, best_practice/qwen3/readme.md): alone
// they need 1.60 to 1.68.
inline constexpr double kRealRoutingImbalance = 1.65;

// The scenario of a row. What it does not state has the stack's usual value. The setting "moe_routing: real"
// gives `kRealRoutingImbalance` unless the scenario has its own expert imbalance.
Scenario scenario_of_json(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems);

}  // namespace shardscope
