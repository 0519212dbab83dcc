// E32: linear attention, which keeps a state of key size × value size for each head instead of all keys and
// values. Its cost per token does not depend on the sequence.
//
// The state is S ← α·S + k·vᵀ (lightning attention: MiniMax-01, arXiv 2501.08313) or, with the gated delta
// rule, S ← α·S·(1 − β·k·kᵀ) + β·k·vᵀ (gated DeltaNet: Yang et al. 2024, arXiv 2412.06464). Training computes
// it in chunks of C tokens: inside a chunk like attention, between chunks through the state. Per token and
// head, with keys of size d_k and values of size d_v, the matrix products need
//   2·C·(d_k + d_v) + 4·d_k·d_v           without the delta rule: scores and values, and the state, which is
//                                         read and written;
//   2·C·(3·d_k + 2·d_v) + 6·d_k·d_v + C²  with it: also k·kᵀ, its triangular inverse (about C²), the WY
//                                         factors and the state's old value.
// A kernel computes whole chunks, so the masked half of their squares counts. Model FLOPs count the
// recurrence itself: 4·d_k·d_v, or 6·d_k·d_v with the delta rule.
#pragma once

namespace shardscope {

struct LinearAttention {  // of one head
    double key_size = 0, value_size = 0;
    bool delta_rule = true;
};

// Tokens of a chunk: 64 with the delta rule (flash-linear-attention), 256 in lightning attention's kernel.
constexpr double linear_attention_chunk(bool delta_rule) { return delta_rule ? 64 : 256; }

// Return the forward FLOPs per token and head: those of the kernels, and those of the recurrence.
constexpr double linear_attention_flops(const LinearAttention& head) {
    const double chunk = linear_attention_chunk(head.delta_rule);
    const double state = head.key_size * head.value_size;
    if (!head.delta_rule) return 2 * chunk * (head.key_size + head.value_size) + 4 * state;
    return 2 * chunk * (3 * head.key_size + 2 * head.value_size) + 6 * state + chunk * chunk;
}
constexpr double linear_attention_recurrence(const LinearAttention& head) {
    return (head.delta_rule ? 6 : 4) * head.key_size * head.value_size;
}

}  // namespace shardscope
