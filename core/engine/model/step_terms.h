// The terms of a step's time: exposed parts that add up to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace shardscope {

// In the order of the waterfall.
enum class StepTerm : unsigned char {
    matmul,
    attention,
    elementwise,
    recompute,
    memory_copies,
    network,          // of data parallelism
    tensor_network,   // of tensor parallelism
    context_network,  // of context parallelism
    expert_network,   // of expert parallelism
    stage_network,    // between pipeline stages
    bubble,
    optimizer,
    host_link,
    host,
    count
};
inline constexpr std::size_t kStepTerms = static_cast<std::size_t>(StepTerm::count);
std::string_view name_of(StepTerm term);  // "matmul"
std::string label_of(StepTerm term);      // "Matmuls"

// The communication terms (T_cm of E22) and the waiting terms (T_sd); all other terms are compute.
inline constexpr std::array kNetworkTerms{StepTerm::network, StepTerm::tensor_network,
                                          StepTerm::context_network, StepTerm::expert_network,
                                          StepTerm::stage_network};
inline constexpr std::array kWaitingTerms{StepTerm::bubble, StepTerm::host_link, StepTerm::host};
constexpr bool communicates(StepTerm term) {
    return std::ranges::find(kNetworkTerms, term) != kNetworkTerms.end();
}
constexpr bool waits(StepTerm term) { return std::ranges::find(kWaitingTerms, term) != kWaitingTerms.end(); }

}  // namespace shardscope
