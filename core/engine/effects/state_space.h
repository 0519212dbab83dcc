// E33: Mamba-2, a state-space layer: H heads of P channels with a state of N per channel, whose B and C
// projections are shared by the heads of a group.
//
// Training computes the recurrence in chunks of Q tokens (state-space duality, Dao and Gu 2024, arXiv
// 2405.21060, section 6). Per token, the matrix products need
//   2·Q·N per group         scores C·Bᵀ inside the chunk
//   2·Q·P + 4·N·P per head  scores times inputs; the chunk's state and the output from the previous state.
// Kernels in sequence compute the states of the chunks (written in fp32), add them up over the chunks (read,
// and written in the activations' precision), compute the scores (written in fp32) and the output. The last
// one reads scores, states, x, C and the gate, and writes the output with and without the gate
// (state-spaces/mamba, ops/triton/ssd_combined.py).
// Model FLOPs count the recurrence as Megatron-LM does: 7·N per channel (decay, input, state, output).
#pragma once

namespace shardscope {

struct StateSpace {
    double heads = 0, head_size = 0, state_size = 0, groups = 1;
    [[nodiscard]] constexpr double width() const { return heads * head_size; }
    [[nodiscard]] constexpr double group_width() const { return groups * state_size; }
};

inline constexpr double kStateSpaceChunk = 128;  // of Nemotron-H and Megatron-LM; 256 in Mamba-2's own code

// Returns the forward FLOPs of the kernels per token.
constexpr double state_space_flops(const StateSpace& layer) {
    return 2 * kStateSpaceChunk * layer.group_width() + 2 * kStateSpaceChunk * layer.width() +
           4 * layer.state_size * layer.width();
}
// Returns the bytes that the kernels of the forward pass read and write per token, with `q` bytes per
// activation.
constexpr double state_space_bytes(const StateSpace& layer, double q) {
    constexpr double kFp32 = 4;
    const double states = layer.width() * layer.state_size / kStateSpaceChunk;  // elements
    const double chunk_states = q * (layer.width() + layer.group_width()) + kFp32 * states;
    const double passing = (kFp32 + q) * states;
    const double scores = 2 * q * layer.group_width() + kFp32 * kStateSpaceChunk * layer.groups;
    const double output =
        kFp32 * kStateSpaceChunk * layer.groups + q * states + q * (4 * layer.width() + layer.group_width());
    return chunk_states + passing + scores + output + kFp32 * 3 * layer.heads;
}
// Returns the forward FLOPs of the recurrence per token.
constexpr double state_space_recurrence(const StateSpace& layer) {
    return 7 * layer.width() * layer.state_size;
}

}  // namespace shardscope
