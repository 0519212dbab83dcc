// The operators of an estimate, one row each: the finest detail of its times and memory.
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
    double forward = 0;                // exposed s: without the part of a ring exchange that attention hides
    double backward = 0;               // exposed s
    Rate bound = Rate::count;          // the rate with most of both passes' time; count: it takes no time
    StepTerm term = StepTerm::matmul;  // the term of the step that includes it
    double step = 0;                   // s of the whole step, on the slowest stage

    // "layer/attention.qkv"
    [[nodiscard]] std::string path() const { return std::string(block) + "/" + std::string(name); }
    // The arithmetic intensity of the forward pass: FLOPs per byte of device-memory traffic.
    [[nodiscard]] double intensity() const { return bytes > 0 ? flops / bytes : 0; }
    [[nodiscard]] bool exchanges() const;
    [[nodiscard]] std::string_view bound_name() const;  // "compute"; empty if it takes no time
};

// The sum over the operators of one block.
struct OperatorSum {
    std::string_view name;  // of the block
    double repeat = 1;      // blocks in the whole model
    double here = 1;        // blocks on the slowest stage
    std::size_t first = 0;  // index of its first row
    std::size_t count = 0;  // number of its rows
    double flops = 0, bytes = 0, weights = 0, saved = 0, forward = 0, backward = 0, step = 0;
};

struct OperatorTable {                // every operator of the model on one GPU
    std::vector<OperatorRow> rows;    // block by block, in forward order
    std::vector<OperatorSum> blocks;  // the kinds of blocks that the model has
    OperatorSum model;                // the sum over all blocks, repeated ones included
    // Time of the step outside of operators, by StepTerm; s. `others` and `model.step` sum to `seconds`.
    std::array<double, kStepTerms> others{};
    double seconds = 0;        // step time
    double micro_batches = 1;  // that each block processes in a step

    [[nodiscard]] bool empty() const { return rows.empty(); }
};
// Empty when the scenario is not valid. An MFU set by hand scales the times of the step but not those of one
// operator's passes.
OperatorTable operator_table(const Answer& answer);

}  // namespace shardscope
