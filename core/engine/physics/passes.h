// E9, E10, E19: the time of one block's forward and backward pass over one micro-batch on one GPU, and the
// blocks folded into what the rest of the engine needs of their operators.
#pragma once

#include <array>

#include "model/operators.h"
#include "physics/step_terms.h"
#include "time/rates.h"

namespace shardscope {

struct Compiled;

// Tensor, context and expert communication included.
struct PassTime {
    std::array<double, kStepTerms> terms{};  // exposed s; they sum to time.total()
    Time time;
    Time attention;     // the attention core alone
    double hidden = 0;  // s of communication below compute
};

// A block's operators, folded. Nothing here depends on how data-parallel GPUs share out the state, on the
// pipeline, or on what is recomputed, so that many plans share it.
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
};
struct Work {  // of every kind of block
    BlockWork embedding, dense, sparse, head;
};

// Folds `c.operators` into `c.work`. Needs rates and layout.
void fold_operators(Compiled& c);

// The term of the step that an operator's time is part of.
StepTerm step_term_of(const Operator& op);

// E19: the time of one collective operator, nothing hidden.
Time exchange_time(const Operator& op, const Compiled& c);

}  // namespace shardscope
