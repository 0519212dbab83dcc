// Fuzzes measurements of one GPU: the numbers read are above 0, and the fitted constants are in their ranges.
#include "evidence/gpu_benchmark.h"

#include <cmath>

#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"

using namespace shardscope;

namespace {

bool positive(double value) { return std::isfinite(value) && value > 0; }

void check_fit(const GpuBenchmark& measured) {
    Problems problems;
    const KernelFit fit =
        fit_kernels(measured, {989e12, 989e12, 67e12, 3.35e12}, problems, MeasuredOn::anything);
    fuzz::check_problems(problems);
    if (!problems.empty()) return;
    for (const KernelConstant& constant : fit.constants) {
        const Parameter& row = parameter(constant.id);
        fuzz::promise(constant.value >= row.minimum && constant.value <= row.maximum,
                      "a constant is in its range");
        fuzz::promise(constant.uncertainty >= 0, "an uncertainty is not negative");
    }
    fuzz::promise(std::isfinite(fit.rms), "the fit's error is a number");
}

void run(std::string_view text) {
    Problems problems;
    const GpuBenchmark measured = read_gpu_benchmark(text, problems);
    fuzz::check_problems(problems);
    if (!problems.empty()) return;
    for (const GemmMeasurement& gemm : measured.gemm)
        fuzz::promise(positive(gemm.m) && positive(gemm.n) && positive(gemm.k) && positive(gemm.seconds),
                      "a matrix product has sizes and a time");
    for (const AttentionMeasurement& one : measured.attention)
        fuzz::promise(positive(one.batch) && positive(one.heads) && positive(one.sequence) &&
                          positive(one.head_size) && positive(one.forward) && positive(one.backward),
                      "attention has sizes and times");
    for (const StreamingMeasurement& one : measured.streaming)
        fuzz::promise(positive(one.bytes) && positive(one.seconds), "streaming has a size and a time");
    for (const BlockMeasurement& one : measured.blocks) {
        fuzz::promise(positive(one.step) && positive(one.parameters), "a block has a time and parameters");
        for (const auto& [id, value] : one.settings)
            fuzz::promise(std::isfinite(value), "a block's settings are numbers");
    }
    // A fit of many times takes long and tests nothing new.
    if (measured.gemm.size() + measured.attention.size() + measured.streaming.size() <= 30 &&
        fuzz::runs_slow_checks(text, 16))
        check_fit(measured);
}

const fuzz::Registration kRegistered({"measurements", run, fuzz::mutate_json});

}  // namespace
