// V-Half: the V-shaped building block with half of the activations of 1F1B on every GPU. From one GPU to the
// next, a micro-batch's passes start two units later on the way down and one unit later on the way back.
//
// With passes of equal length the bubble is (7·p − 4) ÷ 12 of a micro-batch's passes for even p and
// 7·(p − 1) ÷ 12 for odd p; the paper gives about p ÷ 2, with reordering. It grows with the number of
// micro-batches only if 2·B > 2·F + W or 2·F > 2·B + W, as the authors state.
#include <algorithm>

#include "schedules/v_shape.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// The longest paths were found by executing the order with random times of the passes, and are those of the
// executed order for up to sixteen GPUs; a group is two stages. Each row has the numbers of forward,
// input-gradient and weight-gradient passes as a constant, a number per group and one per micro-batch, less
// the 2·m passes of each kind that every GPU runs.
//
// Two GPUs.
constexpr std::array kTwoOfVHalf{
    PathFamily{{5, 0, -2}, {0, 0, 2}, {1, 0, -1}},  PathFamily{{7, 0, -2}, {-1, 0, 2}, {1, 0, -1}},
    PathFamily{{1, 0, 0}, {2, 0, 0}, {0, 0, 0}},    PathFamily{{1, 0, 0}, {4, 0, 0}, {-1, 0, 0}},
    PathFamily{{3, 0, 0}, {1, 0, 0}, {0, 0, 0}},    PathFamily{{3, 0, 0}, {3, 0, 0}, {-1, 0, 0}},
    PathFamily{{4, 0, 0}, {-1, 0, 0}, {0, 0, 0}},   PathFamily{{-3, 0, 2}, {9, 0, -2}, {2, 0, -1}},
    PathFamily{{-2, 0, 2}, {5, 0, -2}, {3, 0, -1}}, PathFamily{{-2, 0, 2}, {7, 0, -2}, {2, 0, -1}},
    PathFamily{{-1, 0, 2}, {7, 0, -2}, {0, 0, -1}}, PathFamily{{0, 0, 2}, {3, 0, -2}, {1, 0, -1}},
    PathFamily{{0, 0, 2}, {5, 0, -2}, {0, 0, -1}},
};
// An even number of GPUs.
constexpr std::array kEvenOfVHalf{
    PathFamily{{-7, 4, 2}, {5, 4, -2}, {3, -1, -1}},  PathFamily{{-6, 4, 2}, {1, 4, -2}, {4, -1, -1}},
    PathFamily{{-6, 4, 2}, {3, 4, -2}, {3, -1, -1}},  PathFamily{{-6, 4, 2}, {4, 1, -2}, {3, 0, -1}},
    PathFamily{{-5, 4, 2}, {3, 4, -2}, {1, -1, -1}},  PathFamily{{-4, 2, 2}, {1, 4, -2}, {2, 1, -1}},
    PathFamily{{-4, 4, 2}, {-1, 4, -2}, {2, -1, -1}}, PathFamily{{-4, 4, 2}, {1, 4, -2}, {1, -1, -1}},
    PathFamily{{-4, 4, 2}, {2, 1, -2}, {1, 0, -1}},   PathFamily{{-1, 2, 0}, {-2, 4, 0}, {0, 0, 0}},
    PathFamily{{-1, 2, 0}, {-2, 6, 0}, {0, -1, 0}},   PathFamily{{-1, 4, 0}, {-1, 2, 0}, {0, 0, 0}},
    PathFamily{{-1, 4, 0}, {-1, 4, 0}, {0, -1, 0}},   PathFamily{{0, 4, 0}, {-3, 2, 0}, {0, 0, 0}},
    PathFamily{{1, 2, 0}, {-3, 4, 0}, {0, 0, 0}},     PathFamily{{1, 2, 0}, {-3, 6, 0}, {0, -1, 0}},
    PathFamily{{1, 4, -2}, {-4, 4, 2}, {1, 0, -1}},   PathFamily{{3, 4, -2}, {-5, 4, 2}, {1, 0, -1}},
};
// Odd numbers of GPUs.
constexpr std::array kOddOfVHalf{
    PathFamily{{-5, 4, 2}, {5, 1, -2}, {3, 0, -1}},  PathFamily{{-4, 4, 2}, {2, 4, -2}, {3, -1, -1}},
    PathFamily{{-4, 4, 2}, {4, 4, -2}, {2, -1, -1}}, PathFamily{{-4, 4, 2}, {5, 1, -2}, {2, 0, -1}},
    PathFamily{{-3, 2, 2}, {2, 4, -2}, {2, 1, -1}},  PathFamily{{-2, 4, 2}, {0, 4, -2}, {1, -1, -1}},
    PathFamily{{-2, 4, 2}, {2, 4, -2}, {0, -1, -1}}, PathFamily{{-2, 4, 2}, {3, 1, -2}, {0, 0, -1}},
    PathFamily{{0, 2, 0}, {0, 4, 0}, {0, 0, 0}},     PathFamily{{0, 2, 0}, {0, 6, 0}, {0, -1, 0}},
    PathFamily{{0, 4, 0}, {0, 2, 0}, {0, 0, 0}},     PathFamily{{0, 4, 0}, {0, 4, 0}, {0, -1, 0}},
    PathFamily{{1, 4, 0}, {-2, 2, 0}, {0, 0, 0}},    PathFamily{{2, 4, -2}, {-2, 4, 2}, {1, 0, -1}},
};

std::span<const PathFamily> paths_of_v_half(int stages) {
    if (stages == 2) return kTwoOfVHalf;
    if (stages % 2 == 0) return kEvenOfVHalf;
    return kOddOfVHalf;
}

}  // namespace

const Schedule kVHalf{
    .kind = ScheduleKind::v_half,
    .title = "V-Half",
    .rule = translatable(
        "bubble by the longest path through the executed order, about 7·p ÷ 12 micro-batches if F, "
        "B and W are equal; it grows with m if 2·B > 2·F + W or 2·F > 2·B + W, B the input and "
        "W the weight gradient; every GPU holds two virtual stages and p/2 + 1 micro-batches, "
        "rounded down; m at least p + 1"),
    .source =
        translatable("Qi et al. 2024, arXiv 2405.15362; order: sail-sg/zero-bubble-pipeline-parallelism, "
                     "without reordering; bubble found by executing the order"),
    .splits_backward = true,
    .fills_gaps = true,
    .folded = true,
    .fixed_virtual_stages = folded_virtual_stages,
    .micro_batches =
        [](const PipelineShape& shape) {
            return MicroBatchRule{shape.stages + 1, 1};
        },
    .position = folded_position,
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes& filling) {
            if (shape.stages <= 1) return Time{};
            return longest_path(paths_of_v_half(static_cast<int>(shape.stages)), std::floor(shape.stages / 2),
                                shape.micro_batches, t, filling);
        },
    .in_flight = [](const PipelineShape& shape,
                    double) { return std::min(shape.micro_batches, std::floor(shape.stages / 2) + 1); },
    .order =
        [](const PipelineShape& shape, int position) {
            const int stages = static_cast<int>(shape.stages);
            const int wait = stages % 2 == 0 ? 3 : 0;  // without it passes of an even pipeline would collide
            return repeat_block({{2 * position, 3 * stages - position - 2},
                                 {6 * stages + wait - position - 2, 3 * stages + wait + 2 * position - 1}},
                                shape.micro_batches);
        }};

}  // namespace shardscope
