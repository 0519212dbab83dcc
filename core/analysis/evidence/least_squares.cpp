#include "evidence/least_squares.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace shardscope {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

// The residual whose square is ρ, so that a least-squares solver minimises ρ.
double softened(double residual, double scale) {
    const double z = residual / scale;
    const double rho = 2 * (std::sqrt(1 + z * z) - 1);
    return std::copysign(std::sqrt(rho), z);
}

// Residuals and Jacobian: first the residuals of the data, then one for each prior. A variable is a constant
// that affects a residual, as its distance from the prior in units of the prior's width.
class Residuals {
  public:
    explicit Residuals(const FitProblem& problem) : problem_(problem), variables_of_(problem.residuals) {
        for (std::size_t j = 0; j < problem.constants.size(); ++j) {
            x_.push_back(problem.constants[j].prior);
            if (problem.constants[j].affected_residuals.empty()) continue;
            for (const std::size_t i : problem.constants[j].affected_residuals)
                variables_of_[i].push_back(constants_.size());
            constants_.push_back(j);
        }
        low_.resize(variables());
        high_.resize(variables());
        for (std::size_t k = 0; k < constants_.size(); ++k) {
            low_[at(k)] = variable(k, problem.constants[constants_[k]].low);
            high_[at(k)] = variable(k, problem.constants[constants_[k]].high);
        }
    }

    // The constant of each variable.
    [[nodiscard]] const std::vector<std::size_t>& constants() const { return constants_; }
    [[nodiscard]] Eigen::Index variables() const { return at(constants_.size()); }
    [[nodiscard]] const VectorXd& low() const { return low_; }
    [[nodiscard]] const VectorXd& high() const { return high_; }
    [[nodiscard]] VectorXd within_range(const VectorXd& v) const { return v.cwiseMax(low_).cwiseMin(high_); }

    [[nodiscard]] double variable(std::size_t k, double value) const {
        const FitConstant& constant = problem_.constants[constants_[k]];
        return (value - constant.prior) / constant.width;
    }
    [[nodiscard]] double value(std::size_t k, double variable) const {
        const FitConstant& constant = problem_.constants[constants_[k]];
        return std::clamp(constant.prior + constant.width * variable, constant.low, constant.high);
    }

    [[nodiscard]] VectorXd operator()(const VectorXd& v) {
        place(v);
        VectorXd out(at(problem_.residuals) + variables());
        for (std::size_t i = 0; i < problem_.residuals; ++i) out[at(i)] = of(i);
        out.tail(variables()) = v;
        return out;
    }

    // Returns the Jacobian where the residuals are `here`.
    [[nodiscard]] MatrixXd jacobian(const VectorXd& v, const VectorXd& here) {
        constexpr double kStep = 1e-4;
        place(v);
        MatrixXd out = MatrixXd::Zero(here.size(), variables());
        out.bottomRows(variables()).setIdentity();
        // A residual may reuse what it computed for the previous constant.
        for (std::size_t i = 0; i < problem_.residuals; ++i) {
            for (const std::size_t k : variables_of_[i]) {
                const double step = v[at(k)] + kStep > high_[at(k)] ? -kStep : kStep;
                double& moved = x_[constants_[k]];
                const double inside = moved;
                moved = value(k, v[at(k)] + step);
                out(at(i), at(k)) = (of(i) - here[at(i)]) / step;
                moved = inside;
            }
        }
        return out;
    }

  private:
    [[nodiscard]] double of(std::size_t i) const {
        const double weight = problem_.weights.empty() ? 1 : problem_.weights[i];
        return weight == 0 ? 0 : std::sqrt(weight) * softened(problem_.residual(i, x_), problem_.scale);
    }
    void place(const VectorXd& v) {
        for (std::size_t k = 0; k < constants_.size(); ++k) x_[constants_[k]] = value(k, v[at(k)]);
    }

