// ZB-H1: backward passes are cut in two; the weight gradients, which no other stage waits for, fill the
// bubble as far as the memory of 1F1B allows.
#include <algorithm>

#include "plan/schedules/schedule.h"

namespace shardscope {

const Schedule kZbH1{
    .kind = ScheduleKind::zb_h1,
    .title = "zero bubble, H1",
    .rule =
        "bubble (p − 1)·(F + B − W), B the input and W the weight gradient; every stage holds min(m, p) "
        "micro-batches",
    .source = "Qi et al. 2023, arXiv 2401.10241",
    .splits_backward = true,
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t) {
            const Time left = t.forward + t.backward + -2.0 * t.weight_gradient;
            return left.total() > 0 ? (shape.stages - 1) * left : Time{};
        },
    .in_flight = [](const PipelineShape& shape,
                    double) { return std::min(shape.micro_batches, shape.stages); }};

}  // namespace shardscope
