// The fit of a calibration: the constants of GPUs, stacks and everything become the unknowns of a robust
// least squares problem, whose residuals are the logarithms of predicted ÷ measured step times.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
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

using PartConstant = std::pair<P, std::string>;  // a constant of a part

// Fits the constants of all cases, or of all but some.
class CalibrationFit {
  public:
    // The constants in `left` stay at their priors.
    CalibrationFit(std::vector<CalibrationCase> cases, const CalibrationOptions& options,
                   const std::set<PartConstant>& left);

    [[nodiscard]] const std::vector<CalibrationCase>& cases() const { return cases_; }
    [[nodiscard]] const std::vector<UnknownConstant>& unknowns() const { return unknowns_; }
    [[nodiscard]] const FitProblem& problem() const { return problem_; }

    // Returns one case with these constants in its settings.
    [[nodiscard]] CalibrationCase with_constants(std::size_t i, const std::vector<double>& x) const;
    // Returns ln(predicted ÷ measured) of one case. Every thread must pass its own `scratch`.
    [[nodiscard]] double residual(std::size_t i, const std::vector<double>& x, Compiled& scratch) const;
    // Fits all cases but those of `left_out` (empty: all), starting at `start`.
    [[nodiscard]] FitResult fit_without(const std::function<bool(const CalibrationCase&)>& left_out,
                                        const std::vector<double>& start, int iterations) const;

  private:
    void set_constants(std::size_t i, const std::vector<double>& x, Settings& settings) const;
    void set_weights(bool are_public);
    void leave_unsupported_constants();
    [[nodiscard]] bool changes_step_time(std::size_t i, const ConstantRow& row, double before,
                                         Compiled& scratch) const;

    std::vector<CalibrationCase> cases_;
    std::vector<UnknownConstant> unknowns_;
    FitProblem problem_;
};

}  // namespace shardscope
