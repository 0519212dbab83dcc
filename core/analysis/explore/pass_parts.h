// What the passes of a step consist of, in seconds: the engine's terms dealt out to forward pass, backward
// pass and weight gradients.
#pragma once

#include <array>
#include <vector>

#include "explore/timeline.h"
#include "layout/pipeline_run.h"
#include "step/layers.h"

namespace shardscope {

struct Part {
    Activity activity = Activity::forward;
    double seconds = 0;
};

// Of one pass, in the order in which they come: see PassSeconds.
struct PassParts {
    std::vector<Part> lead, chain, tail;
    std::vector<Part> hidden;  // below the chain
    [[nodiscard]] PassSeconds seconds() const;
};

// One layer's pass, or that of one of the model's ends.
struct LayerParts {
    std::vector<Part> chain;
    std::vector<Part> exposed;  // data-parallel communication that outlasts it
    std::vector<Part> hidden;
    double wait = 0;  // for the host, E12
};

// What every pass of one scenario is made of.
class PartsOfPasses {
  public:
    PartsOfPasses(const Compiled& compiled, const Estimate& estimate);

    [[nodiscard]] const Layer& dense() const { return layers_.dense; }
    [[nodiscard]] const Layer& sparse() const { return layers_.sparse; }
    [[nodiscard]] const Stage& pacing() const { return *pacing_; }

    // One layer's turn: all passes that its communication travels below.
    [[nodiscard]] LayerParts forward(const Layer& layer, bool at_end, bool first_turn) const;
    [[nodiscard]] LayerParts backward(const Layer& layer, bool at_end, bool last_turn) const;
    // The model's ends.
    [[nodiscard]] std::vector<Part> end_chain(const PassTime& pass, Activity activity) const;
    // Before the first layer and after the last of a turn: nothing hides them.
    [[nodiscard]] double first_gather(const Stage& stage, bool first_turn) const;
    [[nodiscard]] double last_reduce(const Stage& stage, bool last_turn) const;
    // Of one forward or backward pass in a step.
    [[nodiscard]] double copies(const StepTime& step, bool forward) const;

    // All of a stage's passes in a pipeline, one piece of it.
    struct OfStage {
        std::array<PassParts, kPassKinds> pass;
        PassParts first_forward, last_gradient;
        [[nodiscard]] StageSeconds seconds() const;
    };
    [[nodiscard]] OfStage of_stage(const Stage& stage) const;

  private:
    // `passes` of a layer, and what travels below them.
    [[nodiscard]] LayerParts parts(const Layer& layer, bool backward, double passes,
                                   const LayerTraffic& traffic = {}) const;
    // The step as long as a stage like this one takes it.
    [[nodiscard]] StepTime step_of(const Stage& stage) const;
    [[nodiscard]] PassParts whole_pass(const Stage& stage, PassKind kind, bool first, bool last) const;

    const Compiled& c_;
    const Estimate& estimate_;
    Layers layers_;
    TrafficPolicy policy_;
    const Stage* pacing_;
};

}  // namespace shardscope
