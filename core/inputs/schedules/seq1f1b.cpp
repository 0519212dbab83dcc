// Seq1F1B: 1F1B over sequence chunks. A micro-batch is processed in k chunks, from first to last in the
// forward and from last to first in the backward pass, so that the pipeline fills k times faster and each
// stage holds little more than a k-th of the activations.
//
// Uncertain: all chunks are assumed to take equally long, as in the paper, which splits by computation.
// Chunks of equal length would not, because later ones attend to more tokens. Kernels are assumed to be as
// efficient on a chunk as on the whole sequence (public code gains from chunks of 4k tokens on), while kernel
// launches, messages and FSDP's all-gathers are counted for each chunk. The gradients of keys and values that
// are kept until the backward passes of the earlier chunks are left out.
#include <algorithm>

#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {

const Schedule kSeq1f1b{
    .kind = ScheduleKind::seq1f1b,
    .title = "Seq1F1B",
    .rule = translatable("bubble (p − 1)·(F + B) ÷ k with k chunks per sequence; stage i holds min(m, (p − i "
                         "+ k − 1) ÷ k) micro-batches; k times the messages, each 1/k as large"),
    .source =
        translatable("Sun et al. 2024, arXiv 2406.03488 (reconstructed); in-flight count as MindSpeed's "
                     "documentation gives it, (p + k − 1) ÷ k on the first stage"),
    .splits_sequences = true,
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes&) {
            return (shape.stages - 1) / shape.sequence_chunks * (t.forward + t.backward);
        },
    .in_flight =
        [](const PipelineShape& shape, double position) {
            const double chunks = shape.stages - position + shape.sequence_chunks - 1;
            return std::min(shape.micro_batches, chunks / shape.sequence_chunks);
        },
    .order =
        [](const PipelineShape& shape, int position) {
            const int chunks = static_cast<int>(shape.sequence_chunks);
            std::vector<Pass> back = all_of(PassKind::backward, shape);
            for (auto from = back.begin(); from != back.end(); from += chunks)
                std::reverse(from, from + chunks);
            const double ahead = shape.stages - 1 - position + shape.sequence_chunks - 1;
            return alternating(all_of(PassKind::forward, shape), back, static_cast<std::size_t>(ahead));
        }};

}  // namespace shardscope
