// Tests degrees of parallelism: what they must divide, the messages if they do not, and how edits adjust
// them.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "planner/answer.h"
#include "scenario/domain.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

struct BrokenRule {
    const char* model;
    std::initializer_list<std::pair<P, Value>> values;
    const char *where, *what, *why, *to_do;
};

std::string texts(const Problems& problems) {
    std::string out;
    for (const Problem& problem : problems) out += problem.text() + "\n";
    return out;
}

bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

Scenario moe() { return of_model("mixtral-8x7b", {{P::gpus, 64}}); }

}  // namespace

TEST_CASE("validity: each rule of parallelism reports what is wrong, why and what to do", "[scenario]") {
    for (const BrokenRule& b :
         {BrokenRule{"mpt-13b",
                     {{P::gpus, 64}, {P::tensor_parallel, 3}},
                     "/cluster/gpus",
                     "GPUs is 64",
                     "not a multiple of tensor × context × pipeline parallel = 3",
                     "use 48 or 72"},
          BrokenRule{"mpt-13b",
                     {{P::gpus, 64}, {P::tensor_parallel, 16}},
                     "/training/tensor_parallel",
                     "Tensor parallel is 16",
                     "does not divide the 40 heads",
                     "use 8"},
          BrokenRule{"llama-3-8b",
                     {{P::gpus, 64}, {P::tensor_parallel, 8}, {P::ffn_size, 14332}},
                     "/training/tensor_parallel",
                     "Tensor parallel is 8",
                     "does not divide the feed-forward size 14,332",
                     "use 4"},
          BrokenRule{"mpt-13b",
                     {{P::context_parallel, 8}, {P::sequence_length, 2052}},
                     "/training/context_parallel",
                     "Context parallel is 8",
                     "does not divide the sequence of 2,052",
                     "use 4"},
          BrokenRule{"mpt-13b",
                     {{P::gpus, 64}, {P::pipeline_parallel, 64}},
                     "/training/pipeline_parallel",
                     "Pipeline parallel is 64",
                     "more stages than the 40 layers",
                     "use 32"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 8}, {P::virtual_stages, 6}, {P::accumulation, 8}},
                     "/training/virtual_stages",
                     "Virtual stages is 6",
                     "more stages than the 40 layers",
                     "use 5"},
          BrokenRule{"mpt-13b",
                     {{P::virtual_stages, 2}},
                     "/training/virtual_stages",
                     "Virtual stages is 2",
                     "there is only one pipeline stage",
                     "a larger pipeline-parallel degree"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 4},
                      {P::virtual_stages, 2},
                      {P::schedule, ScheduleKind::gpipe},
                      {P::accumulation, 4}},
                     "/training/schedule",
                     "Pipeline schedule is GPipe",
                     "it has no virtual stages",
                     "use interleaved"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 4}, {P::virtual_stages, 2}, {P::accumulation, 3}},
                     "/training/schedule",
                     "Pipeline schedule is interleaved",
                     "the 3 micro-batches of a step are fewer than the 4 it needs",
                     "use 4 or more of them, or 1 for virtual stages"},
          BrokenRule{"mpt-13b",
                     {{P::expert_parallel, 8}},
                     "/training/expert_parallel",
                     "Expert parallel is 8",
                     "the model has no experts",
                     "use 1"},
          BrokenRule{"mixtral-8x7b",
                     {{P::expert_parallel, 3}},
                     "/training/expert_parallel",
                     "Expert parallel is 3",
                     "must divide the 8 experts and the 64 GPUs",
                     "use 4"},
          BrokenRule{"mixtral-8x7b",
                     {{P::gpus, 8}, {P::tensor_parallel, 4}, {P::expert_parallel, 8}},
                     "/training/expert_parallel",
                     "Expert parallel is 8",
                     "the 2 GPUs that can hold different experts",
                     "use 2"},
          BrokenRule{"mixtral-8x7b",
                     {{P::experts_per_token, 9}},
                     "/model/experts_per_token",
                     "Experts per token is 9",
                     "there are 8 experts",
                     "use 1 to 8"},
          BrokenRule{"mpt-13b",
                     {{P::tensor_parallel, 4}, {P::shard_group, 32}},
                     "/training/shard_group",
                     "Shard group is 32",
                     "does not divide the 16 GPUs that hold the same weights",
                     "use 16"},
          BrokenRule{
              "mpt-13b",
              {{P::tensor_parallel, 8}, {P::pipeline_parallel, 2}, {P::global_batch, 6}, {P::micro_batch, 2}},
              "/training/global_batch",
              "Global batch is 6",
              "not a multiple of data-parallel GPUs × micro-batch = 4 × 2",
              "use 8"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 4}, {P::virtual_stages, 2}, {P::global_batch, 100}},
                     "/training/global_batch",
                     "Global batch is 100",
                     "not a multiple of data-parallel GPUs × micro-batch = 16 × 2",
                     "use 96 or 128"},
          BrokenRule{"mpt-13b",
                     {{P::gpus, 40},
                      {P::pipeline_parallel, 5},
                      {P::schedule, ScheduleKind::dualpipe},
                      {P::accumulation, 20}},
                     "/training/schedule",
                     "Pipeline schedule is DualPipe",
                     "it needs an even number of stages, not 5",
                     "use 4 pipeline stages"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 4}, {P::schedule, ScheduleKind::dualpipe}, {P::accumulation, 6}},
                     "/training/schedule",
                     "Pipeline schedule is DualPipe",
                     "the 6 micro-batches of a step are fewer than the 8 it needs",
                     "use 8 or more of them, or 1F1B"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 4}, {P::schedule, ScheduleKind::dualpipe}, {P::accumulation, 9}},
                     "/training/schedule",
                     "Pipeline schedule is DualPipe",
                     "the 9 micro-batches of a step are not a multiple of 2",
                     "use 8 or 10 of them, or 1F1B"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 4}, {P::schedule, ScheduleKind::bitpipe}, {P::accumulation, 6}},
                     "/training/schedule",
                     "Pipeline schedule is BitPipe",
                     "the 6 micro-batches of a step are not a multiple of the 4 stages",
                     "use 4 or 8 of them, or 1F1B"},
          BrokenRule{
              "mpt-13b",
              {{P::pipeline_parallel, 32}, {P::schedule, ScheduleKind::bitpipe}, {P::accumulation, 32}},
              "/training/schedule",
              "Pipeline schedule is BitPipe",
              "it cannot split 40 layers into 32 stages",
              "use 16 pipeline stages"},
          BrokenRule{
              "mpt-13b",
              {{P::pipeline_parallel, 16}, {P::schedule, ScheduleKind::modular}, {P::accumulation, 32}},
              "/training/schedule",
              "Pipeline schedule is modular",
              "it cannot split 40 layers into 16 stages",
              "use 8 pipeline stages"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 8},
                      {P::schedule, ScheduleKind::modular},
                      {P::virtual_stages, 5},
                      {P::accumulation, 32}},
                     "/training/schedule",
                     "Pipeline schedule is modular",
                     "it sets the number of virtual stages itself",
                     "1 for virtual stages"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 8},
                      {P::schedule, ScheduleKind::breadth_first},
                      {P::virtual_stages, 5},
                      {P::accumulation, 6}},
                     "/training/schedule",
                     "Pipeline schedule is breadth-first",
                     "the 6 micro-batches of a step are fewer than the 8 it needs",
                     "use 8 or more of them, or 1 for virtual stages"},
          BrokenRule{
              "mpt-13b",
              {{P::pipeline_parallel, 8}, {P::schedule, ScheduleKind::seq1f1b}, {P::sequence_pieces, 7}},
              "/training/sequence_pieces",
              "Sequence chunks is 7",
              "does not divide the sequence of 2,048",
              "use a divisor"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 8}, {P::first_stage_layers, 34}},
                     "/training/first_stage_layers",
                     "First stage's layers is 34",
                     "leaves no valid split of the 40 layers into 8 stages",
                     "use 33, or 0"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 2}, {P::first_stage_layers, 10}, {P::last_stage_layers, 20}},
                     "/training/first_stage_layers",
                     "First stage's layers is 10",
                     "leaves no valid split",
                     "use 0 for one of the two"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 4},
                      {P::virtual_stages, 5},
                      {P::accumulation, 8},
                      {P::last_stage_layers, 7}},
                     "/training/last_stage_layers",
                     "Last stage's layers is 7",
                     "virtual stages must have equal numbers of layers",
                     "without virtual stages"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 8},
                      {P::schedule, ScheduleKind::dualpipe},
                      {P::accumulation, 16},
                      {P::first_stage_layers, 3}},
                     "/training/first_stage_layers",
                     "First stage's layers is 3",
                     "the schedule requires stages with equal numbers of layers",
                     "use 0, or 1F1B"},
          BrokenRule{"mpt-13b",
                     {{P::pipeline_parallel, 8}, {P::schedule, ScheduleKind::seq1f1b}, {P::causal, false}},
                     "/training/schedule",
                     "Pipeline schedule is Seq1F1B",
                     "it splits sequences, which requires causal attention",
                     "use 1F1B"}}) {
        const Scenario scenario = of_model(b.model, b.values);
        const Settings s = resolve(scenario);
        const Problems problems = check(scenario, s);
        INFO(texts(problems));
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].where == b.where);
        CHECK(problems[0].what == b.what);
        INFO(b.why);
        CHECK(holds(problems[0].why, b.why));
        INFO(b.to_do);
        CHECK(holds(problems[0].suggestion, b.to_do));
        CHECK_FALSE(is_valid(s));
    }
}

