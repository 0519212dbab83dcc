// Calibration: fits the constants that no data sheet contains to measured runs.
//
// There are few constants, and each belongs to one part: it is the same everywhere, or belongs to a GPU or to
// a software stack, but never to a run, a model or a cluster. The fit minimises the logarithm of predicted ÷
// measured step times with a robust loss. Priors (the parameter table's defaults and the parts' presets) with
// their widths keep constants near their values, so that a constant on which the runs have no information
// stays at its prior. Five cross-validations show the expected error of a prediction:
// - for a new model on a known machine, the folds are machine × software × model,
// - for a model that was measured nowhere, the folds are models,
// - for a new machine, the folds are machines,
// - for runs from a new source, the folds are families,
// - for a new stack, the folds are software stacks, blind, and after calibration on eight of its runs.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evidence/validation.h"

namespace shardscope {

// How far a constant is expected to be from its prior.
struct PriorWidth {
    P id;
    double deviation = 0;      // one standard deviation
    double low = 0, high = 0;  // the physical range
    bool logarithmic = true;   // the deviation is of ln(value), else of the value
};
// Returns the widths of all constants that a calibration may change.
std::vector<PriorWidth> prior_widths();

struct FittedConstant {
    P id;
    std::string part;  // "", "gpu-a100", "stack-fsdp1"
    double prior = 0;
    double value = 0;
    double uncertainty = 1;  // remaining share of the prior's width; above kUnidentified it is not identified
    int runs = 0;            // number of runs that depend on it
};
inline constexpr double kUnidentified = 0.9;

// Errors of predictions for runs that were left out of the fit.
struct CrossValidation {
    std::map<std::string, FamilySummary> summary;  // by family, and "all"
    std::vector<double> error;                     // of each run used: predicted ÷ measured − 1
    double within_band = std::nan("");             // share of runs that lie in their likely range
};

struct Calibration {
    std::vector<FittedConstant> constants;
    std::vector<FittedConstant> unidentified;  // left at their priors
    std::vector<const MeasuredRun*> used;      // runs with a step time and a valid scenario
    std::vector<Validation::Skipped> skipped;
    CrossValidation fitted;        // errors for the runs of the fit itself
    CrossValidation new_model;     // each model on its machine and stack predicted from the others
    CrossValidation unseen_model;  // each model predicted from the others, on all machines and stacks
    CrossValidation new_machine;   // each machine (GPU, node, network) predicted from the others
    CrossValidation new_family;    // the runs of each family (one source) predicted from the others
    bool single_model = false;     // one model on one machine: `new_model` leaves out single runs
    CrossValidation new_stack;     // each software stack predicted from the others
    // Half widths of the likely range: of every part ("stack-fsdp1"), of a stack without runs, and in
    // addition for one difference in kind from every run.
    std::map<std::string, double> band;
    double unknown_stack_band = 0;
    double distance_band = 0;
    bool shows_distance = false;  // whether the runs show the last two
};

struct CalibrationOptions {
    bool everywhere = true;         // fit the constants that are the same everywhere, too
    double prior_width_factor = 1;  // factor on the priors' widths
    bool stacks_are_new =
        false;  // `prior_width_factor` does not apply to the stacks: other runs did not determine them
    // Fit constants only if several runs, models and machines show them, and limit the weight of a machine. A
    // user's own runs are of one machine, and their calibration is for that machine.
    bool needs_support = true;
    bool cross_validate = true;
    std::function<bool(const MeasuredRun&)> take;  // empty: all
};
// Returns the options of a calibration on a user's own runs. The public runs already determine the constants
// of known machines and stacks, so their fitted values may deviate only half as far.
CalibrationOptions for_own_runs();

// Fits the constants to `runs`; the priors come from `catalogue`. Throws nothing. Runs that cannot be used
// are in `skipped`. So are runs that contradict each other: their settings are equal, but their times differ
// by more than a factor of 1.5.
Calibration calibrate(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue,
                      const CalibrationOptions& options = {});

// The fitted constants and bands as parts.
std::vector<PartValues> parts_of(const Calibration& calibration);

// The errors for a software stack without calibration, and after calibration on eight of its runs.
struct NewStack {
    std::string software;
    int runs = 0;
    double blind = 0;  // mean absolute error of all its runs
    // Mean absolute error of the remaining runs after a calibration with eight. A stack of up to nine runs is
    // evaluated run by run, each after a calibration with all others. NaN with one run.
    double calibrated = 0;
    double bias = 0;  // of the blind predictions
};
std::vector<NewStack> new_stacks(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue);

}  // namespace shardscope
