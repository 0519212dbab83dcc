// DualPipeV: one half of a DualPipe pipeline. Both halves of a DualPipe pipeline with 2·p GPUs do the same at
// the same time, each with the stages that the other holds for the opposite direction. One half alone, with p
// GPUs, processes a model in the shape of a V: micro-batches that return take the place of those of the
// opposite direction. So bubble and order are those of DualPipe with 2·p GPUs, whose stages are the virtual
// stages here, and there is one weight copy. The note on overlap in dualpipe.cpp applies here, too.
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// The pipeline of which this is one half. Each direction has all micro-batches.
PipelineShape whole(const PipelineShape& shape) {
    return {2 * shape.stages, 1, 2 * shape.micro_batches, shape.sequence_chunks};
}

StageTimes half(StageTimes times) {
    for (Time* time : {&times.forward, &times.backward, &times.weight_gradient}) *time *= 0.5;
    return times;
}

}  // namespace

const Schedule kDualPipeV{
    .kind = ScheduleKind::dualpipe_v,
    .title = "DualPipeV",
    .rule = translatable(
        "bubble (max(2·h·F, (h − 1)·F + h·B) + h·max(0, B − W)) ÷ 2, h = p − 1, B the input and W the weight "
        "gradient; every GPU holds two virtual stages and p + 1/2 micro-batches; m at least 2·p"),
    .source = translatable("deepseek-ai/DualPipe, DualPipeV (\"cut in half\", Sea AI Lab); DeepSeek-AI 2024, "
                           "arXiv 2412.19437, section 3.2.1"),
    .splits_backward = true,
    .fills_gaps = true,
    .folded = true,
    .stacks = "torchtitan",
    .fixed_virtual_stages = folded_virtual_stages,
    .micro_batches =
        [](const PipelineShape& shape) {
            return MicroBatchRule{2 * shape.stages, 1};
        },
    .position = folded_position,
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes& filling) {
            return kDualPipe.bubble(whole(shape), half(t), half(filling));
        },
    .in_flight = [](const PipelineShape& shape,
                    double position) { return kDualPipe.in_flight(whole(shape), position) / 2; },
    .order =
        [](const PipelineShape& shape, int position) {
            // Even micro-batches of the whole pipeline go down, odd ones return.
            std::vector<Pass> out = kDualPipe.order(whole(shape), position);
            for (Pass& pass : out) pass.micro_batch /= 2;
            return out;
        }};

}  // namespace shardscope
