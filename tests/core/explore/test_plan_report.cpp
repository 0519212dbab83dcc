// Tests the report on the best plan's neighbours against single estimates.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "explore/plan_report.h"
#include "files/plan_file.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

ParameterSet set_of(std::initializer_list<P> ids) {
    ParameterSet out;
    for (const P id : ids) out.set(index(id));
    return out;
}

// The space is small enough to be searched in full, and has neighbours that fit and neighbours that do not.
PlanQuestion small_question() {
    PlanQuestion out;
    out.scenario = locked(first());
    out.free = set_of({P::tensor_parallel, P::micro_batch, P::sharding, P::recompute});
    return out;
}

}  // namespace

TEST_CASE("plan report: a neighbour's numbers are those of an estimate of its plan alone", "[planner]") {
    const PlanReport report = plan_report(small_question(), 1);
    REQUIRE(report.found());
    const Answer& best = report.plans.front();
    REQUIRE(report.neighbours.size() >= 4);
    for (const Neighbour& n : report.neighbours) {
        INFO(title(n));
        CHECK(n.from == best.settings[n.id]);
        CHECK(n.to != n.from);
        // The neighbour is built by hand: the best plan with one parameter edited.
        const Answer alone = answer(edited(locked(best.scenario), n.id, n.to));
        REQUIRE(alone.valid());
        CHECK(n.answer.estimate.memory.peak == alone.estimate.memory.peak);
        CHECK(n.answer.estimate.tokens_per_s_per_gpu == alone.estimate.tokens_per_s_per_gpu);
        CHECK(n.answer.estimate.mfu == alone.estimate.mfu);
        // No other free parameter has changed.
        for (const P id : {P::tensor_parallel, P::micro_batch, P::sharding, P::recompute}) {
            if (id != n.id) CHECK(n.answer.settings[id] == best.settings[id]);
        }
    }
}

TEST_CASE("plan report: the parts of a loss add up to it and are sorted from the largest down", "[planner]") {
    const PlanReport report = plan_report(small_question(), 1);
    REQUIRE(report.found());
    const StepTime& best = report.plans.front().estimate.step;
    const double best_tokens = report.plans.front().estimate.tokens_per_gpu;
    int fitting = 0;
    for (const Neighbour& n : report.neighbours) {
        INFO(title(n));
        double sum = 0;
        for (const Neighbour::LostTime& part : n.parts) sum += part.seconds;
        CHECK(sum == Approx(n.slower).epsilon(1e-9).margin(1e-9));
        CHECK(std::ranges::is_sorted(n.parts, std::greater<>(), &Neighbour::LostTime::seconds));
        // The step processes as many tokens as the best plan's, at the neighbour's rate.
        const double step = best_tokens / n.answer.estimate.tokens_per_s_per_gpu;
        CHECK(n.slower == Approx(step - best.total).epsilon(1e-9).margin(1e-9));
        if (n.over > 0) continue;
        ++fitting;
        CHECK(n.slower >= 0);  // otherwise it would be the best plan
        CHECK(n.answer.estimate.mfu <= report.plans.front().estimate.mfu);
        REQUIRE_FALSE(n.parts.empty());
        CHECK(why(n).find(n.parts.front().label + " +") == 0);
    }
    CHECK(fitting > 0);
}

