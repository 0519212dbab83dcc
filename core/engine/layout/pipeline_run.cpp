#include "layout/pipeline_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace shardscope {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The passes of all stages, sorted so that each comes after the one it waits for. One run over them then
// gives all start times.
class Simulation {
  public:
    Simulation(const Schedule& schedule, const PipelineShape& shape, const std::vector<StageSeconds>& seconds)
        : stages_(seconds.size()),
          virtual_stages_(static_cast<std::size_t>(shape.virtual_stages * schedule.weight_copies)),
          micro_batches_(static_cast<std::size_t>(shape.micro_batches * shape.sequence_chunks)),
          steps_(stages_ * static_cast<std::size_t>(shape.virtual_stages)),
          overlap_(schedule.steps_overlap),
          task_at_(steps_ * micro_batches_ * 2, kNone) {
        out_.stages.resize(stages_);
        // All micro-batches that start on the same GPU take the same route.
        step_of_.assign(static_cast<std::size_t>(schedule.weight_copies),
                        std::vector<std::size_t>(stages_ * virtual_stages_));
        for (std::size_t route = 0; route < step_of_.size(); ++route) {
            for (std::size_t step = 0; step < steps_; ++step) {
                const PipelinePosition at =
                    pipeline_position(schedule, shape, static_cast<int>(route), static_cast<int>(step));
                step_of_[route][static_cast<std::size_t>(at.stage) * virtual_stages_ +
                                static_cast<std::size_t>(at.virtual_stage)] = step;
            }
        }
        // Passes of one virtual stage in one direction.
        const std::size_t per_virtual_stage = micro_batches_ / step_of_.size();
        const PassKind gradient_pass =
            schedule.splits_backward ? PassKind::weight_gradient : PassKind::backward;
        for (std::size_t i = 0; i < stages_; ++i) {
            std::vector<std::size_t> forwards(virtual_stages_, 0);
            std::vector<std::size_t> gradients(virtual_stages_, 0);
            for (const Pass& pass : schedule.order(shape, static_cast<int>(i))) {
                TimedPass timed{pass, 0, seconds[i].pass[static_cast<std::size_t>(pass.kind)], false, false};
                const auto virtual_stage = static_cast<std::size_t>(pass.virtual_stage);
                timed.first = pass.kind == PassKind::forward && forwards[virtual_stage]++ == 0;
                timed.last = pass.kind == gradient_pass && ++gradients[virtual_stage] == per_virtual_stage;
                if (timed.first) timed.seconds = seconds[i].first_forward;
                if (timed.last) timed.seconds = seconds[i].last_gradient;
                out_.stages[i].push_back(timed);
            }
        }
        sort();
    }

    // Computes all start times and returns the length of the step.
    double run(double stage_delay) {
        std::vector<double> ready(stages_, 0);
        std::vector<double> hops_before(stages_, 0);
        for (std::size_t first = 0, next = 0; first < tasks_.size(); first = next) {
            // Joined passes begin when all of them can begin.
            const std::size_t stage = tasks_[first].stage;
            double start = ready[stage];
            double hops = hops_before[stage];
            for (next = first; next == first || tasks_[next - 1].joined_with_next; ++next) {
                const Task& task = tasks_[next];
                if (task.waits_for == kNone) continue;
                const Task& other = tasks_[task.waits_for];
                const double lead = out_.stages[stage][task.index].seconds.lead;
                const double arrival = other.result + (task.hops ? stage_delay : 0) - lead;
                if (arrival > start) {
                    start = arrival;
                    hops = other.hops_to + (task.hops ? 1 : 0);
                }
            }
            double result = 0;
            for (std::size_t i = first; i < next; ++i) {
                TimedPass& pass = out_.stages[stage][tasks_[i].index];
                pass.start = start;
                start = pass.end();
                result = start - pass.seconds.tail;
            }
            for (std::size_t i = first; i < next; ++i) {
                tasks_[i].result = result;
                tasks_[i].hops_to = hops;
            }
            ready[stage] = start;
            hops_before[stage] = hops;
        }
        out_.stage_delay = stage_delay;
        out_.span = 0;
        slope_ = 0;
        for (std::size_t i = 0; i < stages_; ++i) {
            const Task& first = tasks_[first_of_[i]];
            const double begin = overlap_ ? out_.stages[i].front().start : 0;
            const double span = ready[i] - begin;
            if (span <= out_.span) continue;
            out_.span = span;
            slope_ = hops_before[i] - (overlap_ ? first.hops_to : 0);
        }
        return out_.span;
    }
    // Returns the derivative of the step's length with respect to the stage delay.
    [[nodiscard]] double slope() const { return slope_; }
    PipelineRun take_result() { return std::move(out_); }

  private:
    struct Task {
        std::size_t stage = 0;
        std::size_t index = 0;  // of the pass in its stage
        std::size_t waits_for = kNone;
        bool hops = false;              // it waits for a pass of another stage
        bool joined_with_next = false;  // with the next task
        double result = 0;              // s, when its result is ready
        double hops_to = 0;             // hops on the critical path to its start
    };

