#include "model/listed_operators.h"

#include <utility>

#include "text/translate.h"

namespace shardscope {
namespace {

// `casts`: casts of the weights to a lower precision per micro-batch; 0: none.
Operator operator_of(const ListedOperator& from, double samples, double q, double image, double casts) {
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

// The share of an operator in one of `layers` equal layers.
Operator layer_share(Operator op, double layers) {
    op.count /= layers;
    op.launches /= layers;
    op.eager_launches /= layers;
    op.bytes /= layers;
    op.cast_bytes /= layers;
    op.gradient_cast_bytes /= layers;
    op.weights /= layers;
    op.saved /= layers;
    return op;
}

Block block_of(const ListedBlock& from, const Settings& s) {
    Block out{from.name, from.repeat, {}};
    const auto precision = s.choice<Precision>(P::precision);
    for (const ListedOperator& op : from.operators) {
        out.operators.push_back(operator_of(op, s[P::micro_batch], activation_bytes(precision),
                                            s[P::image_size],
                                            is_low(precision) ? 1 / s[P::accumulation] : 0));
    }
    return out;
}

}  // namespace

std::vector<Block> listed_blocks(const ListedModel& model, const Settings& settings) {
    std::vector<Block> out;
    for (const ListedBlock& block : model.blocks) out.push_back(block_of(block, settings));
    return out;
}

void build_listed(const ListedModel& model, const Settings& settings, OperatorList& out) {
    out = {};
    std::vector<Block> blocks = listed_blocks(model, settings);
    const auto move_block = [&](Block& end, std::size_t index, bool exists) {
        end.repeat = 0;
        if (exists) end = std::move(blocks[index]);
    };
    move_block(out.embedding, 0, model.has_stem());
    move_block(out.head, blocks.size() - 1, model.has_head());
    out.kinds = 1;
    Block& layer = out.of_kind.front();
    const std::size_t first = model.has_stem() ? 1 : 0;
    const std::size_t last = blocks.size() - (model.has_head() ? 1 : 0);
    if (last - first == 1) {
        layer = std::move(blocks[first]);
        return;
    }
    layer.name = translatable("average layer");
    layer.repeat = model.layers();
    for (std::size_t i = first; i < last; ++i) {
        for (const Operator& op : blocks[i].operators)
            layer.operators.push_back(layer_share(op, layer.repeat / blocks[i].repeat));
    }
}

}  // namespace shardscope
