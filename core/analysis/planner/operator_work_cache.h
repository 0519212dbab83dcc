// A cache of a micro-batch's operator times, summed by block, for every way to split the operators over GPUs.
// Searches at neighbouring points of a drag, a sweep or a map need mostly the same ones.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "compile/compiled.h"
#include "model/operator_inputs.h"
#include "planner/plan.h"

namespace shardscope {

// The values of the plan parameters on which the times of the operators depend (PlanRole::operators).
struct OperatorSplit {
    std::array<double, kCellSize> value{};
    double accumulation = 0;  // in low precision, where weights are cast once a step; else 0
    bool operator==(const OperatorSplit&) const = default;
    bool operator<(const OperatorSplit& other) const {
        const auto differs = std::ranges::mismatch(value, other.value);
        return differs.in1 == value.end() ? accumulation < other.accumulation : *differs.in1 < *differs.in2;
    }
    // Returns whether they differ in the accumulation at most.
    [[nodiscard]] bool equals_except_accumulation(const OperatorSplit& other) const {
        return value == other.value;
    }
};
OperatorSplit operator_split_of(const Settings& settings);

struct OperatorWork {
    Work work;
    double layers = 0;  // s, both passes of all layers, embedding and head, as if all were on one stage
};

// Returns whether some blocks repeat so rarely that the times of the others are a close bound of all.
bool has_rare_blocks(const OperatorList& operators);

class OperatorWorkCache {
  public:
    static constexpr std::size_t kMost = 4096;  // works, about 25 MB in each of the two tables
    // Drops the entries that do not apply to these settings. References returned earlier become invalid.
    void prepare(const Settings& settings);
    // Returns the work of `c`, whose settings may differ from those of `prepare` in their plan only. It is
    // computed if the cache lacks it, and stored in `uncached` if the cache is full. Otherwise it stays in
    // place until the next `prepare`. Several threads may call this function.
    const OperatorWork& of(Compiled& c, OperatorWork& uncached);
    // Returns at most `layers` of the work of `c`, under the same conditions: the time without rare blocks.
    // It is computed faster and needs less memory.
    double least_layers(Compiled& c);

  private:
    struct Tables {
        std::map<OperatorSplit, OperatorWork> work;
        std::map<OperatorSplit, double> least;
    };
    [[nodiscard]] Tables& tables(const Settings& settings) {
        return operators_cross_nodes(settings) ? crossing_ : inside_;
    }

    std::mutex mutex_;
    Settings settings_;
    std::uint64_t list_ = 0;  // number of the operator list; another list may get the same address
    Tables inside_;           // for communication groups within a node
    Tables crossing_;         // for groups that span nodes
};

}  // namespace shardscope
