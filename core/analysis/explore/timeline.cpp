#include "explore/timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "containers/pick.h"
#include "explore/pass_breakdown.h"
#include "explore/timeline_memory.h"
#include "memory/memory.h"
#include "step/step.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// More intervals than this are not readable in one figure, so that micro-batches in the middle are omitted.
constexpr double kMostIntervals = 24000;

// Fills the two lanes of one stage.
class Lanes {
  public:
    explicit Lanes(StageTimeline& out) : out_(out) {}

    // The labels of the intervals to be added.
    int micro_batch = 0;
    int virtual_stage = 0;
    int layer = 0;

    double add(double at, Activity activity, double seconds, bool exposed = true) {
        if (seconds <= 0) return at;
        auto& lane = activity >= Activity::gather ? out_.communication : out_.compute;
        lane.push_back({at, at + seconds, activity, exposed, false, micro_batch, virtual_stage, layer});
        return at + seconds;
    }
    double add(double at, const std::vector<Part>& parts) {
        for (const Part& part : parts) at = add(at, part.activity, part.seconds);
        return at;
    }
    // Adds communication that overlaps with compute between `from` and `to` and ends at `to`. If it is longer
    // than that, its parts overlap each other.
    void add_hidden(double from, double to, const std::vector<Part>& parts) {
        double end = to;
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            if (end - part->seconds < from) end = std::max(std::min(to, from + part->seconds), part->seconds);
            add(end - part->seconds, part->activity, part->seconds, false);
            end -= part->seconds;
        }
    }
    // Adds the end of a step, which every stage has.
    double add_end(double at, const std::vector<Part>& update) {
        micro_batch = virtual_stage = layer = 0;
        return add(at, update);
    }

  private:
    StageTimeline& out_;
};

void sort_by_start(std::vector<Interval>& lane) { std::ranges::stable_sort(lane, {}, &Interval::start); }

// ---- without a pipeline: layer after layer ---------------------------------------------------------------

class LayerTimelineBuilder {
  public:
    LayerTimelineBuilder(const Compiled& c, const Estimate& estimate, StepTimeline& out)
        : c_(c),
          estimate_(estimate),
          out_(out),
          parts_(c, estimate),
          trace_(c.stages.first, parts_.layers(), c) {
        out_.stages.emplace_back();
    }

    void fill() {
        StageTimeline& stage = out_.stages.front();
        Lanes lanes(stage);
        // If all micro-batches pass through a layer before the next layer, they are drawn as one.
        visits_ = static_cast<int>(c_.passes.visits());
        const int micro_batches = visits_;
        const double layers = c_.stages.first.layers();
        constexpr double kPerLayer = 8;
        const int drawn = std::clamp(static_cast<int>(kMostIntervals / (kPerLayer * layers)), 2,
                                     micro_batches < 2 ? 2 : micro_batches);
        out_.omitted = std::max(0, micro_batches - drawn);
        const int omit_after = drawn / 2;  // micro-batches
        double at = 0;
        for (int i = 1; i <= micro_batches; ++i) {
            lanes.micro_batch = c_.passes.passes_per_visit > 1 ? 0 : i;
            if (out_.omitted > 0 && i == omit_after + 1) {
                // All micro-batches but the first and the last take the same time.
                const double one = seconds_of_one();
                at = lanes.add(at, Activity::omitted, out_.omitted * one);
                i += out_.omitted - 1;
                continue;
            }
            at = pass(lanes, at, i, false);
            at = pass(lanes, at, i, true);
        }
        const double done = at;
        at = lanes.add_end(at, parts_.update(trace_));
        sort_by_start(stage.communication);
        stage.memory = memory_of_passes(passes_, memory_use(c_.stages.first, c_), done, at, context());
    }

  private:
    struct LayerEntry {
        std::size_t kind;
        double count;  // 1, or the fraction of a layer at the end
        int number;
    };

    [[nodiscard]] std::vector<LayerEntry> layers() const {
        std::vector<LayerEntry> out;
        const LayerSequence sequence(c_.settings);
        for (double at = 0; at < sequence.layers(); ++at) {
            const double end = std::min(at + 1, sequence.layers());
            const LayerCounts counts = sequence.counts(at, end);
            for (std::size_t i = 0; i < sequence.kinds(); ++i) {
                if (counts[i] > 0) out.push_back({i, counts[i], static_cast<int>(out.size()) + 1});
            }
        }
        return out;
    }

