// Tests the bytes of matrices in 8 and 4 bits by hand: scaling factors, casts, and layers that stay in bf16.
#include <catch2/catch.hpp>

#include "compile/compiled.h"
#include "estimate/estimate.h"
#include "model/shape.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Llama 3 8B on one B200, in a precision that it names.
Scenario low(const char* precision, const char* recipe = "delayed", double bf16_layers = 0) {
    Scenario scenario = of_model("llama-3-8b", {{P::gpus, 8}, {P::bf16_layers, bf16_layers}});
    scenario = with_cluster(scenario, *scenario.catalogue->find(PresetKind::cluster, "dgx-b200"));
    scenario.give(P::precision, parse(P::precision, precision).value);
    scenario.give(P::fp8_recipe, parse(P::fp8_recipe, recipe).value);
    return scenario;
}

Operator matrix_of(const Scenario& scenario, std::string_view name) {
    const OperatorList list = list_of(scenario);
    for (const Operator& op : list.usual_layer().operators) {
        if (op.name == name) return op;
    }
    FAIL("there is no operator " << name);
    return {};
}

}  // namespace

TEST_CASE("precision: an operand has the bytes of its elements and of its scales", "[model]") {
    CHECK(operand_bytes(Precision::bf16, Fp8Recipe::delayed) == 2);
    CHECK(operand_bytes(Precision::fp8, Fp8Recipe::delayed) == 1);
    CHECK(operand_bytes(Precision::fp8, Fp8Recipe::blockwise) == 1 + 4.0 / 128);
    CHECK(operand_bytes(Precision::mxfp8, Fp8Recipe::delayed) == 1 + 1.0 / 32);
    CHECK(operand_bytes(Precision::nvfp4, Fp8Recipe::delayed) == 0.5 + 1.0 / 16);
}

TEST_CASE("precision: matrices keep their input and cast it in the chosen format", "[model]") {
    const Operator bf16 = matrix_of(low("bf16"), "mlp.down");
    CHECK(bf16.cast_bytes == 0);
    const double input = bf16.saved;  // 2 bytes an element
    REQUIRE(input > 0);
    CHECK(matrix_of(low("fp8"), "mlp.down").saved == Approx(input / 2));
    CHECK(matrix_of(low("fp8", "blockwise"), "mlp.down").saved == Approx(input * (1 + 4.0 / 128) / 2));
    CHECK(matrix_of(low("mxfp8"), "mlp.down").saved == Approx(input * (1 + 1.0 / 32) / 2));
    CHECK(matrix_of(low("nvfp4"), "mlp.down").saved == Approx(input * 0.5625 / 2));
    // Delayed scaling: the input is written twice in fp8, the weights are read in bf16 and written twice.
    const double accumulation = resolve(low("fp8"))[P::accumulation];
    const Operator fp8 = matrix_of(low("fp8"), "mlp.down");
    CHECK(fp8.cast_bytes == Approx(2 * fp8.m * fp8.k + 4 * fp8.k * fp8.n / accumulation));
    CHECK(fp8.gradient_cast_bytes == Approx(2 * fp8.m * fp8.n));
    // Blocks are scaled by their own values, so the input is read by the cast; one that also scales the
    // tensor and transforms its columns reads it three times.
    const Operator fp8_blocks = matrix_of(low("mxfp8"), "mlp.down");
    CHECK(fp8_blocks.gradient_cast_bytes == Approx((2 * (1 + 1.0 / 32) + 2) * fp8_blocks.m * fp8_blocks.n));
    const Operator fp4 = matrix_of(low("nvfp4"), "mlp.down");
    CHECK(fp4.cast_bytes ==
          Approx((2 * 0.5625 + 3 * 2) * fp4.m * fp4.k + (2 + 2 * 0.5625) * fp4.k * fp4.n / accumulation));
}

TEST_CASE("precision: layers in bf16 keep 2 bytes, need no casts and run at the bf16 rate", "[model]") {
    const double layers = resolve(low("bf16"))[P::layers];
    const auto saved = [](const Scenario& scenario) { return matrix_of(scenario, "mlp.down").saved; };
    const double share = 8 / layers;
    CHECK(saved(low("nvfp4", "delayed", 8)) ==
          Approx(share * saved(low("bf16")) + (1 - share) * saved(low("nvfp4"))));
    CHECK(saved(low("nvfp4", "delayed", layers)) == Approx(saved(low("bf16"))));
    CHECK(matrix_of(low("fp8", "delayed", layers), "mlp.down").cast_bytes == 0);
    const auto estimated = [](const Scenario& scenario) { return estimate(compile(resolve(scenario))); };
    const Estimate none = estimated(low("nvfp4"));
    const Estimate some = estimated(low("nvfp4", "delayed", 8));
    CHECK(some.memory.peak > none.memory.peak);
    CHECK(some.step.total > none.step.total);
}