TEST_CASE("plan report: settings of experts that were not searched are reported beside the best plan",
          "[planner]") {
    PlanQuestion question;
    question.scenario = of_model("deepseek-v3", {{P::gpus, 1024},
                                                 {P::software, Software::megatron_core},
                                                 {P::expert_parallel, 32},
                                                 {P::pipeline_parallel, 8},
                                                 {P::sharding, Sharding::zero1},
                                                 {P::recompute, 1},
                                                 {P::micro_batch, 1},
                                                 {P::global_batch, 2048}});
    question.free.set(index(P::tensor_parallel));
    question.allow_risky = true;
    const PlanReport report = plan_report(question, 1);
    REQUIRE(report.found());
    const auto of = [&](P id, MoeDispatcher to) {
        return std::ranges::find_if(report.neighbours,
                                    [&](const Neighbour& n) { return n.id == id && n.to == Value(to); });
    };
    const auto found = of(P::moe_dispatcher, MoeDispatcher::deepep);
    REQUIRE(found != report.neighbours.end());
    // DeepEP sends a token to a node once, for all of its experts there.
    CHECK(found->slower < 0);
    CHECK(why(*found).find("faster by") == 0);
    CHECK(why(*found).find("the search does not vary it") != std::string::npos);
    // A search that varies the dispatcher chooses DeepEP, and reports the others once.
    question.free.set(index(P::moe_dispatcher));
    const PlanReport dispatched = plan_report(question, 1);
    REQUIRE(dispatched.found());
    const Answer& best = dispatched.plans.front();
    CHECK(best.settings.choice<MoeDispatcher>(P::moe_dispatcher) == MoeDispatcher::deepep);
    CHECK(best.estimate.mfu > report.plans.front().estimate.mfu);
    CHECK(short_plan(best.settings).find("EP 32 DeepEP") != std::string::npos);
    CHECK(std::ranges::count(dispatched.neighbours, P::moe_dispatcher, &Neighbour::id) == 2);
    // DeepSpeed has no DeepEP.
    question.scenario.give(P::software, Software::deepspeed);
    const PlanReport all_to_all = plan_report(question, 1);
    REQUIRE(all_to_all.found());
    CHECK(all_to_all.plans.front().settings.choice<MoeDispatcher>(P::moe_dispatcher) ==
          MoeDispatcher::all_to_all);
    // Without experts there is nothing to send.
    question.scenario = of_model("llama-2-7b", {{P::gpus, 64}});
    const PlanReport dense = plan_report(question, 1);
    CHECK_FALSE(dense.neighbours.empty());
    for (const Neighbour& n : dense.neighbours) CHECK(n.id == P::tensor_parallel);
}

TEST_CASE("plan report: a plan that does not fit reports its excess, a risky one how much margin it uses",
          "[planner]") {
    for (const bool allow_risky : {false, true}) {
        PlanQuestion question = small_question();
        question.allow_risky = allow_risky;
        const PlanReport report = plan_report(question, 1);
        REQUIRE(report.found());
        int misses = 0;
        for (const Neighbour& n : report.neighbours) {
            INFO(title(n));
            const MemoryUse& memory = n.answer.estimate.memory;
            const Verdict verdict = n.answer.estimate.verdict;
            if (verdict == Verdict::fits || (verdict == Verdict::risky && allow_risky)) {
                CHECK(n.over == 0);
                continue;
            }
            ++misses;
            // This is the headline's number.
            const double beyond = memory.peak - memory.capacity;
            const double into = memory.peak - (memory.capacity - memory.margin);
            CHECK(why(n) == (verdict == Verdict::risky
                                 ? "may not fit: uses " + format(into, Quantity::bytes) + " of the margin"
                                 : "does not fit: " + format(beyond, Quantity::bytes) + " too much"));
        }
        CHECK(misses > 0);
    }
}

TEST_CASE("plan report: a neighbour with another pipeline reports the cost of the bubble and of the network",
          "[planner]") {
    // With one more pipeline degree and few micro-batches the loss is the bubble, (p − 1) of m + p − 1.
    Scenario scenario = of_model("mpt-7b", {{P::accumulation, 4}, {P::micro_batch, 1}});
    PlanQuestion question;
    question.scenario = locked(scenario);
    question.free = set_of({P::pipeline_parallel});
    const PlanReport report = plan_report(question, 1);
    REQUIRE(report.found());
    CHECK(report.plans.front().settings[P::pipeline_parallel] == 1);
    const auto two = std::ranges::find(report.neighbours, 2.0, &Neighbour::to);
    REQUIRE(two != report.neighbours.end());
    const auto bubble = std::ranges::find(two->parts, StepTerm::bubble, &Neighbour::LostTime::term);
    REQUIRE(bubble != two->parts.end());
    CHECK(bubble->label == "bubble");
    const Estimate& e = two->answer.estimate;
    const double scale = report.plans.front().estimate.tokens_per_gpu / e.tokens_per_gpu;
    CHECK(bubble->seconds == Approx(scale * e.step.term(StepTerm::bubble)).epsilon(1e-12));
    CHECK(why(*two).find("bubble +") != std::string::npos);
}

