// E8: what the framework's allocator reserves in addition to the tensors, on one GPU.
//
// Model states are allocated once; temporary allocations fragment the memory. A tensor that a communication
// stream uses can be freed before the stream has finished; its memory is reusable only later (PyTorch's
// record_stream). The shares are fitted to the reserved bytes of public runs.
#pragma once

#include <algorithm>

namespace shardscope {

// The bytes that are allocated temporarily at one moment, and those that are freed but not reusable yet.
struct TemporaryBytes {
    double gathered = 0, resident = 0, logits = 0;
    double held_back = 0;
};
struct AllocatorShares {
    double fragmentation = 0;   // of the temporary allocations
    double gathered_slack = 0;  // of the gathered weights: freed weights of earlier units, not reusable yet
};
// Returns the reserved bytes beyond the tensors; `unsharded` bytes of weights are gathered in the forward
// pass.
inline double allocator_overhead(const TemporaryBytes& now, double unsharded, const AllocatorShares& shares) {
    return shares.fragmentation * (now.gathered + now.resident + now.logits) +
           (now.gathered > 0 ? shares.gathered_slack * unsharded : 0);
}

// Returns the peak with the freed tensors that are not reusable yet. The allocator waits for them rather than
// fail, so they only fill memory that is free below `limit` bytes.
inline double peak_with_held_back(double peak, double held_back, double limit) {
    return std::max(peak, std::min(peak + held_back, limit));
}

// Returns the bytes of the freed tensors of tensor-parallel collectives, which have the full width
// (`tensor_bytes` each), if the host is ahead of the communication stream by `ahead` of them. Each layer
// frees two in the forward and two in the backward pass.
inline double held_back_tensors(double layers, double ahead, double tensor_bytes) {
    return std::min(ahead, 4 * layers) * tensor_bytes;
}

}  // namespace shardscope
