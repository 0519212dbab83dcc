// GPipe: all forward passes come before all backward passes. The bubble is that of 1F1B, but the activations
// of every micro-batch are in memory.
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {

const Schedule kGpipe{
    .kind = ScheduleKind::gpipe,
    .title = "GPipe",
    .rule = translatable("bubble (p − 1)·(F + B); every stage holds all m micro-batches"),
    .source = "Huang et al. 2019, arXiv 1811.06965",
    .all_forward_first = true,
    .stacks = kEveryStack,
    .bubble = [](const PipelineShape& shape, const StageTimes& t,
                 const StageTimes&) { return (shape.stages - 1) * (t.forward + t.backward); },
    .in_flight = [](const PipelineShape& shape, double) { return shape.micro_batches; },
    // The backward pass of the last micro-batch is the first.
    .order =
        [](const PipelineShape& shape, int) {
            std::vector<Pass> out = all_of(PassKind::forward, shape);
            const std::vector<Pass> back = all_of(PassKind::backward, shape);
            out.insert(out.end(), back.rbegin(), back.rend());
            return out;
        }};

}  // namespace shardscope
