#include "model/listed_operators.h"

#include <utility>

#include "text/said.h"

namespace shardscope {
namespace {

// `casts`: how often weights are cast to a lower precision in a micro-batch; 0: never.
Operator built(const ListedOperator& from, double samples, double q, double image, double casts) {
    Operator op;
    op.name = from.name;
    op.kind = from.kind;
    op.weights = from.weights;
    const double rows = samples * from.rows_of(image);
    double inputs = rows * from.width;
    if (from.multiplies()) {
        op.count = from.groups;
        op.m = rows;
        op.n = from.out / from.groups;
        op.k = from.kernel * from.kernel * from.in / from.groups;
        inputs = rows * from.stride * from.stride * from.in;
        op.bytes = q * (inputs + op.count * op.k * op.n + rows * from.out);
        // Convolutions stay in bf16.
        if (casts > 0 && from.kind == OperatorKind::gemm) {
            op.low_precision = true;
            op.cast_bytes = 2 * rows * from.in + casts * 4 * op.count * op.k * op.n;
            op.gradient_cast_bytes = 2 * rows * from.out;
        }
    } else {
        op.bytes = q * from.traffic * inputs;
    }
    op.saved = q * from.saved * inputs;
    return op;
}

// As much of an operator as one layer in `of` has of it.
Operator part(Operator op, double of) {
    op.count /= of;
    op.launches /= of;
    op.bytes /= of;
    op.cast_bytes /= of;
    op.gradient_cast_bytes /= of;
    op.weights /= of;
    op.saved /= of;
    return op;
}

Block built(const ListedBlock& from, const Settings& s) {
    Block out{from.name, from.repeat, {}};
    const auto precision = s.choice<Precision>(P::precision);
    for (const ListedOperator& op : from.operators) {
        out.operators.push_back(built(op, s[P::micro_batch], activation_bytes(precision), s[P::image_size],
                                      precision == Precision::fp8 ? 1 / s[P::accumulation] : 0));
    }
    return out;
}

}  // namespace

std::vector<Block> listed_blocks(const ListedModel& model, const Settings& settings) {
    std::vector<Block> out;
    for (const ListedBlock& block : model.blocks) out.push_back(built(block, settings));
    return out;
}

void build_listed(const ListedModel& model, const Settings& settings, OperatorList& out) {
    out = {};
    std::vector<Block> blocks = listed_blocks(model, settings);
    const auto take = [&](Block& end, std::size_t index, bool there) {
        end.repeat = 0;
        if (there) end = std::move(blocks[index]);
    };
    take(out.embedding, 0, model.has_stem());
    take(out.head, blocks.size() - 1, model.has_head());
    out.sparse.repeat = 0;
    const std::size_t first = model.has_stem() ? 1 : 0;
    const std::size_t last = blocks.size() - (model.has_head() ? 1 : 0);
    if (last - first == 1) {
        out.dense = std::move(blocks[first]);
        return;
    }
    out.dense.name = phrase("layer, on average");
    out.dense.repeat = model.layers();
    for (std::size_t i = first; i < last; ++i) {
        for (const Operator& op : blocks[i].operators)
            out.dense.operators.push_back(part(op, out.dense.repeat / blocks[i].repeat));
    }
}

}  // namespace shardscope
