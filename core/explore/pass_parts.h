// What the passes of a step consist of, in seconds: the engine's terms dealt out to forward pass, backward
// pass and weight gradients.
#pragma once

#include <array>
#include <vector>

#include "explore/timeline.h"
#include "physics/layer.h"
#include "plan/pipeline_run.h"

namespace shardscope {

// One kind of layer.
struct Layer {
    Computed computed;
    UnitTraffic traffic;
};

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

    [[nodiscard]] const Layer& dense() const { return dense_; }
    [[nodiscard]] const Layer& sparse() const { return sparse_; }
    [[nodiscard]] const Stage& pacing() const { return *pacing_; }

    // One layer. `gather` and `reduce` travel below it.
    [[nodiscard]] LayerParts forward(const Layer& layer, bool at_end, bool first_micro_batch) const;
    [[nodiscard]] LayerParts backward(const Layer& layer, bool at_end, bool last_micro_batch) const;
    // The model's ends.
    [[nodiscard]] std::vector<Part> end_chain(const PassTime& pass, Activity activity) const;
    // Before the first layer and after the last: nothing hides them.
    [[nodiscard]] double first_gather(bool first_micro_batch) const;
    [[nodiscard]] double last_reduce(bool last_micro_batch) const;
    // Of a micro-batch.
    [[nodiscard]] double forward_copies() const;
    [[nodiscard]] double backward_copies() const;

    // All of a stage's passes in a pipeline, one piece of it.
    struct OfStage {
        std::array<PassParts, kPassKinds> pass;
        PassParts first_forward, last_gradient;
        [[nodiscard]] StageSeconds seconds() const;
    };
    [[nodiscard]] OfStage of_stage(const Stage& stage) const;

  private:
    [[nodiscard]] LayerParts parts(const Layer& layer, bool backward, double gather, double reduce) const;
    [[nodiscard]] PassParts whole_pass(const Stage& stage, PassKind kind, bool first, bool last) const;
    [[nodiscard]] Activity kind_of(bool backward) const;

    const Compiled& c_;
    const Estimate& estimate_;
    Layer dense_, sparse_;
    const Stage* pacing_;
    double copies_ = 0;  // of a micro-batch, s
};

}  // namespace shardscope
