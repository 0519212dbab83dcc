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
    [[nodiscard]] bool computed() const { return tokens > 0; }
};
// The result of `compile_operators(c)`.
OperatorWork compute_operator_work(Compiled& c);

class OperatorWorkCache {
  public:
    // Drops the entries that do not apply to these settings. References returned earlier become invalid.
    void prepare(const Settings& settings);
    // Returns the entry of these settings, which may differ from those of `prepare` in their plan only; null
    // if the cache is full. The caller fills a new entry, which is not `computed`. The entry stays in place
    // until the next `prepare`.
    OperatorWork* entry(const Settings& settings);

  private:
    using Table = std::map<OperatorSplit, OperatorWork>;
    Settings settings_;
    std::uint64_t list_ = 0;  // number of the operator list; another list may get the same address
    Table inside_;            // for communication groups within a node
    Table crossing_;          // for groups that span nodes
};

}  // namespace shardscope
