// Tests E1, E2 and E5 on one GPU of many: tensor, context and expert parallelism split the model without
// loss.
#include <catch2/catch.hpp>
#include <cmath>

#include "compile/stage_parameters.h"
#include "memory/memory.h"
#include "model/operators.h"
#include "step/step.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double flops(const OperatorList& list) {
    double sum = 0;
    for (const Block* block : list.blocks()) {
        for (const Operator& op : block->operators) sum += block->repeat * op.flops();
    }
    return sum;
}

// Returns the saved bytes of one layer per s·b·h.
double factor(const char* model, double sequence_parallel, double recompute) {
    const Scenario scenario = of_model(model, {{P::tensor_parallel, 8},
                                               {P::gpus, 8},
                                               {P::attention, AttentionKernel::naive},
                                               {P::sequence_parallel, sequence_parallel},
                                               {P::recompute, recompute},
                                               {P::precision, Precision::fp16}});
    const Compiled c = compile(resolve(scenario));
    const double held = memory_use(c).resident;
    const double ends = c.operators.embedding.saved() + c.operators.head.saved();
    const Settings& s = c.settings;
    return (held - ends) / (s[P::layers] * s[P::sequence_length] * s[P::micro_batch] * s[P::hidden_size]);
}

}  // namespace

TEST_CASE("operators: a norm of queries and keys keeps them before the norm, too", "[operators]") {
    const auto layer = [](const char* model, P changed, Value value) {
        return list_of(of_model(model, {{P::micro_batch, 1}, {changed, value}})).of_kind[0];
    };
    // Qwen3 32B: 64 query heads and 8 key heads of 128, two bytes each.
    const Settings s = resolve(of_model("qwen3-32b", {}));
    const Block qwen = layer("qwen3-32b", P::micro_batch, 1);
    CHECK(operator_of(qwen, "attention.qk_norm").saved ==
          Approx((2 + (s[P::norm_copies] > 0 ? 1.0 * s[P::norm_copies] / 2 : 0)) * (64 + 8) * 128 *
                 s[P::sequence_length]));
    CHECK(operator_of(qwen, "attention.qk_norm").weights == 2 * 128);
    const auto has_norm = [](const Block& block) {
        return std::ranges::any_of(block.operators,
                                   [](const Operator& op) { return op.name == "attention.qk_norm"; });
    };
    CHECK_FALSE(has_norm(layer("qwen3-32b", P::qk_norm, Value(QkNorm::none))));
    // Latent attention normalizes its latents instead, which have an operator of their own.
    CHECK_FALSE(has_norm(layer("deepseek-v3", P::qk_norm, Value(QkNorm::head))));
    // All heads together have one norm (OLMo 2).
    CHECK(operator_of(layer("qwen3-32b", P::qk_norm, Value(QkNorm::whole)), "attention.qk_norm").weights ==
          (64 + 8) * 128);
}

TEST_CASE("operators: activations have Korthikanti's factors under tensor and sequence parallelism",
          "[model]") {
    // Source: arXiv 2205.05198, table 2, t = 8: 10 + 24/t + 5as/(ht); (34 + 5as/h)/t; 10 + 24/t; 34/t; 2 and
    // 2/t for full recompute.
    for (const char* model : {"gpt-22b", "gpt-3-175b", "gpt-530b", "gpt-1t"}) {
        INFO(model);
        const Settings s = resolve(of_model(model, {}));
        const double t = 8;
        const double scores = 5 * s[P::heads] * s[P::sequence_length] / s[P::hidden_size];
        CHECK(factor(model, 0, 0) == Approx(10 + 24 / t + scores / t).epsilon(1e-12));
        CHECK(factor(model, 1, 0) == Approx((34 + scores) / t).epsilon(1e-12));
        CHECK(factor(model, 0, kRecomputeSelective) == Approx(10 + 24 / t).epsilon(1e-12));
        CHECK(factor(model, 1, kRecomputeSelective) == Approx(34 / t).epsilon(1e-12));
        CHECK(factor(model, 0, 1) == Approx(2).epsilon(1e-12));
        CHECK(factor(model, 1, 1) == Approx(2 / t).epsilon(1e-12));
    }
}

