#include "schedules/v_shape.h"

namespace shardscope {

std::vector<Pass> repeat_block(const BlockStarts& starts, double micro_batches) {
    constexpr int kPeriod = 6;
    const auto count = static_cast<int>(micro_batches);
    const std::size_t passes = kPeriod * static_cast<std::size_t>(count);
    std::vector<Pass> out;
    out.reserve(passes);
    std::vector<Pass> waiting;  // weight-gradient passes in the order of their backward passes
    std::size_t done = 0;       // of those
    const auto begins = [&](int start, int unit) {
        return unit >= start && (unit - start) % kPeriod == 0 && (unit - start) / kPeriod < count;
    };
    for (int unit = 0; out.size() < passes; ++unit) {
        bool busy = false;
        for (const int virtual_stage : {0, 1}) {
            const auto at = static_cast<std::size_t>(virtual_stage);
            if (begins(starts.forward[at], unit)) {
                out.push_back({PassKind::forward, (unit - starts.forward[at]) / kPeriod, virtual_stage});
                busy = true;
            }
            if (begins(starts.backward[at], unit)) {
                const int micro_batch = (unit - starts.backward[at]) / kPeriod;
                out.push_back({PassKind::backward, micro_batch, virtual_stage});
                waiting.push_back({PassKind::weight_gradient, micro_batch, virtual_stage});
                busy = true;
            }
        }
        if (!busy && done < waiting.size()) out.push_back(waiting[done++]);
    }
    return out;
}

Time longest_path(std::span<const PathFamily> families, double groups, double micro_batches,
                  const StageTimes& average, const StageTimes& filling) {
    const auto times = [&](const Count& count) {
        return count.constant + count.per_group * groups + count.per_micro_batch * micro_batches;
    };
    Time longest;
    for (const PathFamily& family : families) {
        const Path path{times(family.forward), times(family.input), times(family.weights)};
        longest = longer(longest, length_of(path, average, filling));
    }
    return 0.5 * longest;  // a pass of a virtual stage is half of a pass of the GPU
}

}  // namespace shardscope
