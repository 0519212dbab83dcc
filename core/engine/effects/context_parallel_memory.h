// E5, E19: the buffers of context parallelism, which exist while one layer's attention runs. Source:
// Transformer Engine, pytorch/attention/dot_product_attention/context_parallel.py: AttnFuncWithCPAndKVP2P
// keeps every message of the forward pass and the output of every step until it merges them, and holds two
// pairs of keys, values and gradients in the backward pass; AttnFuncWithCPAndKVAllGather reorders the
// gathered keys and values and, in the backward pass, adds the gradients of both halves of its queries;
// AttnFuncWithCPAndQKVOA2A holds tensors in both layouts.
#pragma once

#include <algorithm>

namespace shardscope {

struct AttentionBytes {  // of one micro-batch on one GPU
    double queries = 0, keys_and_values = 0, output = 0;
};

struct AttentionBuffers {  // bytes, in addition to the tensors that the backward pass needs
    double forward = 0;
    double backward = 0;  // including the gradients of queries, keys and values

    AttentionBuffers& operator+=(const AttentionBuffers& other) {
        forward += other.forward;
        backward += other.backward;
        return *this;
    }
};

// Keys and values travel around a ring of `gpus`. The GPU with the end of a causal sequence has an output of
// full length in each step.
inline AttentionBuffers ring_buffers(const AttentionBytes& of, double gpus) {
    return {(gpus - 1) * of.keys_and_values + gpus * of.output, 5 * of.keys_and_values + 2 * of.queries};
}
// Keys and values of `gpus` are gathered.
inline AttentionBuffers gather_buffers(const AttentionBytes& of, double gpus) {
    const double gathered = gpus * of.keys_and_values;
    return {std::max(1.5 * gathered, gathered + 2 * of.output), 3 * gathered + 2 * of.queries};
}
// Heads are exchanged for parts of the sequence.
inline AttentionBuffers exchange_buffers(const AttentionBytes& of) {
    const double inputs = of.queries + of.keys_and_values;
    return {inputs + of.queries, of.output + 2 * inputs};
}

// Return the buffers beyond the tensors that are counted for the whole layer. Those of the operators after
// attention (`saved_later` bytes) do not exist yet in the forward pass, which will keep `kept` of them, and
// no longer in the backward pass. The backward pass of a `recomputed` layer repeats the forward pass.
inline double forward_excess(const AttentionBuffers& of, double saved_later, double kept) {
    return of.forward > 0 ? of.forward - saved_later * kept : 0;
}
inline double backward_excess(const AttentionBuffers& of, double saved_later, bool recomputed) {
    return std::max(of.backward, recomputed ? of.forward : 0) - saved_later;
}

}  // namespace shardscope