TEST_CASE("plan report: the best plan and the frontier agree, and a plan is written in one line",
          "[planner]") {
    const PlanReport report = plan_report(small_question(), 1);
    REQUIRE(report.found());
    REQUIRE_FALSE(report.frontier.empty());
    CHECK(report.frontier.back().tokens_per_s_per_gpu ==
          Approx(report.plans.front().estimate.tokens_per_s_per_gpu).epsilon(1e-12));
    for (std::size_t i = 1; i < report.frontier.size(); ++i) {
        CHECK(report.frontier[i - 1].peak < report.frontier[i].peak);
        CHECK(report.frontier[i - 1].tokens_per_s_per_gpu < report.frontier[i].tokens_per_s_per_gpu);
    }
    CHECK(report.feasible <= report.space);
    CHECK(short_plan(resolve(with({{P::micro_batch, 2}, {P::accumulation, 3}, {P::recompute, 1}}))) ==
          "ZeRO-3, micro-batch 2 × 3, recompute full");
    CHECK(short_plan(resolve(with({{P::micro_batch, 2}, {P::activation_offload, 0.5}}))) ==
          "ZeRO-3, micro-batch 2 × 1, offloaded activations " + format(P::activation_offload, 0.5));
    CHECK(short_plan(resolve(with({{P::tensor_parallel, 4},
                                   {P::sequence_parallel, true},
                                   {P::sharding, Sharding::zero1},
                                   {P::micro_batch, 1}}))) == "TP 4 SP, ZeRO-1, micro-batch 1 × 1");
    CHECK(short_plan(resolve(of_model("mixtral-8x7b", {{P::tensor_parallel, 2},
                                                       {P::context_parallel, 4},
                                                       {P::context_parallel_kind, ContextParallelKind::a2a},
                                                       {P::expert_parallel, 8},
                                                       {P::expert_tensor_parallel, 1}}))) ==
          "TP 2, CP 4 A2A, EP 8, ETP 1, ZeRO-3, micro-batch 2 × 1");
    // A degree equal to that of tensor parallelism and the usual kind are not named.
    CHECK(short_plan(resolve(of_model(
              "mixtral-8x7b",
              {{P::tensor_parallel, 2}, {P::context_parallel, 4}, {P::expert_tensor_parallel, 2}}))) ==
          "TP 2, CP 4, ZeRO-3, micro-batch 2 × 1");
}

TEST_CASE("plan report: if nothing fits it gives the memory of the smallest plan", "[planner]") {
    PlanQuestion question;
    question.scenario = locked(of_model("gpt-1t", {{P::gpus, 8}}));
    question.free = set_of({P::tensor_parallel, P::recompute});
    const PlanReport report = plan_report(question, 1);
    CHECK_FALSE(report.found());
    CHECK(report.neighbours.empty());
    CHECK(report.feasible == 0);
    // The smallest memory of all plans, which are estimated one by one.
    double least = std::numeric_limits<double>::infinity();
    for (const double tensor : {1.0, 2.0, 4.0, 8.0}) {
        for (const double recompute : {0.0, kRecomputeSelective, 0.25, 0.5, 0.75, 1.0}) {
            Scenario one = question.scenario;
            one.give(P::tensor_parallel, tensor);
            one.give(P::recompute, recompute);
            least = std::min(least, answer(one).estimate.memory.peak);
        }
    }
    CHECK(report.reason.find("none of ") == 0);
    CHECK(report.reason.find("the smallest needs " + format(least, Quantity::bytes)) != std::string::npos);

    // There is no plan at all: three GPUs are no multiple of the two that each replica needs.
    question.scenario = locked(with({{P::gpus, 3}, {P::tensor_parallel, 2}}));
    question.free = set_of({P::recompute});
    CHECK(plan_report(question, 1).reason.find("no plan is valid for 3 GPUs") == 0);
}

TEST_CASE(
    "plan report: unknown software has every schedule, and schedules that known software lacks are named",
    "[planner]") {
    const auto found = [](Software software, std::initializer_list<P> free) {
        PlanQuestion question;
        question.scenario = locked(of_model("llama-3-8b", {{P::gpus, 32},
                                                           {P::software, software},
                                                           {P::sequence_length, 16384},
                                                           {P::global_batch, 64},
                                                           {P::sharding, Sharding::zero1},
                                                           {P::recompute, kRecomputeSelective}}));
        question.free = set_of(free);
        return plan_report(question, 1);
    };
    // Only Seq1F1B, whose passes hold the activations of a part of the sequence, fits.
    const PlanReport any = found(Software::other, {P::schedule, P::pipeline_parallel});
    REQUIRE(any.found());
    CHECK(any.plans.front().settings.choice<ScheduleKind>(P::schedule) == ScheduleKind::seq1f1b);
    const PlanReport megatron = found(Software::megatron_core, {P::schedule, P::pipeline_parallel});
    REQUIRE_FALSE(megatron.found());
    const auto left_out =
        megatron.reason.find("; schedules that Megatron-Core does not have were left out: ");
    REQUIRE(left_out != std::string::npos);
    CHECK(megatron.reason.find("Seq1F1B", left_out) != std::string::npos);
    CHECK(megatron.reason.find("GPipe", left_out) == std::string::npos);
    // Where the schedule is given none is left out.
    const PlanReport plain = found(Software::megatron_core, {P::pipeline_parallel});
    REQUIRE_FALSE(plain.found());
    CHECK(plain.reason.find("left out") == std::string::npos);
}

