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
// for each prior.
class Residuals {
  public:
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

    explicit Residuals(const FitProblem& problem)
        : problem_(problem), x_(problem.constants.size()), constants_of_(problem.residuals) {
        for (std::size_t j = 0; j < problem.constants.size(); ++j) {
            for (const std::size_t i : problem.constants[j].affected_residuals) constants_of_[i].push_back(j);
        }
    }

    [[nodiscard]] int inputs() const { return static_cast<int>(problem_.constants.size()); }
    [[nodiscard]] int values() const {
        return static_cast<int>(problem_.residuals + problem_.constants.size());
    }

    int operator()(const InputType& x, ValueType& out) const {
        place(x);
        for (std::size_t i = 0; i < problem_.residuals; ++i) out[at(i)] = of(i);
        last_x_ = x;
        last_ = out;
        for (std::size_t j = 0; j < x_.size(); ++j) {
            const FitConstant& constant = problem_.constants[j];
            out[at(problem_.residuals + j)] = (x_[j] - constant.prior) / constant.width;
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
        for (std::size_t j = 0; j < x_.size(); ++j) {
            const FitConstant& constant = problem_.constants[j];
            const double step = 1e-4 * constant.width;
            steps.push_back(x_[j] + step > constant.high ? -step : step);
            slopes.push_back(slope_at(constant, x[at(j)]));
            out(at(problem_.residuals + j), at(j)) = slopes[j] / constant.width;
        }
        // A residual may reuse what it computed for the previous constant.
        for (std::size_t i = 0; i < problem_.residuals; ++i) {
            for (const std::size_t j : constants_of_[i]) {
                const double inside = x_[j];
                x_[j] = inside + steps[j];
                out(at(i), at(j)) = slopes[j] * (of(i) - last_[at(i)]) / steps[j];
                x_[j] = inside;
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
        for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = bounded(problem_.constants[j], x[at(j)]);
    }

    const FitProblem& problem_;
    mutable std::vector<double> x_;
    std::vector<std::vector<std::size_t>> constants_of_;  // the constants that affect each residual
    mutable InputType last_x_;                            // the point at which `last_` was computed
    mutable ValueType last_;
};

}  // namespace

FitResult fit(const FitProblem& problem) {
    const std::size_t n = problem.constants.size();
    Eigen::VectorXd x(static_cast<Eigen::Index>(n));
    for (std::size_t j = 0; j < n; ++j) {
        const FitConstant& constant = problem.constants[j];
        x[static_cast<Eigen::Index>(j)] =
            unbounded(constant, problem.start.empty() ? constant.prior : problem.start[j]);
    }
    FitResult result;
    if (n == 0) return result;
    Residuals residuals(problem);
    Eigen::LevenbergMarquardt<Residuals> solver(residuals);
    solver.parameters.maxfev = problem.most_iterations;
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
    for (std::size_t j = 0; j < n; ++j) {
        const FitConstant& constant = problem.constants[j];
        const auto at = static_cast<Eigen::Index>(j);
        result.x.push_back(bounded(constant, x[at]));
        result.uncertainty.push_back(std::sqrt(std::max(0.0, covariance(at, at))) *
                                     std::fabs(slope_at(constant, x[at])) / constant.width);
    }
    return result;
}

}  // namespace shardscope
