// Benchmarks of one GPU (resources/measure/measure_gpu.py): reads the file and fits the constants of E9 and
// E10.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/gpu_rates.h"
#include "model/operator_time.h"
#include "parameters/parameter.h"
#include "scenario/preset.h"
#include "text/problem.h"

namespace shardscope {

struct GemmMeasurement {
    double m = 0, n = 0, k = 0;  // C[m×n] = A[m×k]·B[k×n]
    Precision precision = Precision::bf16;
    double seconds = 0;
};

struct AttentionMeasurement {
    double batch = 0, heads = 0, sequence = 0, head_size = 0;
    AttentionKernel kernel = AttentionKernel::flash;
    bool causal = true;
    double forward = 0;   // s
    double backward = 0;  // s, without the forward pass
};

struct StreamingMeasurement {
    double bytes = 0;  // read and written
    double seconds = 0;
};

// Training steps of a small model. Properties that are not given follow from `mlp`, as in the table of runs:
// plain models have biases, learned positions as long as the sequence and tied embeddings, gated models have
// none of these.
struct BlockMeasurement {
    Values settings;            // of the model and its training, to give to a scenario
    double step = 0;            // s
    double peak_allocated = 0;  // allocated bytes; 0 if not measured, as are the next two
    double peak_reserved = 0;   // bytes reserved by the caching allocator
    double device = 0;          // bytes of device memory in use, as the driver reports
    double parameters = 0;
};

struct GpuBenchmark {
    std::string gpu;                         // the driver's name for it
    std::string driver, torch, cuda, cudnn;  // versions; empty if not known
    std::string created;                     // ISO date
    bool on_cpu = false;
    std::vector<GemmMeasurement> gemm;
    std::vector<AttentionMeasurement> attention;
    std::vector<StreamingMeasurement> streaming;
    std::vector<BlockMeasurement> blocks;
    std::size_t skipped = 0;  // cases that the script skipped for lack of memory, time or a kernel
};

// Reports every problem; the measurements are meaningful only if there is none.
GpuBenchmark read_gpu_benchmark(std::string_view text, Problems& problems);

// The rates of the GPU's data sheet. A peak that is not known is 0 or NaN.
struct NominalRates {
    double peak_bf16 = 0;  // FLOP/s, dense
    double peak_fp16 = 0;
    double peak_fp32 = 0;
    double memory_bandwidth = 0;  // B/s
    AttentionLimits attention{};
};

// Whether measurements of a CPU are accepted. They carry no information on a GPU, but serve for tests of the
// procedure.
enum class MeasuredOn { gpu, anything };

struct KernelConstant {
    P id = P::gemm_efficiency;
    double value = 0;
    double prior = 0;        // the parameter table's default
    double uncertainty = 1;  // remaining standard deviation ÷ the prior's

    // With a larger uncertainty the value is mainly the prior.
    static constexpr double kIdentified = 0.7;
    [[nodiscard]] bool identified() const { return uncertainty <= kIdentified; }
};

struct KernelFit {
    // gemm_efficiency, gemm_half_depth, gemm_half_area, attention_efficiency and memory_efficiency, in this
    // order. The attention efficiency is that of the measured kernel, so that it includes the factor
    // `attention_generation`.
    std::array<KernelConstant, 5> constants;
    Precision precision = Precision::bf16;  // of the matrices that were fitted
    std::size_t used = 0;                   // number of times in the fit
    // Number of times left out: matrices of another precision, attention without a fused kernel.
    std::size_t left_out = 0;
    // Root mean square of log(predicted ÷ measured): of all times used, and of each kind.
    double rms = 0, rms_gemm = 0, rms_attention = 0, rms_streaming = 0;

    [[nodiscard]] const KernelConstant& operator[](P id) const;
};

// Fits the constants, or adds a problem that explains why the measurements cannot be used; the result is then
// meaningless. `measured` must have been read without problems.
KernelFit fit_kernels(const GpuBenchmark& measured, const NominalRates& nominal, Problems& problems,
                      MeasuredOn allowed = MeasuredOn::gpu);

}  // namespace shardscope
