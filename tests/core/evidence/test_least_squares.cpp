#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "evidence/least_squares.h"

using namespace shardscope;

namespace {

// Returns y = a·x^b at ten points, in logarithms.
FitProblem power_law(double a, double b, double prior_a, double prior_b) {
    FitProblem problem;
    problem.residuals = 10;
    problem.residual = [=](std::size_t i, const std::vector<double>& x) {
        const double at = std::log(1.0 + static_cast<double>(i));
        return (x[0] + x[1] * at) - (std::log(a) + b * at);
    };
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < problem.residuals; ++i) all.push_back(i);
    problem.constants = {{std::log(prior_a), 2, -20, 20, all}, {prior_b, 2, -20, 20, all}};
    return problem;
}

}  // namespace

TEST_CASE("A fit recovers the law behind data without noise") {
    const FitResult found = fit(power_law(3, 0.7, 1, 0));
    CHECK(std::exp(found.x[0]) == Approx(3).epsilon(1e-3));
    CHECK(found.x[1] == Approx(0.7).epsilon(1e-3));
    CHECK(found.uncertainty[0] < 0.1);
}

TEST_CASE("One outlier hardly changes a robust fit") {
    FitProblem problem = power_law(3, 0.7, 1, 0);
    const auto clean = problem.residual;
    problem.residual = [=](std::size_t i, const std::vector<double>& x) {
        return clean(i, x) + (i == 4 ? 5 : 0);
    };
    const FitResult found = fit(problem);
    CHECK(found.x[1] == Approx(0.7).margin(0.02));
}

TEST_CASE("A constant that no measurement depends on keeps its prior and is reported") {
    FitProblem problem = power_law(3, 0.7, 1, 0);
    problem.constants.push_back({5, 1, 0, 10, {}});
    const FitResult found = fit(problem);
    CHECK(found.x[2] == Approx(5));
    CHECK(found.uncertainty[2] == Approx(1).epsilon(1e-6));
}

TEST_CASE("A fit stays within its limits") {
    FitProblem problem = power_law(3, 0.7, 1, 0);
    problem.constants[1].high = 0.5;
    CHECK(fit(problem).x[1] <= 0.5);
    CHECK(fit(problem).x[1] > 0.499);
    problem.constants[1].low = 0.5;
    problem.constants[1].high = 20;
    problem.constants[1].prior = 0.5;  // at the limit, with the law inside
    CHECK(fit(problem).x[1] == Approx(0.7).epsilon(1e-3));
    problem.constants[1].low = 0.9;
    problem.constants[1].prior = 2;
    CHECK(fit(problem).x[1] >= 0.9);
    CHECK(fit(problem).x[1] < 0.901);
}

TEST_CASE("Where a constant ends at its limit, the others fit best beside it") {
    FitProblem problem = power_law(3, 0.7, 1, 0);
    problem.scale = 10;  // of such small residuals the loss is quadratic
    problem.constants[0].width = problem.constants[1].width = 1e4;
    problem.constants[1].high = 0.5;
    // The regression of ln 3 + (0.7 − 0.5)·ln x on a constant is its mean.
    double mean = 0;
    for (int i = 1; i <= 10; ++i) mean += (std::log(3) + 0.2 * std::log(i)) / 10;
    const FitResult found = fit(problem);
    CHECK(found.x[1] == 0.5);
    CHECK(found.x[0] == Approx(mean).epsilon(1e-3));
}

TEST_CASE("A fit goes on where a bound turns a step uphill") {
    // |A·x − b|² + |x|² with A = ((3, −1), (−4, 4)) and b = (2, 4)·kSmall: the second constant ends at its
    // limit, where the first one is −21/104·kSmall. Cut at the limit, the first step raises the sum.
    constexpr double kSmall = 1e-3;  // of such small residuals the loss is quadratic
    FitProblem problem;
    problem.constants = {{0, 1, -kSmall, kSmall, {0, 1}}, {0, 1, -kSmall, kSmall / 4, {0, 1}}};
    problem.residuals = 2;
    problem.scale = 1;
    problem.residual = [](std::size_t i, const std::vector<double>& x) {
        return i == 0 ? 3 * x[0] - x[1] - 2 * kSmall : 4 * (x[1] - x[0]) - 4 * kSmall;
    };
    const FitResult found = fit(problem);
    CHECK(found.x[0] == Approx(-21.0 / 104 * kSmall).epsilon(1e-3));
    CHECK(found.x[1] == Approx(kSmall / 4));
}

TEST_CASE("A constant without effect at its prior is found from another start") {
    // y = max(1, x) = 3; below 1 the constant has no slope.
    FitProblem problem;
    problem.residuals = 1;
    problem.residual = [](std::size_t, const std::vector<double>& x) { return std::max(1.0, x[0]) - 3; };
    problem.constants = {{0.5, 5, 0, 10, {0}}};
    CHECK(fit(problem).x[0] == Approx(0.5));
    problem.constants[0].starts = {2, 4};
    CHECK(fit(problem).x[0] == Approx(3).epsilon(0.01));
    // A start that fits no better than the prior is not taken.
    problem.constants[0].starts = {9};
    CHECK(fit(problem).x[0] == Approx(0.5));
}

TEST_CASE("A residual without weight has no influence") {
    FitProblem problem = power_law(3, 0.7, 1, 0);
    const auto clean = problem.residual;
    problem.residual = [=](std::size_t i, const std::vector<double>& x) {
        return i == 4 ? std::nan("") : clean(i, x);
    };
    problem.weights.assign(problem.residuals, 1);
    problem.weights[4] = 0;
    CHECK(fit(problem).x[1] == Approx(0.7).epsilon(1e-3));
}