TEST_CASE("edits: degrees are set to the nearest value that divides", "[scenario]") {
    const Scenario base = of_model("llama-3-70b", {{P::gpus, 64}});
    CHECK(resolve(edited(base, P::tensor_parallel, 5))[P::tensor_parallel] == 4);
    CHECK(resolve(edited(base, P::tensor_parallel, 1000))[P::tensor_parallel] == 64);
    CHECK(resolve(edited(base, P::pipeline_parallel, 7))[P::pipeline_parallel] == 8);
    CHECK(resolve(edited(base, P::context_parallel, 3))[P::context_parallel] == 4);
    CHECK(resolve(edited(base, P::expert_parallel, 8))[P::expert_parallel] == 1);
    CHECK(resolve(edited(base, P::virtual_stages, 4))[P::virtual_stages] == 1);
    CHECK(resolve(edited(moe(), P::expert_parallel, 7))[P::expert_parallel] == 8);
    // Beside the 8 × 4 GPUs of a replica only two are left.
    const Scenario full = edited(edited(base, P::tensor_parallel, 8), P::pipeline_parallel, 4);
    CHECK(resolve(edited(full, P::context_parallel, 64))[P::context_parallel] == 2);
    CHECK(resolve(edited(full, P::gpus, 100))[P::gpus] == 96);
}

