// What lies in one GPU's memory at each moment of a step: the sum of the effects E3 to E7, and E8: what the
// software stack adds, and the fullest moment of the fullest GPU.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "compile/compiled.h"

namespace shardscope {

enum class Verdict : unsigned char { fits, risky, does_not_fit };
std::string_view name_of(Verdict verdict);  // "does-not-fit"
std::string label_of(Verdict verdict);      // "does not fit"

// What memory is used for. First what GPUs share out among them, then what stays with each.
enum class MemoryTerm : unsigned char {
    weights,
    gradients,
    optimizer,
    gathered,
    activations,
    logits,
    context,
    allocator,
    count
};
inline constexpr std::size_t kMemoryTerms = static_cast<std::size_t>(MemoryTerm::count);
inline constexpr std::size_t kSharedMemoryTerms = 3;
std::string_view name_of(MemoryTerm term);  // "optimizer"
std::string label_of(MemoryTerm term);      // "optimizer state"

// Moments of the step at which memory may peak.
enum class Moment : unsigned char { forward_end, backward, optimizer_step, count };
inline constexpr std::size_t kMoments = static_cast<std::size_t>(Moment::count);
std::string_view name_of(Moment moment);  // "forward-end"
std::string label_of(Moment moment);      // "end of forward"

using MemoryTerms = std::array<double, kMemoryTerms>;

struct MemoryUse {                                  // of the fullest GPU
    std::array<MemoryTerms, kMoments> by_moment{};  // bytes
    Moment peak_moment = Moment::forward_end;
    double peak = 0;      // bytes, of the fullest moment
    double capacity = 0;  // usable bytes
    double stage = 0;     // of the fullest GPU, counted from the front of the pipeline
    double margin = 0;    // bytes either side of the capacity within which the verdict is risky

    [[nodiscard]] const MemoryTerms& terms() const {
        return by_moment[static_cast<std::size_t>(peak_moment)];
    }
    [[nodiscard]] double at(Moment moment) const;
};

// Of `peak` bytes against the capacity, give or take the margin.
Verdict verdict_of(double peak, const Settings& settings);

// Of the fullest GPU.
MemoryUse memory_use(const Compiled& compiled);
// Of one stage's.
MemoryUse memory_use(const Stage& stage, const Compiled& compiled);

// The peaks of all GPUs of the run; bytes.
double total_memory(const Compiled& compiled);

// E4: parameters of one GPU of a stage that are whole at once although they are shared out.
struct GatheredUnits {
    double weights = 0;
    double gradients = 0;  // in the backward pass, until they are reduced
};
GatheredUnits gathered_units(const Stage& stage, const Compiled& compiled);

// The same in parts, for searches over plans. What lies on one GPU of a stage…
// … of the state: by degrees, sharding and offload; bytes,
struct StateMemory {
    double weights = 0, gradients = 0, optimizer = 0;
    double gathered_forward = 0, gathered_backward = 0;  // FSDP's whole units
};
StateMemory state_memory(const Stage& stage, const Compiled& compiled);
// … and of the work: by degrees, micro-batch, schedule and recomputation; bytes.
struct WorkMemory {
    double resident = 0;  // activations of all micro-batches in flight
    double working = 0;   // of the layer that is computed again
    double logits = 0;
};
WorkMemory work_memory(const Stage& stage, const Compiled& compiled);
// E6: micro-batches whose activations a stage holds at once.
double held_micro_batches(const Stage& stage, const Compiled& compiled);
// The fullest moment of a GPU that holds both; bytes.
double peak_memory(const StateMemory& state, const WorkMemory& work, const Compiled& compiled);

}  // namespace shardscope