    [[nodiscard]] MemoryContext context() const {
        const Compiled& c = c_;
        return {
            c,
            c.passes.passes_per_visit * c.work.head.forward.time.total() / std::max(forward_chain_, 1e-300),
            0, false};
    }

    double seconds_of_one() {
        StageTimeline scratch;
        Lanes lanes(scratch);
        const std::size_t before = passes_.size();
        const int middle = visits_ / 2 + 1;
        const double seconds = pass(lanes, 0, middle, false);
        const double both = pass(lanes, seconds, middle, true);
        passes_.resize(before);
        return both;
    }

    double pass(Lanes& lanes, double at, int micro_batch, bool backward) {
        const double start = at;
        const Phase phase = backward ? Phase::backward : Phase::forward;
        const bool most_traffic = micro_batch == (backward ? visits_ : 1);
        const double per_visit = c_.passes.passes_per_visit;
        if (all_.empty()) all_ = layers();
        const double memory_copy_seconds =
            per_visit * parts_.memory_copy_seconds(estimate_.step, !backward) / c_.stages.first.layers();
        const auto end = [&](const End& of, double times) {
            if (times <= 0) return;
            lanes.layer = 0;
            const PassTime& both = backward ? of.backward : of.forward;
            const double from = at;
            std::vector<Part> chain =
                parts_.end_chain(both, backward ? Activity::backward : Activity::forward);
            for (Part& part : chain) part.seconds *= per_visit * times;
            at = lanes.add(at, chain);
            lanes.add_hidden(from, at, {{Activity::context_exchange, per_visit * times * both.hidden}});
        };
        const Layers& ends = parts_.layers();
        const double predictions = c_.stages.first.predictions;
        const auto one = [&](const LayerEntry& entry) {
            lanes.layer = entry.number;
            const bool at_end = &entry == &all_.back();
            LayerParts now = parts_.visit(trace_, entry.kind, phase, at_end, most_traffic);
            if (entry.count < 1) {
                for (auto* list : {&now.chain, &now.exposed, &now.hidden}) {
                    for (Part& part : *list) part.seconds *= entry.count;
                }
                now.offload_wait *= entry.count;
                now.host_wait *= entry.count;
            }
            const double from = at;
            at = lanes.add(at, now.chain);
            lanes.add_hidden(from, at, now.hidden);
            at = lanes.add(at, now.exposed);
            at = lanes.add(at, Activity::host_link, now.offload_wait);
            at = lanes.add(at, Activity::host, now.host_wait);
            at = lanes.add(at, Activity::memory_copies, memory_copy_seconds * entry.count);
        };
        lanes.layer = 0;
        if (!backward) {
            at = lanes.add(at, Activity::host_link,
                           parts_.communication_at_end(trace_, phase, most_traffic, StepTerm::host_link));
            at = lanes.add(at, Activity::gather, parts_.communication_at_end(trace_, phase, most_traffic));
            end(ends.embedding, 1);
            for (const LayerEntry& entry : all_) one(entry);
            end(ends.prediction, predictions);
            end(ends.head, 1);
        } else {
            end(ends.head, 1);
            end(ends.prediction, predictions);
            for (auto entry = all_.rbegin(); entry != all_.rend(); ++entry) one(*entry);
            end(ends.embedding, 1);
            lanes.layer = 0;
            at = lanes.add(at, Activity::reduce, parts_.communication_at_end(trace_, phase, most_traffic));
        }
        TimedPass timed;
        timed.kind = backward ? PassKind::backward : PassKind::forward;
        timed.micro_batch = micro_batch - 1;
        timed.start = start;
        timed.seconds.chain = at - start;
        if (!backward) forward_chain_ = at - start;
        passes_.push_back(timed);
        return at;
    }

    const Compiled& c_;
    const Estimate& estimate_;
    StepTimeline& out_;
    PassBreakdown parts_;
    StepTrace trace_;
    std::vector<LayerEntry> all_;
    std::vector<TimedPass> passes_;
    double forward_chain_ = 0;
    int visits_ = 1;
};

// ---- with a pipeline: pass after pass --------------------------------------------------------------------

class PipelineTimelineBuilder {
  public:
    PipelineTimelineBuilder(const Compiled& c, const Estimate& estimate, StepTimeline& out)
        : c_(c), estimate_(estimate), out_(out), parts_(c, estimate), shape_(c.pipeline) {}

