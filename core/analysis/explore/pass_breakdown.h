// The seconds of each pass of a step by activity: the trace of a stage (step/trace.h) is distributed over its
// forward passes, backward passes and weight gradients.
#pragma once

#include <array>
#include <vector>

#include "explore/timeline.h"
#include "layout/pipeline_run.h"
#include "step/step.h"
#include "step/trace.h"

namespace shardscope {

struct Part {
    Activity activity = Activity::forward;
    double seconds = 0;
};

double sum(const std::vector<Part>& parts);

// The parts of one pass in the order in which they run, see PassSeconds.
struct PassParts {
    std::vector<Part> lead, chain, tail;
    std::vector<Part> hidden;  // communication that overlaps with `chain`
    [[nodiscard]] PassSeconds seconds() const;
};

// A pass of one layer, of the embedding or of the head.
struct LayerParts {
    std::vector<Part> chain;
    std::vector<Part> exposed;  // data-parallel communication
    std::vector<Part> hidden;
    double offload_wait = 0;  // for the transfers of offloaded activations
    double host_wait = 0;     // for the host, E12
};

// Computes the parts of every pass of one scenario.
class PassBreakdown {
  public:
    PassBreakdown(const Compiled& compiled, const Estimate& estimate);

    [[nodiscard]] const Layers& layers() const { return layers_; }
    [[nodiscard]] const Stage& slowest_stage() const { return *slowest_stage_; }

    // Returns the parts of one visit of a layer: all its consecutive passes (see Passes), which overlap with
    // one communication. The first visit forward and the last one backward have the most traffic.
    [[nodiscard]] LayerParts visit(const StepTrace& trace, std::size_t kind, Phase phase, bool at_end,
                                   bool most_traffic) const;
    // Returns the compute of the embedding or the head.
    [[nodiscard]] std::vector<Part> end_chain(const PassTime& pass, Activity activity) const;
    // Returns the exposed communication before the first layer of a visit forward, or after the last one
    // backward; s. `of` chooses the network, or the link to the host, which fetches offloaded weights.
    [[nodiscard]] double communication_at_end(const StepTrace& trace, Phase phase, bool most_traffic,
                                              StepTerm of = StepTerm::network) const;
    // Returns what follows the passes of the stage: the optimizer and the host's work.
    [[nodiscard]] std::vector<Part> update(const StepTrace& trace) const;
    // Returns the time of the memory copies in one forward or backward pass; s.
    [[nodiscard]] double memory_copy_seconds(const StepTime& step, bool forward) const;

    // The passes of one virtual stage of a pipeline stage.
    struct StagePasses {
        std::array<PassParts, kPassKinds> pass;
        PassParts first_forward, last_gradient;
        [[nodiscard]] StageSeconds seconds() const;
    };
    [[nodiscard]] StagePasses stage_passes(const Stage& stage) const;

  private:
    // The compute of `passes` consecutive passes of a layer.
    [[nodiscard]] LayerParts compute(const Layer& layer, Phase phase, double passes) const;
    [[nodiscard]] PassParts whole_pass(const StepTrace& trace, const StepTime& step, PassKind kind,
                                       bool first, bool last) const;

    const Compiled& c_;
    const Estimate& estimate_;
    Layers layers_;
    const Stage* slowest_stage_;
};

}  // namespace shardscope
