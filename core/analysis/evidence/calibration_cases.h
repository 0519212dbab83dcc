// The measured runs of a calibration, ready to be predicted with other constants.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evidence/calibration.h"
#include "evidence/equal_runs.h"

namespace shardscope {

// One run, ready to be predicted with other constants.
struct CalibrationCase {
    const MeasuredRun* run = nullptr;
    Settings settings;
    const Preset* gpu_part = nullptr;  // the constants of its GPU and stack; either may extend others
    const Preset* stack_part = nullptr;
    const Preset* fabric_part = nullptr;  // its constants are not fitted
    std::string stack;                    // name of the stack's part
    std::string machine;                  // GPU, node, network
    std::string fold;                     // machine × software × model
    double log_measured = 0;
    std::vector<std::size_t> constants;  // of its GPU, of its stack, and those that are the same everywhere
};

// Returns the runs that can be used. The others are in `skipped`, with the reason; so are runs with equal
// settings whose times contradict each other. The cases point into `runs` and `catalogue`, which must outlive
// them.
std::vector<CalibrationCase> cases_of(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue,
                                      const CalibrationOptions& options,
                                      std::vector<Validation::Skipped>& skipped);
std::vector<CalibrationCase> cases_of(const std::vector<MeasuredRun>& runs, Catalogue&& catalogue,
                                      const CalibrationOptions& options,
                                      std::vector<Validation::Skipped>& skipped) = delete;
// Returns ln(predicted ÷ measured) of a step; `log_measured` is ln of its seconds.
double log_error(const Settings& settings, double log_measured, Compiled& scratch);
// Gives a case the values of its stack's parent for the constants that were read off the stack's own runs
// (nanotron's host times), for a prediction without these runs.
void forget_own_runs(CalibrationCase& item);
// Returns the runs with their settings, which are those of `cases`.
std::vector<RunWithSettings> with_settings(const std::vector<CalibrationCase>& cases);

}  // namespace shardscope
