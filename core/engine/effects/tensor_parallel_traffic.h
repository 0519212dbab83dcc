// E19: communication of tensor parallelism. Rings inside a layer wait for their operands, so most of their
// time is visible; stacks overlap part of it, and asynchronous tensor parallelism (PyTorch) more.
#pragma once

#include "time/rates.h"

namespace shardscope {

struct TensorParallelOverlap {  // how much of a ring's time stays visible
    double exposure = 1;        // share of the ring's time that stays visible
    bool async = false;         // decomposed and pipelined with the matrix multiplications
    double async_exposure = 1;  // of the exposed share what is still visible then
};
inline Time tensor_parallel_time(Time ring, const TensorParallelOverlap& overlap) {
    ring *= overlap.exposure;
    if (overlap.async) ring *= overlap.async_exposure;
    return ring;
}

}  // namespace shardscope
