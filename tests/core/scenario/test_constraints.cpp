// Tests the list of constraints: what narrows the values of a parameter keeps the rule that narrows them, and
// every broken rule has a message.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "parameters/interned_text.h"
#include "scenario/constraint.h"
#include "scenario/domain.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

std::vector<const Constraint*> all_constraints() {
    std::vector<const Constraint*> out;
    for (const std::span<const Constraint> list : constraint_lists()) {
        for (const Constraint& constraint : list) out.push_back(&constraint);
    }
    return out;
}

std::vector<Scenario> bases() {
    const Scenario dense = of_model("llama-3-70b", {{P::gpus, 128}, {P::accumulation, 16}});
    const Scenario pipelined = edited(dense, P::pipeline_parallel, 4);
    return {first(), dense, pipelined, edited(pipelined, P::virtual_stages, 2),
            edited(pipelined, P::schedule, ScheduleKind::dualpipe),
            edited(edited(pipelined, P::schedule, ScheduleKind::one_f_one_b), P::first_stage_layers, 10),
            edited(of_model("mixtral-8x7b", {{P::gpus, 64}}), P::expert_parallel, 4),
            of_model("deepseek-v3", {{P::gpus, 256}}), of_model("qwen3-next-80b-a3b", {{P::gpus, 64}}),
            // With the embedding and the head as layers, 16 × 8 virtual stages have one each.
            of_model("llama-3.1-405b", {{P::gpus, 128},
                                        {P::pipeline_parallel, 16},
                                        {P::schedule, ScheduleKind::interleaved},
                                        {P::accumulation, 16}}),
            edited(pipelined, P::schedule, ScheduleKind::seq1f1b),
            of_model("llama-3-8b", {{P::gpus, 64},
                                    {P::context_parallel, 8},
                                    {P::context_parallel_kind, ContextParallelKind::a2a_p2p},
                                    {P::context_parallel_inner, 4}}),
            of_model("resnet-50", {})};
}

}  // namespace

TEST_CASE("constraints: MXFP8 needs a GPU whose matrix units scale blocks", "[scenario]") {
    const auto on = [](const char* cluster, Precision precision, Fp8Recipe recipe) {
        Scenario scenario = first();
        scenario.cluster = Catalogue::shipped().find(PresetKind::cluster, cluster);
        scenario.give(P::precision, static_cast<double>(precision));
        scenario.give(P::fp8_recipe, static_cast<double>(recipe));
        return scenario;
    };
    using enum Fp8Recipe;
    for (const auto& [precision, recipe] : {std::pair{Precision::mxfp8, delayed}, {Precision::fp8, mxfp8}}) {
        CHECK(is_valid(resolve(on("dgx-b200", precision, recipe))));
        const Scenario hopper = on("dgx-h100", precision, recipe);
        const Problems problems = check(hopper, resolve(hopper));
        REQUIRE(problems.size() == 1);
        CHECK(problems.front().where == "/training/precision");
        CHECK(problems.front().what == "the GPU has no MXFP8");
    }
    // A GPU without fp8 is not advised to use another recipe of it.
    const Scenario ampere = on("dgx-a100-80gb", Precision::fp8, mxfp8);
    REQUIRE(check(ampere, resolve(ampere)).size() == 1);
    CHECK(check(ampere, resolve(ampere)).front().what == "the GPU has no peak for fp8");
    CHECK(is_valid(resolve(on("dgx-h100", Precision::fp8, blockwise))));
    CHECK(is_valid(resolve(on("mi355x-node", Precision::mxfp8, delayed))));  // AMD's data sheet: 5 PFLOP/s
    CHECK(!is_valid(resolve(on("mi300x-node", Precision::mxfp8, delayed))));
    const std::vector<double> stops =
        domain(P::precision, resolve(on("dgx-h100", Precision::bf16, delayed))).stops;
    CHECK(std::find(stops.begin(), stops.end(), static_cast<double>(Precision::mxfp8)) == stops.end());
    CHECK(std::find(stops.begin(), stops.end(), static_cast<double>(Precision::fp8)) != stops.end());
    // Another cluster gets a precision that it has.
    const Preset* dgx = Catalogue::shipped().find(PresetKind::cluster, "dgx-h100");
    REQUIRE(dgx);
    CHECK(is_valid(resolve(with_cluster(on("dgx-b200", Precision::mxfp8, delayed), *dgx))));
}

