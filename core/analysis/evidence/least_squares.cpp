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

// Residuals and Jacobian in the form that Eigen's solver requires: first the residuals of the data, then one
// for each prior.
class Residuals {
  public:
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

    explicit Residuals(const FitProblem& problem) : problem_(problem), x_(problem.constants.size()) {}

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
            // Outside the range of a constant a steep penalty is added to the prior's residual.
            const double outside = x[at(j)] - x_[j];
            out[at(problem_.residuals + j)] = (x[at(j)] - constant.prior + 10 * outside) / constant.width;
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
        for (std::size_t j = 0; j < x_.size(); ++j) {
            const FitConstant& constant = problem_.constants[j];
            const double inside = x_[j];
            double step = 1e-4 * constant.width;
            if (inside + step > constant.high) step = -step;
            for (const std::size_t i : constant.affected_residuals) {
                x_[j] = inside + step;
                out(at(i), at(j)) = (of(i) - last_[at(i)]) / step;
            }
            x_[j] = inside;
            const bool outside = x[at(j)] != inside;
            out(at(problem_.residuals + j), at(j)) = (outside ? 11 : 1) / constant.width;
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
        for (std::size_t j = 0; j < x_.size(); ++j)
            x_[j] = std::clamp(x[at(j)], problem_.constants[j].low, problem_.constants[j].high);
    }

    const FitProblem& problem_;
    mutable std::vector<double> x_;
    mutable InputType last_x_;  // the point at which `last_` was computed
    mutable ValueType last_;
};

}  // namespace

FitResult fit(const FitProblem& problem) {
    const std::size_t n = problem.constants.size();
    Eigen::VectorXd x(static_cast<Eigen::Index>(n));
    for (std::size_t j = 0; j < n; ++j) {
        x[static_cast<Eigen::Index>(j)] =
            problem.start.empty() ? problem.constants[j].prior : problem.start[j];
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
        result.x.push_back(std::clamp(x[at], constant.low, constant.high));
        result.uncertainty.push_back(std::sqrt(std::max(0.0, covariance(at, at))) / constant.width);
    }
    return result;
}

}  // namespace shardscope
