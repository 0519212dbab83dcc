// ZB-H2: more forward passes are started before the first backward pass, and weight gradients fill what is
// left: nearly no bubble for twice the activations of 1F1B. The optimizer must not wait for all stages.
#include <algorithm>

#include "plan/schedules/schedule.h"

namespace shardscope {

const Schedule kZbH2{
    .kind = ScheduleKind::zb_h2,
    .title = "zero bubble, H2",
    .rule = "bubble (p − 1)·(F + B − 2·W), never below 0; every stage holds min(m, 2·p − 1) micro-batches",
    .source = "Qi et al. 2023, arXiv 2401.10241",
    .splits_backward = true,
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t) {
            const Time left = t.forward + t.backward + -3.0 * t.weight_gradient;
            return left.total() > 0 ? (shape.stages - 1) * left : Time{};
        },
    .in_flight = [](const PipelineShape& shape,
                    double) { return std::min(shape.micro_batches, 2 * shape.stages - 1); }};

}  // namespace shardscope