TEST_CASE("edits: virtual stages change the schedule and make whole groups of micro-batches", "[scenario]") {
    const Scenario staged = edited(of_model("llama-3-70b", {{P::gpus, 64}}), P::pipeline_parallel, 4);
    const Scenario interleaved = edited(staged, P::virtual_stages, 5);
    Settings s = resolve(interleaved);
    CHECK(s[P::virtual_stages] == 5);
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::interleaved);
    CHECK(s[P::accumulation] == 4);
    CHECK(resolve(edited(interleaved, P::accumulation, 11))[P::accumulation] == 11);
    CHECK(resolve(edited(interleaved, P::accumulation, 3))[P::accumulation] == 4);
    // A schedule without virtual stages resets them to one, and so does a single pipeline stage.
    s = resolve(edited(interleaved, P::schedule, ScheduleKind::gpipe));
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::gpipe);
    CHECK(s[P::virtual_stages] == 1);
    CHECK(resolve(edited(interleaved, P::pipeline_parallel, 1))[P::virtual_stages] == 1);
    // If there are more stages than layers, the number of virtual stages is reduced first.
    CHECK(resolve(edited(interleaved, P::pipeline_parallel, 16))[P::virtual_stages] == 5);
    // A chosen schedule is replaced by the one that has virtual stages.
    const Scenario gpipe = edited(staged, P::schedule, ScheduleKind::gpipe);
    CHECK(resolve(edited(gpipe, P::virtual_stages, 2)).choice<ScheduleKind>(P::schedule) ==
          ScheduleKind::interleaved);
}

TEST_CASE("edits: a schedule sets the stages and micro-batches that it requires", "[scenario]") {
    const Scenario staged = with({{P::gpus, 40}, {P::pipeline_parallel, 5}});
    Settings s = resolve(edited(staged, P::schedule, ScheduleKind::dualpipe));
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::dualpipe);
    CHECK(s[P::pipeline_parallel] == 4);
    CHECK(s[P::accumulation] == 8);
    s = resolve(edited(with({{P::pipeline_parallel, 16}}), P::schedule, ScheduleKind::modular));
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::modular);
    CHECK(s[P::pipeline_parallel] == 8);
    CHECK(s[P::accumulation] == 8);
    s = resolve(edited(with({{P::pipeline_parallel, 8}, {P::global_batch, 256}}), P::schedule,
                       ScheduleKind::bitpipe));
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::bitpipe);
    CHECK(s[P::global_batch] == 256);
    CHECK(std::fmod(s[P::accumulation], 8) == 0);
    // A free number of virtual stages requires another schedule.
    const Scenario modular = edited(with({{P::pipeline_parallel, 8}}), P::schedule, ScheduleKind::modular);
    CHECK(resolve(edited(modular, P::virtual_stages, 5)).choice<ScheduleKind>(P::schedule) ==
          ScheduleKind::interleaved);
}

