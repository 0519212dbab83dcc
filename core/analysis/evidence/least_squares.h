// Robust least squares with priors, the solver of all calibrations.
//
// Minimises Σ w_i·ρ(r_i(x) ÷ scale) + Σ ((x_j − prior_j) ÷ width_j)², with ρ(z) = 2·(√(1 + z²) − 1):
// quadratic for small residuals and linear for outliers. Every constant stays in its range.
//
// The method is that of Levenberg and Marquardt with the damping of Nielsen. A step that would take a
// constant out of its range ends at the bound. The constant stays there while a lower cost is outside of the
// range. The Jacobian is computed by finite differences, only for residuals that a constant affects. Eigen's
// own solver has no bounds: with x = sin(y) it keeps them, but takes ten times as long, because dx/dy is 0 at
// a bound. Source: Madsen, Nielsen and Tingleff 2004, “Methods for non-linear least squares problems”; ρ
// after Charbonnier et al. 1997 (soft L1).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace shardscope {

struct FitConstant {
    double prior = 0;  // its value if the data carry no information on it
    double width = 1;  // standard deviation of the prior, in the same unit; > 0
    double low = 0;    // the fit stays within [low, high]
    double high = 0;
    std::vector<std::size_t>
        affected_residuals;  // the residuals it changes; without any it stays at its prior
    // Values at which the fit may start instead of at its prior. A constant without effect at its prior has
    // no slope there, so that the fit would not leave it.
    std::vector<double> starts{};
};

struct FitProblem {
    std::vector<FitConstant> constants;
    std::size_t residuals = 0;
    // Residual i, dimensionless, at the constants `x`. It must not depend on the order of calls.
    std::function<double(std::size_t i, const std::vector<double>& x)> residual;
    std::vector<double> weights;  // w_i of each residual; empty: all 1
    double scale = 0.03;          // the loss of larger residuals is linear
    std::vector<double> start;    // empty: the priors
};

struct FitResult {
    std::vector<double> x;
    // Remaining standard deviation of each constant ÷ its prior's; near 1 the data do not identify it.
    std::vector<double> uncertainty;
};

FitResult fit(const FitProblem& problem);

}  // namespace shardscope