TEST_CASE("operators: context parallelism divides the saved bytes", "[model]") {
    const auto saved = [](double context) {
        return list_of(of_model("llama-3-8b", {{P::context_parallel, context}, {P::sequence_length, 8192}}))
            .usual_layer()
            .saved();
    };
    CHECK(saved(4) == Approx(saved(1) / 4).epsilon(1e-12));
}

TEST_CASE("operators: the weights of tensor-parallel GPUs add up to the model", "[model]") {
    for (const char* model : {"gpt-3-175b", "llama-3-70b", "deepseek-v3", "qwen3-30b-a3b"}) {
        for (const double t : {1.0, 2.0, 4.0}) {
            INFO(model << " on " << t);
            const OperatorList list = list_of(of_model(model, {{P::tensor_parallel, t}}));
            double held = 0;
            double replicated = 0;  // of norms, routers and latent projections, which are replicated
            for (const Block* block : list.blocks()) {
                held += block->repeat * t * (block->local_weights() + block->local_experts());
                for (const Operator& op : block->operators) {
                    if (op.share == 1) replicated += block->repeat * (t - 1) * op.weights;
                }
            }
            const Settings s = resolve(of_model(model, {}));
            replicated += (t - 1) * s[P::learned_positions] * s[P::hidden_size];
            CHECK(held == Approx(list.parameters() + replicated).epsilon(1e-12));
            // There are few replicated weights if the matrices of the heads are sharded.
            if (s[P::kv_lora_rank] == 0) CHECK(replicated < 0.002 * t * list.parameters());
        }
    }
}

TEST_CASE("operators: an embedding of another width is projected to the layers and back", "[model]") {
    const auto list = [](double width, double t, double tied) {
        return list_of(of_model("llama-3-8b", {{P::embedding_size, width},
                                               {P::micro_batch, 1},
                                               {P::sequence_length, 2048},
                                               {P::tied_embeddings, tied},
                                               {P::learned_positions, 2048},
                                               {P::sequence_parallel, false},
                                               {P::tensor_parallel, t}}));
    };
    for (const double t : {1.0, 4.0}) {
        const OperatorList plain = list(0, t, 0);
        // A width that is the layers' needs no matrix.
        const OperatorList same = list(4096, t, 0);
        CHECK(same.parameters() == plain.parameters());
        CHECK(flops(same) == flops(plain));
        CHECK(same.embedding.operators.size() == plain.embedding.operators.size());
        // 128,256 entries of 1,024 instead of 4,096, twice, and two matrices of 4,096 × 1,024.
        const OperatorList narrow = list(1024, t, 0);
        constexpr double kMatrix = 4096.0 * 1024;
        CHECK(narrow.parameters() == plain.parameters() - 2 * 128256.0 * 3072 + 2 * kMatrix);
        CHECK(list(1024, t, 1).parameters() == narrow.parameters() - 128256.0 * 1024);
        CHECK(flops(narrow) - flops(plain) ==
              Approx(2 * 2048 * (2 * kMatrix - 128256.0 * 3072 / t)).epsilon(1e-9));
        // The positions are as wide as the layers, and each GPU has all of them.
        CHECK(narrow.embedding.local_weights() ==
              Approx(128256.0 * 1024 / t + 2048 * 4096.0 + kMatrix).epsilon(1e-12));
        if (t > 1)
            CHECK(operator_of(narrow.embedding, "embedding.reduce").bytes ==
                  operator_of(plain.embedding, "embedding.reduce").bytes / 4);
    }
    // The last stage of a pipeline has a copy of a tied embedding.
    const auto copy = [](double width) {
        const Compiled c = compile(resolve(of_model("llama-3-8b", {{P::embedding_size, width},
                                                                   {P::tied_embeddings, true},
                                                                   {P::pipeline_parallel, 2},
                                                                   {P::accumulation, 4}})));
        const Stage& last = c.stages[c.stages.size() - 1];
        REQUIRE(last.head);
        return vocabulary_parameters(last, c);
    };
    CHECK(copy(0) - copy(1024) == Approx(128256.0 * 3072 - 4096.0 * 1024).epsilon(1e-9));
}

