// ZB-H2: more forward passes start before the first backward pass, and weight-gradient passes fill the
// remaining gaps, so that nearly no bubble is left for twice the activations of 1F1B. The optimizer must not
// wait for all stages. A weight-gradient pass that is longer than the forward pass, or than the mean of the
// forward and the input-gradient pass, delays its neighbours.
#include <algorithm>

#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {

const Schedule kZbH2{
    .kind = ScheduleKind::zb_h2,
    .title = translatable("zero bubble, H2"),
    .rule = translatable(
        "bubble (p − 1)·(F + B) − min(2·(p − 1), m − 1)·min(F, (F + B) ÷ 2, W), B the input and W "
        "the weight gradient; every stage holds min(m, 2·p − 1) micro-batches"),
    .source = translatable("Qi et al. 2023, arXiv 2401.10241, for W ≤ F, B and m ≥ 2·p − 1; otherwise found "
                           "by executing the order"),
    .splits_backward = true,
    .fills_gaps = true,
    .steps_overlap = true,
    .bubble =
        [](const PipelineShape& shape, const StageTimes& t, const StageTimes& filling) {
            const double weights = std::min(2 * (shape.stages - 1), shape.micro_batches - 1);
            const Time both = t.forward + t.backward + -1.0 * t.weight_gradient;
            const Time half = 0.5 * both;
            const Time& gap = shorter(shorter(filling.weight_gradient, filling.forward), half);
            return (shape.stages - 1) * both + -weights * gap;
        },
    .in_flight = [](const PipelineShape& shape,
                    double) { return std::min(shape.micro_batches, 2 * shape.stages - 1); },
    .order =
        [](const PipelineShape& shape, int position) {
            const auto behind =
                static_cast<std::size_t>(shape.stages) - 1 - static_cast<std::size_t>(position);
            return alternating_split(shape, 2 * behind, 2 * static_cast<std::size_t>(position));
        }};

}  // namespace shardscope
