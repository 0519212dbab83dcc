// Tests models that are lists of operators: their numbers are counted by hand, and the engine treats them
// like transformers.
#include <catch2/catch.hpp>
#include <cmath>

#include "explain/output.h"
#include "files/scenario_file.h"
#include "model/listed_operators.h"
#include "planner/planner.h"
#include "scenario/domain.h"
#include "support/scenarios.h"

using namespace shardscope;
using testing::of_model;

namespace {

Scenario resnet(std::initializer_list<std::pair<P, Value>> values = {}) {
    Scenario scenario = of_model("resnet-50", values);
    scenario.give(P::sharding, Sharding::ddp);
    return scenario;
}

// Two equal layers of one square matrix, and nothing else.
constexpr const char* kTwoLayers = R"({"model": {"operators": [
    {"name": "layer", "repeat": 2, "operators": [
        {"name": "matrix", "kind": "gemm", "rows": 4, "in": 1000, "out": 1000, "bias": true},
        {"name": "norm", "kind": "norm", "rows": 4, "width": 1000}]}]},
    "cluster": {"gpus": 1}, "training": {"micro_batch": 8, "sharding": "ddp"}})";

Scenario read_listed(const std::string& text, Problems& problems) {
    static Catalogue catalogue = Catalogue::uncalibrated();
    return read_scenario(text, catalogue, {}, problems);
}
Scenario read_listed(const std::string& text) {
    Problems problems;
    Scenario out = read_listed(text, problems);
    CHECK(problems.empty());
    return out;
}
std::string first_problem(const std::string& text) {
    Problems problems;
    read_listed(text, problems);
    return problems.empty() ? "" : problems.front().where + ": " + problems.front().what;
}

}  // namespace

TEST_CASE("listed: ResNet-50 has its published parameters and multiply-adds", "[listed]") {
    const Answer a = answer(resnet({{P::micro_batch, 3}}));
    REQUIRE(a.valid());
    CHECK(a.compiled.parameters == 25557032);
    // torchvision's 4.09 G multiply-adds have two FLOPs each, and training takes three times as many.
    CHECK(a.compiled.operators.flops() / 3 / 2 == Approx(4.09e9).epsilon(0.002));
    CHECK(a.compiled.flops_per_token == Approx(6 * 4.09e9).epsilon(0.002));
    CHECK(a.estimate.mfu ==
          Approx(a.compiled.flops_per_token * a.estimate.tokens_per_s_per_gpu / a.compiled.peak));
    CHECK(a.settings[P::layers] == 16);
    CHECK(a.settings[P::sequence_length] == 1);
}

TEST_CASE("listed: feature maps grow with the image, the weights do not", "[listed]") {
    const auto flops = [](double image) {
        const Answer a = answer(resnet({{P::image_size, image}}));
        REQUIRE(a.valid());
        CHECK(a.compiled.parameters == 25557032);
        return a.compiled.operators.flops();
    };
    // All multiply-adds except the 2 M of the classes grow with the area.
    const double classes = 2.0 * 2048 * 1000 * 2;  // of a micro-batch of two
    CHECK(flops(448) - classes == Approx(4 * (flops(224) - classes)).epsilon(1e-12));
    CHECK(flops(96) - classes == Approx((flops(224) - classes) * 9 / 49).epsilon(1e-12));
}

TEST_CASE("listed: the sizes of a user's own list follow from its fields", "[listed]") {
    const Answer a = answer(read_listed(kTwoLayers));
    REQUIRE(a.valid());
    CHECK(a.compiled.parameters == 2 * (1000 * 1000 + 1000 + 2000));
    CHECK(a.compiled.operators.flops() == 2 * 2.0 * (8 * 4) * 1000 * 1000);
    CHECK(a.compiled.flops_per_token == 3 * 2 * 2.0 * 4 * 1000 * 1000);
    // Both save their input, in bf16.
    CHECK(a.compiled.work.layers[0].saved == 2 * 2.0 * (8 * 4) * 1000);
    CHECK(a.compiled.width == 4 * 1000);
    // There are 32 rows, read and written, and the matrix.
    const Operator& matrix = a.compiled.operators.of_kind[0].operators.front();
    CHECK(matrix.bytes == 2.0 * (32 * 1000 + 1000 * 1000 + 32 * 1000));
    CHECK(a.compiled.operators.embedding.repeat == 0);
    // The length of the training is not given.
    CHECK(std::isnan(a.estimate.run.training));
}

TEST_CASE("listed: a convolution is computed as its implicit matrix product over feature maps", "[listed]") {
    const Answer a = answer(read_listed(R"({"model": {"image_size": 64, "operators": [{"operators": [
        {"kind": "convolution", "reduction": 2, "in": 6, "out": 10, "kernel": 3, "stride": 2, "groups": 2}]}]},
        "cluster": {"gpus": 1}, "training": {"micro_batch": 2, "sharding": "ddp"}})"));
    REQUIRE(a.valid());
    const Operator& op = a.compiled.operators.of_kind[0].operators.front();
    CHECK(op.m == 2 * 32 * 32);
    CHECK(op.count == 2);
    CHECK(op.n == 5);
    CHECK(op.k == 9 * 3);
    CHECK(op.flops() == 2.0 * (2 * 32 * 32) * 10 * (9 * 3));
    CHECK(op.weights == 9 * 3 * 10);
    // The map before the stride is four times as large as after it.
    CHECK(op.bytes == 2.0 * (2 * 64 * 64 * 6 + 9 * 3 * 10 + 2 * 32 * 32 * 10));
    CHECK(op.saved == 2.0 * 2 * 64 * 64 * 6);
}

