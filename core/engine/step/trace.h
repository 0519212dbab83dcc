// The trace of one pipeline stage's step: everything that lengthens the step or overlaps with it, in groups
// of equal items. The step's time and its terms (step.h) are sums over the trace, and so are the planner's
// bounds (bounds.h): of the passes without traffic, and of the terms that no compute hides. The timeline
// distributes the trace over the passes (explore/pass_breakdown.h).
//
// The number of groups is bounded, so a trace needs no heap.
#pragma once

#include <array>

#include "containers/bounded_list.h"
#include "effects/overlap.h"
#include "step/layers.h"

namespace shardscope {

enum class Phase : unsigned char { forward, backward, update };  // update: after all passes

// The layers of a stage, by how their communication overlaps with compute; see LayerPositions.
enum class LayerPosition : unsigned char { inner, beside_end, at_end, inner_and_end };
// The visits of a layer: all of them, the one with the most traffic (the first one forward, the last one
// backward), or the others.
enum class Visits : unsigned char { all, with_most_traffic, others };

// Equal passes of one kind of layer in one direction. Each overlaps with `traffic`, while the host issues the
// kernels that follow. Passes without traffic are one group, whatever their position and visit.
struct LayerPasses {
    std::size_t kind = 0;
    Phase phase = Phase::forward;
    LayerPosition position = LayerPosition::inner;
    Visits visits = Visits::all;
    double count = 0;      // items per step; an item is `together` passes
    double together = 1;   // consecutive passes of one layer that overlap with the same traffic
    Time busy;             // compute of one item, including recomputation
    double recompute = 0;  // s of busy that repeat the forward pass
    Time weight_gradient;  // the part of busy that a schedule may compute later
    Time traffic;
    double gather = 0;  // s, the part of traffic that gathers weights
    double fetch = 0;   // s, the part of gather that fetches offloaded weights from the host
    Time offload;     // transfers of offloaded activations, by the copy engines: they slow nothing else down
    double host = 0;  // s, the host's time to issue one item
    Exposure exposure;  // of the traffic that overlaps with busy
    Time time;          // of one item: compute and traffic, or the transfer or the host if it takes longer

    [[nodiscard]] bool has_traffic() const { return traffic.total() > 0; }
    // Returns the share of the traffic on the link to the host; the rest is between GPUs.
    [[nodiscard]] double fetched_share() const { return fetch > 0 ? fetch / traffic.total() : 0; }
    [[nodiscard]] Time device() const { return longer(exposure.both, offload); }
    [[nodiscard]] double waits_for_offload() const { return device().total() - exposure.both.total(); }
    [[nodiscard]] double waits_for_host() const { return time.total() - device().total(); }
};

// Returns the time that the passes would take if their compute took `busy`.
Time passes_time(const LayerPasses& passes, const Time& busy, const Compiled& c);

// Returns the passes of a stage's layers of one kind in one direction, with their compute and the host's time
// alone: without traffic, `exposure` and `time`.
LayerPasses computing_passes(const Stage& stage, const Layers& layers, std::size_t kind, Phase phase,
                             const Passes& passes);

// The frequency of a term: once per step, per visit of a layer (see Passes), per pass, or per pass of a visit
// after its first one.
enum class Frequency : unsigned char { step, visit, pass, further_pass };
inline constexpr std::size_t kFrequencies = 4;
// Returns how often each frequency occurs in a step.
inline std::array<double, kFrequencies> occurrences(const Passes& passes) {
    const double visits = passes.visits();
    return {1, visits, passes.count, passes.count - visits};
}

// A term that no compute hides.
struct UnhiddenTerm {
    StepTerm term = StepTerm::network;
    Phase phase = Phase::update;  // memory copies count as backward, although FSDP copies in both passes
    Frequency frequency = Frequency::step;
    Time time;  // of one occurrence
};

// Communication before the first and after the last layer, the fetch of that layer's weights from the host,
// memory copies, optimizer and host.
using UnhiddenTerms = BoundedList<UnhiddenTerm, 11>;
UnhiddenTerms unhidden_terms(const Stage& stage, const Layers& layers, const Compiled& c);

// Returns the time of all messages between stages in a step.
Time messages_of_step(const Compiled& c);

// The passes of all layers of a stage, in groups of equal ones.
using LayerTrace = BoundedList<LayerPasses, 8 * kLayerKinds + 4>;  // the last layer's kind has some more
LayerTrace layer_trace(const Stage& stage, const Layers& layers, const Compiled& c);

struct StepTrace {
    // `layers` must live as long as the trace.
    StepTrace(const Stage& of, const Layers& with, const Compiled& c);
    // Returns the passes of a layer, at the stage's end or not, in the visit with the most traffic or
    // another.
    [[nodiscard]] const LayerPasses& passes(std::size_t kind, Phase phase, bool at_end,
                                            bool most_traffic) const;

    const Stage& stage;
    LayerTrace layers;
    UnhiddenTerms unhidden;
    Time messages;  // they overlap with compute
};

// Returns the times of one micro-batch on the average stage, without messages.
StageTimes average_stage(const Compiled& c, const Layers& layers);
// Returns `stage` plus one message per virtual stage and sequence chunk.
StageTimes with_messages(StageTimes stage, const Compiled& c);

}  // namespace shardscope