TEST_CASE("constraints: the nearest valid value breaks none of the rules about its parameter", "[scenario]") {
    std::mt19937 random(11);
    std::set<const Constraint*> tried;
    for (const Scenario& base : bases()) {
        for (const Hold hold : {Hold::per_gpu_batch, Hold::global_batch}) {
            const Scenario scenario = with_hold(base, hold);
            const Settings s = resolve(scenario);
            REQUIRE(is_valid(s));
            for (const Constraint* constraint : all_constraints()) {
                for (const P id : constraint->parameters) {
                    if (!applies_to(id, s)) continue;
                    // With a held global batch the micro-batch follows the number of GPUs.
                    if (id == P::gpus && constraint->level == Constraint::Level::batch) continue;
                    for (int i = 0; i < 20; ++i) {
                        const Parameter& row = parameter(id);
                        const double wanted = std::floor(
                            row.slider_low + std::uniform_real_distribution<>(0, 1)(random) *
                                                 (std::max(row.slider_high, 8.0) - row.slider_low));
                        const double value = nearest_valid(id, wanted, s);
                        INFO(row.key << ": " << wanted << " → " << value << ", now " << s[id]);
                        const Settings after = resolve(assigned(scenario, id, value));
                        CHECK(constraint->holds(after));
                        tried.insert(constraint);
                    }
                }
            }
        }
    }
    const auto narrows = [](const Constraint* constraint) { return !constraint->parameters.empty(); };
    CHECK(tried.size() == static_cast<std::size_t>(std::ranges::count_if(all_constraints(), narrows)));
}

TEST_CASE("constraints: the offered values are those that satisfy every rule", "[scenario]") {
    for (const Scenario& base : bases()) {
        const Settings s = resolve(base);
        for (const P id :
             {P::tensor_parallel, P::context_parallel, P::pipeline_parallel, P::expert_parallel,
              P::expert_tensor_parallel, P::kv_heads, P::shard_group, P::sequence_pieces, P::gpus}) {
            if (!applies_to(id, s)) continue;
            const ValidValues valid = valid_values(id, s, 64);
            for (double value = 1; value <= 64; ++value) {
                Settings after = s;
                after.set(id, value, Origin::given);
                bool holds = true;
                for (const Constraint* constraint : all_constraints()) {
                    if (std::ranges::find(constraint->parameters, id) == constraint->parameters.end())
                        continue;
                    // The batch follows from the degrees.
                    if (constraint->level == Constraint::Level::batch && id != P::shard_group) continue;
                    holds = holds && constraint->holds(after);
                }
                INFO(parameter(id).key << " = " << value << " beside " << s[id]);
                CHECK(valid.contains(value) == holds);
            }
        }
    }
}

TEST_CASE("constraints: every broken rule says where, what, why and what to do", "[scenario]") {
    std::mt19937 random(5);
    std::set<const Constraint*> broken;
    const auto break_rules = [&](const Settings& s) {
        for (const Constraint* constraint : all_constraints()) {
            if (constraint->holds(s)) continue;
            broken.insert(constraint);
            const Problem problem = constraint->problem(s);
            CHECK(problem.where.starts_with("/"));
            CHECK_FALSE(problem.what.empty());
            CHECK_FALSE(problem.why.empty());
            CHECK_FALSE(problem.suggestion.empty());
        }
    };
    for (const Scenario& base : bases()) {
        const Settings start = resolve(base);
        for (int i = 0; i < 3000; ++i) {
            Settings s = start;
            for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
                const P id = static_cast<P>(random() % kParameters);
                const Parameter& row = parameter(id);
                if (!row.whole && !row.named_only) continue;
                if (row.group == Group::gpu) continue;
                const double value = row.named_only ? row.names[random() % row.names.size()].value
                                                    : static_cast<double>(1 + random() % 24);
                s.set(id, value, Origin::given);
            }
            break_rules(s);
        }
    }
    // Rules that random whole numbers hardly break.
    const auto break_with = [&](const Scenario& base, std::initializer_list<std::pair<P, Value>> values) {
        Settings s = resolve(base);
        for (const auto& [id, value] : values) s.set(id, value, Origin::given);
        break_rules(s);
    };
    break_with(first(), {{P::heads, 2.5}});
    break_with(first(), {{P::dense_layers, 1000}});
    break_with(first(), {{P::sharding, Sharding::zero1}, {P::offload, Offload::optimizer_and_parameters}});
    break_with(first(), {{P::accumulation, 1.5}});
    break_with(first(), {{P::expert_tensor_parallel, 7}});
    break_with(first(), {{P::context_parallel, 16}, {P::context_parallel_kind, ContextParallelKind::a2a}});
    break_with(of_model("gpt-oss-120b", {{P::software, Software::megatron_core}}),
               {{P::context_parallel, 2}, {P::context_parallel_kind, ContextParallelKind::p2p}});
    break_with(first(), {{P::pipeline_parallel, 2}, {P::pipeline_layout, intern_text("Et|x")}});
    break_with(first(), {{P::topology, Topology::torus}, {P::torus, intern_text("16x")}});
    break_with(first(), {{P::precision, Precision::fp8}, {P::peak_flops_fp8, std::nan("")}});
    break_with(first(), {{P::layer_pattern, intern_text("ful")}});
    break_with(of_model("mamba2-2.7b", {}), {{P::tensor_parallel, 3}});
    break_with(of_model("mamba2-2.7b", {}), {{P::context_parallel, 32}});
    break_with(of_model("qwen3-next-80b-a3b", {}), {{P::tensor_parallel, 3}});
    break_with(of_model("resnet-50", {}), {{P::image_size, 0}});
    break_with(of_model("resnet-50", {}), {{P::pipeline_parallel, 2}, {P::schedule, ScheduleKind::seq1f1b}});
    for (const Constraint* constraint : all_constraints()) {
        INFO("rule of level " << static_cast<int>(constraint->level));
        CHECK(broken.contains(constraint));
    }
}