    void fill() {
        const int count = out_.stage_count;
        const std::vector<Stage> stages = every_stage(c_.stages, LayerSequence(c_.settings));
        std::vector<StageSeconds> seconds;
        for (const Stage& stage : stages) {
            // Most stages do the same work as the previous one.
            const bool alike = !seconds.empty() && stage.has_same_content(stages[seconds.size() - 1]);
            if (alike) contents_.push_back(contents_.back());
            else contents_.push_back(parts_.stage_passes(stage));
            seconds.push_back(contents_.back().seconds());
        }
        const int pacing = pacing_stage(stages);
        update_ = parts_.update(StepTrace(parts_.slowest_stage(), parts_.layers(), c_));
        update_seconds_ = sum(update_);
        omit_micro_batches(seconds[static_cast<std::size_t>(pacing)]);
        run_ = simulate_pipeline_within(*c_.schedule, shape_, seconds,
                                        out_.end - update_seconds_ - omitted_forward_ - omitted_backward_);
        out_.stage_delay = run_.stage_delay;
        find_gaps(pacing);

        const int fullest = static_cast<int>(std::lround(estimate_.memory.stage));
        double most = 0;
        for (int position = 0; position < count; ++position) {
            // A long pipeline is drawn with its first kMostStages / 2 stages and one less of the last ones,
            // because one row marks the stages left out.
            if (count > kMostStages && position >= kMostStages / 2 &&
                position < count - (kMostStages / 2 - 1))
                continue;
            if (position == pacing) out_.slowest = out_.stages.size();
            const Stage& stage = stages[static_cast<std::size_t>(position)];
            const MemoryUse memory = position == fullest ? estimate_.memory : memory_use(stage, c_);
            // If the fullest stage is not drawn, `fullest` is the fullest one of those drawn.
            if (memory.peak > most || position == fullest) {
                most = memory.peak;
                out_.fullest = out_.stages.size();
            }
            add_stage(position, memory, stage.head);
        }
    }

  private:
    // Returns the first stage that does the same work as the slowest one. With two weight copies it is the
    // position of the slowest one, whose opposite stage holds the same layers.
    [[nodiscard]] int pacing_stage(const std::vector<Stage>& stages) const {
        const Stage& slowest = parts_.slowest_stage();
        const bool is_end = &slowest == &c_.stages.first || &slowest == &c_.stages.last;
        if (!is_end && c_.stages.weight_copies <= 1) {
            const auto like = std::find_if(stages.begin() + 1, stages.end(), [&](const Stage& stage) {
                return stage.has_same_content(slowest);
            });
            if (like != stages.end()) return static_cast<int>(like - stages.begin());
        }
        return static_cast<int>(std::lround(slowest.position));
    }

    // Passes of one kind on each GPU for one micro-batch.
    [[nodiscard]] double passes_per_micro_batch() const {
        return shape_.virtual_stages * shape_.sequence_chunks;
    }

    // Omits micro-batches if there are too many to draw. Their time on the slowest stage is kept.
    void omit_micro_batches(const StageSeconds& pacing) {
        constexpr double kPerPass = 10;
        const double drawn = std::min(shape_.stages, static_cast<double>(kMostStages));
        const double most = std::max(
            4 * shape_.stages, std::floor(kMostIntervals / (kPerPass * drawn * passes_per_micro_batch())));
        double left_out = shape_.micro_batches - most;
        // Only multiples of p micro-batches are omitted, because the order repeats after p of them.
        left_out = std::floor(left_out / shape_.stages) * shape_.stages;
        if (left_out <= 0) return;
        out_.omitted = static_cast<int>(left_out);
        shape_.micro_batches -= left_out;
        const auto seconds = [&](PassKind kind) {
            return left_out * pacing.pass[static_cast<std::size_t>(kind)].total() * passes_per_micro_batch();
        };
        omitted_forward_ = seconds(PassKind::forward);
        omitted_backward_ = seconds(PassKind::backward) + seconds(PassKind::weight_gradient);
    }

