#include "plan/schedules/schedule.h"

#include <algorithm>
#include <array>

namespace shardscope {
namespace {

constexpr std::array kSchedules{&kOneFOneB, &kGpipe, &kInterleaved, &kZbH1, &kZbH2};

}  // namespace

std::span<const Schedule* const> schedules() { return kSchedules; }

const Schedule& schedule_of(ScheduleKind kind) {
    for (const Schedule* schedule : kSchedules) {
        if (schedule->kind == kind) return *schedule;
    }
    return kOneFOneB;  // kinds not modelled yet never pass `check`
}

std::vector<Pass> all_of(PassKind kind, const PipelineShape& shape) {
    std::vector<Pass> out;
    const int micro_batches = static_cast<int>(shape.micro_batches);
    out.reserve(static_cast<std::size_t>(micro_batches));
    for (int i = 0; i < micro_batches; ++i) out.push_back({kind, i, 0});
    return out;
}

std::vector<Pass> alternating(const std::vector<Pass>& forward, const std::vector<Pass>& backward,
                              std::size_t warm_up) {
    std::vector<Pass> out;
    out.reserve(forward.size() + backward.size());
    const std::size_t ahead = std::min(warm_up, forward.size());
    for (std::size_t i = 0; i < ahead; ++i) out.push_back(forward[i]);
    for (std::size_t i = 0; i < backward.size(); ++i) {
        if (ahead + i < forward.size()) out.push_back(forward[ahead + i]);
        out.push_back(backward[i]);
    }
    return out;
}

std::vector<Pass> alternating_split(const PipelineShape& shape, std::size_t warm_up, std::size_t delay) {
    const std::vector<Pass> one_by_one =
        alternating(all_of(PassKind::forward, shape), all_of(PassKind::backward, shape), warm_up);
    const auto micro_batches = static_cast<std::size_t>(shape.micro_batches);
    std::vector<Pass> out;
    out.reserve(3 * micro_batches);
    std::size_t done = 0;  // backward passes
    std::size_t weighed = 0;
    const auto weigh = [&] { out.push_back({PassKind::weight_gradient, static_cast<int>(weighed++), 0}); };
    for (const Pass& pass : one_by_one) {
        out.push_back(pass);
        if (pass.kind == PassKind::backward && ++done > delay) weigh();
    }
    while (weighed < micro_batches) weigh();
    return out;
}

}  // namespace shardscope
