// The conventions in which MFU and TFLOP/s are quoted: one throughput in all of them, and a quoted number
// converted back to a throughput.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// What the conventions count, per token of one step, forward and backward.
struct FlopCounts {
    double parameters = 0;        // that a token passes through, with embeddings and head
    double total_parameters = 0;  // of the whole model; larger with experts
    double embedding = 0;         // parameters of the token embedding, if the head has weights of its own
    double positions = 0;         // parameters of learned positions
    double head = 0;              // of the head: vocabulary × hidden size
    double predictions = 0;       // prediction layers (MTP), each of which uses the head once more
    bool tied = false;            // embedding and head are the same parameters, counted once
    double attention = 0;         // FLOPs of scores and values, without a causal mask: 12·L·a·d·s
    double recurrence = 0;        // FLOPs of linear attention and Mamba-2, which have no mask
    double executed = 0;          // FLOPs that the kernels execute, with recomputation
    double listed = 0;            // model FLOPs of a model that is a list of operators, else 0
};
FlopCounts flop_counts(const Answer& answer);

// How many FLOPs a convention counts.
struct Convention {
    std::string_view name;  // "palm"
    const char* formula;  // "6·N + 12·L·a·d·s"; translatable. Recurrences, which few models have, are added
    const char* used_by;  // translatable
    const char* source;
    double (*flops)(const FlopCounts& counts);
    bool (*applies)(const FlopCounts& counts);
    bool counts_idle_experts = false;  // its rate may exceed the peak
};
std::span<const Convention> conventions();
const Convention* find_convention(std::string_view name);

// The peak that a share refers to.
enum class PeakKind : unsigned char { dense, bf16, fp8, sparse };
inline constexpr std::size_t kPeakKinds = 4;
std::string_view name_of(PeakKind kind);  // "sparse"
// Returns FLOP/s: of the precision in use, of bf16, of fp8, and of the first with 2:4 sparsity, which data
// sheets quote. NaN where the GPU has none.
double peak_flops(const Answer& answer, PeakKind kind);

// One throughput in one convention.
struct ConventionValue {
    const Convention* convention = nullptr;
    double flops_per_token = 0;
    double rate = 0;                         // FLOP/s of one GPU
    std::array<double, kPeakKinds> share{};  // of each peak; NaN where the GPU has no such peak
};
// The conventions that apply to the model. `answer` must be valid.
std::vector<ConventionValue> in_conventions(const Answer& answer, double tokens_per_s_per_gpu);

// A number as a source quotes it.
struct QuotedValue {
    const Convention* convention = nullptr;
    PeakKind peak = PeakKind::dense;
    bool is_share = true;  // MFU or HFU; otherwise FLOP/s of one GPU
    double value = 0;
};
// Reads "41.2 %", "0.412", "407 TFLOP/s" or "407 TFLOPs/GPU", and a convention's name with an optional peak:
// "palm", "megatron/bf16". Adds problems of --value and --as.
QuotedValue parse_quoted_value(const std::string& value, const std::string& name, Problems& problems);
// Returns whether the value is or means a rate above the peak of the precision in use, which no GPU reaches
// unless the convention counts idle experts. A share of the peak of another precision may exceed 100 %.
bool exceeds_peak(const Answer& answer, const QuotedValue& quoted);
// Returns tokens/s of one GPU; NaN where the convention or the peak does not apply.
double tokens_per_s(const Answer& answer, const QuotedValue& quoted);

}  // namespace shardscope
