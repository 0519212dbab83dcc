// ZB-V: every GPU holds two virtual stages in the shape of a V, and weight-gradient passes fill the bubble,
// so that nothing of it is left if the passes take equally long, with the activations of 1F1B on every GPU.
//
// The order is that of PyTorch's ScheduleZBVZeroBubble; a stage's optimizer step does not wait for the other
// stages. Executing it takes the longest of eight paths through the pipeline, from which the bubble below
// follows; it does not depend on the number of micro-batches, of which there are at least 2·p − 1. F, B and W
// are the passes of one virtual stage. Uncertain: the model counts a message for each virtual stage, though
// the last GPU sends none at the bottom of the V.
#include <algorithm>
#include <array>
#include <cstddef>

#include "schedules/paths.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Builds the list of passes of one GPU.
class ZbVOrder {
  public:
    explicit ZbVOrder(int micro_batches) : micro_batches_(micro_batches) {
        out_.reserve(6 * static_cast<std::size_t>(micro_batches));
    }
    void add(PassKind kind, int virtual_stage) {
        int& next = done(kind, virtual_stage);
        if (next < micro_batches_) out_.push_back({kind, next++, virtual_stage});
    }
    void backward(int virtual_stage) {
        add(PassKind::backward, virtual_stage);
        add(PassKind::weight_gradient, virtual_stage);
    }
    [[nodiscard]] bool is_complete(PassKind kind, int virtual_stage) {
        return done(kind, virtual_stage) == micro_batches_;
    }
    [[nodiscard]] std::vector<Pass> passes() { return std::move(out_); }

  private:
    int& done(PassKind kind, int virtual_stage) {
        return done_[2 * static_cast<std::size_t>(kind) + static_cast<std::size_t>(virtual_stage)];
    }
    int micro_batches_;
    std::array<int, 2 * kPassKinds> done_{};
    std::vector<Pass> out_;
};

}  // namespace

const Schedule kZbV{.kind = ScheduleKind::zb_v,
                    .title = translatable("zero bubble, V"),
                    .rule = translatable("bubble 0 if F, B and W are equal, else the longest of eight sums, "
                                         "such as 2·(p − 1)·(B − W) and (p − "
                                         "1)·(2·F − B − W), of the passes of a virtual stage; every GPU "
                                         "holds two virtual stages and min(m, p) "
                                         "micro-batches; m at least 2·p − 1"),
                    .source = translatable("Qi et al. 2023, arXiv 2401.10241, section 6; order: PyTorch's "
                                           "ScheduleZBVZeroBubble; bubble found by executing the order"),
                    .splits_backward = true,
                    .fills_gaps = true,
                    .folded = true,
                    .stacks = "torchtitan primus",
                    .steps_overlap = true,
                    .fixed_virtual_stages = folded_virtual_stages,
                    .micro_batches =
                        [](const PipelineShape& shape) {
                            return MicroBatchRule{2 * shape.stages - 1, 1};
                        },
                    .position = folded_position,
                    .bubble =
                        [](const PipelineShape& shape, const StageTimes& t, const StageTimes& filling) {
                            const double others = shape.stages - 1;
                            if (others <= 0) return Time{};
                            const std::array paths{Path{-others, others, 0},
                                                   Path{0, 2 * others, -2 * others},
                                                   Path{2 * others, -others, -others},
                                                   Path{others - 1, 1 - others, 0},
                                                   Path{-others, 1, others - 1},
                                                   Path{2 * others - 1, 1, -2 * others},
                                                   Path{2 * others, 0, -2 * others - 1},
                                                   Path{1 - others, 0, others - 1}};
                            Time longest;
                            for (const Path& path : paths)
                                longest = longer(longest, length_of(path, t, filling));
                            return 0.5 * longest;  // a pass of a virtual stage is half of a pass of the GPU
                        },
                    .in_flight = [](const PipelineShape& shape,
                                    double) { return std::min(shape.micro_batches, shape.stages); },
                    .order =
                        [](const PipelineShape& shape, int position) {
                            using enum PassKind;
                            const int stages = static_cast<int>(shape.stages);
                            const int behind = stages - position;
                            ZbVOrder order(static_cast<int>(shape.micro_batches));
                            const auto repeat = [](int times, auto&& what) {
                                for (int i = 0; i < times; ++i) what();
                            };
                            repeat(2 * behind - 1, [&] { order.add(forward, 0); });
                            repeat(position, [&] {
                                order.add(forward, 1);
                                order.add(forward, 0);
                            });
                            repeat(behind, [&] {
                                order.add(forward, 1);
                                order.backward(1);
                            });
                            while (!order.is_complete(forward, 1)) {
                                order.add(forward, 0);
                                order.backward(0);
                                order.add(forward, 1);
                                order.backward(1);
                            }
                            repeat(position, [&] {
                                order.add(backward, 0);
                                order.add(backward, 1);
                            });
                            repeat(behind, [&] { order.backward(0); });
                            for (const int virtual_stage : {1, 0}) {
                                while (!order.is_complete(weight_gradient, virtual_stage))
                                    order.add(weight_gradient, virtual_stage);
                            }
                            return order.passes();
                        }};

}  // namespace shardscope
