// The fit of a calibration: the constants of GPUs, stacks and everything become the unknowns of a robust
// least squares problem, whose residuals are the logarithms of predicted ÷ measured step times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "evidence/calibration_cases.h"
#include "evidence/calibration_constants.h"
#include "evidence/least_squares.h"

namespace shardscope {

// One unknown of the solver: a constant of a part.
struct UnknownConstant {
    const ConstantRow* row = nullptr;
    std::string part;
    double prior = 0;  // in the unit of the parameter
};

// The values of all unknowns. Those that the runs do not identify stay at their priors, because fitting them
// only adds noise to the others.
struct FittedUnknowns {
    std::vector<double> x;
    std::vector<double> uncertainty;  // see FitResult; if not identified, from the fit of all unknowns
    std::vector<char> identified;
    std::vector<int> runs;  // that each one affects; 0 where too few runs, models or machines show it
};

// Fits the constants of all cases, or of all but some.
class CalibrationFit {
  public:
    CalibrationFit(std::vector<CalibrationCase> cases, const CalibrationOptions& options);

    [[nodiscard]] const std::vector<CalibrationCase>& cases() const { return cases_; }
    [[nodiscard]] const std::vector<UnknownConstant>& unknowns() const { return unknowns_; }

    // Returns one case with these constants in its settings.
    [[nodiscard]] CalibrationCase with_constants(std::size_t i, const std::vector<double>& x) const;
    // Returns ln(predicted ÷ measured) of one case. Every thread must pass its own `scratch`.
    [[nodiscard]] double residual(std::size_t i, const std::vector<double>& x, Compiled& scratch) const;
    // Fits all cases but those of `left_out` (empty: all). Those that are left out influence neither which
    // constants are fitted nor the weights of the other cases. The fit starts at the priors.
    [[nodiscard]] FittedUnknowns fit_without(
        const std::function<bool(const CalibrationCase&)>& left_out) const;

  private:
    void set_constants(std::size_t i, const std::vector<double>& x, Settings& settings) const;
    [[nodiscard]] std::vector<double> weights_of(const std::vector<char>& used) const;
    void leave_unsupported_constants(FitProblem& problem) const;
    [[nodiscard]] bool changes_step_time(std::size_t i, const ConstantRow& row, double before,
                                         Compiled& scratch) const;

    std::vector<CalibrationCase> cases_;
    std::vector<std::size_t> like_;  // of each case the first one with the same settings
    std::vector<UnknownConstant> unknowns_;
    // The cases are public runs: their weights are limited, and a constant needs several runs, models and
    // machines.
    bool are_public_;
    FitProblem problem_;
};

}  // namespace shardscope
