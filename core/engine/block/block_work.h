// The time of one block's forward and backward pass over one micro-batch on one GPU: the sum over its
// operators.
#pragma once

#include <array>

#include "effects/recompute.h"
#include "effects/tensor_parallel_traffic.h"
#include "hardware/gpu_rates.h"
#include "hardware/network_rates.h"
#include "layout/layout.h"
#include "model/operators.h"
#include "model/step_terms.h"

namespace shardscope {

// One pass of a block, including tensor, context and expert communication.
struct PassTime {
    std::array<double, kStepTerms> terms{};  // exposed s; their sum is time.total()
    Time time;
    Time attention;     // the attention core alone
    double hidden = 0;  // s of communication that compute hides
};

// The sums over a block's operators. They depend neither on data-parallel sharding nor on the pipeline nor on
// recomputation, so many plans use the same values.
struct BlockWork {
    PassTime forward, backward;
    Time weight_gradient;  // the part of the backward pass that zero-bubble schedules compute later
    double weights = 0;    // parameters on one GPU before data-parallel sharding, without experts
    double experts = 0;    // parameters of the experts, counted in the same way
    // FLOPs executed on the average GPU.
    double forward_flops = 0, backward_flops = 0;
    double attention_flops = 0;  // the attention core's part of forward_flops
    double saved = 0;            // bytes kept for the backward pass without recomputation
    double scores = 0;           // naive attention's scores, a part of saved that selective recompute drops

    [[nodiscard]] ForwardWork forward_work() const {
        return {forward.time, forward.attention, forward_flops, attention_flops};
    }
    [[nodiscard]] Time both_passes() const { return forward.time + backward.time; }
};
struct Work {  // one of each kind of block
    BlockWork embedding, dense, sparse, head;
};

// The rates and groups of GPUs that a block's operators run on.
struct BlockRates {
    const GpuRates& gpu;
    const NetworkRates& network;
    RingGroup tensor, context, expert;
    TensorParallelOverlap tensor_overlap;
    double expert_imbalance = 1;   // tokens of the busiest expert's GPU relative to the average one
    double context_imbalance = 1;  // attention work of the busiest GPU, likewise
    double overlap = 0;            // ω, see effects/overlap.h
};
BlockRates block_rates(const Settings& settings, const Layout& layout, const GpuRates& gpu,
                       const NetworkRates& network);

Work work_of(const OperatorList& operators, const BlockRates& rates);

// Returns the step term that contains the operator's time.
StepTerm step_term_of(const Operator& op);

// Returns the time of one collective operator without any overlap.
Time collective_operator_time(const Operator& op, const BlockRates& rates);

}  // namespace shardscope