TEST_CASE("operators: norms, routers and latent projections are replicated on every tensor-parallel GPU",
          "[model]") {
    const OperatorList list = list_of(of_model("deepseek-v3", {{P::tensor_parallel, 8}}));
    for (const char* name :
         {"attention.norm", "mlp.norm", "attention.latent", "attention.latent_norm", "router"}) {
        INFO(name);
        CHECK(operator_of(list.of_kind[1], name).share == 1);
    }
    CHECK(operator_of(list.of_kind[1], "router").weights == 7168.0 * 256);
    for (const char* name :
         {"attention.query", "attention.key_value", "attention.output", "shared.up", "experts.up"}) {
        INFO(name);
        CHECK(operator_of(list.of_kind[1], name).share == 1.0 / 8);
    }
}

TEST_CASE("operators: the weights of a pipeline's stages add up to the model", "[model]") {
    // With 80 layers on 4 stages and untied embeddings nothing is replicated.
    const Compiled c = compile(resolve(of_model("llama-3-70b", {{P::pipeline_parallel, 4}})));
    const double layer = c.operators.of_kind[0].local_weights();
    double held = 0;
    for (const Stage* stage : {&c.stages.first, &c.stages[1], &c.stages[1], &c.stages.last})
        held += stage->layers() * layer + end_parameters(*stage, c).non_expert;
    CHECK(held == Approx(c.parameters).epsilon(1e-12));
    // With tied embeddings the last stage has a copy of the embedding.
    const Compiled tied = compile(resolve(of_model("gpt-3-175b", {{P::pipeline_parallel, 8}})));
    CHECK(end_parameters(tied.stages.last, tied).non_expert == 51200.0 * 12288 + 2 * 12288);
    CHECK(end_parameters(tied.stages.first, tied).non_expert == (51200.0 + 2048) * 12288);
    const Compiled alone = compile(resolve(of_model("gpt-3-175b", {})));
    CHECK(end_parameters(alone.stages.first, alone).non_expert == (51200.0 + 2048) * 12288 + 2 * 12288);
}

TEST_CASE("operators: a stage with prediction layers has their weights and a copy of the embedding",
          "[model]") {
    const auto with_layout = [](const char* layout) {
        Scenario scenario = of_model("deepseek-v3", {{P::gpus, 256},
                                                     {P::expert_parallel, 16},
                                                     {P::pipeline_parallel, 16},
                                                     {P::virtual_stages, 2},
                                                     {P::mtp_layers, 1},
                                                     {P::schedule, ScheduleKind::interleaved},
                                                     {P::micro_batch, 1},
                                                     {P::accumulation, 32},
                                                     {P::sharding, Sharding::zero1}});
        scenario.give(P::pipeline_layout, parse(P::pipeline_layout, layout).value);
        const Answer found = answer(scenario);
        for (const Problem& problem : found.problems) FAIL_CHECK(problem.text());
        return found.compiled;
    };
    const double embedding = 129280.0 * 7168;
    const double norms = 2 * 7168;  // one for each loss
    // NVIDIA's layout: the prediction layer is on the last but one GPU.
    const Compiled apart = with_layout("Et*3|(tt|)*29m|L");
    const Compiled together = with_layout("Et*3|(tt|)*29|mL");
    const auto stages = [](const Compiled& c) { return every_stage(c.stages, LayerSequence(c.settings)); };
    const Stage prediction = stages(apart)[14];
    CHECK(prediction.predictions == 1);
    CHECK(prediction.layers() == 2);
    const BlockWork& layer = apart.work.prediction;
    const auto non_expert = [&](const Stage& stage, const Compiled& c) {
        return end_parameters(stage, c).non_expert;
    };
    CHECK(non_expert(prediction, apart) == Approx(layer.weights + embedding).epsilon(1e-12));
    CHECK(end_parameters(prediction, apart).experts == layer.experts);
    // A sixteenth of the 256 experts is on each GPU.
    CHECK(layer.experts == 16.0 * 3 * 7168 * 2048);
    CHECK(non_expert(apart.stages.last, apart) == Approx(embedding + norms).epsilon(1e-12));
    CHECK(non_expert(together.stages.last, together) ==
          Approx(non_expert(prediction, apart) + non_expert(apart.stages.last, apart)).epsilon(1e-12));
    CHECK(non_expert(stages(together)[14], together) == 0);
    // The work moves with the layer, and all of it is in one of the stages.
    const auto computing = [&](const Compiled& c, std::size_t position) {
        return step_time(c, stages(c)[position]).term(StepTerm::matmul);
    };
    const double matrices = 32 * (layer.forward.terms[0] + layer.backward.terms[0]);
    CHECK(computing(apart, 14) == Approx(computing(together, 14) + matrices).epsilon(1e-9));
    CHECK(computing(together, 15) == Approx(computing(apart, 15) + matrices).epsilon(1e-9));
    CHECK(apart.executed_flops_per_token == together.executed_flops_per_token);
}

