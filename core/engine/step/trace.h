// The step of one pipeline stage as one value: everything that lengthens it or runs below it, in groups that
// are alike. The step's time and its terms (step.h) are sums over it, and so are the planner's bounds of what
// no compute hides (bounds.h).
//
// No heap: the number of groups is bounded.
#pragma once

#include <memory>
#include <span>
#include <type_traits>

#include "effects/overlap.h"
#include "step/layers.h"

namespace shardscope {

enum class Phase : unsigned char { forward, backward };

// Passes of one kind of layer in one direction that are alike: each computes while `traffic` travels, and
// meanwhile the host issues the work that follows.
struct LayerPasses {
    Phase phase = Phase::forward;
    double count = 0;      // of them in a step
    double together = 1;   // passes of one layer in a row, with the traffic below all of them
    Time busy;             // what they compute, recomputation included,
    double recompute = 0;  // s of it that repeat the forward pass,
    Time weight_gradient;  // and the part that zero-bubble schedules compute later
    Time traffic;
    Exposure exposure;  // of the traffic below the computing
    Time time;          // of all that, with the host; the longest counts

    [[nodiscard]] double waits_for_host() const { return time.total() - exposure.both.total(); }
};

// What the passes would take if they computed for `busy` only.
Time time_of(const LayerPasses& passes, const Time& busy, const Compiled& c);

// How often something comes in a step. A layer's turn is the passes that it does before other layers work; a
// further pass is one beyond the first of a turn.
enum class Frequency : unsigned char { step, turn, pass, further_pass };
double count_of(Frequency frequency, const Passes& passes);

// What no compute hides.
struct UnhiddenTerm {
    StepTerm term = StepTerm::network;
    Frequency frequency = Frequency::step;
    Time time;  // of one
};

// At most kMost items, without heap; room that is not used is not written.
template <typename Item, std::size_t kMost>
class BoundedList {
    static_assert(std::is_trivially_copyable_v<Item> && std::is_trivially_destructible_v<Item>);

  public:
    BoundedList() {}  // not `= default`: the room stays as it is
    BoundedList(const BoundedList& other) : size_(other.size_) {
        std::uninitialized_copy_n(other.room_.items, size_, room_.items);
    }
    BoundedList& operator=(const BoundedList&) = delete;

    // A new item at the end.
    Item& add(const Item& item = {}) { return *std::construct_at(&room_.items[size_++], item); }
    [[nodiscard]] std::span<const Item> items() const { return {room_.items, size_}; }

  private:
    union Room {
        Room() {}
        Item items[kMost];
    } room_;
    std::size_t size_ = 0;
};

// Communication before the first and after the last layer, copies, optimizer, host.
using UnhiddenTerms = BoundedList<UnhiddenTerm, 8>;
UnhiddenTerms unhidden_terms(const Stage& stage, const Layers& layers, const Compiled& c);

struct StepTrace {
    // `layers` must live as long as the trace.
    StepTrace(const Stage& of, const Layers& with, const Compiled& c);

    const Stage& stage;
    BoundedList<LayerPasses, 16> layers;
    UnhiddenTerms unhidden;
    Time messages;  // between stages, below everything that computes; of a step
};

// One micro-batch on the average stage, messages left out, and `stage` with a message for each of its pieces.
StageTimes average_stage(const Compiled& c, const Layers& layers);
StageTimes with_messages(StageTimes stage, const Compiled& c);

}  // namespace shardscope
