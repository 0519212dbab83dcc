// The time of one block's forward and backward pass over one micro-batch on one GPU: its operators' effects,
// summed to what the rest of the engine needs of them.
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

// Tensor, context and expert communication included.
struct PassTime {
    std::array<double, kStepTerms> terms{};  // exposed s; they sum to time.total()
    Time time;
    Time attention;     // the attention core alone
    double hidden = 0;  // s of communication below compute
};

// A block's operators, summed. Nothing here depends on how data-parallel GPUs share the state, on the
// pipeline, or on what is recomputed, so that many plans use the same.
struct BlockWork {
    PassTime forward, backward;
    Time weight_gradient;  // the part of the backward pass that zero-bubble schedules compute later
    double weights = 0;    // parameters on one GPU before data-parallel sharding, experts left out
    double experts = 0;    // those of experts
    // FLOPs executed on the average GPU.
    double forward_flops = 0, backward_flops = 0;
    double attention_flops = 0;  // of the forward ones the attention core's
    double saved = 0;            // bytes kept for the backward pass, nothing recomputed
    double scores = 0;           // of them naive attention's scores, which selective recompute drops

    [[nodiscard]] ForwardWork forward_work() const {
        return {forward.time, forward.attention, forward_flops, attention_flops};
    }
    [[nodiscard]] Time both_passes() const { return forward.time + backward.time; }
};
struct Work {  // of every kind of block
    BlockWork embedding, dense, sparse, head;
};

// What the operators of a block run on.
struct BlockRates {
    const GpuRates& gpu;
    const NetworkRates& network;
    RingGroup tensor, context, expert;
    TensorParallelOverlap tensor_overlap;
    double expert_imbalance = 1;   // tokens of the busiest expert's GPU relative to the average one
    double context_imbalance = 1;  // attention work of the busiest context-parallel GPU, the same
    double overlap = 0;            // ω, see effects/overlap.h
};
BlockRates block_rates(const Settings& settings, const Layout& layout, const GpuRates& gpu,
                       const NetworkRates& network);

Work work_of(const OperatorList& operators, const BlockRates& rates);

// The term of the step that an operator's time is part of.
StepTerm step_term_of(const Operator& op);

// The time of one collective operator, nothing hidden.
Time exchange_time(const Operator& op, const BlockRates& rates);

}  // namespace shardscope
