// The step of one pipeline stage as one value: everything that lengthens it or runs below it, in groups that
// are alike. The step's time and its terms (step.h), the timeline and the planner's bounds are sums over it.
//
// No heap: the number of groups is bounded.
#pragma once

#include <array>
#include <span>

#include "effects/overlap.h"
#include "step/layers.h"

namespace shardscope {

enum class Phase : unsigned char { forward, backward, end };  // the end: reductions, optimizer, next gathers
enum class Stream : unsigned char { compute, network, host };

// Passes of one kind of layer in one direction that are alike: each computes while `traffic` travels, and
// meanwhile the host issues the work that follows.
struct LayerPasses {
    const Layer* layer = nullptr;
    Phase phase = Phase::forward;
    double count = 0;      // of them in a step
    double together = 1;   // passes of one layer in a row, with the traffic below all of them
    Time pass;             // what they compute,
    Time recompute;        // the part of the forward pass that they repeat,
    Time weight_gradient;  // the part of `pass` that zero-bubble schedules compute later
    Time traffic;
    Exposure exposure;  // of the traffic below the computing
    Time time;          // of all that, with the host; the longest counts

    [[nodiscard]] Time busy() const { return pass + recompute; }
    [[nodiscard]] double waits_for_host() const { return time.total() - exposure.both.total(); }
};

// What the passes would take if they computed for `busy` only.
Time time_of(const LayerPasses& passes, const Time& busy, const Compiled& c);

// How often something comes in a step. A layer's turn is the passes that it does before other layers work.
enum class Frequency : unsigned char { step, turn, pass, further_pass };  // further: beyond the first of a turn
double count_of(Frequency frequency, const Passes& passes);

// What no compute hides.
struct UnhiddenTerm {
    StepTerm term = StepTerm::network;
    Stream stream = Stream::compute;
    Phase phase = Phase::end;
    Frequency frequency = Frequency::step;
    Time time;  // of one
};

template <typename Item, std::size_t kMost>
class BoundedList {
  public:
    void add(const Item& item) { items_[size_++] = item; }
    [[nodiscard]] std::span<const Item> items() const { return {items_.data(), size_}; }

  private:
    std::array<Item, kMost> items_{};
    std::size_t size_ = 0;
};

// Communication before the first and after the last layer, copies, optimizer, host.
using UnhiddenTerms = BoundedList<UnhiddenTerm, 8>;
UnhiddenTerms unhidden_terms(const Stage& stage, const Layers& layers, const Compiled& c);

struct StepTrace {
    const Stage* stage = nullptr;
    BoundedList<LayerPasses, 20> layers;
    UnhiddenTerms unhidden;
    Time messages;      // between stages, below everything that computes; of a step
    StageTimes average;  // one micro-batch on the average stage, messages included; see Schedule::bubble
};
// `layers` must live as long as the trace.
StepTrace trace_step(const Stage& stage, const Layers& layers, const Compiled& c);

// One micro-batch on the average stage, messages left out, and `stage` with a message for each of its pieces.
StageTimes average_stage(const Compiled& c, const Layers& layers);
StageTimes with_messages(StageTimes stage, const Compiled& c);

}  // namespace shardscope
