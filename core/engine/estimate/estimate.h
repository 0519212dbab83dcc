// Second of the three steps: memory, step time, throughput, walls. Pure: no heap, no I/O, no exceptions; what
// does not fit is an answer with its numbers.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "compile/compiled.h"
#include "memory/memory.h"
#include "model/step_terms.h"
#include "step/step.h"
#include "time/rates.h"
#include "training/run.h"

namespace shardscope {

enum class Wall : unsigned char {
    memory,
    compute,
    memory_bandwidth,
    intra_node,
    inter_node,
    latency,
    balanced
};
std::string_view name_of(Wall wall);  // "inter-node"
std::string label_of(Wall wall);      // "inter-node"

struct Estimate {  // what a scenario comes to
    Verdict verdict = Verdict::fits;
    MemoryUse memory;
    StepTime step;  // as if it fitted
    Wall wall = Wall::compute;
    std::array<double, kRates> elasticity{};  // share of the step each rate bounds; sums to 1

    double parameters = 0;
    double tokens_per_gpu = 0;  // per optimizer step
    double tokens_per_s_per_gpu = 0;
    double tokens_per_s = 0;
    double mfu = 0;
    double predicted_mfu = 0;  // what it would be if it were not set by hand
    double hfu = 0;            // FLOPs executed, recomputed ones included, of the peak's
    double mfu_bf16_peak = 0;  // of fp8 runs, else equal to mfu
    double band_low = 0;       // of tokens/s/GPU
    double band_high = 0;
    double power_per_gpu = 0;  // W
    double tokens_per_joule = 0;
    TrainingRun run;
    IdealEstimate ideal;

    // E22: T = T_cp + T_cm − T_ol + T_sd.
    [[nodiscard]] double compute_time() const;
    [[nodiscard]] double communication_time() const;
    [[nodiscard]] double exposed_communication() const;  // T_cm − T_ol
    [[nodiscard]] double schedule_time() const;
    // Step time ÷ predicted step time: 1 unless the MFU is set by hand.
    [[nodiscard]] double stretch() const { return mfu > 0 ? predicted_mfu / mfu : 1; }
    [[nodiscard]] bool fits() const { return verdict != Verdict::does_not_fit; }
};

Estimate estimate(const Compiled& compiled);
// Whether hardware could do it: no more FLOPs executed than the peak allows (HFU at most 1), times and bytes
// finite and above zero, shares within 0…1. Anything else is an error of the engine, or of an MFU set by
// hand.
bool is_possible(const Estimate& estimate);

}  // namespace shardscope
