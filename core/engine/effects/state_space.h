// E33: Mamba-2, a state-space layer: H heads of P channels with a state of N per channel, whose B and C
// projections are shared by the heads of a group.
//
// Training computes the recurrence in chunks of Q tokens (state-space duality, Dao and Gu 2024, arXiv
// 2405.21060, section 6). Per token, the matrix products need
//   2·Q·N per group         scores C·Bᵀ inside the chunk
//   2·Q·P + 4·N·P per head  scores times inputs; the chunk's state and the output from the previous state.
// Model FLOPs count the recurrence as Megatron-LM does: 7·N per channel (decay, input, state, output).
#pragma once

namespace shardscope {

struct StateSpace {
    double heads = 0, head_size = 0, state_size = 0, groups = 1;
    [[nodiscard]] constexpr double width() const { return heads * head_size; }
    [[nodiscard]] constexpr double group_width() const { return groups * state_size; }
};

inline constexpr double kStateSpaceChunk = 256;  // Mamba-2's default

// Return the forward FLOPs per token: those of the kernels, and those of the recurrence.
constexpr double state_space_flops(const StateSpace& layer) {
    return 2 * kStateSpaceChunk * layer.group_width() + 2 * kStateSpaceChunk * layer.width() +
           4 * layer.state_size * layer.width();
}
constexpr double state_space_recurrence(const StateSpace& layer) {
    return 7 * layer.width() * layer.state_size;
}

}  // namespace shardscope
