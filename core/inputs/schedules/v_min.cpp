// V-Min: the V-shaped building block with the fewest activations, a third of those of 1F1B on every GPU. From
// one GPU to the next, a micro-batch's passes start one unit later.
//
// With passes of equal length the bubble is about 2·p ÷ 3 of a micro-batch's passes, as in the paper. Because
// a micro-batch returns at once, the bubble grows with the number of micro-batches as soon as 2·B > F + W or
// 2·F > B + W.
#include <algorithm>

#include "schedules/v_shape.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// The longest paths were found by executing the order with random times of the passes, and are those of the
// executed order for up to 23 GPUs; a group is three stages. Each row has the numbers of forward,
// input-gradient and weight-gradient passes as a constant, a number per group and one per micro-batch, less
// the 2·m passes of each kind that every GPU runs.
//
// Two GPUs.
constexpr std::array kTwoOfVMin{
    PathFamily{{3, 0, -1}, {-1, 0, 2}, {1, 0, -1}}, PathFamily{{3, 0, -1}, {0, 0, 2}, {0, 0, -1}},
    PathFamily{{5, 0, -1}, {-2, 0, 2}, {1, 0, -1}}, PathFamily{{5, 0, -1}, {-1, 0, 2}, {0, 0, -1}},
    PathFamily{{2, 0, 0}, {1, 0, 0}, {0, 0, 0}},    PathFamily{{4, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    PathFamily{{1, 0, 1}, {1, 0, 1}, {2, 0, -2}},   PathFamily{{0, 0, 2}, {2, 0, -1}, {2, 0, -1}},
    PathFamily{{0, 0, 2}, {3, 0, -1}, {1, 0, -1}},
};
// Three GPUs.
constexpr std::array kThreeOfVMin{
    PathFamily{{7, 0, -2}, {0, 0, 4}, {1, 0, -2}},   PathFamily{{10, 0, -2}, {-2, 0, 4}, {1, 0, -2}},
    PathFamily{{4, 0, 0}, {2, 0, 0}, {0, 0, 0}},     PathFamily{{4, 0, 0}, {6, 0, 0}, {-2, 0, 0}},
    PathFamily{{7, 0, 0}, {0, 0, 0}, {0, 0, 0}},     PathFamily{{7, 0, 0}, {4, 0, 0}, {-2, 0, 0}},
    PathFamily{{-2, 0, 4}, {10, 0, -2}, {1, 0, -2}}, PathFamily{{-1, 0, 4}, {4, 0, -2}, {4, 0, -2}},
    PathFamily{{-1, 0, 4}, {8, 0, -2}, {2, 0, -2}},  PathFamily{{0, 0, 4}, {3, 0, -2}, {3, 0, -2}},
    PathFamily{{0, 0, 4}, {7, 0, -2}, {1, 0, -2}},
};
// Four GPUs.
constexpr std::array kFourOfVMin{
    PathFamily{{8, 0, -2}, {2, 0, 4}, {1, 0, -2}}, PathFamily{{5, 0, 0}, {4, 0, 0}, {0, 0, 0}},
    PathFamily{{5, 0, 0}, {8, 0, 0}, {-2, 0, 0}},  PathFamily{{8, 0, 0}, {1, 0, 0}, {0, 0, 0}},
    PathFamily{{8, 0, 0}, {5, 0, 0}, {-2, 0, 0}},  PathFamily{{2, 0, 4}, {4, 0, -2}, {3, 0, -2}},
    PathFamily{{2, 0, 4}, {8, 0, -2}, {1, 0, -2}},
};
// 3·k GPUs.
constexpr std::array kMultipleOfVMin{
    PathFamily{{-8, 6, 4}, {4, 6, -2}, {1, 0, -2}},  PathFamily{{-7, 6, 4}, {-4, 6, -2}, {5, 0, -2}},
    PathFamily{{-7, 6, 4}, {2, 6, -2}, {2, 0, -2}},  PathFamily{{-7, 6, 4}, {6, 1, -2}, {3, 1, -2}},
    PathFamily{{-6, 6, 4}, {-3, 6, -2}, {3, 0, -2}}, PathFamily{{-6, 6, 4}, {1, 6, -2}, {1, 0, -2}},
    PathFamily{{-6, 6, 4}, {2, 1, -2}, {2, 1, -2}},  PathFamily{{-1, 5, 0}, {-8, 8, 0}, {2, -1, 0}},
    PathFamily{{-1, 5, 0}, {-2, 8, 0}, {-1, -1, 0}}, PathFamily{{-1, 8, 0}, {-7, 5, 0}, {2, -1, 0}},
    PathFamily{{-1, 8, 0}, {-1, 5, 0}, {-1, -1, 0}}, PathFamily{{-1, 8, 0}, {3, 0, 0}, {0, 0, 0}},
    PathFamily{{1, 4, 0}, {-4, 6, 0}, {0, 0, 0}},    PathFamily{{1, 6, -2}, {-6, 6, 4}, {1, 0, -2}},
    PathFamily{{1, 7, 0}, {-3, 3, 0}, {0, 0, 0}},    PathFamily{{2, 5, 0}, {-10, 8, 0}, {2, -1, 0}},
    PathFamily{{2, 5, 0}, {-4, 8, 0}, {-1, -1, 0}},  PathFamily{{4, 4, 0}, {-6, 6, 0}, {0, 0, 0}},
    PathFamily{{4, 6, -2}, {-8, 6, 4}, {1, 0, -2}},
};
// 3·k + 1 GPUs.
constexpr std::array kOneMoreOfVMin{
    PathFamily{{-6, 6, 4}, {-3, 6, -2}, {5, 0, -2}}, PathFamily{{-6, 6, 4}, {7, 1, -2}, {3, 1, -2}},
    PathFamily{{-4, 6, 4}, {-2, 6, -2}, {3, 0, -2}}, PathFamily{{-4, 6, 4}, {2, 6, -2}, {1, 0, -2}},
    PathFamily{{-4, 6, 4}, {3, 1, -2}, {2, 1, -2}},  PathFamily{{0, 5, 0}, {-6, 8, 0}, {2, -1, 0}},
    PathFamily{{0, 5, 0}, {0, 8, 0}, {-1, -1, 0}},   PathFamily{{0, 8, 0}, {-6, 5, 0}, {2, -1, 0}},
    PathFamily{{0, 8, 0}, {0, 5, 0}, {-1, -1, 0}},   PathFamily{{0, 8, 0}, {4, 0, 0}, {0, 0, 0}},
    PathFamily{{2, 4, 0}, {-2, 6, 0}, {0, 0, 0}},    PathFamily{{2, 6, -2}, {-4, 6, 4}, {1, 0, -2}},
    PathFamily{{2, 7, 0}, {-2, 3, 0}, {0, 0, 0}},
};
// 3·k + 2 GPUs.
constexpr std::array kTwoMoreOfVMin{
    PathFamily{{-3, 6, 4}, {9, 6, -2}, {1, 0, -2}}, PathFamily{{-2, 6, 4}, {1, 6, -2}, {5, 0, -2}},
    PathFamily{{-2, 6, 4}, {5, 6, -2}, {3, 0, -2}}, PathFamily{{-2, 6, 4}, {6, 1, -2}, {4, 1, -2}},
    PathFamily{{1, 5, 0}, {6, 8, 0}, {-3, -1, 0}},  PathFamily{{2, 5, 0}, {-2, 8, 0}, {1, -1, 0}},
    PathFamily{{2, 5, 0}, {2, 8, 0}, {-1, -1, 0}},  PathFamily{{3, 4, 0}, {0, 6, 0}, {0, 0, 0}},
    PathFamily{{5, 5, 0}, {5, 8, 0}, {-3, -1, 0}},  PathFamily{{5, 6, -2}, {-2, 6, 4}, {1, 0, -2}},
    PathFamily{{5, 8, 0}, {5, 5, 0}, {-3, -1, 0}},  PathFamily{{6, 5, 0}, {-3, 8, 0}, {1, -1, 0}},
    PathFamily{{6, 5, 0}, {1, 8, 0}, {-1, -1, 0}},  PathFamily{{6, 8, 0}, {-3, 5, 0}, {1, -1, 0}},
    PathFamily{{6, 8, 0}, {1, 5, 0}, {-1, -1, 0}},  PathFamily{{6, 8, 0}, {2, 0, 0}, {0, 0, 0}},
    PathFamily{{7, 4, 0}, {-1, 6, 0}, {0, 0, 0}},   PathFamily{{7, 7, 0}, {-1, 3, 0}, {0, 0, 0}},
    PathFamily{{9, 6, -2}, {-3, 6, 4}, {1, 0, -2}},
};

std::span<const PathFamily> paths_of_v_min(int stages) {
    if (stages == 2) return kTwoOfVMin;
    if (stages == 3) return kThreeOfVMin;
    if (stages == 4) return kFourOfVMin;
    if (stages % 3 == 0) return kMultipleOfVMin;
    if (stages % 3 == 1) return kOneMoreOfVMin;
    return kTwoMoreOfVMin;
}

}  // namespace

const Schedule kVMin{
    .kind = ScheduleKind::v_min,
    .title = "V-Min",
    .rule = translatable(
        "bubble by the longest path through the executed order, about 2·p ÷ 3 micro-batches if F, "
        "B and W are equal; it grows with m if 2·B > F + W or 2·F > B + W, B the input and W "
        "the weight gradient; every GPU holds two virtual stages and (p + 4) ÷ 3 micro-batches, "
        "rounded down; m at least p"),
    .source =
        translatable("Qi et al. 2024, arXiv 2405.15362; order: sail-sg/zero-bubble-pipeline-parallelism, "
                     "without reordering; bubble found by executing the order"),
    .splits_backward = true,
    .fills_gaps = true,
    .folded = true,
    .fixed_virtual_stages = folded_virtual_stages,
    .micro_batches =
        [](const PipelineShape& shape) {
            return MicroBatchRule{shape.stages, 1};
        },
    .position = folded_position,
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes& filling) {
            if (shape.stages <= 1) return Time{};
            return longest_path(paths_of_v_min(static_cast<int>(shape.stages)), std::floor(shape.stages / 3),
                                shape.micro_batches, t, filling);
        },
    .in_flight = [](const PipelineShape& shape,
                    double) { return std::min(shape.micro_batches, std::floor((shape.stages + 4) / 3)); },
    // The backward passes wait at the end of the V where passes of a GPU would collide. For 3·k + 2 GPUs the
    // published code does not wait, which makes the bubble two thirds of a micro-batch shorter; but there the
    // longest path depends on p in too many ways for a table.
    .order =
        [](const PipelineShape& shape, int position) {
            const int stages = static_cast<int>(shape.stages);
            const int wait = std::array{2, 0, 4}[static_cast<std::size_t>(stages % 3)];
            return repeat_block({{position, 2 * stages - position - 1},
                                 {4 * stages + wait - position - 1, 2 * stages + wait + position}},
                                shape.micro_batches);
        }};

}  // namespace shardscope
