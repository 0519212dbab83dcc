#include "layout/pipeline_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace shardscope {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// The same passes in an order in which each comes after what it waits for, so that their times are one walk.
class Walk {
  public:
    Walk(const Schedule& schedule, const PipelineShape& shape, const std::vector<StageSeconds>& seconds)
        : stages_(seconds.size()),
          pieces_(static_cast<std::size_t>(shape.virtual_stages * schedule.copies)),
          micro_batches_(static_cast<std::size_t>(shape.micro_batches * shape.sequence_pieces)),
          steps_(stages_ * static_cast<std::size_t>(shape.virtual_stages)),
          overlap_(schedule.steps_overlap),
          done_(steps_ * micro_batches_ * 2, kNobody) {
        out_.stages.resize(stages_);
        // All micro-batches that start on the same GPU go the same way.
        step_of_.assign(static_cast<std::size_t>(schedule.copies),
                        std::vector<std::size_t>(stages_ * pieces_));
        for (std::size_t way = 0; way < step_of_.size(); ++way) {
            for (std::size_t step = 0; step < steps_; ++step) {
                const Place at = place_of(schedule, shape, static_cast<int>(way), static_cast<int>(step));
                step_of_[way][static_cast<std::size_t>(at.stage) * pieces_ +
                              static_cast<std::size_t>(at.piece)] = step;
            }
        }
        const std::size_t each = micro_batches_ / step_of_.size();  // micro-batches of a piece
        const PassKind gives_gradients =
            schedule.splits_backward ? PassKind::weight_gradient : PassKind::backward;
        for (std::size_t i = 0; i < stages_; ++i) {
            std::vector<std::size_t> forwards(pieces_, 0);
            std::vector<std::size_t> gradients(pieces_, 0);
            for (const Pass& pass : schedule.order(shape, static_cast<int>(i))) {
                TimedPass timed{pass, 0, seconds[i].pass[static_cast<std::size_t>(pass.kind)], false, false};
                const auto piece = static_cast<std::size_t>(pass.piece);
                timed.first = pass.kind == PassKind::forward && forwards[piece]++ == 0;
                timed.last = pass.kind == gives_gradients && ++gradients[piece] == each;
                if (timed.first) timed.seconds = seconds[i].first_forward;
                if (timed.last) timed.seconds = seconds[i].last_gradient;
                out_.stages[i].push_back(timed);
            }
        }
        sort();
    }

    // Sets all starts; the step's length.
    double time(double hop) {
        std::vector<double> ready(stages_, 0);
        std::vector<double> hops_before(stages_, 0);
        for (std::size_t first = 0, next = 0; first < nodes_.size(); first = next) {
            // Those that run as one begin when all of them can.
            const std::size_t stage = nodes_[first].stage;
            double start = ready[stage];
            double hops = hops_before[stage];
            for (next = first; next == first || nodes_[next - 1].joined; ++next) {
                const Node& node = nodes_[next];
                if (node.waits_for == kNobody) continue;
                const Node& other = nodes_[node.waits_for];
                const double lead = out_.stages[stage][node.index].seconds.lead;
                const double arrival = other.result + (node.hops ? hop : 0) - lead;
                if (arrival > start) {
                    start = arrival;
                    hops = other.hops_to + (node.hops ? 1 : 0);
                }
            }
            double result = 0;
            for (std::size_t i = first; i < next; ++i) {
                TimedPass& pass = out_.stages[stage][nodes_[i].index];
                pass.start = start;
                start = pass.end();
                result = start - pass.seconds.tail;
            }
            for (std::size_t i = first; i < next; ++i) {
                nodes_[i].result = result;
                nodes_[i].hops_to = hops;
            }
            ready[stage] = start;
            hops_before[stage] = hops;
        }
        out_.hop = hop;
        out_.span = 0;
        slope_ = 0;
        for (std::size_t i = 0; i < stages_; ++i) {
            const Node& first = nodes_[first_of_[i]];
            const double begin = overlap_ ? out_.stages[i].front().start : 0;
            const double span = ready[i] - begin;
            if (span <= out_.span) continue;
            out_.span = span;
            slope_ = hops_before[i] - (overlap_ ? first.hops_to : 0);
        }
        return out_.span;
    }
    // Of the step's length over the hop.
    [[nodiscard]] double slope() const { return slope_; }
    PipelineRun take() { return std::move(out_); }

  private:
    struct Node {
        std::size_t stage = 0;
        std::size_t index = 0;  // on the stage
        std::size_t waits_for = kNobody;
        bool hops = false;    // what it waits for comes from another stage
        bool joined = false;  // with the node after it
        double result = 0;    // s
        double hops_to = 0;   // on the chain of waits that ends in its start
    };

