// Seq1F1B: 1F1B over pieces of sequences. A micro-batch passes in k pieces, first to last forward and last to
// first backward, so that the pipeline fills k times faster and each stage holds little more than a k-th.
//
// Uncertain: pieces are taken to last equally long, as the paper's cut by computation makes them; pieces of
// equal length do not, for later ones attend to more. Kernels are as efficient on a piece as on the whole
// sequence (public code gains from pieces of 4k tokens on), while launches, messages and FSDP's gathers are
// paid for each. Gradients of keys and values, which wait for the earlier pieces, are left out.
#include <algorithm>

#include "schedules/schedule.h"
#include "text/said.h"

namespace shardscope {

const Schedule kSeq1f1b{
    .kind = ScheduleKind::seq1f1b,
    .title = "Seq1F1B",
    .rule = phrase("bubble (p − 1)·(F + B) ÷ k with k pieces of each sequence; stage i holds min(m, (p − i + "
                   "k − 1) ÷ k) micro-batches; k times the messages, each a k-th"),
    .source = phrase("Sun et al. 2024, arXiv 2406.03488 (reconstructed); in-flight count as MindSpeed's "
                     "documentation gives it, (p + k − 1) ÷ k on the first stage"),
    .cuts_sequences = true,
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes&) {
            return (shape.stages - 1) / shape.sequence_pieces * (t.forward + t.backward);
        },
    .in_flight =
        [](const PipelineShape& shape, double position) {
            const double pieces = shape.stages - position + shape.sequence_pieces - 1;
            return std::min(shape.micro_batches, pieces / shape.sequence_pieces);
        },
    .order =
        [](const PipelineShape& shape, int position) {
            const int pieces = static_cast<int>(shape.sequence_pieces);
            std::vector<Pass> back = all_of(PassKind::backward, shape);
            for (auto from = back.begin(); from != back.end(); from += pieces)
                std::reverse(from, from + pieces);
            const double ahead = shape.stages - 1 - position + shape.sequence_pieces - 1;
            return alternating(all_of(PassKind::forward, shape), back, static_cast<std::size_t>(ahead));
        }};

}  // namespace shardscope
