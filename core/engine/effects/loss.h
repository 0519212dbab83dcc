// E6: the memory of the logits and the loss on the stage that holds the LM head.
#pragma once

namespace shardscope {

struct Logits {
    double tokens = 0;           // of one pass on one GPU
    double vocabulary = 0;       // entries
    double bytes_per_logit = 0;  // of all tensors of the loss together (`assumptions.logits_bytes`)
    double tensor = 1;           // GPUs over which a parallel loss shards the vocabulary
    bool parallel_loss = false;
};
// Bytes at the end of the forward pass.
inline double logits_memory(const Logits& logits) {
    return logits.bytes_per_logit * logits.tokens * logits.vocabulary /
           (logits.parallel_loss ? logits.tensor : 1);
}

}  // namespace shardscope