TEST_CASE("operators: expert parallelism shards the experts and nothing else", "[model]") {
    const OperatorList one = list_of(of_model("mixtral-8x7b", {}));
    const OperatorList eight =
        list_of(of_model("mixtral-8x7b", {{P::expert_parallel, 8}, {P::tensor_parallel, 2}}));
    // There are 8 experts of three 4,096 × 14,336 matrices.
    CHECK(one.of_kind[1].local_experts() == 8.0 * 3 * 4096 * 14336);
    CHECK(eight.of_kind[1].local_experts() == Approx(one.of_kind[1].local_experts() / 16).epsilon(1e-12));
    CHECK(eight.of_kind[1].weights() == one.of_kind[1].weights());
    const OperatorList expert = list_of(of_model("mixtral-8x7b", {{P::expert_parallel, 8}}));
    CHECK(expert.of_kind[1].local_weights() == one.of_kind[1].local_weights());
}

TEST_CASE("operators: parallelism divides FLOPs without losing any", "[model]") {
    for (const char* model : {"gpt-3-175b", "llama-3-70b"}) {
        const double whole = flops(list_of(of_model(model, {{P::sequence_length, 8192}})));
        for (const double t : {1.0, 2.0, 8.0}) {
            for (const double context : {1.0, 4.0}) {
                for (const double sequence_parallel : {0.0, 1.0}) {
                    INFO(model << " t " << t << " c " << context);
                    const OperatorList list =
                        list_of(of_model(model, {{P::sequence_length, 8192},
                                                 {P::tensor_parallel, t},
                                                 {P::context_parallel, context},
                                                 {P::sequence_parallel, sequence_parallel}}));
                    CHECK(t * context * flops(list) == Approx(whole).epsilon(1e-12));
                }
            }
        }
    }
    // Every GPU's tokens visit the same number of experts, wherever these are. Each tensor-parallel GPU
    // computes the router unless sequence parallelism splits its rows.
    const double whole = flops(list_of(of_model("mixtral-8x7b", {})));
    for (const double e : {1.0, 2.0, 8.0}) {
        for (const double t : {1.0, 4.0}) {
            const OperatorList list = list_of(
                of_model("mixtral-8x7b",
                         {{P::expert_parallel, e}, {P::tensor_parallel, t}, {P::sequence_parallel, true}}));
            CHECK(t * flops(list) == Approx(whole).epsilon(1e-12));
        }
    }
}

TEST_CASE("operators: the GPU of the busiest experts computes more by the imbalance factor", "[model]") {
    const auto up = [](double imbalance) {
        return operator_of(list_of(of_model("mixtral-8x7b",
                                            {{P::expert_parallel, 4}, {P::expert_imbalance, imbalance}}))
                               .of_kind[1],
                           "experts.up")
            .flops();
    };
    CHECK(up(1.5) == Approx(1.5 * up(1)).epsilon(1e-12));
}

