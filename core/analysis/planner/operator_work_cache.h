// A cache of a micro-batch's operator times, summed by block, for every way to split the operators over GPUs.
// Searches at neighbouring points of a drag, a sweep or a map need mostly the same ones.
#pragma once

#include <map>
#include <tuple>

#include "compile/compiled.h"

namespace shardscope {

// The plan parameters that the operators depend on.
struct OperatorSplit {
    double tensor = 1, context = 1, expert = 1;
    double sequence_parallel = 0, async_tensor_parallel = 0;
    double micro_batch = 1;
    double accumulation = 0;  // in fp8, where weights are cast once a step; else 0
    [[nodiscard]] auto values() const {
        return std::tie(tensor, context, expert, sequence_parallel, async_tensor_parallel, micro_batch,
                        accumulation);
    }
    bool operator==(const OperatorSplit& other) const { return values() == other.values(); }
    bool operator<(const OperatorSplit& other) const { return values() < other.values(); }
};
OperatorSplit operator_split_of(const Settings& settings);

struct OperatorWork {
    Work work;
    double tokens = 0;  // of a micro-batch, on one GPU
    double layers = 0;  // s, both passes of all layers, embedding and head, as if all were on one stage
};

class OperatorWorkCache {
  public:
    // Drops the entries that do not apply to these settings. References returned earlier become invalid.
    void prepare(const Settings& settings);
    // The result of `compile_operators(c)`, which is called only if the cache lacks it. The settings of `c`
    // may differ from those of `prepare` in their plan only. The reference is valid until the next `prepare`.
    const OperatorWork& of(Compiled& c);

  private:
    using Table = std::map<OperatorSplit, OperatorWork>;
    Settings settings_;
    std::uint64_t list_ = 0;  // number of the operator list; another list may get the same address
    Table inside_;            // for communication groups within a node
    Table crossing_;          // for groups that span nodes
};

}  // namespace shardscope
