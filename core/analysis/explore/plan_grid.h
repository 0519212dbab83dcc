// E25: the grid search over the job and the machine, with the best plan at every point: which GPU count,
// sequence length, bandwidth, memory or assumed efficiency reaches most, and how much hardware a target
// takes. After Wang et al. 2025, arXiv 2504.03655 (reconstructed), whose grid of ZeRO stages and
// recomputation is the plan here.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "explore/plan_report.h"
#include "explore/solve.h"
#include "explore/sweep.h"

namespace shardscope {

struct GridQuestion {
    PlanQuestion plan;
    std::vector<Axis> over;        // what is varied beyond the plan
    std::optional<Target> target;  // hardware thresholds are wanted for it
    unsigned threads = 1;
};

// The best of all points in one respect.
struct GridBest {
    Output output = Output::mfu;
    std::optional<Answer> answer;  // at that point, with the plan; none: nothing fits
};
// The least of an input, all else as at the point of highest MFU and the plan chosen anew, at which the
// target is met.
struct Threshold {
    P id = P::count;
    Solution solution;
};
struct GridReport {
    GridQuestion question;
    std::size_t points = 0;
    std::size_t feasible = 0;           // points at which some plan fits
    std::vector<GridBest> best;         // highest MFU, tokens/s/GPU, tokens/s
    std::vector<Threshold> thresholds;  // inter-node bandwidth, memory
};
// `progress` hears the share of the points that is done, from any thread.
GridReport grid_report(const GridQuestion& question, const std::function<void(double)>& progress = {});

}  // namespace shardscope
