// Breadth-first: as in interleaved 1F1B, every GPU holds v virtual stages that are p stages apart, but all
// micro-batches pass through one virtual stage before the next one starts. FSDP therefore gathers the weights
// of a virtual stage once per pass and step instead of once per micro-batch. The gradients of a virtual stage
// are complete, and can be reduced, before the backward passes of the previous one start. Both collectives
// overlap with all micro-batches of another virtual stage. Without a pipeline each layer acts as a virtual
// stage, which is layered gradient accumulation.
//
// Uncertain: the paper's text was not available; the bubble was found by executing the order, and equals that
// of the looping schedules of Narayanan et al. The loss is computed one micro-batch at a time, so that only
// the logits of one are in memory. Splitting the micro-batches into several groups, as in depth-first order,
// is not modelled.
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {

const Schedule kBreadthFirst{
    .kind = ScheduleKind::breadth_first,
    .title = translatable("breadth-first"),
    .rule = translatable(
        "bubble (p − 1)·(F + B) ÷ v with m ≥ p; every GPU holds all m micro-batches; v times the "
        "messages; FSDP gathers once a step"),
    .source = translatable("Lamy-Poirier 2022, arXiv 2211.05953 (reconstructed); without a pipeline layered "
                           "gradient accumulation, 2021, arXiv 2106.02679 (reconstructed); order: "
                           "torch.distributed.pipelining, ScheduleLoopedBFS"),
    .interleaves = true,
    .layered = true,
    .micro_batches =
        [](const PipelineShape& shape) {
            return MicroBatchRule{shape.virtual_stages > 1 ? shape.stages : 1, 1};
        },
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes&) {
            return (shape.stages - 1) / shape.virtual_stages * (t.forward + t.backward);
        },
    .in_flight = [](const PipelineShape& shape, double) { return shape.micro_batches; },
    // The backward passes come in reverse order: the last virtual stage and the last micro-batch are first.
    .order =
        [](const PipelineShape& shape, int) {
            std::vector<Pass> out;
            const int virtual_stages = static_cast<int>(shape.virtual_stages);
            for (int virtual_stage = 0; virtual_stage < virtual_stages; ++virtual_stage) {
                for (Pass pass : all_of(PassKind::forward, shape)) {
                    pass.virtual_stage = virtual_stage;
                    out.push_back(pass);
                }
            }
            for (std::size_t i = out.size(); i-- > 0;)
                out.push_back({PassKind::backward, out[i].micro_batch, out[i].virtual_stage});
            return out;
        }};

}  // namespace shardscope
