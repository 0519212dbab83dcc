// E4: the memory copies of data parallelism, on one GPU. FSDP casts the weights and gradients that it
// communicates and lays them out; gradients are accumulated over the passes of a step. Source: counted in
// PyTorch's FSDP2 (torch/distributed/fsdp/_fully_shard) and Megatron-Core's DistributedDataParallel; what
// FSDP moves beyond 14 bytes is assumed and fitted.
#pragma once

namespace shardscope {

struct CopiedParameters {    // of one stage
    double parameters = 0;   // all of them
    double whole = 0;        // those that FSDP does not shard; they only accumulate their gradients
    double copied = 0;       // bytes read and written per sharded parameter
    double accumulated = 0;  // bytes read and written per accumulated gradient
    bool fsdp = false;
    bool each_visit = false;   // FSDP gathers and reduces in every visit of a layer, not once per step
    bool more_passes = false;  // a visit has more than one pass, each of which accumulates gradients
};
// Bytes read and written, by how often this happens (see Frequency in step/trace.h).
struct MemoryCopies {
    double per_step = 0, per_visit = 0, per_pass = 0, per_further_pass = 0;
};
inline MemoryCopies memory_copies(const CopiedParameters& of) {
    const double accumulated = of.accumulated * of.parameters;
    if (!of.fsdp) return {.per_pass = accumulated};
    const double copied = of.copied * (of.parameters - of.whole);
    MemoryCopies out;
    if (of.each_visit) {
        out.per_visit = copied + of.accumulated * of.whole;
    } else {
        out.per_step = copied;
        out.per_visit = accumulated;
    }
    if (of.more_passes) out.per_further_pass = accumulated;
    return out;
}

}  // namespace shardscope
