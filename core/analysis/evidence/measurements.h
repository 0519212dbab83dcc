// Measurements of one GPU (resources/measure/measure_gpu.py): reading the file, and finding the constants of
// E9 and E10 in it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

// Training steps of a small model. What it does not say follows from `mlp`: plain models have biases, learned
// positions as long as the sequence and tied embeddings, gated ones have none of these (as a measured run
// whose table is silent).
struct BlockMeasurement {
    Values settings;            // of the model and its training, to give to a scenario
    double step = 0;            // s
    double peak_allocated = 0;  // bytes the program asked for; 0 when not measured, as are the next two
    double peak_reserved = 0;   // bytes its allocator held
    double device = 0;          // bytes the driver shows as taken
    double parameters = 0;
};

struct Measurements {
    std::string gpu;                         // as the driver names it
    std::string driver, torch, cuda, cudnn;  // versions; empty when not known
    std::string created;                     // ISO date
    bool on_cpu = false;
    std::vector<GemmMeasurement> gemm;
    std::vector<AttentionMeasurement> attention;
    std::vector<StreamingMeasurement> streaming;
    std::vector<BlockMeasurement> blocks;
    std::size_t skipped = 0;  // cases the script gave up: no memory, no time, no kernel
};

// Every problem is reported at once; the measurements mean something only when there is none.
Measurements read_measurements(std::string_view text, Problems& problems);

// What the GPU's data sheet promises. A peak that is not known is 0 or NaN.
struct NominalRates {
    double peak_bf16 = 0;  // FLOP/s, dense
    double peak_fp16 = 0;
    double peak_fp32 = 0;
    double memory_bandwidth = 0;  // B/s
};

// Measurements of a CPU say nothing about a GPU; they are good for trying the way.
enum class MeasuredOn { gpu, anything };

struct KernelConstant {
    P id = P::gemm_efficiency;
    double value = 0;
    double prior = 0;        // the parameter table's default
    double uncertainty = 1;  // standard deviation the data leave ÷ the prior's

    // Beyond it the value is the prior rather than a finding.
    static constexpr double kIdentified = 0.7;
    [[nodiscard]] bool identified() const { return uncertainty <= kIdentified; }
};

struct KernelFit {
    // Of gemm_efficiency, gemm_half_depth, gemm_half_area, attention_efficiency and memory_efficiency, in
    // this order. The attention efficiency found is that of the measured kernel: it holds what
    // `attention_generation` stands for elsewhere.
    std::array<KernelConstant, 5> constants;
    Precision precision = Precision::bf16;  // of the matrices that were fitted
    std::size_t used = 0;                   // times that were fitted
    // Times left out: matrices of another precision, attention without a fused kernel.
    std::size_t left_out = 0;
    // Root mean square of log(predicted ÷ measured): of all times used, and of each kind.
    double rms = 0, rms_gemm = 0, rms_attention = 0, rms_streaming = 0;

    [[nodiscard]] const KernelConstant& operator[](P id) const;
};

// Finds the constants, or says why the measurements do not serve. `measured` has been read without problems.
// Means something only when no problem is added.
KernelFit fit_kernels(const Measurements& measured, const NominalRates& nominal, Problems& problems,
                      MeasuredOn allowed = MeasuredOn::gpu);

}  // namespace shardscope
