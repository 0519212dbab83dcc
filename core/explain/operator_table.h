// The operators behind an estimate, one row each: what any time or memory can be opened down to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "estimate/answer.h"

namespace shardscope {

// One operator in one micro-batch on one GPU.
struct OperatorRow {
    std::string_view block;  // "layer"
    std::string_view name;   // "attention.qkv"
    std::string_view kind;   // "gemm"
    double repeat = 1;       // of its block in the whole model
    double m = 0, n = 0, k = 0, count = 1;
    double flops = 0;        // forward
    double bytes = 0;        // read and written, or sent; forward
    double weights = 0;      // parameters on this GPU, before data-parallel sharding
    double saved = 0;        // bytes kept for the backward pass
    double forward = 0;      // s
    double backward = 0;     // s
    std::string_view bound;  // the rate that bounds most of both passes: "compute"
};
std::vector<OperatorRow> operator_table(const Answer& answer);

}  // namespace shardscope