    [[nodiscard]] std::size_t& done(std::size_t step, int micro_batch, bool backward) {
        return done_[2 * (step * micro_batches_ + static_cast<std::size_t>(micro_batch)) +
                     (backward ? 1 : 0)];
    }
    [[nodiscard]] std::size_t step_of(const Pass& pass, std::size_t stage) const {
        const auto& steps = step_of_[static_cast<std::size_t>(pass.micro_batch) % step_of_.size()];
        return steps[stage * pieces_ + static_cast<std::size_t>(pass.piece)];
    }

    // False: what it waits for has no place yet.
    bool find(const Pass& pass, Node& node) {
        if (pass.kind == PassKind::weight_gradient) return true;  // after its backward pass, by the order
        const std::size_t step = step_of(pass, node.stage);
        const bool forward = pass.kind == PassKind::forward;
        if (forward && step == 0) return true;
        // The last piece turns round on its own GPU.
        const bool turns = !forward && step + 1 == steps_;
        const std::size_t other = forward ? step - 1 : turns ? step : step + 1;
        node.waits_for = done(other, pass.micro_batch, !forward && !turns);
        if (node.waits_for == kNobody) return false;
        node.hops = nodes_[node.waits_for].stage != node.stage;
        return true;
    }

    void sort() {
        std::vector<std::size_t> next(stages_, 0);
        first_of_.assign(stages_, 0);
        std::vector<Node> group;  // passes that run as one
        const auto ready = [&](std::size_t stage, std::size_t from) {
            group.clear();
            const auto& passes = out_.stages[stage];
            for (std::size_t i = from; i == from || passes[i - 1].joined; ++i) {
                Node node{stage, i};
                node.joined = passes[i].joined;
                if (!find(passes[i], node)) return false;
                group.push_back(node);
            }
            return true;
        };
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t i = 0; i < stages_; ++i) {
                while (next[i] < out_.stages[i].size() && ready(i, next[i])) {
                    if (next[i] == 0) first_of_[i] = nodes_.size();
                    for (const Node& node : group) {
                        const Pass& pass = out_.stages[i][node.index];
                        if (pass.kind != PassKind::weight_gradient)
                            done(step_of(pass, i), pass.micro_batch, pass.kind == PassKind::backward) =
                                nodes_.size();
                        nodes_.push_back(node);
                    }
                    next[i] += group.size();
                    moved = true;
                }
            }
        }
    }

    std::size_t stages_, pieces_, micro_batches_, steps_;
    bool overlap_;
    std::vector<std::vector<std::size_t>> step_of_;  // by the way a micro-batch goes: by stage and piece
    std::vector<std::size_t> done_;                  // in nodes_: by step, micro-batch, direction
    std::vector<Node> nodes_;
    std::vector<std::size_t> first_of_;  // in nodes_: of each stage
    PipelineRun out_;
    double slope_ = 0;
};

}  // namespace

PipelineRun run_pipeline(const Schedule& schedule, const PipelineShape& shape,
                         const std::vector<StageSeconds>& seconds, double hop) {
    Walk walk(schedule, shape, seconds);
    walk.time(hop);
    return walk.take();
}

PipelineRun run_pipeline_within(const Schedule& schedule, const PipelineShape& shape,
                                const std::vector<StageSeconds>& seconds, double span) {
    Walk walk(schedule, shape, seconds);
    // The span grows with the hop in straight pieces. From above Newton's method walks down from corner to
    // corner; where it would leave what is known to hold the answer, the middle of that is taken.
    constexpr int kMost = 60;
    constexpr double kExact = 1e-12;
    double low = -span;
    double high = span;
    double hop = high;
    for (int i = 0; i < kMost; ++i) {
        const double over = walk.time(hop) - span;
        if (std::abs(over) <= kExact * span || high - low <= kExact * span) break;
        (over > 0 ? high : low) = hop;
        const double next = walk.slope() > 0 ? hop - over / walk.slope() : low;
        hop = next > low && next < high ? next : (low + high) / 2;
    }
    return walk.take();
}

double most_in_flight(const std::vector<TimedPass>& passes, const PipelineShape& shape,
                      bool splits_backward) {
    const PassKind frees = splits_backward ? PassKind::weight_gradient : PassKind::backward;
    int now = 0;
    int most = 0;
    for (const TimedPass& pass : passes) {
        if (pass.kind == PassKind::forward) most = std::max(most, ++now);
        else if (pass.kind == frees) --now;
    }
    return most / (shape.virtual_stages * shape.sequence_pieces);
}

}  // namespace shardscope
