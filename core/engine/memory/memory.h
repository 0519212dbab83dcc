// The memory of one GPU at each moment of a step: the sum of the effects E3 to E7, and E8, the overheads of
// the software stack and the peak, which is the fullest moment of the fullest GPU.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiled.h"

namespace shardscope {

enum class Verdict : unsigned char { fits, risky, does_not_fit };
std::string_view name_of(Verdict verdict);  // "does-not-fit"
std::string label_of(Verdict verdict);      // "does not fit"

// The uses of memory. The first kModelStateTerms are model states, which data parallelism can shard (ZeRO,
// FSDP); it does not shard the others.
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
inline constexpr std::size_t kModelStateTerms = 3;
std::string_view name_of(MemoryTerm term);  // "optimizer"
std::string label_of(MemoryTerm term);      // "optimizer state"

// Moments of the step at which memory may peak.
enum class Moment : unsigned char { forward_end, backward, optimizer_step, count };
inline constexpr std::size_t kMoments = static_cast<std::size_t>(Moment::count);
std::string_view name_of(Moment moment);  // "forward-end"
std::string label_of(Moment moment);      // "end of forward"

using MemoryTerms = std::array<double, kMemoryTerms>;

// What a GPU has for a run.
struct MemoryLimits {
    double capacity = 0;  // usable bytes
    double margin = 0;    // bytes above and below the capacity within which the verdict is risky
    // Return the largest peak with the verdict fits, and with the verdict risky; bytes.
    [[nodiscard]] double most_that_fits() const { return capacity - margin; }
    [[nodiscard]] double most_at_risk() const { return capacity + margin; }
};
MemoryLimits memory_limits(const Settings& settings);

struct MemoryUse : MemoryLimits {                   // of one GPU
    std::array<MemoryTerms, kMoments> by_moment{};  // bytes
    Moment peak_moment = Moment::forward_end;
    double peak = 0;      // bytes, of the fullest moment
    double resident = 0;  // bytes of activations that wait for their backward pass, at the end of forward
    double stage = 0;     // pipeline stage of the GPU, counted from 0