TEST_CASE("constraints: no rule reads a rate, a capacity or a constant", "[scenario]") {
    std::mt19937 random(7);
    int unconstrained = 0;
    for (const Scenario& base : bases()) {
        Settings start = resolve(base);
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            const Parameter& row = parameter(id);
            if (is_constrained(id) || std::isnan(start[id])) continue;
            ++unconstrained;
            for (int k = 0; k < 10; ++k) {
                Settings s = start;
                s.set(id,
                      row.minimum + std::uniform_real_distribution<>(0, 1)(random) *
                                        (std::min(row.maximum, 1e18) - row.minimum),
                      Origin::given);
                INFO(row.key << " = " << s[id]);
                for (const Constraint* constraint : all_constraints())
                    CHECK(constraint->holds(s) == constraint->holds(start));
            }
        }
    }
    CHECK(unconstrained > 400);
}

TEST_CASE("constraints: settings are valid or not, whichever were checked before them", "[scenario]") {
    // `is_valid` compares settings with the last valid ones; `check` does not.
    std::mt19937 random(3);
    int valid = 0, invalid = 0;
    for (const Scenario& base : bases()) {
        Scenario scenario = base;
        for (int i = 0; i < 3000; ++i) {
            const P id = static_cast<P>(random() % kParameters);
            const Parameter& row = parameter(id);
            if (row.prominence == Prominence::file) continue;
            Scenario next = scenario;
            const double low = row.minimum - (random() % 8 == 0 ? 1 : 0);
            const double high = random() % 2 == 0 ? row.slider_high : std::min(row.maximum * 1.01, 1e18);
            double value = low + std::uniform_real_distribution<>(0, 1)(random) * (high - low);
            if (row.named_only) value = row.names[random() % row.names.size()].value;
            else if (row.whole && random() % 8 != 0) value = std::round(value);
            next.give(id, value);
            const Settings s = resolve(next);
            const bool expected = check(next, s).empty();
            INFO(row.key << " = " << value);
            CHECK(is_valid(next, s) == expected);
            ++(expected ? valid : invalid);
            if (expected || random() % 4 == 0) scenario = next;
            if (random() % 16 == 0) scenario = base;
        }
    }
    CHECK(valid > 2000);
    CHECK(invalid > 2000);
}

TEST_CASE("constraints: a rule is listed after the rules whose levels come before its own", "[scenario]") {
    // `check` reads the lists once, so a blocking rule must come before the rules of later levels.
    auto level = Constraint::Level::node;
    for (const Constraint* constraint : all_constraints()) {
        if (!constraint->blocks) continue;
        CHECK(constraint->level >= level);
        level = constraint->level;
    }
}

