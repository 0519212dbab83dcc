// E25: the grid search over the job and the machine, with the best plan at every point. It finds the GPU
// count, sequence length, bandwidth, memory or assumed efficiency with the best results, and the hardware
// that a target requires. After Wang et al. 2025, arXiv 2504.03655 (reconstructed); the plan replaces its
// grid of ZeRO stages and recomputation.
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
    std::vector<Axis> over;        // the inputs that are varied besides the plan
    std::optional<Target> target;  // the target of the hardware thresholds
    unsigned threads = 1;
};

// The point with the best value of one output.
struct GridBest {
    Output output = Output::mfu;
    std::optional<Answer> answer;  // at that point, with the best plan; none: nothing fits
};
// The smallest value of an input that meets the target. The other inputs are those of the point of highest
// MFU, and each value is re-planned.
struct Threshold {
    P id;
    Solution solution;
};
struct GridReport {
    GridQuestion question;
    std::size_t points = 0;
    std::size_t feasible = 0;           // points at which some plan fits
    std::vector<GridBest> best;         // highest MFU, tokens/s/GPU, tokens/s
    std::vector<Threshold> thresholds;  // inter-node bandwidth, memory
};
// `progress` receives the share of the points that is done, from any thread.
GridReport grid_report(const GridQuestion& question, const std::function<void(double)>& progress = {});

}  // namespace shardscope