    [[nodiscard]] const MemoryTerms& terms() const {
        return by_moment[static_cast<std::size_t>(peak_moment)];
    }
    [[nodiscard]] double at(Moment moment) const;
    // Return the bytes that the framework's allocator has handed out and reserved at the peak moment; the
    // context and the communication buffers are outside of it.
    [[nodiscard]] double allocated() const { return reserved() - term(MemoryTerm::allocator); }
    [[nodiscard]] double reserved() const { return peak - term(MemoryTerm::context); }
    [[nodiscard]] double term(MemoryTerm which) const { return terms()[static_cast<std::size_t>(which)]; }
};

// Compares `peak` bytes with the capacity. Within the margin the verdict is risky.
Verdict verdict_of(double peak, const Settings& settings);

// Returns the memory of the fullest GPU.
MemoryUse memory_use(const Compiled& compiled);
// Returns the memory of a GPU of one stage.
MemoryUse memory_use(const Stage& stage, const Compiled& compiled);

// Returns the allocated bytes of one GPU of each pipeline stage at its peak.
std::vector<double> allocated_by_stage(const Compiled& compiled);

// Returns the sum of the peaks of all GPUs; bytes.
double total_memory(const Compiled& compiled);

// E4: sharded parameters that one GPU of a stage holds unsharded at the same time.
struct UnshardedParameters {
    double weights = 0;
    double weight_bytes = 0;  // layers are gathered in 8 bits with `training.fp8_param_gather`
    double gradients = 0;     // in the backward pass, in the precision in which they are reduced
    double head = 0;          // the LM head's weights, where they are gathered for the logits alone
};
UnshardedParameters unsharded_parameters(const Stage& stage, const Compiled& compiled);

// The parts of the memory of one GPU of a stage, for searches over plans; bytes. StateMemory depends on
// degrees, sharding and offload, and with FSDP on a layered schedule or, where it defers its reductions, on
// the schedule and its micro-batches; ActivationMemory on degrees, micro-batch, schedule and recomputation.
struct StateMemory {
    double weights = 0, gradients = 0, optimizer = 0;
    double gathered_forward = 0, gathered_backward = 0;  // unsharded units of FSDP
    double new_gradient = 0;  // of the largest matrix, before it is accumulated (no FSDP, no placeholders)
    double buffers = 0;       // workspaces, and placeholders of weight gradients
    double on_host = 0;       // in the host's memory, where it leaves less for offloaded activations
};
// E3: returns the bytes of the secondary shards of a stage's weights, which ZeRO++ keeps in every node.
double secondary_shard_bytes(const Stage& stage, const Compiled& compiled);
// E3: returns the bytes by which a stage's weights in low precision exceed weights in 16 bits.
double quantized_weight_bytes(const Stage& stage, const Compiled& compiled);
// Returns whether the gradients of one virtual stage are complete before those of the next one exist.
bool reduces_by_virtual_stage(const Compiled& compiled);
// E4: returns the bytes of the unsharded gradients that FSDP in a pipeline accumulates over the micro-batches
// of a step, for the parameters of a stage.
double unsharded_gradient_bytes(const ModelParameters& parameters, const Compiled& compiled);
// E3: returns the bytes of a stage's state that offload moves to the host, if the host has memory for all of
// it. The state on NVMe drives does not count.
double offloaded_state_bytes(const Stage& stage, const Compiled& compiled);
// Returns the share of that state for which the host has memory.
double state_share_on_host(const Stage& stage, const Compiled& compiled);
StateMemory state_memory(const Stage& stage, const Compiled& compiled);
// E6: returns the bytes of a stage's activations that offload moves to the host, if the host has memory for
// all of them.
double offloaded_activation_bytes(const Stage& stage, const Compiled& compiled);
// Returns the host memory that a GPU of the stage has for offloaded activations; bytes. One limit holds for
// state and activations together (host_memory_share): the state is there for the whole run and comes first,
// activations get what it leaves.
double host_memory_for_activations(const Stage& stage, const Compiled& compiled);
// Returns the share of those activations for which the host has memory.
double activation_share_on_host(const Stage& stage, const Compiled& compiled);
// The activations of a stage and the temporary buffers of its passes; bytes.
struct ActivationMemory {
    double held = 0;       // activations of all micro-batches in flight that are not offloaded
    double working = 0;    // of the layer in its backward pass, recomputed or not, whichever needs more
    double attention = 0;  // buffers of context parallelism in a forward pass
    double logits = 0;
    double held_back = 0;    // freed, but not reusable yet
    double offloaded = 0;    // activations of all micro-batches in flight that move to the host
    double host_memory = 0;  // of this GPU, for offloaded state and activations together
    // Returns the activations on the GPU if `state_on_host` bytes of the host's memory hold state: those that
    // are not offloaded, and those for which the host has no memory.
    [[nodiscard]] double resident(double state_on_host = 0) const;
};
ActivationMemory activation_memory(const Stage& stage, const Compiled& compiled);
// The part of ActivationMemory that one micro-batch needs. It depends on degrees, micro-batch and
// recomputation.
struct MicroBatchMemory {
    double held = 0;       // its activations and buffers until its backward pass
    double offloaded = 0;  // its activations that move to the host
    // As in ActivationMemory, for all of the micro-batch at once; `working` is that of the backward pass of a
    // layer that is not recomputed.
    double working = 0, attention = 0, held_back = 0;
    double recomputing = 0;  // as `working`, of a layer that is recomputed
    double stored = 0;  // part of `held` that is free again before the recomputation of a layer needs most
};
MicroBatchMemory micro_batch_memory(const Stage& stage, const Compiled& compiled);
// The part of ActivationMemory that the schedule decides.
struct ScheduleMemory {
    double in_flight = 1;  // micro-batches
    double share = 1;      // of a micro-batch that one pass processes
    double logits = 0;
    double host_memory = 0;  // of one GPU, if activations are offloaded; offloaded state is not subtracted
};
ScheduleMemory schedule_memory(const Stage& stage, const Compiled& compiled);
ActivationMemory activation_memory(const MicroBatchMemory& micro_batch, const ScheduleMemory& schedule);
// E6: returns the micro-batches whose activations a stage holds at the same time.
double micro_batches_in_flight(const Stage& stage, const Compiled& compiled);
// Returns the memory of a GPU with `state` and `work` at its fullest moment; bytes. It grows with every field
// of both but host_memory, also in rounded arithmetic.
double peak_memory(const StateMemory& state, const ActivationMemory& work, const Compiled& compiled);
// What the activations and buffers need at the end of forward and at the start of backward; bytes.
struct ActivationBytes {
    double forward = 0, backward = 0;
};
// They are the least for any state: offloaded state may leave no host memory for offloaded activations.
ActivationBytes bytes_of(const ActivationMemory& work);
// Returns the most that the activations and buffers of a GPU with `state` may need for its peak not to exceed
// `bytes`, exact but for rounding errors. It is negative if the state alone needs more. Freed tensors that
// are not reusable yet are not counted, because they do not change a verdict. Neither are activations that
// stay on the GPU because the state fills the host's memory.
ActivationBytes activation_limit(const StateMemory& state, double bytes, const Compiled& compiled);

}  // namespace shardscope
