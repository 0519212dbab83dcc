// 1F1B: once the pipeline is full, every stage alternates one forward and one backward pass, so that it holds
// at most as many micro-batches as there are stages from it to the last one.
#include <algorithm>

#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {

const Schedule kOneFOneB{
    .kind = ScheduleKind::one_f_one_b,
    .title = "1F1B",
    .rule = translatable("bubble (p − 1)·(F + B); stage i holds min(m, p − i) micro-batches"),
    .source = translatable("Narayanan et al. 2019 (PipeDream), doi 10.1145/3341301.3359646; 2021, arXiv "
                           "2104.04473, section 2.2.1"),
    .stacks = kEveryStack,
    .bubble = [](const PipelineShape& shape, const StageTimes& t,
                 const StageTimes&) { return (shape.stages - 1) * (t.forward + t.backward); },
    .in_flight = [](const PipelineShape& shape,
                    double position) { return std::min(shape.micro_batches, shape.stages - position); },
    .order =
        [](const PipelineShape& shape, int position) {
            return alternating(
                all_of(PassKind::forward, shape), all_of(PassKind::backward, shape),
                static_cast<std::size_t>(shape.stages) - 1 - static_cast<std::size_t>(position));
        }};

}  // namespace shardscope
