// Breadth-first: every GPU holds v pieces of the model that lie p apart, as interleaved 1F1B does, but all
// micro-batches pass through a piece before the next piece's turn. FSDP therefore gathers a piece once a pass
// and step instead of once a micro-batch, gradients of a piece are whole, and reduced, before the previous
// piece starts, and both hide behind all micro-batches of another piece. Without a pipeline a piece is a
// layer: this is layered gradient accumulation.
//
// Uncertain: the paper's text was not at hand; the bubble is what running the order shows, and is that of the
// looping schedules of Narayanan et al. The loss is taken micro-batch by micro-batch, so that logits of one
// lie in memory; micro-batches in several groups, depth first among them, are not modelled.
#include "schedules/schedule.h"
#include "text/said.h"

namespace shardscope {

const Schedule kBreadthFirst{
    .kind = ScheduleKind::breadth_first,
    .title = phrase("breadth-first"),
    .rule = phrase("bubble (p − 1)·(F + B) ÷ v with m ≥ p; every GPU holds all m micro-batches; v times the "
                   "messages; FSDP gathers once a step"),
    .source = phrase("Lamy-Poirier 2022, arXiv 2211.05953 (reconstructed); without a pipeline layered "
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
    // The backward pass is the mirror image: the last piece and the last micro-batch come back first.
    .order =
        [](const PipelineShape& shape, int) {
            std::vector<Pass> out;
            const int pieces = static_cast<int>(shape.virtual_stages);
            for (int piece = 0; piece < pieces; ++piece) {
                for (Pass pass : all_of(PassKind::forward, shape)) {
                    pass.piece = piece;
                    out.push_back(pass);
                }
            }
            for (std::size_t i = out.size(); i-- > 0;)
                out.push_back({PassKind::backward, out[i].micro_batch, out[i].piece});
            return out;
        }};

}  // namespace shardscope
