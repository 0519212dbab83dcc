// The second of the three steps compile → estimate → explain: memory, step time, throughput and walls. It
// uses no heap, no I/O and no exceptions. A scenario that does not fit has a complete estimate, too.
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
    host_link,  // the link to the host or its memory, whose rate is counted as intra-node bandwidth
    balanced
};
// Returns the name in files: "inter-node". The link to the host counts as "intra-node" there, like its rate.
std::string_view name_of(Wall wall);
std::string label_of(Wall wall);  // on screen: "host link"

struct Estimate {  // the prediction for one scenario
    Verdict verdict = Verdict::fits;
    MemoryUse memory;
    StepTime step;  // also if the scenario does not fit
    Wall wall = Wall::compute;
    std::array<double, kRates> elasticity{};  // share of the step that each rate bounds; the sum is 1

    double parameters = 0;
    double tokens_per_gpu = 0;  // per optimizer step
    double tokens_per_s_per_gpu = 0;
    double tokens_per_s = 0;
    double mfu = 0;
    double predicted_mfu = 0;  // the MFU of the prediction, also if the MFU is set by hand
    double hfu = 0;            // executed FLOPs, including recomputed ones, as a share of the peak
    double mfu_bf16_peak = 0;  // relative to the bf16 peak; differs from mfu only for fp8
    double power_per_gpu = 0;  // W
    double tokens_per_joule = 0;
    TrainingRun run;
    IdealEstimate ideal;

    // E22: T = T_cp + T_cm − T_ol + T_sd.
    [[nodiscard]] double compute_time() const;
    [[nodiscard]] double communication_time() const;
    [[nodiscard]] double exposed_communication() const;  // T_cm − T_ol
    [[nodiscard]] double waiting_time() const;
    // Returns the share of the step that the links between GPUs limit beyond what the link to the host
    // limits. Where it is negative the link to the host is most of what intra-node bandwidth limits.
    [[nodiscard]] double links_over_host_link() const;
    // Returns the wall of a step that this rate bounds.
    [[nodiscard]] Wall wall_of(Rate rate) const;
    // Returns step time ÷ predicted step time, which is 1 unless the MFU is set by hand.
    [[nodiscard]] double stretch() const { return mfu > 0 ? predicted_mfu / mfu : 1; }
    [[nodiscard]] bool fits() const { return verdict != Verdict::does_not_fit; }
};

Estimate estimate(const Compiled& compiled);
// Returns whether hardware could reach the estimate: HFU is at most 1, times and bytes are finite and above
// zero, and shares are within 0…1. Any other estimate is an error of the engine, or of an MFU set by hand.
bool is_possible(const Estimate& estimate);

}  // namespace shardscope
