// Interleaved 1F1B: every GPU holds v virtual stages that are p stages apart, so that a micro-batch passes
// through the pipeline v times and the pipeline fills v times faster.
#include <algorithm>

#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Returns the micro-batches of a group, at least p. The groups are as small as possible and nearly equal.
double group_size(const PipelineShape& shape) {
    const double groups = std::max(1.0, std::floor(shape.micro_batches / shape.stages));
    return std::ceil(shape.micro_batches / groups);
}

// Returns the passes of one kind. Micro-batches travel in groups: a group passes through a GPU's first
// virtual stage, then through its second, and so on.
std::vector<Pass> in_groups(PassKind kind, const PipelineShape& shape) {
    const int micro_batches = static_cast<int>(shape.micro_batches);
    const int group = static_cast<int>(group_size(shape));
    const int virtual_stages = static_cast<int>(shape.virtual_stages);
    std::vector<Pass> out;
    out.reserve(static_cast<std::size_t>(micro_batches) * static_cast<std::size_t>(virtual_stages));
    for (int first = 0; first < micro_batches; first += group) {
        for (int i = 0; i < virtual_stages; ++i) {
            const int virtual_stage = kind == PassKind::forward ? i : virtual_stages - 1 - i;
            for (int at = first; at < std::min(first + group, micro_batches); ++at)
                out.push_back({kind, at, virtual_stage});
        }
    }
    return out;
}

}  // namespace

const Schedule kInterleaved{
    .kind = ScheduleKind::interleaved,
    .title = translatable("interleaved 1F1B"),
    .rule =
        translatable("bubble (p − 1)·(F + B) ÷ v; the first GPU holds p·(1 + (p − 1)/(p·v)) micro-batches; v "
                     "times the messages"),
    .source =
        translatable("Narayanan et al. 2021, arXiv 2104.04473, section 2.2.2; memory: Korthikanti et al. "
                     "2022, arXiv 2205.05198, section 4.2.3"),
    .interleaves = true,
    // Neither DeepSpeed nor nanotron has it.
    .stacks = "fsdp internevo jax maxtext megatron nemo primus torchtitan",
    .completes_virtual_stages =
        [](const PipelineShape& shape) {
            return shape.virtual_stages > 1 && group_size(shape) >= shape.micro_batches;
        },
    .micro_batches =
        [](const PipelineShape& shape) {
            return MicroBatchRule{shape.virtual_stages > 1 ? shape.stages : 1, 1};
        },
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes&) {
            return (shape.stages - 1) / shape.virtual_stages * (t.forward + t.backward);
        },
    // With groups of n micro-batches, the passes that begin before the first backward pass are 2·(p − 1 − i)
    // + (v − 1)·n + 1, and each covers a v-th of the GPU's layers. With one virtual stage per GPU the
    // schedule is plain 1F1B.
    .in_flight =
        [](const PipelineShape& shape, double position) {
            if (shape.virtual_stages <= 1) return kOneFOneB.in_flight(shape, position);
            const double before_backward =
                2 * (shape.stages - 1 - position) + (shape.virtual_stages - 1) * group_size(shape) + 1;
            return std::min(shape.micro_batches, before_backward / shape.virtual_stages);
        },
    .order =
        [](const PipelineShape& shape, int position) {
            if (shape.virtual_stages <= 1) return kOneFOneB.order(shape, position);
            const double warm_up =
                2 * (shape.stages - 1 - position) + (shape.virtual_stages - 1) * group_size(shape);
            return alternating(in_groups(PassKind::forward, shape), in_groups(PassKind::backward, shape),
                               static_cast<std::size_t>(warm_up));
        }};

}  // namespace shardscope