    // Finds the gaps for the omitted micro-batches. There is one in the middle of the slowest stage's passes;
    // everything that begins after it is shifted by the omitted time. If all micro-batches pass through a
    // virtual stage before the next one, each of these groups of passes has a gap in its middle.
    void find_gaps(int pacing) {
        if (out_.omitted == 0) return;
        const auto& passes = run_.stages[static_cast<std::size_t>(pacing)];
        if (!passes_are_grouped()) {
            // The gap must not be where the stage waits, because that wait is part of the bubble.
            std::size_t at = passes.size() / 2;
            while (at + 1 < passes.size() && passes[at].start > passes[at - 1].end()) ++at;
            gaps_ = {{passes[at].start, omitted_forward_ + omitted_backward_, out_.omitted}};
            return;
        }
        const auto group = static_cast<std::size_t>(shape_.micro_batches);
        // The number of groups in each direction.
        const double groups = static_cast<double>(passes.size()) / static_cast<double>(2 * group);
        for (std::size_t first = 0; first < passes.size(); first += group) {
            const bool forward = passes[first].kind == PassKind::forward;
            gaps_.push_back({passes[first + group / 2].start,
                             (forward ? omitted_forward_ : omitted_backward_) / groups, 0});
        }
    }
    // Returns whether all forward passes of a virtual stage are consecutive.
    [[nodiscard]] bool passes_are_grouped() const {
        return c_.schedule->layered || c_.schedule->all_forward_first;
    }

    void add_stage(int position, const MemoryUse& memory, bool head) {
        out_.stages.emplace_back();
        StageTimeline& stage = out_.stages.back();
        stage.position = position;
        Lanes lanes(stage);
        auto& passes = run_.stages[static_cast<std::size_t>(position)];
        const auto& contents = contents_[static_cast<std::size_t>(position)];
        const double last = out_.end - update_seconds_;  // the optimizer starts here
        const double begin = out_.steps_overlap ? passes.front().start : 0;
        double free = begin;  // the end of the latest interval
        auto gap = gaps_.begin();
        double shift = 0;
        int micro_batches_on = 0;
        const int chunks = static_cast<int>(shape_.sequence_chunks);
        const int replicas = c_.schedule->weight_copies;
        // The virtual stage in which a forward pass ends, if it ends on this stage.
        int head_virtual_stage = -1;
        for (int way = 0; way < replicas; ++way) {
            const int last_step = static_cast<int>(shape_.stages * shape_.virtual_stages) - 1;
            const PipelinePosition end = pipeline_position(*c_.schedule, shape_, way, last_step);
            if (end.stage == position) head_virtual_stage = end.virtual_stage;
        }
        for (TimedPass& pass : passes) {
            while (gap != gaps_.end() && pass.start >= gap->at) {
                shift += gap->seconds;
                micro_batches_on += gap->micro_batches;
                ++gap;
                lanes.micro_batch = lanes.virtual_stage = 0;
                free = lanes.add(free, Activity::omitted, pass.start + shift - free);
            }
            pass.start += shift;
            pass.micro_batch = pass.micro_batch / chunks + micro_batches_on;
            // In groups of passes, the omitted micro-batches are in the middle of each group.
            if (passes_are_grouped() && pass.micro_batch >= shape_.micro_batches / 2)
                pass.micro_batch += out_.omitted;
            lanes.micro_batch = lanes.virtual_stage = 0;
            lanes.add(free, Activity::bubble, pass.start - free);
            lanes.micro_batch = pass.micro_batch + 1;
            lanes.virtual_stage = out_.virtual_stages > 1 ? pass.virtual_stage + 1 : 0;
            const PassParts& parts = pass.first  ? contents.first_forward
                                     : pass.last ? contents.last_gradient
                                                 : contents.pass[static_cast<std::size_t>(pass.kind)];
            const double chain = lanes.add(pass.start, parts.lead);
            const double tail = lanes.add(chain, parts.chain);
            lanes.add_hidden(chain, tail, parts.hidden);
            free = lanes.add(tail, parts.tail);
        }
        const double done = free;
        lanes.micro_batch = lanes.virtual_stage = 0;
        if (!out_.steps_overlap) free = std::max(free, last), lanes.add(done, Activity::bubble, last - done);
        const double ended = lanes.add_end(free, update_);
        if (out_.steps_overlap) lanes.add(ended, Activity::bubble, begin + out_.end - ended);
        const bool splits = c_.schedule->splits_backward;
        const double share =
            head ? c_.passes.share * c_.work.head.forward.time.total() / shape_.virtual_stages / replicas /
                       contents.pass[static_cast<std::size_t>(PassKind::forward)].seconds().total()
                 : 0;
        stage.memory = memory_of_passes(passes, memory, out_.steps_overlap ? done : free,
                                        out_.steps_overlap ? begin + out_.end : out_.end,
                                        {c_, share, head_virtual_stage, splits});
        if (out_.steps_overlap) wrap(stage);
        sort_by_start(stage.compute);
        sort_by_start(stage.communication);
    }

