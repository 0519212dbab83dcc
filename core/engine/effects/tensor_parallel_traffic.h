// E19: communication of tensor parallelism around a pair of matrices: the first is split by columns, the
// second by rows.
//
// Plain tensor parallelism waits for its forward collectives. In the backward pass the column-split matrix
// overlaps: with sequence parallelism its input is gathered again while the input gradient is computed, and
// the reduction of the input gradient runs beside the weight gradient. Asynchronous tensor parallelism
// (Megatron's tp-comm-overlap, PyTorch's async TP) splits each collective into as many chunks as there are
// GPUs and overlaps all but the first chunk with the adjacent matrix. Sources: Megatron-Core,
// LinearWithGradAccumulationAndAsyncCommunication; Wang et al. 2023, doi 10.1145/3567955.3567959.
#pragma once

#include "effects/overlap.h"

namespace shardscope {

// Returns the exposure of a collective of `gpus` GPUs beside `matrix`. Its first chunk is exposed.
inline Exposure chunked_exposure(const Time& matrix, const Time& collective, double gpus, double omega) {
    const Time first_chunk = (1 / gpus) * collective;
    Exposure out = exposure(matrix, collective + -1.0 * first_chunk, omega);
    out.both += first_chunk;
    out.exposed += first_chunk.total();
    return out;
}

}  // namespace shardscope
