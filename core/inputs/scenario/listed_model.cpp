#include "scenario/listed_model.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace shardscope {

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

}  // namespace shardscope