    // A stage that begins late also ends late. Its intervals after the step's end are moved to the beginning,
    // where they stand for the previous step.
    void wrap(StageTimeline& stage) const {
        const double end = out_.end;
        const double rounding = 1e-12 * end;
        for (auto* lane : {&stage.compute, &stage.communication}) {
            for (std::size_t i = 0, size = lane->size(); i < size; ++i) {
                Interval& interval = (*lane)[i];
                if (interval.end <= end + rounding) continue;
                Interval before = interval;
                before.previous = true;
                before.start = std::max(interval.start - end, 0.0);
                before.end = interval.end - end;
                if (interval.start < end - rounding) {
                    interval.end = end;
                    lane->push_back(before);
                } else {
                    interval = before;
                }
            }
        }
        stage.memory = wrapped(stage.memory, end);
    }

    const Compiled& c_;
    const Estimate& estimate_;
    StepTimeline& out_;
    PassBreakdown parts_;
    PipelineShape shape_;
    std::vector<PassBreakdown::StagePasses> contents_;
    std::vector<Part> update_;  // what follows the passes of every stage
    double update_seconds_ = 0;
    PipelineRun run_;
    // Seconds of the omitted micro-batches.
    double omitted_forward_ = 0;
    double omitted_backward_ = 0;
    struct Gap {
        double at = 0;       // time in `run_`
        double seconds = 0;  // by which later passes are shifted
        int micro_batches = 0;
    };
    std::vector<Gap> gaps_;
};

// Stretches the timeline of the predicted step to the step time of an MFU set by hand.
void stretch(StepTimeline& timeline, double factor) {
    timeline.end *= factor;
    timeline.stage_delay *= factor;
    for (StageTimeline& stage : timeline.stages) {
        for (auto* lane : {&stage.compute, &stage.communication}) {
            for (Interval& interval : *lane) {
                interval.start *= factor;
                interval.end *= factor;
            }
        }
        for (MemoryPoint& point : stage.memory) point.time *= factor;
    }
}

}  // namespace

std::string_view name_of(Activity activity) {
    return pick(
        std::array<std::string_view, kActivities>{"forward", "backward", "weight-gradient", "recompute",
                                                  "copies", "optimizer", "host-link", "host", "bubble",
                                                  "omitted", "gather", "reduce", "tensor-exchange",
                                                  "context-exchange", "expert-exchange", "stage-message"},
        activity);
}
std::string label_of(Activity activity) {
    return translate(pick(
        std::array<std::string_view, kActivities>{
            translatable("forward"), translatable("backward"), translatable("weight gradients"),
            translatable("recompute"), translatable("memory copies"), translatable("optimizer"),
            translatable("host link"), translatable("host"), translatable("bubble"), translatable("omitted"),
            translatable("gather weights"), translatable("reduce gradients"), translatable("tensor parallel"),
            translatable("context parallel"), translatable("expert parallel"),
            translatable("between stages")},
        activity));
}

StepTimeline step_timeline(const Compiled& c, const Estimate& estimate) {
    if (const double factor = estimate.stretch(); factor != 1) {
        Estimate predicted = estimate;
        predicted.step = step_time(c);
        predicted.mfu = predicted.predicted_mfu;
        StepTimeline out = step_timeline(c, predicted);
        stretch(out, factor);
        return out;
    }
    StepTimeline out;
    out.end = estimate.step.total;
    out.stage_count = static_cast<int>(c.stages.count);
    out.micro_batches = static_cast<int>(c.settings[P::accumulation]);
    if (c.stages.count > 1) {
        out.virtual_stages = static_cast<int>(c.pipeline.virtual_stages * c.stages.weight_copies);
        out.steps_overlap = c.schedule->steps_overlap;
        PipelineTimelineBuilder(c, estimate, out).fill();
    } else {
        LayerTimelineBuilder(c, estimate, out).fill();
    }
    return out;
}

}  // namespace shardscope
