// Tests E28: the critical batch, steps and tokens.
#include <catch2/catch.hpp>
#include <cmath>

#include "support/scenarios.h"
#include "training/critical_batch.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

constexpr auto kaplan = CriticalBatchLaw::kaplan;
constexpr auto bergsma = CriticalBatchLaw::bergsma;
constexpr auto fixed = CriticalBatchLaw::fixed;

const TrainingRun run_of(const Scenario& scenario) { return answer(scenario).estimate.run; }

}  // namespace

TEST_CASE("critical batch: Kaplan's law gives the numbers worked out by hand", "[training]") {
    const Settings s = resolve(with({{P::critical_batch_law, kaplan}}));
    // (8.8e13 ÷ 1e9)^0.076 = e^(0.076 · ln 88,000) = e^(0.076 · 11.3851) = e^0.865268 = 2.37564
    CHECK(converged_loss(1e9, s) == Approx(2.37564).epsilon(1e-5));
    // 2e8 ÷ 2.37564^(1/0.21) = 2e8 ÷ e^(0.865268/0.21) = 2e8 ÷ e^4.12032 = 2e8 ÷ 61.579 = 3.2479 M tokens
    CHECK(critical_batch(1e9, 1e12, s) == Approx(3.2479e6).epsilon(1e-3));
    // Both laws are anchored at a loss of one nat; the training tokens do not matter.
    CHECK(critical_batch(8.8e13, 1e12, s) == Approx(2e8));
    CHECK(critical_batch(1e9, 1e9, s) == critical_batch(1e9, 1e13, s));
    CHECK(critical_batch(1e11, 1e12, s) > critical_batch(1e9, 1e12, s));
}

TEST_CASE("critical batch: it is a power of the training tokens, independent of the model", "[training]") {
    const Settings s = resolve(with({{P::critical_batch_law, bergsma}}));
    CHECK(critical_batch(1e9, 100e9, s) == Approx(s[P::data_batch]));
    CHECK(critical_batch(1e9, 10e12, s) / critical_batch(7e10, 100e9, s) == Approx(std::pow(100, 0.47)));
    const Settings own = resolve(with({{P::critical_batch_law, fixed}, {P::critical_batch, 1.5e6}}));
    CHECK(critical_batch(1e9, 1e12, own) == 1.5e6);
    CHECK(std::isinf(critical_batch(1e9, 1e12, resolve(first()))));
}

TEST_CASE("critical batch: at this batch training takes twice the fewest tokens and twice the fewest steps",
          "[training]") {
    // The first launch has 128 sequences of 2,048 tokens.
    const double batch = 128.0 * 2048;
    const TrainingRun plain = run_of(with({{P::training_tokens, 1e11}}));
    CHECK(plain.batch == batch);
    CHECK(plain.tokens == 1e11);
    CHECK(plain.steps == Approx(1e11 / batch));
    const TrainingRun at = run_of(
        with({{P::training_tokens, 1e11}, {P::critical_batch_law, fixed}, {P::critical_batch, batch}}));
    CHECK(at.tokens == Approx(2e11));
    CHECK(at.steps == Approx(2 * 1e11 / batch));
    CHECK(at.seconds == Approx(2 * plain.seconds));
    // S = S_min·(1 + B_crit/B) with S_min = D ÷ B_crit; both together are McCandlish's hyperbola.
    for (const double critical : {1e4, 1e6, 1e8}) {
        const TrainingRun run = run_of(with(
            {{P::training_tokens, 1e11}, {P::critical_batch_law, fixed}, {P::critical_batch, critical}}));
        const double fewest = 1e11 / critical;
        CHECK(run.steps == Approx(fewest * (1 + critical / batch)));
        CHECK((run.steps / fewest - 1) * (run.tokens / 1e11 - 1) == Approx(1));
    }
}

TEST_CASE("critical batch: a larger batch always takes fewer steps and more tokens", "[training]") {
    double steps = 1e30;
    double tokens = 0;
    for (const double batch : {128.0, 256.0, 1024.0, 8192.0}) {
        const TrainingRun run = run_of(with({{P::critical_batch_law, kaplan}, {P::global_batch, batch}}));
        CHECK(run.steps < steps);
        CHECK(run.tokens > tokens);
        steps = run.steps;
        tokens = run.tokens;
    }
    CHECK(run_of(first()).tokens == run_of(with({{P::global_batch, 8192}})).tokens);
}

TEST_CASE("X models: L layers of width L² have about L⁵·12 parameters, a trillion at L = 160",
          "[training][presets]") {
    for (const double x : {32.0, 64.0, 96.0, 128.0, 160.0}) {
        INFO(x);
        const Answer found = answer(of_model("x-" + std::to_string(static_cast<int>(x)), {}));
        const Settings& s = found.settings;
        CHECK(s[P::layers] == x);
        CHECK(s[P::hidden_size] == x * x);
        CHECK(s[P::heads] == x);
        CHECK(s[P::head_size] == x);
        const double layers = found.compiled.parameters - found.compiled.root_parameters;
        CHECK(layers == Approx(12 * std::pow(x, 5)).epsilon(0.002));
    }
    CHECK(compile(resolve(of_model("x-160", {}))).parameters == Approx(1.26e12).epsilon(0.002));
}
