// The terms a step's time is told in: exposed parts that add up to it.
#pragma once

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
    copies,
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

}  // namespace shardscope
