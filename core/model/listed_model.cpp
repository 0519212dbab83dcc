#include "model/listed_model.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/said.h"

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

double ListedOperator::rows_of(double image) const {
    if (reduction <= 0) return rows;
    const double edge = std::ceil(image / reduction);
    return edge * edge;
}

double ListedOperator::output(double image) const { return rows_of(image) * (multiplies() ? out : width); }

std::uint64_t ListedModel::next() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

bool ListedModel::has_image() const {
    return std::ranges::any_of(blocks, [](const ListedBlock& block) {
        return std::ranges::any_of(block.operators,
                                   [](const ListedOperator& op) { return op.reduction > 0; });
    });
}

double ListedModel::layers() const {
    double sum = 0;
    for (const ListedBlock& block : blocks) sum += block.repeat;
    return sum - (has_stem() ? 1 : 0) - (has_head() ? 1 : 0);
}

double ListedModel::width(double image) const {
    double sum = 0;
    for (std::size_t i = has_stem() ? 1 : 0; i < blocks.size() - (has_head() ? 1 : 0); ++i)
        sum += blocks[i].repeat * blocks[i].operators.back().output(image);
    return sum / layers();
}

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
