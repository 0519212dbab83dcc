// The difference between the step times of two runs, divided among the inputs in which they differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// What a bar of the waterfall changes, in the order in which the forward pass changes it.
enum class GapClass : unsigned char {
    model,
    gpu_count,
    batch,
    plan,  // degrees of parallelism, schedule, sharding
    gpu,   // peaks, memory and the kernels' efficiencies on it
    network,
    precision,
    recompute,  // with offload of activations
    overlap,    // with CUDA graphs
    routing,    // of experts
    software,   // constants of the stack and its version
    rest,
    count
};
inline constexpr std::size_t kGapClasses = static_cast<std::size_t>(GapClass::count);
std::string_view name_of(GapClass kind);  // "gpu_count"
std::string label_of(GapClass kind);      // "Number of GPUs"
GapClass class_of(P id);

struct GapInput {
    P id;
    double from, to;
};

struct GapBar {
    std::vector<GapClass> classes;  // several where they change together
    double seconds = 0;             // the mean of the two orders
    double forward = 0, backward = 0;
    std::vector<GapInput> inputs;  // those that differ and can change a step
};

struct StepGap {
    double from = 0, to = 0;                      // s, measured where there is a measurement
    double predicted_from = 0, predicted_to = 0;  // s
    // predicted − measured of `from`, and measured − predicted of `to`; 0 without a measurement.
    double unexplained_from = 0, unexplained_to = 0;
    std::vector<GapBar> bars;  // without those of classes that are equal

    // from + unexplained_from + Σ bars + unexplained_to, which is `to`.
    [[nodiscard]] double sum() const;
};

std::string label_of(const GapBar& bar);  // "Batch + Plan"

// Changes the inputs of `from` to those of `to`, one class after the other, once in the order of GapClass and
// once in the reverse order, and takes the mean of both, so that the order of the classes hardly matters.
// Where a scenario on the way is not valid, the classes change in the nearest order in which all are. Only
// classes that have no such order change together, and those whose bars would be far longer than both steps
// and cancel each other out, such as the number of GPUs and the batch of a small and a large run. The global
// batch is the work of a step: where the plan or the number of GPUs changes first, the accumulation follows.
// Both answers must be valid; a measured time of 0 means that there is none.
StepGap step_gap(const Answer& from, double measured_from, const Answer& to, double measured_to);

}  // namespace shardscope