TEST_CASE("listed: different layers add up to the whole although their average represents each of them",
          "[listed]") {
    const Settings s = resolve(resnet());
    OperatorList folded;
    build_operators(s, folded);
    double flops = 0;
    double saved = 0;
    double bytes = 0;
    double launches = 0;
    for (const Block& block : listed_blocks(*s.listed(), s)) {
        saved += block.repeat * block.saved();
        for (const Operator& op : block.operators) {
            flops += block.repeat * op.flops();
            bytes += block.repeat * op.bytes;
            launches += block.repeat;
        }
    }
    double folded_saved = 0;
    double folded_bytes = 0;
    double folded_launches = 0;
    for (const Block* block : folded.blocks()) {
        folded_saved += block->repeat * block->saved();
        for (const Operator& op : block->operators) {
            folded_bytes += block->repeat * op.bytes;
            folded_launches += block->repeat * op.launches;
        }
    }
    CHECK(folded.flops() == Approx(flops).epsilon(1e-12));
    CHECK(folded_saved == Approx(saved).epsilon(1e-12));
    CHECK(folded_bytes == Approx(bytes).epsilon(1e-12));
    CHECK(folded_launches == Approx(launches).epsilon(1e-12));
    CHECK(folded.of_kind[0].repeat == 16);
}

TEST_CASE("listed: memory, sharding and pipelines follow the same rules as for transformers", "[listed]") {
    const double n = 25557032;
    const Answer whole = answer(resnet({{P::gpus, 8}}));
    const Answer shared = answer(resnet({{P::gpus, 8}, {P::sharding, Sharding::ddp}}));
    REQUIRE(whole.valid());
    CHECK(whole.estimate.memory.terms()[static_cast<std::size_t>(MemoryTerm::optimizer)] == 12 * n);
    Scenario zero3 = resnet({{P::gpus, 8}});
    zero3.give(P::sharding, Sharding::zero3);
    const Answer sharded = answer(zero3);
    REQUIRE(sharded.valid());
    CHECK(sharded.estimate.memory.terms()[static_cast<std::size_t>(MemoryTerm::optimizer)] ==
          Approx(12 * n / 8).epsilon(1e-12));
    // Four stages split the layers; the first stage has four micro-batches of a quarter of them in flight.
    const Answer piped =
        answer(resnet({{P::gpus, 8}, {P::pipeline_parallel, 4}, {P::accumulation, 8}, {P::micro_batch, 2}}));
    REQUIRE(piped.valid());
    CHECK(piped.compiled.stages.first.counts[0] == 4);
    CHECK(piped.compiled.stages.last.head);
    CHECK(piped.estimate.step.term(StepTerm::bubble) > 0);
    double sum = 0;
    for (const double seconds : piped.estimate.step.terms) sum += seconds;
    CHECK(sum == Approx(piped.estimate.step.total).epsilon(1e-12));
    CHECK_FALSE(warnings(piped).empty());
}

TEST_CASE("listed: a larger batch takes proportionally longer, except for kernel launches", "[listed]") {
    const auto seconds = [](double batch) {
        const Answer a = answer(testing::without_latency(resnet({{P::gpus, 1}, {P::micro_batch, batch}})));
        REQUIRE(a.valid());
        return a.estimate.tokens_per_s_per_gpu;
    };
    CHECK(seconds(64) > seconds(16));
    CHECK(seconds(256) / seconds(128) == Approx(1).epsilon(0.1));
}

TEST_CASE("listed: degrees that split a matrix or a sequence are refused, each with one clear message",
          "[listed]") {
    const auto problem = [](P id, double value) {
        const Answer a = answer(resnet({{id, value}}));
        REQUIRE(a.problems.size() == 1);
        return a.problems.front().text();
    };
    CHECK(problem(P::tensor_parallel, 2).find("list of operators") != std::string::npos);
    CHECK(problem(P::context_parallel, 2).find("list of operators") != std::string::npos);
    CHECK(problem(P::expert_parallel, 2).find("list of operators") != std::string::npos);
    CHECK(problem(P::sequence_length, 4096).find("Sequence length is given") != std::string::npos);
    CHECK(problem(P::layers, 8).find("Layers is given") != std::string::npos);
    const Answer gpt = answer(testing::with({{P::image_size, 224}}));
    REQUIRE(gpt.problems.size() == 1);
    CHECK(gpt.problems.front().where == "/model/image_size");
}

