// A cache of a micro-batch's operator times, summed by block, for every way to split the operators over GPUs.
// Searches at neighbouring points of a drag, a sweep or a map need mostly the same ones.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "compile/compiled.h"
#include "planner/plan.h"

namespace shardscope {

// The values of the plan parameters on which the times of the operators depend (PlanRole::operators).
struct OperatorSplit {
    std::array<double, kCellSize> value{};
    double accumulation = 0;  // in low precision, where weights are cast once a step; else 0
    bool operator==(const OperatorSplit&) const = default;
    bool operator<(const OperatorSplit& other) const {
        return std::tie(value, accumulation) < std::tie(other.value, other.accumulation);
    }
    // Returns whether they differ in the accumulation at most.
    [[nodiscard]] bool equals_except_accumulation(OperatorSplit other) const {
        other.accumulation = accumulation;
        return *this == other;
    }
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
    // Returns the work of `c`, whose settings may differ from those of `prepare` in their plan only. It is
    // computed if the cache lacks it, and stored in `uncached` if the cache is full. Otherwise it stays in
    // place until the next `prepare`. Several threads may call this function.
    const OperatorWork& of(Compiled& c, OperatorWork& uncached);

  private:
    std::mutex mutex_;
    using Table = std::map<OperatorSplit, OperatorWork>;
    Settings settings_;
    std::uint64_t list_ = 0;  // number of the operator list; another list may get the same address
    Table inside_;            // for communication groups within a node
    Table crossing_;          // for groups that span nodes
};

}  // namespace shardscope
