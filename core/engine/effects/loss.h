// E6 and E10: the memory of the logits on the stage that holds the LM head, and the memory traffic of the
// loss.
#pragma once

#include <algorithm>

#include "parameters/parameter.h"

namespace shardscope {

struct Logits {
    double tokens = 0;           // of one pass on one GPU
    double vocabulary = 0;       // entries
    double bytes_per_logit = 0;  // of all tensors of a plain loss together (`assumptions.logits_bytes`)
    Loss loss = Loss::plain;
    bool in_place = false;  // the fused kernels are those of Transformer Engine
    double tensor = 1;      // GPUs over which a parallel loss shards the vocabulary
    bool parallel_loss = false;
};
// Returns the bytes of all tensors of one entry. A fused loss needs no more than the stack's plain one. It
// reads the half-precision logits and writes their gradient, with the fp32 values in registers only, as a
// loss compiled by PyTorch does (torchtitan, components/loss.py). The kernels of Transformer Engine, which
// recipes of Megatron-Core choose, write the gradient over the logits. A chunked loss keeps a few chunks of
// the sequence.
inline double bytes_per_entry(const Logits& logits) {
    constexpr double kInPlace = 2;    // NVIDIA/TransformerEngine, pytorch/triton/cross_entropy.py
    constexpr double kFused = 4;      // logits 2, their gradient 2
    constexpr double kChunked = 0.5;  // assumed: 8 bytes of each entry of one of 16 chunks
    switch (logits.loss) {
        case Loss::plain: return logits.bytes_per_logit;
        case Loss::fused: return std::min(logits.in_place ? kInPlace : kFused, logits.bytes_per_logit);
        case Loss::chunked: return std::min(kChunked, logits.bytes_per_logit);
    }
    return logits.bytes_per_logit;
}
// Returns the bytes of one entry that the loss reads and writes in each of the two passes. A fused loss reads
// the half-precision logits twice, writes their gradient, and scales it (TransformerEngine,
// cross_entropy.py); a chunked one does the same for each chunk. `plain` is `assumptions.loss_traffic`.
inline double loss_traffic(Loss loss, double plain) {
    constexpr double kFused = 10;
    return (loss == Loss::plain ? plain : std::min(kFused, plain)) / 2;
}
// Returns the number of GPUs that shard the logits. Without a parallel loss, of whichever kind, every GPU
// gathers them (the operator head.gather_logits) and computes the loss of all entries.
inline double logit_shards(double tensor, bool parallel_loss) { return parallel_loss ? tensor : 1; }
// Returns the bytes at the end of the forward pass.
inline double logits_memory(const Logits& logits) {
    return bytes_per_entry(logits) * logits.tokens * logits.vocabulary /
           logit_shards(logits.tensor, logits.parallel_loss);
}

}  // namespace shardscope