    [[nodiscard]] std::size_t& task_at(std::size_t step, int micro_batch, bool backward) {
        return task_at_[2 * (step * micro_batches_ + static_cast<std::size_t>(micro_batch)) +
                        (backward ? 1 : 0)];
    }
    [[nodiscard]] std::size_t step_of(const Pass& pass, std::size_t stage) const {
        const auto& steps = step_of_[static_cast<std::size_t>(pass.micro_batch) % step_of_.size()];
        return steps[stage * virtual_stages_ + static_cast<std::size_t>(pass.virtual_stage)];
    }

    // Sets the task that `task` waits for. Returns false if that task has not been sorted yet.
    bool find_dependency(const Pass& pass, Task& task) {
        if (pass.kind == PassKind::weight_gradient) return true;  // the order puts it after its backward pass
        const std::size_t step = step_of(pass, task.stage);
        const bool forward = pass.kind == PassKind::forward;
        if (forward && step == 0) return true;
        // At the end of the route the backward pass follows the forward pass on the same GPU.
        const bool returns_here = !forward && step + 1 == steps_;
        const std::size_t other = forward ? step - 1 : returns_here ? step : step + 1;
        task.waits_for = task_at(other, pass.micro_batch, !forward && !returns_here);
        if (task.waits_for == kNone) return false;
        task.hops = tasks_[task.waits_for].stage != task.stage;
        return true;
    }

    void sort() {
        std::vector<std::size_t> next(stages_, 0);
        first_of_.assign(stages_, 0);
        std::vector<Task> group;  // joined passes
        const auto ready = [&](std::size_t stage, std::size_t from) {
            group.clear();
            const auto& passes = out_.stages[stage];
            for (std::size_t i = from; i == from || passes[i - 1].joined_with_next; ++i) {
                Task task{stage, i};
                task.joined_with_next = passes[i].joined_with_next;
                if (!find_dependency(passes[i], task)) return false;
                group.push_back(task);
            }
            return true;
        };
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t i = 0; i < stages_; ++i) {
                while (next[i] < out_.stages[i].size() && ready(i, next[i])) {
                    if (next[i] == 0) first_of_[i] = tasks_.size();
                    for (const Task& task : group) {
                        const Pass& pass = out_.stages[i][task.index];
                        if (pass.kind != PassKind::weight_gradient)
                            task_at(step_of(pass, i), pass.micro_batch, pass.kind == PassKind::backward) =
                                tasks_.size();
                        tasks_.push_back(task);
                    }
                    next[i] += group.size();
                    progress = true;
                }
            }
        }
    }

    std::size_t stages_, virtual_stages_, micro_batches_, steps_;
    bool overlap_;
    std::vector<std::vector<std::size_t>> step_of_;  // by route; by stage and virtual stage
    std::vector<std::size_t> task_at_;               // index in tasks_, by step, micro-batch and direction
    std::vector<Task> tasks_;
    std::vector<std::size_t> first_of_;  // index in tasks_ of each stage's first task
    PipelineRun out_;
    double slope_ = 0;
};

}  // namespace

PipelineRun simulate_pipeline(const Schedule& schedule, const PipelineShape& shape,
                              const std::vector<StageSeconds>& seconds, double stage_delay) {
    Simulation simulation(schedule, shape, seconds);
    simulation.run(stage_delay);
    return simulation.take_result();
}

PipelineRun simulate_pipeline_within(const Schedule& schedule, const PipelineShape& shape,
                                     const std::vector<StageSeconds>& seconds, double span) {
    Simulation simulation(schedule, shape, seconds);
    // The span is a piecewise linear, non-decreasing function of the stage delay. Newton's method starts from
    // above and steps from corner to corner; a step that would leave the known bracket is replaced by a
    // bisection step.
    constexpr int kMaxIterations = 60;
    constexpr double kTolerance = 1e-12;
    double low = -span;
    double high = span;
    double stage_delay = high;
    for (int i = 0; i < kMaxIterations; ++i) {
        const double over = simulation.run(stage_delay) - span;
        if (std::abs(over) <= kTolerance * span || high - low <= kTolerance * span) break;
        (over > 0 ? high : low) = stage_delay;
        const double next = simulation.slope() > 0 ? stage_delay - over / simulation.slope() : low;
        stage_delay = next > low && next < high ? next : (low + high) / 2;
    }
    return simulation.take_result();
}

double max_in_flight(const std::vector<TimedPass>& passes, const PipelineShape& shape, bool splits_backward) {
    const PassKind frees = splits_backward ? PassKind::weight_gradient : PassKind::backward;
    int now = 0;
    int most = 0;
    for (const TimedPass& pass : passes) {
        if (pass.kind == PassKind::forward) most = std::max(most, ++now);
        else if (pass.kind == frees) --now;
    }
    return most / (shape.virtual_stages * shape.sequence_chunks);
}

}  // namespace shardscope
