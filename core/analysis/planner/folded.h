// The operators of a micro-batch, folded for every way to cut them, and remembered: searches at neighbouring
// points of a drag, a sweep or a map fold mostly the same.
#pragma once

#include <map>
#include <tuple>

#include "compile/compiled.h"

namespace shardscope {

// What a plan says of the operators.
struct Cut {
    double tensor = 1, context = 1, expert = 1;
    double sequence_parallel = 0, async_tensor_parallel = 0;
    double micro_batch = 1;
    double accumulation = 0;  // where weights are cast once a step (fp8), else 0
    [[nodiscard]] auto values() const {
        return std::tie(tensor, context, expert, sequence_parallel, async_tensor_parallel, micro_batch,
                        accumulation);
    }
    bool operator==(const Cut& other) const { return values() == other.values(); }
    bool operator<(const Cut& other) const { return values() < other.values(); }
};
Cut cut_of(const Settings& settings);

struct Folded {
    Work work;
    double tokens = 0;  // of a micro-batch, on one GPU
    double layers = 0;  // s, both passes of all layers, embedding and head, as if one stage had them all
};

class FoldedOperators {
  public:
    // Forgets what does not hold for these settings. What it gave before is no longer valid.
    void prepare(const Settings& settings);
    // As `compile_operators` makes them of `c`, whose settings differ from those of `prepare` in their plan
    // only; it may or may not be called. Valid until the next `prepare`.
    const Folded& of(Compiled& c);

  private:
    using Table = std::map<Cut, Folded>;
    Settings settings_;
    std::uint64_t list_ = 0;  // number of the list of operators, whose address another may get
    Table inside_;            // groups that stay within a node
    Table crossing_;
};

}  // namespace shardscope