TEST_CASE("operators: active parameters are the published ones", "[model]") {
    struct Published {
        const char* model;
        double active, all, margin;
    };
    // Source: model cards and reports: 12.9 of 46.7 B; 39 of 141; 21 of 236; 37 of 671; 3.3 of 30.5; 22 of
    // 235.
    for (const Published& p :
         {Published{"mixtral-8x7b", 12.9e9, 46.7e9, 0.05e9}, Published{"mixtral-8x22b", 39e9, 141e9, 0.5e9},
          Published{"deepseek-v2", 21e9, 236e9, 0.5e9}, Published{"deepseek-v3", 37e9, 671e9, 0.6e9},
          Published{"qwen3-30b-a3b", 3.3e9, 30.5e9, 0.06e9},
          Published{"qwen3-235b-a22b", 22e9, 235e9, 0.5e9}}) {
        INFO(p.model);
        const OperatorList list = list_of(of_model(p.model, {}));
        CHECK(list.active_parameters() == Approx(p.active).margin(p.margin));
        CHECK(list.parameters() == Approx(p.all).margin(p.margin));
    }
    // The count includes embeddings, attention, norms, routers and 2 of 8 experts.
    CHECK(list_of(of_model("mixtral-8x7b", {})).active_parameters() ==
          46702792704.0 - 32 * 6.0 * 3 * 4096 * 14336);
    const OperatorList dense = list_of(of_model("llama-3-8b", {}));
    CHECK(dense.active_parameters() == dense.parameters());
}

TEST_CASE("operators: multi-head latent attention has the shapes and parameters of DeepSeek-V3", "[model]") {
    // DeepSeek-V3 has ranks 1,536 and 512, 128 heads of 128 + 64 (rotary), and values of 128.
    const double t = 4;
    const Scenario scenario = of_model("deepseek-v3", {{P::tensor_parallel, t}, {P::sequence_length, 4096}});
    const OperatorList list = list_of(scenario);
    const Block& layer = list.of_kind[1];
    const auto is = [&](std::string_view name, double n, double k) {
        INFO(name);
        const Operator& op = operator_of(layer, name);
        CHECK(op.n == n);
        CHECK(op.k == k);
    };
    is("attention.latent", 1536 + 512 + 64, 7168);
    is("attention.query", 128 * 192 / t, 1536);
    is("attention.key_value", 128 * (128 + 128) / t, 512);
    is("attention.output", 7168, 128 * 128 / t);
    // Scores have width 192 and values width 128, over half of the square.
    const Operator& core = operator_of(layer, "attention.core");
    const double b = resolve(scenario)[P::micro_batch];
    CHECK(core.flops() == Approx(2 * b * 128 / t * 4096 * 2048 * (192 + 128)).epsilon(1e-12));
    // A layer's attention has 187.1 M parameters without norms.
    double attention = 0;
    for (const Operator& op : layer.operators) {
        if (op.name.starts_with("attention.") && op.kind == OperatorKind::gemm) attention += op.weights;
    }
    CHECK(attention == 7168.0 * 2112 + 1536.0 * 24576 + 512.0 * 32768 + 16384.0 * 7168);
    CHECK(list.of_kind[0].repeat == 3);
    CHECK(list.of_kind[1].repeat == 58);
}

TEST_CASE("operators: key heads are replicated if there are more tensor-parallel GPUs than key heads",
          "[model]") {
    // Llama 3 70B has 64 query heads and 8 key heads of 128; on 16 GPUs that makes 4 + 2·1 heads each.
    const OperatorList list = list_of(of_model("llama-3-70b", {{P::tensor_parallel, 16}}));
    const Operator& project = operator_of(list.of_kind[0], "attention.qkv");
    CHECK(project.n == (4 + 2) * 128);
    CHECK(project.weights == 8192.0 * (64 + 16) * 128);
    CHECK(project.weights * project.share == Approx(8192.0 * 6 * 128).epsilon(1e-12));
    // On 8 GPUs each has one key head.
    const OperatorList eight = list_of(of_model("llama-3-70b", {{P::tensor_parallel, 8}}));
    CHECK(operator_of(eight.of_kind[0], "attention.qkv").share == 1.0 / 8);
}

