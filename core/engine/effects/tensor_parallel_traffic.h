// E19: communication of tensor parallelism. Its collectives inside a layer wait for their operands, so most
// of their time is exposed. Stacks overlap part of it, and asynchronous tensor parallelism (PyTorch) more.
#pragma once

#include "time/rates.h"

namespace shardscope {

struct TensorParallelOverlap {  // how much of a ring's time is exposed
    double exposure = 1;        // exposed share of the ring's time
    bool async = false;         // decomposed and pipelined with the matrix multiplications
    double async_exposure = 1;  // part of the exposed share that stays exposed with `async`
};
inline Time tensor_parallel_time(Time ring, const TensorParallelOverlap& overlap) {
    ring *= overlap.exposure;
    if (overlap.async) ring *= overlap.async_exposure;
    return ring;
}

}  // namespace shardscope
