// Calibration: the constants that no data sheet names, found from measured runs.
//
// Few named constants, each of one part: everywhere the same, a GPU's, or a software stack's; never of a run,
// a model or a cluster. They minimise the logarithm of predicted ÷ measured step times with a robust loss,
// and are held to their priors (the parameter table's defaults and the parts' presets) by the prior's width,
// so that a constant the runs say nothing about stays where it was. Two cross-validations tell what to expect
// of a prediction:
// - a new model on a known machine: folds are machine × software × model,
// - a new stack: folds are software stacks, blind, and after calibration on eight of its runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evidence/runs.h"

namespace shardscope {

struct FittedConstant {
    P id = P::count;
    std::string part;  // "", "gpu-a100", "stack-fsdp1"
    double prior = 0;
    double value = 0;
    double uncertainty = 1;  // of the prior's width that is left; above kUnidentified the runs say nothing
    int runs = 0;            // it bears on
};
inline constexpr double kUnidentified = 0.9;

// Errors of predictions for runs that were left out.
struct CrossValidation {
    std::map<std::string, FamilySummary> summary;  // by family, and "all"
    std::vector<double> error;                     // of each run used: predicted ÷ measured − 1
    double within_band = 0;                        // share of runs whose error lies in its stack's band
};

struct Calibration {
    std::vector<FittedConstant> constants;
    std::vector<FittedConstant> unidentified;  // left at their priors
    std::vector<const MeasuredRun*> used;      // with a step time and a scenario that is valid
    std::vector<Validation::Skipped> skipped;
    CrossValidation fitted;              // of the very runs it was fitted to
    CrossValidation new_model;           // each model on its machine and stack predicted by the others
    CrossValidation new_machine;         // each machine (GPU, node, network) predicted by the others
    bool single_model = false;           // one model on one machine: `new_model` leaves out run by run
    std::map<std::string, double> band;  // 80 % half width by part ("stack-fsdp1"; "": any other)
};

struct CalibrationOptions {
    bool everywhere = true;  // fit the constants that are the same everywhere, too
    double tightness = 1;    // factor on the priors' widths
    bool cross_validate = true;
    std::function<bool(const MeasuredRun&)> take;  // empty: all
};

// Fits `runs`; priors are what `catalogue` holds. Throws nothing: what cannot be used is in `skipped`, and so
// are runs that contradict each other: the same settings, and times more than 1.5 times apart.
Calibration calibrate(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue,
                      const CalibrationOptions& options = {});

// The fitted constants and bands as parts.
std::vector<PartValues> parts_of(const Calibration& calibration);

// A stack nobody has calibrated on: its error blind, and after calibration on eight of its own runs.
struct NewStack {
    std::string software;
    int runs = 0;
    double blind = 0;  // mean absolute error of all its runs
    // Of its other runs after eight were given; with nine or fewer each after all others; NaN with one.
    double calibrated = 0;
    double bias = 0;  // of the blind predictions
};
std::vector<NewStack> new_stacks(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue);

}  // namespace shardscope