TEST_CASE(
    "listed: choosing such a model drops the inputs that do not apply to it, and their sliders do not move",
    "[listed]") {
    Scenario scenario = testing::with({{P::sequence_length, 8192}, {P::tensor_parallel, 4}});
    scenario = with_model(scenario, *scenario.catalogue->find(PresetKind::model, "resnet-50"));
    const Answer a = answer(scenario);
    CHECK(a.valid());
    CHECK(a.settings[P::tensor_parallel] == 1);
    for (const P id : {P::sequence_length, P::tensor_parallel, P::context_parallel, P::layers}) {
        CHECK_FALSE(applies_to(id, a.settings));
        CHECK(domain(id, a.settings).stops == std::vector<double>{a.settings[id]});
        CHECK(edited(scenario, id, 2 * a.settings[id] + 7) == scenario);
    }
    CHECK(applies_to(P::image_size, a.settings));
    CHECK(applies_to(P::micro_batch, a.settings));
    // With a transformer again, every slider moves.
    const Scenario back = with_model(scenario, *scenario.catalogue->find(PresetKind::model, "mpt-13b"));
    CHECK(answer(back).settings[P::sequence_length] == 2048);
    CHECK(applies_to(P::sequence_length, answer(back).settings));
    CHECK_FALSE(applies_to(P::image_size, answer(back).settings));
}

TEST_CASE("listed: the planner finds a plan of data and pipeline parallelism", "[listed][planner]") {
    Scenario scenario = resnet({{P::gpus, 16}, {P::global_batch, 4096}});
    for (const P id : {P::micro_batch, P::recompute, P::sharding, P::tensor_parallel, P::context_parallel,
                       P::pipeline_parallel, P::expert_parallel})
        scenario.automatic.set(index(id));
    const Answer planned = answer(scenario);
    REQUIRE(planned.valid());
    CHECK(planned.fits());
    CHECK(planned.settings[P::tensor_parallel] == 1);
    CHECK(planned.settings[P::context_parallel] == 1);
    const Answer by_hand = answer(resnet({{P::gpus, 16}, {P::global_batch, 4096}, {P::micro_batch, 16}}));
    REQUIRE(by_hand.valid());
    CHECK(planned.estimate.mfu >= by_hand.estimate.mfu);
}

TEST_CASE("listed: a scenario's own list is written and read again", "[listed][files]") {
    const Scenario scenario = read_listed(kTwoLayers);
    const std::string text = write_scenario(scenario);
    CHECK(text.find("\"operators\"") != std::string::npos);
    const Scenario again = read_listed(text);
    CHECK(again == scenario);
    CHECK(write_scenario(again) == text);
    CHECK(answer(again).estimate.step.total == answer(scenario).estimate.step.total);
}

TEST_CASE("listed: an unreadable list is reported with place and reason", "[listed][files]") {
    CHECK(first_problem(R"({"model": {"operators": []}})").find("/model/operators: ") == 0);
    CHECK(
        first_problem(R"({"model": {"operators": [{"operators": [{"kind": "gem", "in": 1, "out": 2}]}]}})") ==
        "/model/operators/0/operators/0/kind: “gem” is not a kind of operator");
    CHECK(first_problem(R"({"model": {"operators": [{"operators": [{"kind": "gemm", "in": 1}]}]}})") ==
          "/model/operators/0/operators/0/out: out must be a number");
    CHECK(first_problem(
              R"({"model": {"operators": [{"repeats": 2, "operators": [{"kind": "norm", "width": 1}]}]}})") ==
          "/model/operators/0/repeats: the field is not known");
    CHECK(
        first_problem(
            R"({"model": {"preset": "mpt-7b", "operators": [{"operators": [{"kind": "norm", "width": 1}]}]}})") ==
        "/model/operators: a preset and operators are both given");
    CHECK(first_problem(R"({"model": {"operators": [{"operators": [
        {"kind": "convolution", "reduction": 1, "in": 6, "out": 10, "groups": 4}]}]}})")
              .find("groups do not divide") != std::string::npos);
}

TEST_CASE("listed: each field of an operator is checked", "[listed][files]") {
    const auto refused = [](const std::string& fields) {
        return first_problem(R"({"model": {"operators": [{"operators": [{)" + fields + "}]}]}}");
    };
    const std::string place = "/model/operators/0/operators/0/";
    CHECK(refused(R"("kind": "norm", "width": 8, "kernel": 3)") == place + "kernel: the field is not known");
    CHECK(refused(R"("kind": "norm", "width": 8, "rows": 2, "reduction": 2)") ==
          place + "rows: rows and reduction are both given");
    CHECK(refused(R"("kind": "gemm", "in": 8, "out": 8, "bias": 1)") ==
          place + "bias: bias must be true or false");
    CHECK(refused(R"("kind": "gemm", "in": 8, "out": 8, "name": "")") ==
          place + "name: a name must be a string");
    CHECK(refused(R"("kind": "convolution", "reduction": 1, "in": 8, "out": 8, "kernel": 2.5)") ==
          place + "kernel: kernel must be a whole number");
    CHECK(refused(R"("kind": "attention")") == place + "kind: “attention” is not a kind of operator");
}
