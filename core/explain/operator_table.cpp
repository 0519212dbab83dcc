#include "explain/operator_table.h"

#include <algorithm>

#include "physics/passes.h"

namespace shardscope {
namespace {

std::string_view name_of(OperatorKind kind) {
    switch (kind) {
        case OperatorKind::gemm: return "gemm";
        case OperatorKind::attention: return "attention";
        case OperatorKind::norm: return "norm";
        case OperatorKind::elementwise: return "elementwise";
        case OperatorKind::softmax: return "softmax";
        case OperatorKind::gather: return "gather";
        case OperatorKind::collective: return "collective";
    }
    return "";
}

std::string_view bound_of(const Time& time) {
    const auto largest = std::ranges::max_element(time.by);
    return *largest > 0 ? shardscope::name_of(static_cast<Rate>(largest - time.by.begin()))
                        : std::string_view{};
}

}  // namespace

std::vector<OperatorRow> operator_table(const Answer& answer) {
    std::vector<OperatorRow> out;
    if (!answer.valid()) return out;
    const Compiled& c = answer.compiled;
    for (const Block* block : c.operators.blocks()) {
        if (block->repeat <= 0) continue;
        for (const Operator& op : block->operators) {
            const bool exchange = op.kind == OperatorKind::collective;
            const Time forward = exchange ? exchange_time(op, c) : forward_time(op, c.gpu);
            const Time backward = exchange ? exchange_time(op, c) : backward_time(op, c.gpu);
            out.push_back({block->name, op.name, name_of(op.kind), block->repeat, op.m, op.n, op.k, op.count,
                           op.flops(), op.bytes, op.weights * op.share, op.saved, forward.total(),
                           backward.total(), bound_of(forward + backward)});
        }
    }
    return out;
}

}  // namespace shardscope
