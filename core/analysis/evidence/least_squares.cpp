#include "evidence/least_squares.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <unsupported/Eigen/NonLinearOptimization>

namespace shardscope {
namespace {

// The residual whose square is ρ, so that a least-squares solver minimises ρ.
double softened(double residual, double scale) {
    const double z = residual / scale;
    const double rho = 2 * (std::sqrt(1 + z * z) - 1);
    return std::copysign(std::sqrt(rho), z);
}

// The solver's variables are unbounded. A constant is a sine of its variable: smooth, because clamping would
// stop the solver at a bound, and periodic, so that a long step never ends where the slope vanishes for good.
double half_range(const FitConstant& constant) { return std::max(1e-12, (constant.high - constant.low) / 2); }
double bounded(const FitConstant& constant, double variable) {
    const double half = half_range(constant);
    return (constant.low + constant.high) / 2 + half * std::sin(variable / half);
}
double slope_at(const FitConstant& constant, double variable) {
    return std::cos(variable / half_range(constant));
}
double unbounded(const FitConstant& constant, double value) {
    constexpr double kMost = 0.995;  // at a bound the slope would be zero
    const double half = half_range(constant);
    const double share = (value - (constant.low + constant.high) / 2) / half;
    return half * std::asin(std::clamp(share, -kMost, kMost));
}

// Residuals and Jacobian in the form that Eigen's solver requires: first the residuals of the data, then one
// for each prior. The solver's variables are the constants that affect a residual.
class Residuals {
  public:
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

    explicit Residuals(const FitProblem& problem) : problem_(problem), variables_of_(problem.residuals) {
        for (std::size_t j = 0; j < problem.constants.size(); ++j) {
            x_.push_back(problem.constants[j].prior);
            if (problem.constants[j].affected_residuals.empty()) continue;
            for (const std::size_t i : problem.constants[j].affected_residuals)
                variables_of_[i].push_back(constants_.size());
            constants_.push_back(j);
        }
    }

    // The constant of each variable.
    [[nodiscard]] const std::vector<std::size_t>& constants() const { return constants_; }
    [[nodiscard]] int inputs() const { return static_cast<int>(constants_.size()); }
    [[nodiscard]] int values() const { return static_cast<int>(problem_.residuals + constants_.size()); }

    int operator()(const InputType& x, ValueType& out) const {
        place(x);
        for (std::size_t i = 0; i < problem_.residuals; ++i) out[at(i)] = of(i);
        last_x_ = x;
        last_ = out;
        for (std::size_t k = 0; k < constants_.size(); ++k) {
            const FitConstant& constant = problem_.constants[constants_[k]];
            out[at(problem_.residuals + k)] = (x_[constants_[k]] - constant.prior) / constant.width;
        }
        return 0;
    }

    int df(const InputType& x, JacobianType& out) const {
        if (last_x_.size() != x.size() || last_x_ != x) {
            ValueType here(values());
            (*this)(x, here);
        }
        place(x);
        out.setZero();
        std::vector<double> steps, slopes;
        for (std::size_t k = 0; k < constants_.size(); ++k) {
            const FitConstant& constant = problem_.constants[constants_[k]];
            const double step = 1e-4 * constant.width;
            steps.push_back(x_[constants_[k]] + step > constant.high ? -step : step);
            slopes.push_back(slope_at(constant, x[at(k)]));
            out(at(problem_.residuals + k), at(k)) = slopes[k] / constant.width;
        }
        // A residual may reuse what it computed for the previous constant.
        for (std::size_t i = 0; i < problem_.residuals; ++i) {
            for (const std::size_t k : variables_of_[i]) {
                double& moved = x_[constants_[k]];
                const double inside = moved;
                moved = inside + steps[k];
                out(at(i), at(k)) = slopes[k] * (of(i) - last_[at(i)]) / steps[k];
                moved = inside;
            }
        }
        return 0;
    }

  private:
    static Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }
    [[nodiscard]] double of(std::size_t i) const {
        const double weight = problem_.weights.empty() ? 1 : problem_.weights[i];
        return std::sqrt(weight) * softened(problem_.residual(i, x_), problem_.scale);
    }
    void place(const InputType& x) const {
        for (std::size_t k = 0; k < constants_.size(); ++k)
            x_[constants_[k]] = bounded(problem_.constants[constants_[k]], x[at(k)]);
    }

    const FitProblem& problem_;
    mutable std::vector<double> x_;                       // of all constants
    std::vector<std::size_t> constants_;                  // of the variables
    std::vector<std::vector<std::size_t>> variables_of_;  // the variables that affect each residual
    mutable InputType last_x_;                            // the point at which `last_` was computed
    mutable ValueType last_;
};

}  // namespace

FitResult fit(const FitProblem& problem) {
    constexpr int kMostEvaluations = 100;  // fits to all public runs converge within 60
    FitResult result;
    for (const FitConstant& constant : problem.constants) result.x.push_back(constant.prior);
    result.uncertainty.assign(problem.constants.size(), 1);
    Residuals residuals(problem);
    const std::vector<std::size_t>& constants = residuals.constants();
    if (constants.empty()) return result;
    Eigen::VectorXd x(residuals.inputs());
    const auto at = [](std::size_t k) { return static_cast<Eigen::Index>(k); };
    for (std::size_t k = 0; k < constants.size(); ++k) {
        const FitConstant& constant = problem.constants[constants[k]];
        x[at(k)] = unbounded(constant, problem.start.empty() ? constant.prior : problem.start[constants[k]]);
    }
    Eigen::LevenbergMarquardt<Residuals> solver(residuals);
    solver.parameters.maxfev = kMostEvaluations;
    solver.parameters.ftol = 1e-7;
    solver.parameters.xtol = 1e-7;
    solver.minimize(x);
    result.iterations = static_cast<int>(solver.iter);
    result.cost = solver.fvec.squaredNorm();
    Eigen::MatrixXd jacobian(residuals.values(), residuals.inputs());
    residuals.df(x, jacobian);
    const Eigen::MatrixXd information = jacobian.transpose() * jacobian;
    const Eigen::MatrixXd covariance =
        information.ldlt().solve(Eigen::MatrixXd::Identity(information.rows(), information.cols()));
    for (std::size_t k = 0; k < constants.size(); ++k) {
        const FitConstant& constant = problem.constants[constants[k]];
        result.x[constants[k]] = bounded(constant, x[at(k)]);
        result.uncertainty[constants[k]] = std::sqrt(std::max(0.0, covariance(at(k), at(k)))) *
                                           std::fabs(slope_at(constant, x[at(k)])) / constant.width;
    }
    return result;
}

}  // namespace shardscope
