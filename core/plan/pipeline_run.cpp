#include "plan/pipeline_run.h"

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
          pieces_(static_cast<std::size_t>(shape.virtual_stages)),
          micro_batches_(static_cast<std::size_t>(shape.micro_batches)),
          overlap_(schedule.steps_overlap),
          place_(stages_ * pieces_ * micro_batches_ * 2, kNobody) {
        out_.stages.resize(stages_);
        const PassKind gives_gradients =
            schedule.splits_backward ? PassKind::weight_gradient : PassKind::backward;
        for (std::size_t i = 0; i < stages_; ++i) {
            std::vector<std::size_t> forwards(pieces_, 0);
            std::vector<std::size_t> gradients(pieces_, 0);
            for (const Pass& pass : schedule.order(shape, static_cast<int>(i))) {
                TimedPass timed{pass, 0, seconds[i].pass[static_cast<std::size_t>(pass.kind)], false, false};
                const auto piece = static_cast<std::size_t>(pass.piece);
                timed.first = pass.kind == PassKind::forward && forwards[piece]++ == 0;
                timed.last = pass.kind == gives_gradients && ++gradients[piece] == micro_batches_;
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
        for (Node& node : nodes_) {
            TimedPass& pass = out_.stages[node.stage][node.index];
            double start = ready[node.stage];
            double hops = hops_before[node.stage];
            if (node.waits_for != kNobody) {
                const Node& other = nodes_[node.waits_for];
                const double arrival = other.result + (node.hops ? hop : 0) - pass.seconds.lead;
                if (arrival > start) {
                    start = arrival;
                    hops = other.hops_to + (node.hops ? 1 : 0);
                }
            }
            pass.start = start;
            node.result = start + pass.seconds.lead + pass.seconds.chain;
            node.hops_to = hops;
            ready[node.stage] = pass.end();
            hops_before[node.stage] = hops;
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
        bool hops = false;   // what it waits for comes from another stage
        double result = 0;   // s
        double hops_to = 0;  // on the chain of waits that ends in its start
    };

    [[nodiscard]] std::size_t& place(std::size_t stage, int piece, int micro_batch, bool backward) {
        const std::size_t at = (stage * pieces_ + static_cast<std::size_t>(piece)) * micro_batches_ +
                               static_cast<std::size_t>(micro_batch);
        return place_[2 * at + (backward ? 1 : 0)];
    }

    // False: what it waits for has no place yet.
    bool find(const Pass& pass, std::size_t stage, Node& node) {
        const std::size_t last = stages_ - 1;
        const int last_piece = static_cast<int>(pieces_) - 1;
        const auto wait = [&](std::size_t other, int piece, bool backward) {
            node.waits_for = place(other, piece, pass.micro_batch, backward);
            node.hops = other != stage;
            return node.waits_for != kNobody;
        };
        switch (pass.kind) {
            case PassKind::forward:
                if (stage > 0) return wait(stage - 1, pass.piece, false);
                return pass.piece == 0 || wait(last, pass.piece - 1, false);
            case PassKind::backward:
                if (stage < last) return wait(stage + 1, pass.piece, true);
                return pass.piece < last_piece ? wait(0, pass.piece + 1, true)
                                               : wait(last, pass.piece, false);
            case PassKind::weight_gradient:  // after its backward pass, by the order
            case PassKind::count: break;
        }
        return true;
    }

    void sort() {
        std::vector<std::size_t> next(stages_, 0);
        first_of_.assign(stages_, 0);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t i = 0; i < stages_; ++i) {
                for (; next[i] < out_.stages[i].size(); ++next[i]) {
                    const Pass& pass = out_.stages[i][next[i]];
                    Node node{i, next[i]};
                    if (!find(pass, i, node)) break;
                    if (next[i] == 0) first_of_[i] = nodes_.size();
                    if (pass.kind != PassKind::weight_gradient)
                        place(i, pass.piece, pass.micro_batch, pass.kind == PassKind::backward) =
                            nodes_.size();
                    nodes_.push_back(node);
                    moved = true;
                }
            }
        }
    }

    std::size_t stages_, pieces_, micro_batches_;
    bool overlap_;
    std::vector<std::size_t> place_;  // in nodes_: by stage, piece, micro-batch, direction
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
    return most / shape.virtual_stages;
}

}  // namespace shardscope