TEST_CASE("plan report: the scenario's own plan stands beside the ranking, with what its software lacks",
          "[planner]") {
    PlanQuestion question;
    question.scenario = locked(of_model("gpt-3-175b", {{P::gpus, 512},
                                                       {P::software, Software::megatron_core},
                                                       {P::global_batch, 1536},
                                                       {P::tensor_parallel, 4},
                                                       {P::sequence_parallel, true},
                                                       {P::pipeline_parallel, 16},
                                                       {P::micro_batch, 2},
                                                       {P::schedule, ScheduleKind::zb_v},
                                                       {P::sharding, Sharding::zero1}}));
    question.free = set_of({P::schedule});
    question.allow_risky = true;
    const PlanReport report = plan_report(question, 1);
    REQUIRE(report.found());
    REQUIRE(report.own.has_value());
    const Answer alone = answer(question.scenario);
    CHECK(report.own->estimate.tokens_per_s == alone.estimate.tokens_per_s);
    CHECK(alone.estimate.tokens_per_s > report.plans.front().estimate.tokens_per_s);
    const std::string text = plan_text(report);
    CHECK(text.find("\nyours ") != std::string::npos);
    CHECK(text.find(text_of(Output::tokens_per_s_per_gpu, alone)) != std::string::npos);
    CHECK(text.find("Your plan is not in the ranking: Megatron-Core does not have the schedule") !=
          std::string::npos);
    const auto read = nlohmann::json::parse(plan_json(report));
    CHECK(read["own"]["tokens_per_s"].get<double>() == alone.estimate.tokens_per_s);
    CHECK(read["own"]["missing_in_software"].size() == 1);
    // A plan that the planner chooses is not the scenario's own.
    question.scenario.automatic = question.free;
    CHECK_FALSE(plan_report(question, 1).own.has_value());

    // If nothing else fits, the reason names it.
    question.scenario = locked(of_model("llama-3-8b", {{P::gpus, 32},
                                                       {P::software, Software::megatron_core},
                                                       {P::sequence_length, 16384},
                                                       {P::global_batch, 64},
                                                       {P::sharding, Sharding::zero1},
                                                       {P::recompute, kRecomputeSelective},
                                                       {P::pipeline_parallel, 8},
                                                       {P::schedule, ScheduleKind::seq1f1b}}));
    question.free = set_of({P::schedule, P::pipeline_parallel});
    const PlanReport none = plan_report(question, 1);
    REQUIRE_FALSE(none.found());
    CHECK(none.reason.find("; the scenario's own plan fits, with ") != std::string::npos);
    CHECK(none.reason.find("Megatron-Core does not have the schedule Seq1F1B") != std::string::npos);
}

TEST_CASE("plan report: a faster schedule that the software does not have is named as such", "[planner]") {
    const auto zb_v = [](Software software) {
        const Scenario scenario = of_model("gpt-3-175b", {{P::gpus, 512},
                                                          {P::software, software},
                                                          {P::global_batch, 1536},
                                                          {P::tensor_parallel, 4},
                                                          {P::sequence_parallel, true},
                                                          {P::pipeline_parallel, 16},
                                                          {P::micro_batch, 2},
                                                          {P::sharding, Sharding::zero1}});
        ParameterSet free;
        free.set(index(P::schedule));
        for (const Neighbour& n : neighbours_of(answer(scenario), free, true))
            if (n.id == P::schedule && n.to == Value(ScheduleKind::zb_v)) return n;
        FAIL("ZB-V is no neighbour");
        return Neighbour{P::schedule};
    };
    const Neighbour megatron = zb_v(Software::megatron_core);
    REQUIRE(megatron.slower < 0);
    CHECK(why(megatron).find(", but not in Megatron-Core") != std::string::npos);
    // The setting from which it differs may be missing, too, for another reason.
    Neighbour both = megatron;
    both.answer.settings.set(P::experts, 8, Origin::given);
    both.answer.settings.set(P::moe_overlap, 1, Origin::given);
    both.answer.settings.set(P::virtual_stages, 1, Origin::given);
    CHECK(why(both).find(", but not in Megatron-Core") != std::string::npos);
    const Neighbour torchtitan = zb_v(Software::torchtitan);
    REQUIRE(torchtitan.slower < 0);
    CHECK(why(torchtitan).find("faster by ") == 0);
    CHECK(why(torchtitan).find("but") == std::string::npos);
}
