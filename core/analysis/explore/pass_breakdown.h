// The seconds of each pass of a step by activity. The engine's terms are split over forward passes, backward
// passes and weight gradients.
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
    double copy = 0;  // wait for copies between GPU and host
    double wait = 0;  // for the host, E12
};

// Computes the parts of every pass of one scenario.
class PassBreakdown {
  public:
    PassBreakdown(const Compiled& compiled, const Estimate& estimate);

    [[nodiscard]] const Layers& layers() const { return layers_; }
    [[nodiscard]] const Stage& slowest_stage() const { return *slowest_stage_; }

    // Return the parts of one visit of a layer: all its consecutive passes (see Passes), which overlap with
    // one communication.
    [[nodiscard]] LayerParts forward(const Layer& layer, bool at_end, bool first_visit) const;
    [[nodiscard]] LayerParts backward(const Layer& layer, bool at_end, bool last_visit) const;
    // Returns the compute of the embedding or the head.
    [[nodiscard]] std::vector<Part> end_chain(const PassTime& pass, Activity activity) const;
    // Return the exposed communication before the first layer and after the last one of a visit; s.
    [[nodiscard]] double first_gather(const Stage& stage, bool first_visit) const;
    [[nodiscard]] double last_reduce(const Stage& stage, bool last_visit) const;
    // Returns the time of the memory copies in one forward or backward pass; s.
    [[nodiscard]] double copy_seconds(const StepTime& step, bool forward) const;

    // The passes of one virtual stage of a pipeline stage.
    struct StagePasses {
        std::array<PassParts, kPassKinds> pass;
        PassParts first_forward, last_gradient;
        [[nodiscard]] StageSeconds seconds() const;
    };
    [[nodiscard]] StagePasses stage_passes(const Stage& stage) const;

  private:
    // `passes` consecutive passes of a layer and the communication that overlaps with them.
    [[nodiscard]] LayerParts parts(const Layer& layer, bool backward, double passes,
                                   const LayerTraffic& traffic = {}) const;
    // One pass of a layer with the communication that overlaps with all `passes` passes of its group.
    [[nodiscard]] LayerParts with_group(const Layer& layer, bool backward, double passes,
                                        const LayerTraffic& traffic) const;
    // The step time of a stage of this kind.
    [[nodiscard]] StepTime step_of(const Stage& stage) const;
    [[nodiscard]] PassParts whole_pass(const Stage& stage, PassKind kind, bool first, bool last) const;

    const Compiled& c_;
    const Estimate& estimate_;
    Layers layers_;
    TrafficPolicy policy_;
    const Stage* slowest_stage_;
};

}  // namespace shardscope