TEST_CASE("edits: a held global batch is kept at every degree", "[scenario]") {
    const Scenario base =
        of_model("llama-3-70b", {{P::gpus, 64}, {P::micro_batch, 4}, {P::global_batch, 256}});
    REQUIRE(is_valid(resolve(base)));
    Settings s = resolve(edited(base, P::tensor_parallel, 8));
    CHECK(s[P::global_batch] == 256);
    CHECK(s[P::micro_batch] == 4);
    CHECK(s[P::accumulation] == 8);
    const Scenario deep = edited(edited(base, P::tensor_parallel, 8), P::pipeline_parallel, 8);
    s = resolve(deep);
    CHECK(s[P::global_batch] == 256);
    CHECK(s[P::accumulation] == 64);
    s = resolve(edited(deep, P::virtual_stages, 5));
    CHECK(s[P::global_batch] == 256);
    CHECK(s[P::virtual_stages] == 5);
    // There are 8 data-parallel GPUs with 4 sequences each: micro-batches of one sequence form the group of
    // four that four stages require.
    const Scenario narrow =
        of_model("llama-3-70b",
                 {{P::gpus, 32}, {P::pipeline_parallel, 4}, {P::micro_batch, 2}, {P::global_batch, 32}});
    s = resolve(edited(narrow, P::virtual_stages, 2));
    CHECK(s[P::global_batch] == 32);
    CHECK(s[P::micro_batch] == 1);
    CHECK(s[P::accumulation] == 4);
}

TEST_CASE("edits: a model's shape and its degrees of parallelism are kept compatible", "[scenario]") {
    const Scenario wide = edited(of_model("llama-3-70b", {{P::gpus, 64}}), P::tensor_parallel, 8);
    // The width changes in steps that leave whole heads on every GPU.
    Settings s = resolve(edited(wide, P::hidden_size, 7000));
    CHECK(std::fmod(s[P::heads], 8) == 0);
    CHECK(s[P::tensor_parallel] == 8);
    CHECK(std::fmod(resolve(edited(wide, P::ffn_size, 20001))[P::ffn_size], 8) == 0);
    // The preset has fewer layers than stages, or heads that the GPUs do not divide.
    const Catalogue& shipped = Catalogue::shipped();
    Scenario deep = edited(of_model("llama-3-70b", {{P::gpus, 64}}), P::pipeline_parallel, 64);
    deep = with_model(deep, *shipped.find(PresetKind::model, "mpt-125m"));
    CHECK(is_valid(resolve(deep)));
    CHECK(resolve(deep)[P::pipeline_parallel] == 8);
    const Scenario few = with_model(wide, *shipped.find(PresetKind::model, "mpt-125m"));
    CHECK(resolve(few)[P::tensor_parallel] == 4);
    // A dense model removes the expert-parallel degree of the model before.
    const Scenario dense =
        with_model(edited(moe(), P::expert_parallel, 8), *shipped.find(PresetKind::model, "mpt-13b"));
    CHECK(resolve(dense)[P::expert_parallel] == 1);
    // There are fewer layers than stages.
    const Scenario shallow = edited(edited(first(), P::pipeline_parallel, 8), P::layers, 3);
    s = resolve(shallow);
    CHECK(s[P::layers] == 3);
    CHECK(s[P::pipeline_parallel] == 2);
}