    const FitProblem& problem_;
    std::vector<double> x_;                               // of all constants
    std::vector<std::size_t> constants_;                  // of the variables
    std::vector<std::vector<std::size_t>> variables_of_;  // the variables that affect each residual
    VectorXd low_, high_;
};

}  // namespace

FitResult fit(const FitProblem& problem) {
    constexpr int kMostSteps = 100;           // fits to all public runs converge within 20
    constexpr double kNegligible = 1e-5;      // share of the cost; the fit ends when a step lowers it by less
    constexpr double kRoundingError = 1e-12;  // of the cost, which may end at 0
    FitResult result;
    for (const FitConstant& constant : problem.constants) result.x.push_back(constant.prior);
    result.uncertainty.assign(problem.constants.size(), 1);
    Residuals residuals(problem);
    const std::vector<std::size_t>& constants = residuals.constants();
    if (constants.empty()) return result;

    VectorXd v = VectorXd::Zero(residuals.variables());
    for (std::size_t k = 0; k < constants.size() && !problem.start.empty(); ++k)
        v[at(k)] = residuals.variable(k, problem.start[constants[k]]);
    v = residuals.within_range(v);
    VectorXd r = residuals(v);
    for (std::size_t k = 0; k < constants.size(); ++k) {
        for (const double start : problem.constants[constants[k]].starts) {
            VectorXd other = v;
            other[at(k)] = residuals.variable(k, start);
            other = residuals.within_range(other);
            const VectorXd there = residuals(other);
            if (there.squaredNorm() >= r.squaredNorm()) continue;
            v = other;
            r = there;
        }
    }
    MatrixXd jacobian = residuals.jacobian(v, r);
    MatrixXd information = jacobian.transpose() * jacobian;
    double damping = 0.1;  // added to each element of the diagonal, as a share of it
    double growth = 2;     // of the damping after a step that does not lower the cost
    for (int i = 0; i < kMostSteps; ++i) {
        const VectorXd slope = jacobian.transpose() * r;
        VectorXd downhill = -slope;
        MatrixXd damped = information;
        damped.diagonal() *= 1 + damping;
        for (Eigen::Index k = 0; k < v.size(); ++k) {
            // A constant at a bound stays there while the slope leads out of its range.
            const bool moves = slope[k] > 0 ? v[k] > residuals.low()[k] : v[k] < residuals.high()[k];
            if (moves) continue;
            damped.row(k).setZero();
            damped.col(k).setZero();
            damped(k, k) = 1;
            downhill[k] = 0;
        }
        const VectorXd tried = residuals.within_range(v + damped.ldlt().solve(downhill));
        const VectorXd step = tried - v;
        const VectorXd there = residuals(tried);
        const double cost = r.squaredNorm();
        const double gain = cost - there.squaredNorm();
        const double expected = -2 * slope.dot(step) - step.dot(information * step);
        // Far from the minimum, a bound may shorten the step so that `expected` is zero or less. The slopes
        // along the step then say that the fit is not at its end.
        const double along_slopes = slope.cwiseAbs().dot(step.cwiseAbs());
        if (gain > 0) {
            v = tried;
            r = there;
            jacobian = residuals.jacobian(v, r);
            information = jacobian.transpose() * jacobian;
            const double ratio = std::max(0.0, gain / expected);
            damping *= std::max(1.0 / 3, 1 - std::pow(2 * ratio - 1, 3));
            growth = 2;
        } else {
            damping *= growth;
            growth *= 2;
        }
        if (std::max({gain, expected, along_slopes}) <= kNegligible * cost + kRoundingError) break;
    }

    const MatrixXd covariance =
        information.ldlt().solve(MatrixXd::Identity(information.rows(), information.cols()));
    for (std::size_t k = 0; k < constants.size(); ++k) {
        result.x[constants[k]] = residuals.value(k, v[at(k)]);
        result.uncertainty[constants[k]] = std::sqrt(std::max(0.0, covariance(at(k), at(k))));
    }
    return result;
}

}  // namespace shardscope
