// Tests E11: the memory traffic of an optimizer's step.
#include "effects/optimizer.h"

#include <catch2/catch.hpp>

#include "step/step.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double term_of_step(const std::vector<std::pair<P, Value>>& values, StepTerm term) {
    Scenario scenario = of_model("llama-3-8b", {{P::gpus, 8}, {P::sharding, Sharding::ddp}});
    for (const auto& [id, value] : values) scenario.give(id, value);
    return step_time(compile(resolve(scenario))).term(term);
}

}  // namespace

TEST_CASE("optimizer: the traffic follows the bytes of its states", "[effects]") {
    // The gradient in fp32 is read twice and the weight in bf16 is written: 10 bytes. AdamW also reads and
    // writes 12.
    CHECK(optimizer_traffic(34, 12) == 34);
    CHECK(optimizer_traffic(34, 4) == 18);  // SGD: the master copy only
    CHECK(optimizer_traffic(34, 8) == 26);  // one fp32 moment
}

TEST_CASE("optimizer: smaller states make a shorter step", "[effects]") {
    const auto seconds = [](const std::vector<std::pair<P, Value>>& values) {
        return term_of_step(values, StepTerm::optimizer);
    };
    const double adamw = seconds({{P::optimizer, Optimizer::adamw}});
    CHECK(seconds({{P::optimizer, Optimizer::adamw_8bit}}) == Approx(adamw * (10 + 2 * 6) / 34));
    CHECK(seconds({{P::optimizer, Optimizer::lion}}) == Approx(adamw * (10 + 2 * 8) / 34));
    CHECK(seconds({{P::optimizer, Optimizer::sgd}}) == Approx(adamw * (10 + 2 * 4) / 34));
    CHECK(seconds({{P::moment_precision, MomentPrecision::bf16}}) == Approx(adamw * (10 + 2 * 8) / 34));
}

TEST_CASE("optimizer: Muon's products take their time also if its state is on the host", "[effects]") {
    const std::pair<P, Value> offload{P::offload, Offload::optimizer};
    CHECK(term_of_step({offload}, StepTerm::optimizer) == 0);
    CHECK(term_of_step({offload, {P::optimizer, Optimizer::muon}}, StepTerm::optimizer) > 0.1);
}