TEST_CASE(
    "edits: after any chain of degrees the scenario is valid, and the held batch is kept in either mode",
    "[scenario][property]") {
    constexpr P kDegrees[] = {
        P::gpus,           P::tensor_parallel, P::context_parallel, P::pipeline_parallel,
        P::virtual_stages, P::expert_parallel, P::schedule,         P::shard_group,
        P::sharding,       P::gpus_per_node,   P::micro_batch,      P::accumulation,
        P::global_batch,   P::sequence_length, P::layers,           P::heads};
    std::mt19937 random(20260711);
    const Scenario starts[] = {
        first(), of_model("llama-3-70b", {{P::gpus, 256}}), moe(),
        of_model("deepseek-v3", {{P::gpus, 1024}, {P::sequence_length, 4096}}),
        of_model("gpt-530b", {{P::gpus, 280}, {P::tensor_parallel, 8}, {P::pipeline_parallel, 35}})};
    for (const Scenario& start : starts) {
        Scenario scenario = start;
        int unchanged = 0;
        constexpr int kEdits = 6000;
        for (int i = 0; i < kEdits; ++i) {
            if (i % 200 == 0) scenario = start;
            if (random() % 40 == 0)
                scenario = with_hold(scenario, random() % 2 ? Hold::global_batch : Hold::per_gpu_batch);
            const P id = kDegrees[random() % std::size(kDegrees)];
            const Parameter& row = parameter(id);
            // The values are logarithmic, so that small degrees occur as often as large ones.
            const double low = std::max(1.0, row.slider_low);
            const double high = std::max(low * 2, row.slider_high);
            double value = low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
            if (row.named_only) value = static_cast<double>(random() % 10);
            const Hold held = scenario.hold();
            const Settings before = resolve(scenario);
            const Scenario next = edited(scenario, id, value);
            const Settings s = resolve(next);
            INFO(start.title() << ", edit " << i << ": " << row.key << " = " << value);
            const Problems problems = check(next, s);
            INFO(texts(problems));
            REQUIRE(problems.empty());
            REQUIRE(is_valid(s));
            CHECK(next.hold() == held);
            if (held == Hold::global_batch && id != P::global_batch)
                REQUIRE(s[P::global_batch] == before[P::global_batch]);
            if (held == Hold::per_gpu_batch && id != P::micro_batch)
                REQUIRE(s[P::micro_batch] == before[P::micro_batch]);
            if (next == scenario) ++unchanged;
            scenario = next;
        }
        CHECK(unchanged < kEdits / 2);
    }
}

TEST_CASE("edits: every value that a slider offers can be set", "[scenario]") {
    for (const Scenario& base :
         {edited(edited(of_model("llama-3-70b", {{P::gpus, 128}, {P::accumulation, 8}}), P::pipeline_parallel,
                        4),
                 P::virtual_stages, 2),
          edited(moe(), P::expert_parallel, 4)}) {
        for (const Hold hold : {Hold::per_gpu_batch, Hold::global_batch}) {
            const Scenario scenario = with_hold(base, hold);
            const Settings s = resolve(scenario);
            REQUIRE(is_valid(s));
            for (const P id :
                 {P::tensor_parallel, P::context_parallel, P::pipeline_parallel, P::virtual_stages,
                  P::expert_parallel, P::micro_batch, P::accumulation, P::shard_group}) {
                const Domain range = domain(id, s);
                CHECK_FALSE(range.stops.empty());
                for (const double stop : range.stops) {
                    INFO(parameter(id).key << " = " << stop);
                    CHECK(nearest_valid(id, stop, s) == stop);
                    const Settings now = resolve(edited(scenario, id, stop));
                    CHECK(now[id] == stop);
                }
            }
        }
    }
}

TEST_CASE(
    "parallelism: the numbers of layers at a pipeline's ends are reset where they are no longer possible",
    "[plan]") {
    Scenario scenario = of_model("mpt-13b", {{P::pipeline_parallel, 4}, {P::accumulation, 8}});
    scenario = edited(scenario, P::first_stage_layers, 100);
    // Of 40 layers the other three stages keep one each.
    CHECK(resolve(scenario)[P::first_stage_layers] == 37);
    CHECK(is_valid(resolve(scenario)));
    CHECK(resolve(edited(scenario, P::last_stage_layers, 5))[P::last_stage_layers] == 1);
    for (const auto& [id, value] : {std::pair{P::pipeline_parallel, 8.0},
                                    {P::layers, 20.0},
                                    {P::virtual_stages, 2.0},
                                    {P::schedule, 4.0},
                                    {P::pipeline_parallel, 1.0}}) {
        INFO(parameter(id).key);
        const Scenario after = edited(scenario, id, value);
        CHECK(resolve(after)[id] == value);
        CHECK(is_valid(resolve(after)));
    }
    // With two stages the other end gets all remaining layers, or as many as the others have.
    Scenario two = edited(of_model("mpt-13b", {{P::pipeline_parallel, 2}}), P::first_stage_layers, 12);
    two = edited(two, P::last_stage_layers, 20);
    CHECK(resolve(two)[P::last_stage_layers] == 28);
    CHECK(is_valid(resolve(two)));
}