TEST_CASE("constraints: a problem of the model's shape does not hide one of the batch", "[scenario]") {
    Scenario scenario = first();
    scenario.give(P::kv_heads, 7);
    scenario.give(P::global_batch, 1001);
    const Problems problems = check(scenario, resolve(scenario));
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].where == "/model/kv_heads");
    CHECK(problems[1].where == "/training/global_batch");
}

TEST_CASE("constraints: tensor and context parallelism together divide the heads of mixers with a state",
          "[scenario]") {
    // Mamba-2 2.7B has 80 heads, which context parallelism exchanges for the sequence.
    const auto problems = [](double tensor, double context) {
        const Scenario scenario = of_model("mamba2-2.7b", {{P::gpus, 64},
                                                           {P::sequence_length, 65536},
                                                           {P::ssm_groups, 8},
                                                           {P::tensor_parallel, tensor},
                                                           {P::context_parallel, context}});
        return check(scenario, resolve(scenario));
    };
    CHECK(problems(8, 2).empty());
    CHECK(problems(2, 8).empty());
    CHECK(problems(1, 16).empty());
    const Problems together = problems(8, 4);
    REQUIRE(together.size() == 1);
    CHECK(together[0].where == "/training/context_parallel");
    CHECK(together[0].text().find("80 heads") != std::string::npos);
    REQUIRE(problems(1, 32).size() == 1);
    Settings s =
        resolve(of_model("mamba2-2.7b", {{P::gpus, 64}, {P::sequence_length, 65536}, {P::ssm_groups, 8}}));
    CHECK_FALSE(valid_values(P::context_parallel, s, 64).contains(32));
    s.set(P::tensor_parallel, 4, Origin::given);
    CHECK(valid_values(P::context_parallel, s, 64).contains(4));
    CHECK_FALSE(valid_values(P::context_parallel, s, 64).contains(8));
}

TEST_CASE("constraints: context parallelism exchanges whole heads", "[scenario]") {
    // Llama 3 8B has 32 attention heads and 8 key/value heads; with tensor parallelism of 2 a GPU has 16
    // and 4.
    const auto problems = [](double context, ContextParallelKind kind, double inner) {
        const Scenario scenario = of_model("llama-3-8b", {{P::gpus, 32},
                                                          {P::tensor_parallel, 2},
                                                          {P::context_parallel, context},
                                                          {P::context_parallel_kind, kind},
                                                          {P::context_parallel_inner, inner}});
        return check(scenario, resolve(scenario));
    };
    using enum ContextParallelKind;
    CHECK(problems(4, a2a, 0).empty());
    CHECK(problems(8, p2p, 0).empty());
    CHECK(problems(8, all_gather, 0).empty());
    // Inner groups of 4 fill a node of 8 GPUs.
    CHECK(problems(8, a2a_p2p, 0).empty());
    CHECK(problems(8, a2a_p2p, 2).empty());

    const Problems keys = problems(8, a2a, 0);
    REQUIRE(keys.size() == 1);
    CHECK(keys[0].where == "/training/context_parallel_kind");
    CHECK(keys[0].why ==
          "it exchanges heads among 8 GPUs, which do not divide “Key/value heads” "
          "of each, 4");
    const Problems heads = problems(16, a2a_p2p, 16);
    REQUIRE(heads.size() == 1);
    CHECK(heads[0].where == "/training/context_parallel_kind");
    const Problems inner = problems(8, a2a_p2p, 3);
    REQUIRE(inner.size() == 1);
    CHECK(inner[0].where == "/training/context_parallel_inner");
    CHECK(inner[0].why == "does not divide context parallel 8");

    // An edit of another degree changes a kind that becomes impossible.
    const Scenario exchanging = of_model(
        "llama-3-8b",
        {{P::gpus, 32}, {P::tensor_parallel, 2}, {P::context_parallel, 4}, {P::context_parallel_kind, a2a}});
    const Settings wider = resolve(edited(exchanging, P::context_parallel, 8));
    CHECK(wider[P::context_parallel] == 8);
    CHECK(wider.choice<ContextParallelKind>(P::context_parallel_kind) != a2a);
    CHECK(is_valid(wider));
    // Latent attention expands to as many keys as there are heads: DeepSeek-V3 has 128.
    CHECK(is_valid(resolve(of_model("deepseek-v3", {{P::gpus, 128},
                                                    {P::tensor_parallel, 2},
                                                    {P::context_parallel, 64},
                                                    {P::context_parallel_kind, a2a}}))));
}

