#include "logs/steady_state.h"

#include <algorithm>
#include <cmath>

#include "evidence/validation.h"

namespace shardscope::logs {
namespace {

constexpr std::size_t kFewest = 3;
constexpr double kSlower = 1.05;  // than the steady state
constexpr double kLowest = 0.1;   // quantiles of the spread
constexpr double kHighest = 0.9;

// Returns the values of the samples that no interruption and no other batch excludes.
std::vector<double> uninterrupted(std::span<const StepSample> samples, LeftOutSteps& left_out) {
    std::vector<double> out;
    const double batch = samples.back().global_batch;
    for (const StepSample& sample : samples) {
        if (sample.global_batch != batch) ++left_out.other_batch;
        else if (sample.interruption == Interruption::restart) ++left_out.restart;
        else if (sample.interruption == Interruption::evaluation) ++left_out.evaluation;
        else if (sample.interruption == Interruption::checkpoint) ++left_out.checkpoint;
        else out.push_back(sample.value);
    }
    return out;
}

void remove_warm_up(std::vector<double>& values, LeftOutSteps& left_out) {
    if (values.size() < kFewest) return;
    const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
    const double reference = quantile({values.begin() + half, values.end()}, 0.5);
    const auto slow = [&](double value) { return value > kSlower * reference; };
    const auto first = std::find_if_not(values.begin() + 1, values.begin() + half, slow);
    left_out.warm_up = static_cast<std::size_t>(first - values.begin());
    values.erase(values.begin(), first);
}

void remove_outliers(std::vector<double>& values, LeftOutSteps& left_out) {
    if (values.size() < kFewest) return;
    constexpr double kLargestScore = 3.5;
    constexpr double kNormal = 0.6745;  // the median absolute deviation of a normal distribution, in σ
    constexpr double kFloor = 0.05;
    const double middle = quantile(values, 0.5);
    std::vector<double> deviations;
    deviations.reserve(values.size());
    for (const double value : values) deviations.push_back(std::fabs(value - middle));
    const double largest = std::max(kLargestScore / kNormal * quantile(deviations, 0.5), kFloor * middle);
    left_out.outliers =
        std::erase_if(values, [&](double value) { return std::fabs(value - middle) > largest; });
}

}  // namespace

SteadyState steady_state(std::span<const StepSample> samples) {
    SteadyState out;
    out.logged = samples.size();
    if (samples.empty()) return out;
    std::vector<double> values = uninterrupted(samples, out.left_out);
    // A log may have an evaluation or a checkpoint before every step that it shows.
    if (values.empty()) {
        out.left_out = {.other_batch = out.left_out.other_batch};
        for (const StepSample& sample : samples)
            if (sample.global_batch == samples.back().global_batch) values.push_back(sample.value);
    }
    remove_warm_up(values, out.left_out);
    remove_outliers(values, out.left_out);
    out.median = quantile(values, 0.5);
    out.low = quantile(values, kLowest);
    out.high = quantile(values, kHighest);
    return out;
}

}  // namespace shardscope::logs
