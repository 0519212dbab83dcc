// BitPipe: the pipeline holds two weight copies, and half of the micro-batches travel in each direction.
// Every GPU holds two virtual stages of each copy in the shape of a V: a direction runs from its first GPU to
// its last and back again, so that no message is sent at the bottom of the V. Micro-batches come in units of
// as many as there are stages.
//
// The order is that of the published code, which puts the units one after the other. Executing the order
// gives the published bubble ratio, (p − 2) ÷ (4·m + p − 2), for any number of units if forward and backward
// pass take equally long. If they do not, every further unit adds their difference.
//
// Uncertain: only a part of the paper's text was available. The model assumes that GPUs send a message for
// each virtual stage; it ignores that some of them save one at the bottom of the V. The GPUs with the same
// weights are at opposite ends of the pipeline; their gradient reduction is modelled as that of a larger
// data-parallel group, and it begins with the last micro-batch rather than eagerly.
#include <algorithm>
#include <array>

#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

constexpr int kPieces = 2;  // virtual stages per GPU of each weight copy

// Returns the index of virtual stage `round` of a direction: 0 and 2 for the first weight copy, 1 and 3 for
// the other.
constexpr int piece_of(int direction, int round) { return direction + 2 * round; }

struct ByKind {
    std::vector<Pass> forward, backward;
};

// Returns all passes of a GPU, by kind, in the order in which it runs them.
ByKind passes_of(const PipelineShape& shape, int position) {
    const int stages = static_cast<int>(shape.stages);
    const int half = stages / 2;
    const int own = position < half ? 0 : 1;  // the direction whose first stage is nearer
    const int units = static_cast<int>(shape.micro_batches) / stages;
    const int alone = position < half ? half - position : position - half + 1;
    ByKind out;
    for (int unit = 0; unit < units; ++unit) {
        // Appends four streams of `half` passes in two pairs. In each pair the second stream starts `alone`
        // passes after the first, and the end of the first pair alternates with the start of the second pair.
        struct Stream {
            int direction, round;
        };
        const auto interleave = [&](std::vector<Pass>& into, PassKind kind,
                                    const std::array<Stream, 4>& streams) {
            const auto add = [&](const Stream& stream, int i) {
                const int micro_batch = 2 * (unit * half + i) + stream.direction;
                into.push_back({kind, micro_batch, piece_of(stream.direction, stream.round)});
            };
            for (int i = 0; i < alone; ++i) add(streams[0], i);
            for (int i = 0; i < half - alone; ++i) {
                add(streams[1], i);
                add(streams[0], i + alone);
            }
            for (int i = 0; i < alone; ++i) {
                add(streams[1], i + half - alone);
                add(streams[2], i);
            }
            for (int i = 0; i < half - alone; ++i) {
                add(streams[3], i);
                add(streams[2], i + alone);
            }
            for (int i = 0; i < alone; ++i) add(streams[3], i + half - alone);
        };
        const int other = 1 - own;
        interleave(out.forward, PassKind::forward, {Stream{own, 0}, {other, 0}, {other, 1}, {own, 1}});
        interleave(out.backward, PassKind::backward, {Stream{own, 1}, {other, 1}, {other, 0}, {own, 0}});
    }
    return out;
}

// Returns how many forward passes a GPU runs before its first backward pass.
int warm_up_of(int stages, int position) {
    return stages + stages / 2 + std::min(position, stages - 1 - position);
}

}  // namespace

const Schedule kBitPipe{
    .kind = ScheduleKind::bitpipe,
    .title = "BitPipe",
    .rule = translatable("bubble (p/2 − 1)·(max(F, B) + (m/p − 1)·|B − F|); GPU i holds (3·p/2 + min(i, p − "
                         "1 − i) + 1) ÷ 2 micro-batches and two weight copies of two virtual stages each; "
                         "twice the messages; p even, m a multiple of p"),
    .source = translatable("Wu et al. 2024, arXiv 2410.19367 (reconstructed); order: the published fork of "
                           "Megatron-LM; bubble found by executing the order"),
    .fills_gaps = true,
    .weight_copies = 2,
    .fixed_virtual_stages = [](double) { return static_cast<double>(kPieces); },
    .micro_batches =
        [](const PipelineShape& shape) {
            return MicroBatchRule{shape.stages, shape.stages};
        },
    .position =
        [](const PipelineShape& shape, int micro_batch, int step) {
            const int stages = static_cast<int>(shape.stages);
            const int direction = micro_batch % 2;
            const int down = step < stages ? step : 2 * stages - 1 - step;
            return PipelinePosition{direction == 0 ? down : stages - 1 - down,
                                    piece_of(direction, step / stages)};
        },
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes& filling) {
            const Time& most = longer(t.forward, t.backward);
            const Time& least =
                shorter(shorter(t.forward, t.backward), shorter(filling.forward, filling.backward));
            const double further = shape.micro_batches / shape.stages - 1;
            return (shape.stages / 2 - 1) * ((1 + further) * most + -further * least);
        },
    .in_flight =
        [](const PipelineShape& shape, double position) {
            const double warm_up = warm_up_of(static_cast<int>(shape.stages), static_cast<int>(position));
            return (warm_up + 1) / kPieces;
        },
    .order =
        [](const PipelineShape& shape, int position) {
            const int stages = static_cast<int>(shape.stages);
            const ByKind passes = passes_of(shape, position);
            const int warm_up = warm_up_of(stages, position);
            const int rest = 2 * stages - warm_up;  // forward passes of a unit after the warm-up
            const int units = static_cast<int>(shape.micro_batches) / stages;
            std::vector<Pass> out;
            out.reserve(2 * passes.forward.size());
            auto forward = passes.forward.begin();
            auto backward = passes.backward.begin();
            const auto alternate = [&](int times) {
                for (int i = 0; i < times; ++i) {
                    out.push_back(*forward++);
                    out.push_back(*backward++);
                }
            };
            out.insert(out.end(), forward, forward + warm_up);
            forward += warm_up;
            for (int unit = 1; unit < units; ++unit) {
                alternate(rest);
                const int more = warm_up - rest + 1;
                out.insert(out.end(), backward, backward + more);
                backward += more;
                alternate(rest - 1);
                out.insert(out.end(), forward, forward + more);
                forward += more;
            }
            alternate(rest);
            out.insert(out.end(), backward, passes.backward.end());
            return out;
        }};

}  // namespace shardscope
