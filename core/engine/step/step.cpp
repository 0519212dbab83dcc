#include "step/step.h"

#include <algorithm>
#include <functional>

#include "effects/overlap.h"
#include "step/trace.h"

namespace shardscope {
namespace {

// The sum over the trace of a stage: first of its layers, then of everything else.
class StepSum {
  public:
    StepSum(const Compiled& c, const Layers& layers)
        : c_(&c), layers_(&layers), fills_gaps_(c.stages.count > 1 && c.schedule->fills_gaps) {}

    void add_layers(const Stage& stage) {
        for (std::size_t i = 0; i < kinds_of_layers(*c_); ++i) {
            const BlockWork& layer = c_->work.layers[i];
            if (stage.counts[i] > 0)
                add_terms(layer.forward, layer.backward, micro_batches() * stage.counts[i]);
        }
        for (const LayerPasses& passes : layer_trace(stage, *layers_, *c_)) add(passes);
    }
    // Adds the rest and returns the step. `average`: times of one micro-batch on the average stage, including
    // messages; see Schedule::bubble.
    StepTime with_rest(const Stage& stage, const StageTimes& average) {
        each_end(stage, *layers_,
                 [&](const End& end, double times) { add_end(end, times * micro_batches()); });
        if (c_->stages.count > 1) {
            add_messages(messages_of_step(*c_));
            add(StepTerm::bubble, c_->schedule->bubble(c_->pipeline, average, with_messages(filling(), *c_)),
                1);
        }
        const auto times = occurrences(c_->passes);
        const UnhiddenTerms unhidden = unhidden_terms(stage, *layers_, *c_);
        for (const UnhiddenTerm& term : unhidden)
            add(term.term, term.time, times[static_cast<std::size_t>(term.frequency)]);
        for (const double seconds : step_.terms) step_.total += seconds;
        return step_;
    }

  private:
    [[nodiscard]] double micro_batches() const { return c_->passes.count * c_->passes.share; }
    double& term(StepTerm which) { return step_.terms[static_cast<std::size_t>(which)]; }

    void add(StepTerm which, const Time& time, double count) {
        if (count <= 0) return;
        term(which) += count * time.total();
        step_.attribution += count * time;
    }
    // Adds the terms of both passes of a block. `add_end` or `add` attributes their time.
    void add_terms(const PassTime& forward, const PassTime& backward, double count) {
        for (std::size_t i = 0; i < kStepTerms; ++i)
            step_.terms[i] += count * (forward.terms[i] + backward.terms[i]);
        step_.hidden_communication += count * (forward.hidden + backward.hidden);
    }
    void add_end(const End& end, double count) {
        add_terms(end.forward, end.backward, count);
        step_.attribution += count * end.both_passes();
        filling_.forward += count * end.forward.time;
        filling_.backward += count * end.backward.time;
    }
    void add(const LayerPasses& passes) {
        const double count = passes.count;
        term(StepTerm::recompute) += count * passes.recompute;
        const double fetched = passes.fetched_share();
        term(StepTerm::network) += count * (1 - fetched) * passes.exposure.exposed;
        term(StepTerm::host_link) += count * (fetched * passes.exposure.exposed + passes.waits_for_offload());
        term(StepTerm::host) += count * passes.waits_for_host();
        step_.hidden_communication += count * (1 - fetched) * passes.exposure.hidden;
        step_.attribution += count * passes.time;
        if (!fills_gaps_) return;
        if (passes.phase == Phase::forward) {
            filling_.forward += count * added_by(passes.busy, passes);
        } else {
            filling_.backward += count * added_by(passes.busy, passes);
            filling_.weight_gradient += count * added_by(passes.weight_gradient, passes);
        }
    }
    // Returns the time by which `part` of the compute lengthens the passes.
    [[nodiscard]] Time added_by(const Time& part, const LayerPasses& passes) const {
        return passes.time + -1.0 * passes_time(passes, passes.busy + -1.0 * part, *c_);
    }
    // Adds the messages between stages, which overlap with all compute.
    void add_messages(const Time& messages) {
        const Exposure below = exposure(step_.attribution, messages, c_->settings[P::overlap]);
        term(StepTerm::stage_network) += below.exposed;
        step_.hidden_communication += below.hidden;
        // Passes that messages hide lengthen the step by less.
        if (fills_gaps_) {
            for (Time* filling : {&filling_.forward, &filling_.backward, &filling_.weight_gradient}) {
                const Time without = step_.attribution + -1.0 * *filling;
                *filling = below.both + -1.0 * overlapped(without, messages, c_->settings[P::overlap]);
            }
        }
        step_.attribution = below.both;
    }
    // Returns the time by which the passes of one micro-batch lengthen the step; see Schedule::bubble.
    [[nodiscard]] StageTimes filling() const {
        StageTimes out = filling_;
        for (Time* time : {&out.forward, &out.backward, &out.weight_gradient})
            *time *= 1 / c_->pipeline.micro_batches;
        return out;
    }

    const Compiled* c_;
    const Layers* layers_;
    bool fills_gaps_;
    StepTime step_;
    StageTimes filling_;  // of all micro-batches
};

// Returns whether a stage may move more or less to the host than another one with the same layers.
bool moves_to_host(const Settings& s) {
    return s.choice<Offload>(P::offload) != Offload::none || s[P::activation_offload] > 0;
}

// The steps of the stages of one pipeline.
class Pipeline {
  public:
    explicit Pipeline(const Compiled& c) : c_(c), layers_(c), of_layers_(c, layers_) {
        if (c.stages.count > 1) average_ = with_messages(average_stage(c, layers_), c);
    }
    // `stage` must live as long as the pipeline.
    [[nodiscard]] StepTime step_of(const Stage& stage) {
        StepSum sum = of_layers(stage);
        return sum.with_rest(stage, average_);
    }

  private:
    // Returns the sum over the layers of a stage. Stages with the same layers share it.
    const StepSum& of_layers(const Stage& stage) {
        const bool same = last_ && !moves_to_host(c_.settings) && last_->last_kind == stage.last_kind &&
                          last_->counts == stage.counts;
        if (same) return of_layers_;
        of_layers_ = StepSum(c_, layers_);
        of_layers_.add_layers(stage);
        last_ = &stage;
        return of_layers_;
    }

    const Compiled& c_;
    Layers layers_;
    StageTimes average_;
    StepSum of_layers_;            // of the stage `last_`
    const Stage* last_ = nullptr;  // none yet
};

// Returns whether a middle stage has no more layers of any kind than the first one and ends with the same
// kind, so that it cannot be slower.
bool needs_no_more_than(const Stage& middle, const Stage& first) {
    return middle.last_kind == first.last_kind && middle.predictions <= first.predictions &&
           std::ranges::equal(middle.counts, first.counts, std::less_equal{});
}

}  // namespace

StepTime step_time(const Compiled& c, const Stage& stage) { return Pipeline(c).step_of(stage); }

StepTime step_time(const Compiled& c) {
    Pipeline pipeline(c);
    StepTime slowest = pipeline.step_of(c.stages.first);
    const std::size_t stages = c.stages.size();
    // Where the host's memory is short, a stage with less to offload may move more of it.
    const bool offloads = moves_to_host(c.settings);
    for (std::size_t i = 1; i < stages; ++i) {
        const bool is_middle = i + 1 < stages;
        if (is_middle && !offloads && needs_no_more_than(c.stages[i], c.stages.first)) continue;
        const StepTime other = pipeline.step_of(c.stages[i]);
        if (other.total <= slowest.total) continue;
        slowest = other;
        slowest.stage = i;
    }
    return slowest;
}

}  // namespace shardscope
