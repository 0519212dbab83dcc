// ZB-H1: backward passes are split in two. The weight-gradient passes, for which no other stage waits, fill
// the bubble as far as the memory of 1F1B allows. With fewer micro-batches than stages there are fewer of
// them to fill it. A weight-gradient pass that is longer than the forward or the input-gradient pass does not
// fit into its gap and delays the passes after it.
#include <algorithm>

#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {

const Schedule kZbH1{
    .kind = ScheduleKind::zb_h1,
    .title = translatable("zero bubble, H1"),
    .rule =
        translatable("bubble (p − 1)·(F + B) − min(p − 1, m − 1)·min(F, B, W), B the input and W the weight "
                     "gradient; every stage holds min(m, p) micro-batches"),
    .source = translatable(
        "Qi et al. 2023, arXiv 2401.10241, for W ≤ F, B and m ≥ p; otherwise found by executing the order"),
    .splits_backward = true,
    .fills_gaps = true,
    .stacks = "primus",
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes& filling) {
            const double weights = std::min(shape.stages - 1, shape.micro_batches - 1);
            const Time input = t.backward + -1.0 * t.weight_gradient;
            const Time& gap = shorter(shorter(filling.weight_gradient, t.forward), input);
            return (shape.stages - 1) * (t.forward + input) + -weights * gap;
        },
    .in_flight = [](const PipelineShape& shape,
                    double) { return std::min(shape.micro_batches, shape.stages); },
    // Early stages hold the activations of micro-batches that wait for their backward pass, late stages those
    // of deferred weight-gradient passes.
    .order =
        [](const PipelineShape& shape, int position) {
            const auto behind =
                static_cast<std::size_t>(shape.stages) - 1 - static_cast<std::size_t>(position);
            return alternating_split(shape, behind, static_cast<std::size_t>(position));
        }};

}  // namespace shardscope
