// The operators behind an estimate, one row each: what any time or memory can be opened down to.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// One operator in one micro-batch on one GPU.
struct OperatorRow {
    std::string_view block;  // "layer"
    std::string_view name;   // "attention.qkv"
    std::string_view kind;   // "gemm"
    double repeat = 1;       // of its block in the whole model
    double m = 0, n = 0, k = 0, count = 1;
    double flops = 0;                  // forward
    double bytes = 0;                  // read and written, or sent; forward
    double all_weights = 0;            // parameters of all GPUs together
    double weights = 0;                // parameters on this GPU, before data-parallel sharding
    double saved = 0;                  // bytes kept for the backward pass
    double forward = 0;                // s that show; of a ring exchange what attention does not hide
    double backward = 0;               // s
    Rate bound = Rate::count;          // of most of both passes; count: takes no time
    StepTerm term = StepTerm::matmul;  // of the step, which it is part of
    double step = 0;                   // s of the whole step, on the stage that sets its pace

    // "layer/attention.qkv"
    [[nodiscard]] std::string path() const { return std::string(block) + "/" + std::string(name); }
    // FLOPs per byte of device memory, forward.
    [[nodiscard]] double intensity() const { return bytes > 0 ? flops / bytes : 0; }
    [[nodiscard]] bool exchanges() const;
    [[nodiscard]] std::string_view bound_name() const;  // "compute", or nothing
};

// Operators added up: a block's, all of it once.
struct OperatorSum {
    std::string_view name;  // of the block
    double repeat = 1;      // in the whole model
    double here = 1;        // on the stage that sets the pace
    std::size_t first = 0;  // of the rows
    std::size_t count = 0;
    double flops = 0, bytes = 0, weights = 0, saved = 0, forward = 0, backward = 0, step = 0;
};

struct OperatorTable {                // every operator of the model on one GPU
    std::vector<OperatorRow> rows;    // block by block, in forward order
    std::vector<OperatorSum> blocks;  // those the model has
    OperatorSum model;                // every block as often as the model repeats it
    // What the step consists of beside operators, by StepTerm; s. With `model.step` it adds up to `seconds`.
    std::array<double, kStepTerms> others{};
    double seconds = 0;        // of the step
    double micro_batches = 1;  // that come by each block in a step

    [[nodiscard]] bool empty() const { return rows.empty(); }
};
// Empty when the scenario is not valid. An MFU set by hand stretches the step's seconds, not an operator's.
OperatorTable operator_table(const Answer& answer);

}  // namespace shardscope
