// DualPipe: the pipeline holds two weight copies, one from the first GPU to the last and one in the opposite
// direction, and half of the micro-batches travel in each direction. In the middle of a step every GPU joins
// a forward pass of one direction with a backward pass of the other.
//
// The order is that of the published code. Its formula, (p/2 − 1)·(F&B + B − 3·W), takes a joined pass to be
// as long as the sum of its parts. It equals the bubble of the executed order if the forward, input-gradient
// and weight-gradient passes take equally long; otherwise the executed order decides. The purpose of the
// schedule is not modelled: inside a joined pass the all-to-alls of one direction overlap with the compute of
// the other, so the estimate is pessimistic for models with experts. Uncertain: the GPUs with the same
// weights are at opposite ends of the pipeline; their gradient reduction is modelled as that of a larger
// data-parallel group.
#include <algorithm>
#include <array>
#include <utility>

#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Builds the list of passes of one GPU. Even micro-batches travel in direction 0 and odd ones in direction 1;
// virtual stage 0 belongs to the weight copy that begins on the first GPU.
class DualPipeOrder {
  public:
    // `own` is the direction whose first stage is nearer to the GPU.
    DualPipeOrder(const PipelineShape& shape, int own) : own_(own) {
        out_.reserve(3 * static_cast<std::size_t>(shape.micro_batches));
    }
    void forward(bool own_direction, bool joined_with_next = false) {
        const int direction = own_direction ? own_ : 1 - own_;
        add(PassKind::forward, direction, forwards_[direction]++, joined_with_next);
    }
    void backward(bool own_direction, bool split) {
        const int direction = own_direction ? own_ : 1 - own_;
        const int index = backwards_[direction]++;
        add(PassKind::backward, direction, index, !split);
        if (split) deferred_.push_back({PassKind::weight_gradient, 2 * index + direction, direction});
        else add(PassKind::weight_gradient, direction, index, false);
    }
    void weight_gradient() { out_.push_back(deferred_[deferred_done_++]); }
    [[nodiscard]] std::vector<Pass> passes() { return std::move(out_); }

  private:
    void add(PassKind kind, int direction, int index, bool joined) {
        out_.push_back({kind, 2 * index + direction, direction, joined});
    }
    int own_;
    std::array<int, 2> forwards_{};
    std::array<int, 2> backwards_{};
    std::vector<Pass> out_;
    std::vector<Pass> deferred_;  // deferred weight-gradient passes, in order
    std::size_t deferred_done_ = 0;
};

}  // namespace

const Schedule kDualPipe{
    .kind = ScheduleKind::dualpipe,
    .title = "DualPipe",
    .rule = translatable(
        "bubble max(2·h·F, (h − 1)·F + h·B) + h·max(0, B − W), h = p/2 − 1, B the input and W the "
        "weight gradient; every GPU holds p + 1 micro-batches and two copies of its weights; p "
        "even, m even and at least 2·p"),
    .source = translatable("DeepSeek-AI 2024, arXiv 2412.19437, section 3.2.1 (reconstructed); order and "
                           "formula: deepseek-ai/DualPipe; bubble found by executing the order"),
    .splits_backward = true,
    .fills_gaps = true,
    .weight_copies = 2,
    .micro_batches =
        [](const PipelineShape& shape) {
            return MicroBatchRule{2 * shape.stages, 2};
        },
    .position =
        [](const PipelineShape& shape, int micro_batch, int step) {
            const int stages = static_cast<int>(shape.stages);
            return micro_batch % 2 == 0 ? PipelinePosition{step, 0} : PipelinePosition{stages - 1 - step, 1};
        },
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes& filling) {
            const double half = shape.stages / 2 - 1;
            if (half <= 0) return Time{};
            const Time input = t.backward + -1.0 * t.weight_gradient;
            const Time filled = longer(2 * half * t.forward, (half - 1) * t.forward + half * input);
            return filled + half * (input + -1.0 * shorter(input, filling.weight_gradient));
        },
    .in_flight = [](const PipelineShape& shape,
                    double) { return std::min(shape.micro_batches, shape.stages + 1); },
    .order =
        [](const PipelineShape& shape, int position) {
            const int stages = static_cast<int>(shape.stages);
            const int half = stages / 2;
            const int from_end = std::min(position, stages - 1 - position);
            const int to_middle = half - 1 - from_end;
            const int each_way = static_cast<int>(shape.micro_batches) / 2;
            DualPipeOrder order(shape, position < half ? 0 : 1);
            const auto repeat = [](int times, auto&& what) {
                for (int i = 0; i < times; ++i) what(i);
            };
            repeat(2 * to_middle, [&](int) { order.forward(true); });
            repeat(from_end + 1, [&](int) {
                order.forward(true);
                order.forward(false);
            });
            repeat(to_middle, [&](int) {
                order.backward(false, true);
                order.weight_gradient();
                order.forward(false);
            });
            repeat(each_way - stages + from_end + 1, [&](int i) {
                // On the two middle GPUs the first two passes are not joined: the backward pass need not
                // wait.
                order.forward(true, to_middle > 0 || i > 0);
                order.backward(false, false);
                order.forward(false, true);
                order.backward(true, false);
            });
            repeat(to_middle, [&](int) {
                order.backward(false, false);
                order.forward(false, true);
                order.backward(true, false);
            });
            // The second half of these backward passes is split.
            repeat(from_end + 1, [&](int i) {
                const int passes = 2 * i;
                order.backward(false, passes > from_end);
                order.backward(true, passes + 1 > from_end);
            });
            repeat(to_middle, [&](int) {
                order.weight_gradient();
                order.backward(true, true);
            });
            repeat(from_end + 1, [&](int) { order.weight_gradient(); });
            return order.passes();
        }};

}  // namespace shardscope