TEST_CASE("constraints: Transformer Engine has no ring for sliding windows and sinks", "[scenario]") {
    const auto gpt_oss = [](Software software) {
        return of_model("gpt-oss-120b", {{P::gpus, 64}, {P::software, software}, {P::context_parallel, 2}});
    };
    const auto kind = [](const Scenario& scenario) {
        return resolve(scenario).choice<ContextParallelKind>(P::context_parallel_kind);
    };
    const auto with_kind = [&](Scenario scenario, ContextParallelKind which) {
        scenario.give(P::context_parallel_kind, which);
        return check(scenario, resolve(scenario));
    };
    // gpt-oss has sinks, which only the exchange of heads supports; Gemma 3 has windows alone.
    const Scenario megatron = gpt_oss(Software::megatron_core);
    CHECK(kind(megatron) == ContextParallelKind::a2a);
    CHECK(is_valid(resolve(megatron)));
    const Problems ring = with_kind(megatron, ContextParallelKind::p2p);
    REQUIRE(ring.size() == 1);
    CHECK(ring.front().where == "/training/context_parallel_kind");
    CHECK(ring.front().why == "with attention sinks, Transformer Engine supports only A2A");
    CHECK_FALSE(with_kind(megatron, ContextParallelKind::all_gather).empty());
    const Scenario gemma = of_model(
        "gemma-3-27b", {{P::gpus, 64}, {P::software, Software::megatron_core}, {P::context_parallel, 2}});
    CHECK(kind(gemma) == ContextParallelKind::all_gather);
    CHECK(is_valid(resolve(gemma)));
    CHECK_FALSE(with_kind(gemma, ContextParallelKind::p2p).empty());
    CHECK(with_kind(gemma, ContextParallelKind::a2a).empty());
    // Other stacks and models have all kinds.
    CHECK(with_kind(gpt_oss(Software::torchtitan), ContextParallelKind::p2p).empty());
    CHECK(kind(of_model("llama-3-8b", {{P::context_parallel, 2}})) == ContextParallelKind::p2p);
}

TEST_CASE("constraints: the degree that splits the experts divides their feed-forward size", "[scenario]") {
    // The experts of DeepSeek-V3 are 2,048 wide, those of Mixtral 14,336 = 2,048 · 7.
    const auto holds = [](const char* model, double degree) {
        return is_valid(resolve(of_model(model, {{P::gpus, 56}, {P::expert_tensor_parallel, degree}})));
    };
    CHECK(holds("mixtral-8x7b", 7));
    CHECK_FALSE(holds("deepseek-v3", 7));
    CHECK(holds("deepseek-v3", 8));
    const Scenario uneven = of_model("deepseek-v3", {{P::gpus, 56}, {P::expert_tensor_parallel, 7}});
    const Problems problems = check(uneven, resolve(uneven));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].why == "Expert tensor parallel 7 does not divide it");
}

TEST_CASE("constraints: tensor and context parallelism split the groups of Mamba-2 evenly", "[scenario]") {
    const auto problems = [](double groups, double tensor, double context) {
        const Scenario scenario = of_model("mamba2-2.7b", {{P::gpus, 64},
                                                           {P::sequence_length, 65536},
                                                           {P::ssm_groups, groups},
                                                           {P::tensor_parallel, tensor},
                                                           {P::context_parallel, context}});
        return check(scenario, resolve(scenario));
    };
    // Each GPU has whole groups, or several GPUs have the same one.
    CHECK(problems(8, 4, 2).empty());
    CHECK(problems(2, 2, 8).empty());
    CHECK(problems(1, 1, 16).empty());
    REQUIRE(problems(1, 2, 1).size() == 1);
    CHECK(problems(1, 2, 1)[0].where == "/training/tensor_parallel");
    REQUIRE(problems(20, 4, 2).size() == 1);
    CHECK(problems(20, 4, 2)[0].where == "/training/context_parallel");
}

TEST_CASE("constraints: the key heads of linear attention are divided, too", "[scenario]") {
    // Qwen3-Next has 32 value heads and 16 key heads.
    const auto valid = [](double context) {
        const Scenario scenario =
            of_model("qwen3-next-80b-a3b",
                     {{P::gpus, 64}, {P::sequence_length, 262144}, {P::context_parallel, context}});
        return is_valid(scenario, resolve(scenario));
    };
    CHECK(valid(16));
    CHECK_FALSE(valid(32));
}