TEST_CASE("operators: BERT attends in both directions", "[model]") {
    const Operator core = operator_of(list_of(of_model("bert-large", {{P::sequence_length, 512}})).of_kind[0],
                                      "attention.core");
    const double b = resolve(first())[P::micro_batch];
    CHECK(core.flops() == Approx(4 * b * 16 * 512 * 512 * 64).epsilon(1e-12));
}

TEST_CASE("operators: attention through a window becomes the whole triangle without a jump", "[operators]") {
    const auto scores = [](double window, double kernel) {
        const Scenario scenario =
            of_model("llama-2-7b",
                     {{P::sequence_length, 8192}, {P::attention_window, window}, {P::attention, kernel}});
        OperatorList list;
        build_transformer(resolve(scenario), list);
        for (const Operator& op : list.of_kind[0].operators) {
            if (op.name == "attention.core") return op.m * op.n;
        }
        return 0.0;
    };
    const double s = 8192;
    const double flash = 0, naive = 1;
    CHECK(scores(0, flash) == Approx(s * s / 2));
    CHECK(scores(8191, flash) == Approx(s * s / 2).epsilon(1e-3));
    // A window of half the sequence covers three quarters of the triangle.
    CHECK(scores(4096, flash) == Approx(0.75 * s * s / 2));
    CHECK(scores(4096, naive) == Approx(s * s));
}

TEST_CASE("operators: experts under sequence parallelism gather the activations of every routed token copy",
          "[operators]") {
    const Scenario scenario = of_model("mixtral-8x7b", {{P::sequence_length, 4096},
                                                        {P::micro_batch, 1},
                                                        {P::tensor_parallel, 4},
                                                        {P::sequence_parallel, true}});
    OperatorList list;
    build_transformer(resolve(scenario), list);
    double gathered = 0, reduced = 0;
    for (const Operator& op : list.of_kind[1].operators) {
        if (op.name == "experts.gather") gathered = op.bytes;
        if (op.name == "experts.reduce") reduced = op.bytes;
    }
    // Two experts a token, 4,096 tokens of width 4,096, two bytes each.
    CHECK(gathered == 2.0 * 4096 * 4096 * 2);
    CHECK(reduced == gathered);
}

TEST_CASE("operators: experts split over data-parallel GPUs gather the token copies of all of them",
          "[operators]") {
    const auto bytes = [](double expert_tensor, double tensor, bool spread) {
        OperatorList list;
        build_transformer(resolve(of_model("mixtral-8x7b", {{P::gpus, 64},
                                                            {P::sequence_length, 4096},
                                                            {P::micro_batch, 1},
                                                            {P::tensor_parallel, tensor},
                                                            {P::sequence_parallel, spread},
                                                            {P::expert_tensor_parallel, expert_tensor}})),
                          list);
        double sum = 0;
        for (const Operator& op : list.of_kind[1].operators) {
            if (op.group == CommunicationGroup::expert_tensor && op.kind == OperatorKind::collective)
                sum += op.bytes;
        }
        return sum;
    };
    // Two experts a token, 4,096 tokens of width 4,096 on each of the GPUs, two bytes each, there and back.
    constexpr double kCopies = 2.0 * 4096 * 4096 * 2;
    CHECK(bytes(1, 1, false) == 0);
    CHECK(bytes(8, 1, false) == 2 * 8 * kCopies);
    CHECK(bytes(2, 1, false) == 2 * 2 * kCopies);
    // The GPUs of a tensor-parallel group without sequence parallelism hold the same tokens.
    CHECK(bytes(4, 4, false) == 0);
    CHECK(bytes(4, 4, true) == 2 * kCopies);
}
