// Tests E1, E2 and E5 on the operator list.
#include <catch2/catch.hpp>

#include "model/operators.h"
#include "scenario/scenario.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Returns the saved bytes of one layer per s·b·h, as Korthikanti et al. count them.
double factor(const Scenario& scenario) {
    const Settings s = resolve(scenario);
    return list_of(scenario).usual_layer().saved() /
           (s[P::sequence_length] * s[P::micro_batch] * s[P::hidden_size]);
}

Scenario gpt(double naive) {
    Scenario scenario = with({{P::dropout, true}, {P::attention, naive}});
    scenario.model = scenario.catalogue->find(PresetKind::model, "gpt-3-175b");
    return scenario;
}

}  // namespace

TEST_CASE("operators: every shipped model has its published number of parameters", "[model]") {
    const auto models = Catalogue::shipped().all(PresetKind::model);
    REQUIRE(models.size() >= 25);
    for (const Preset* model : models) {
        INFO(model->name);
        REQUIRE(model->published_parameters > 0);
        const Scenario scenario = with_model(first(), *model);
        CHECK(list_of(scenario).parameters() == model->published_parameters);
    }
}

TEST_CASE("operators: MPT's parameters grow with the sequence length", "[model]") {
    // N = 12Lh² + 13Lh + 2h + (V + s)h, with as many learned positions as the sequence has tokens.
    Scenario scenario = with({{P::sequence_length, 65536}});
    scenario.model = scenario.catalogue->find(PresetKind::model, "mpt-7b");
    CHECK(list_of(scenario).parameters() == 6918905856.0);
}

TEST_CASE("operators: activations have Korthikanti's factors", "[model]") {
    const Settings s = resolve(gpt(1));
    const double scores = 5 * s[P::heads] * s[P::sequence_length] / s[P::hidden_size];
    CHECK(factor(gpt(1)) == Approx(34 + scores).epsilon(1e-12));
    // Flash attention saves the log-sum-exp (4 bytes a head) instead of the scores.
    CHECK(factor(gpt(0)) == Approx(34 + 4 * s[P::heads] / s[P::hidden_size]).epsilon(1e-12));
}

TEST_CASE("operators: a layer's forward FLOPs equal the published formula", "[model]") {
    // A GPT layer with full attention needs 24·h² + 4·s·h FLOPs per token.
    const Scenario scenario = gpt(1);
    const Settings s = resolve(scenario);
    double flops = 0;
    const OperatorList list = list_of(scenario);
    for (const Operator& op : list.usual_layer().operators) flops += op.flops();
    const double h = s[P::hidden_size];
    const double tokens = s[P::sequence_length] * s[P::micro_batch];
    CHECK(flops == Approx(tokens * (24 * h * h + 4 * s[P::sequence_length] * h)).epsilon(1e-12));
}

TEST_CASE("operators: the streaming traffic of a layer is 16h + 3f elements a token", "[model]") {
    const Scenario scenario = gpt(0);
    const Settings s = resolve(scenario);
    double bytes = 0;
    const OperatorList list = list_of(scenario);
    for (const Operator& op : list.usual_layer().operators) {
        if (op.kind == OperatorKind::norm || op.kind == OperatorKind::elementwise) bytes += op.bytes;
    }
    const double tokens = s[P::sequence_length] * s[P::micro_batch];
    CHECK(bytes == Approx(2 * tokens * (16 * s[P::hidden_size] + 3 * s[P::ffn_size])));
}

TEST_CASE("operators: a product after the activation keeps the activation's output, too", "[model]") {
    const auto saved = [](double copies, Mlp mlp) {
        const Scenario scenario = with({{P::mlp, mlp}, {P::gate_copies, copies}});
        return list_of(scenario).usual_layer().saved();
    };
    const Settings s = resolve(with({{P::mlp, Mlp::gated}}));
    const double inner = s[P::sequence_length] * s[P::micro_batch] * s[P::ffn_size];
    CHECK(saved(2, Mlp::gated) - saved(0, Mlp::gated) == Approx(2 * inner).epsilon(1e-9));
    CHECK(saved(2, Mlp::plain) == saved(0, Mlp::plain));
}
