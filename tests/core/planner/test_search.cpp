// Tests the search against an estimate of every plan.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "explore/plan_report.h"
#include "planner/answer.h"
#include "planner/operator_work_cache.h"
#include "planner/planner.h"
#include "planner/search.h"
#include "scenario/software_support.h"
#include "schedules/schedule.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Searches all plans, and calls `see` with the answer to each of them alone, which must have the memory and
// the step time that the search found.
template <typename See>
void compare_plans_alone(const Scenario& scenario, const ParameterSet& free, See&& see) {
    SearchOptions options;
    options.everything = true;
    const SearchResult all = search_plans(resolve(scenario), free, options);
    for (const Candidate& candidate : all.best) {
        const Answer alone = answer(with_plan(locked(scenario), candidate.plan, free));
        REQUIRE(alone.valid());
        CHECK(alone.estimate.memory.peak == Approx(candidate.peak).epsilon(1e-12));
        CHECK(alone.estimate.step.total == Approx(candidate.step).epsilon(1e-12));
        see(alone);
    }
}

struct ExhaustiveResult {
    double valid = 0;
    double fitting = 0;
    double best = 0;  // tokens/s/GPU
    double least_peak = std::numeric_limits<double>::infinity();
};

// Estimates every combination of these values, each written into the scenario.
ExhaustiveResult try_all(const Scenario& scenario,
                         const std::vector<std::pair<P, std::vector<double>>>& axes) {
    ExhaustiveResult out;
    std::vector<std::size_t> at(axes.size(), 0);
    Answer scratch;
    while (true) {
        Scenario trial = locked(scenario);
        for (std::size_t i = 0; i < axes.size(); ++i) trial.give(axes[i].first, axes[i].second[at[i]]);
        // Virtual stages have equal numbers of layers in the search, as on the slider; a scenario may give
        // others.
        const Settings s = resolve(trial);
        const bool equal =
            std::fmod(std::floor(s[P::layers] / s[P::pipeline_parallel]), s[P::virtual_stages]) == 0;
        // A search chooses no sharding and no schedule that the software does not have.
        const auto varies = [&](P id) {
            return std::ranges::any_of(axes, [&](const auto& axis) { return axis.first == id; });
        };
        const bool chosen =
            (!varies(P::sharding) || offers_sharding(s.choice<Sharding>(P::sharding), s)) &&
            (!varies(P::offload) || offers_offload(s.choice<Offload>(P::offload), s)) &&
            (!varies(P::moe_dispatcher) || s[P::expert_parallel] <= 1 ||
             offers_dispatcher(s.choice<MoeDispatcher>(P::moe_dispatcher), s)) &&
            (!varies(P::schedule) || s[P::pipeline_parallel] <= 1 || is_available(schedule_of(s), s));
        if (equal && chosen && answer_into(trial, scratch)) {
            ++out.valid;
            out.least_peak = std::min(out.least_peak, scratch.estimate.memory.peak);
            if (scratch.estimate.verdict == Verdict::fits) {
                ++out.fitting;
                out.best = std::max(out.best, scratch.estimate.tokens_per_s_per_gpu);
            }
        }
        std::size_t i = axes.size();
        while (i > 0 && ++at[i - 1] == axes[i - 1].second.size()) at[--i] = 0;
        if (i == 0) return out;
    }
}

ParameterSet set_of(const std::vector<P>& ids) {
    ParameterSet out;
    for (const P id : ids) out.set(index(id));
    return out;
}

// These lists contain more values than any space of the test, so that they leave out no valid plan.
std::vector<double> trial_values(P id) {
    switch (id) {
        case P::tensor_parallel:
        case P::context_parallel:
        case P::pipeline_parallel:
        case P::expert_parallel: return {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64};
        case P::expert_tensor_parallel: return {0, 1, 2, 3, 4, 6, 8};
        case P::context_parallel_kind: return {0, 1, 2, 3};
        case P::moe_dispatcher: return {0, 1, 2};
        case P::virtual_stages: return {1, 2, 3, 4, 5, 6, 8, 10, 12, 16};
        case P::micro_batch:
            return {1,  2,  3,  4,  5,  6,  8,  10, 12,  15,  16,  20,  24,
                    30, 32, 40, 48, 60, 64, 80, 96, 120, 128, 192, 240, 256};
        case P::sequence_parallel:
        case P::reshard_after_forward: return {0, 1};
        case P::sharding: return {0, 1, 2, 3, 4};
        case P::shard_group: return {0, 2, 4, 8, 16, 32};
        case P::recompute: return {0, kRecomputeSelective, 0.25, 0.5, 0.75, 1};
        case P::offload: return {0, 1, 2};
        case P::activation_offload: return {0, 0.25, 0.5, 0.75, 1};
        case P::schedule: return {0, 1, 2, 5, 6};
        default: return {};
    }
}

}  // namespace

TEST_CASE("search: in random spaces the pruned search finds the same best plan as an exhaustive one",
          "[planner]") {
    std::mt19937 random(20250411);
    const auto pick = [&](auto... values) {
        const std::vector<double> all{static_cast<double>(values)...};
        return all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random)];
    };
    const std::vector<const char*> models{"mpt-1b",  "mpt-7b",       "llama-2-13b",
                                          "gpt-22b", "mixtral-8x7b", "llama-3-70b"};
    const std::vector<P> all{
        P::tensor_parallel, P::sequence_parallel, P::context_parallel,      P::pipeline_parallel,
        P::expert_parallel, P::micro_batch,       P::virtual_stages,        P::schedule,
        P::sharding,        P::shard_group,       P::reshard_after_forward, P::recompute,
        P::offload};
    int fitted = 0;
    int none = 0;
    constexpr int kSpaces = 300;
    // The next spaces have schedules that a search only uses if they are held.
    constexpr int kHeld = 150;
    // The next spaces have pipelines whose end stages have a given number of layers.
    constexpr int kUneven = 60;
    // The next spaces have models with layers of different kinds, some of them in pipelines of V shape.
    constexpr int kPatterned = 90;
    // The spaces after them split experts and sequences.
    constexpr int kSplit = 120;
    // The last spaces have parameters that a search varies only on request.
    constexpr int kRequested = 120;
    const std::vector<const char*> with_experts{"mixtral-8x7b", "gpt-oss-20b", "qwen3-next-80b-a3b",
                                                "deepseek-v3"};
    const std::vector<const char*> patterned{"gemma-3-4b", "mamba2-2.7b", "qwen3-next-80b-a3b",
                                             "nemotron-3-nano-30b-a3b", "nemotron-h-56b"};
    constexpr int kUsual = kSpaces + kHeld + kUneven + kPatterned + kSplit;
    for (int i = 0; i < kUsual + kRequested; ++i) {
        const bool requests = i >= kUsual;
        const bool splits = i >= kUsual - kSplit && !requests;
        const bool has_pattern = i >= kSpaces + kHeld + kUneven && !splits && !requests;
        const bool dispatches = requests && i % 2 == 0;
        const auto& from = has_pattern ? patterned : splits || dispatches ? with_experts : models;
        const char* model = from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
        Scenario scenario =
            of_model(model, {{P::gpus, pick(1, 2, 4, 8, 16, 24, 32, 64)},
                             {P::sequence_length, pick(1024, 2048, 8192)},
                             {P::inter_node_bandwidth, pick(2e9, 12.5e9, 50e9)},
                             {P::memory, pick(16.0, 40.0, 80.0, 192.0) * 1024 * 1024 * 1024},
                             {P::software, pick(0, 3, 4, 6, 8, static_cast<int>(Software::deepspeed_2021))},
                             {P::precision, pick(0, 0, 2)}});
        const bool has_folded = i < kSpaces && i % 4 == 0;
        if (has_folded) scenario.give(P::software, Software::torchtitan);
        const bool global = pick(0, 1, 1) > 0;
        if (global) scenario.give(P::global_batch, pick(32, 64, 128, 240));
        else scenario.give(P::accumulation, pick(1, 2, 4, 8));
        std::vector<P> free = all;
        std::shuffle(free.begin(), free.end(), random);
        free.resize(static_cast<std::size_t>(pick(1, 2, 3, 3)));
        // Without a held batch the number of sequences per GPU is unlimited, which another test covers.
        if (!global) std::erase(free, P::micro_batch);
        if (splits || has_pattern) scenario.give(P::mtp_layers, pick(0, 0, 1));
        if (splits) {
            free = {P::tensor_parallel, P::context_parallel, P::expert_parallel, P::pipeline_parallel};
            std::shuffle(free.begin(), free.end(), random);
            free.resize(2);
            free.push_back(pick(0, 1) > 0 ? P::expert_tensor_parallel : P::context_parallel_kind);
        } else if (dispatches) {
            free = {P::tensor_parallel, P::pipeline_parallel, P::recompute, P::expert_tensor_parallel};
            std::shuffle(free.begin(), free.end(), random);
            free.resize(1);
            free.insert(free.end(), {P::expert_parallel, P::moe_dispatcher});
        } else if (requests) {
            // The host has little memory, or a slow link.
            scenario.give(P::host_memory, pick(2e10, 2e11, 2e12));
            scenario.give(P::host_bandwidth, pick(5e9, 50e9));
            free = {P::recompute, P::offload, P::sharding, P::pipeline_parallel, P::tensor_parallel};
            std::shuffle(free.begin(), free.end(), random);
            free.resize(2);
            free.push_back(P::activation_offload);
        } else if (has_pattern) {
            if (pick(0, 1, 1) > 0) {
                scenario.give(P::schedule, pick(0, 1, 6, 7, 8, 10, 11));
                std::erase(free, P::schedule);
            }
        } else if (i >= kSpaces + kHeld) {
            scenario.give(P::first_stage_layers, pick(0, 1, 3, 7));
            scenario.give(P::last_stage_layers, pick(0, 2, 5, 16));
        } else if (i >= kSpaces) {
            scenario.give(P::schedule, pick(3, 4, 7, 8, 9));
            std::erase(free, P::schedule);
        }
        if (i >= kSpaces && !splits && !requests) {
            if (std::ranges::find(free, P::pipeline_parallel) == free.end())
                free.push_back(P::pipeline_parallel);
        }
        std::vector<std::pair<P, std::vector<double>>> axes;
        axes.reserve(free.size());
        for (const P id : free) axes.emplace_back(id, trial_values(id));
        // Tensor parallelism stays inside a node.
        const double node = resolve(scenario)[P::gpus_used_per_node];
        for (auto& [id, values] : axes) {
            if (id == P::tensor_parallel || id == P::expert_tensor_parallel)
                std::erase_if(values, [&](double degree) { return degree > node; });
            // Of the stacks, only torchtitan has ZB-V and DualPipe-V.
            if (id == P::schedule && has_folded)
                values.insert(values.end(), {Value(ScheduleKind::zb_v), Value(ScheduleKind::dualpipe_v)});
        }

        const ExhaustiveResult tried = try_all(scenario, axes);
        SearchOptions options;
        options.threads = 1 + static_cast<unsigned>(i % 3);
        const SearchResult found = search_plans(resolve(scenario), set_of(free), options);
        std::string names;
        for (const P id : free) names += " " + std::string(field_of(id));
        INFO("space " << i << ": " << model << " on " << resolve(scenario)[P::gpus] << " GPUs," << names);
        REQUIRE(found.best.empty() == (tried.fitting == 0));
        if (!found.best.empty()) {
            ++fitted;
            CHECK(found.best.front().tokens_per_s_per_gpu == tried.best);
            // An estimate of the reported plan gives the reported number.
            const Answer alone = answer(with_plan(locked(scenario), found.best.front().plan, set_of(free)));
            REQUIRE(alone.valid());
            CHECK(alone.estimate.tokens_per_s_per_gpu == tried.best);
        } else if (tried.valid > 0) {
            ++none;
            CHECK(found.smallest.peak == tried.least_peak);
        }

        // With the plans counted the result is the same, and the number that of plans evaluated one by one.
        SearchOptions every;
        every.everything = true;
        const SearchResult all_plans = search_plans(resolve(scenario), set_of(free), every);
        options.count_feasible = true;
        options.frontier = true;
        const SearchResult counted = search_plans(resolve(scenario), set_of(free), options);
        CHECK(counted.feasible == static_cast<double>(all_plans.best.size()));
        REQUIRE(counted.best.size() == found.best.size());
        if (!found.best.empty()) CHECK(counted.best.front().number == found.best.front().number);
        CHECK(counted.smallest.number == found.smallest.number);
        CHECK(counted.smallest.peak == found.smallest.peak);
    }
    CHECK(fitted > kSpaces / 3);
    CHECK(none > 10);
}

TEST_CASE("search: every plan of a space is valid, numbered in order and counted once", "[planner]") {
    Scenario scenario = of_model("llama-2-13b", {{P::gpus, 64}, {P::global_batch, 64}});
    const Settings settings = resolve(scenario);
    SearchOptions options;
    options.everything = true;
    options.allow_risky = true;
    const SearchResult all = search_plans(settings, default_free_parameters(), options);
    REQUIRE(all.space > 10000);
    CHECK(all.evaluated == all.space);
    CHECK(all.feasible == static_cast<double>(all.best.size()));
    REQUIRE(!all.best.empty());
    Answer scratch;
    for (std::size_t i = 0; i < all.best.size(); ++i) {
        if (i > 0) {
            REQUIRE(all.best[i - 1].number < all.best[i].number);
            REQUIRE(all.best[i - 1].plan != all.best[i].plan);
        }
        if (i % 97 != 0) continue;
        REQUIRE(answer_into(with_plan(scenario, all.best[i].plan, default_free_parameters()), scratch));
        CHECK(scratch.estimate.memory.peak == all.best[i].peak);
        CHECK(scratch.estimate.tokens_per_s_per_gpu == all.best[i].tokens_per_s_per_gpu);
        CHECK(scratch.estimate.verdict == all.best[i].verdict);
    }
}

TEST_CASE("search: plans are counted exactly where offloaded state and activations share the host",
          "[planner]") {
    Scenario scenario = of_model("llama-2-13b", {{P::gpus, 16},
                                                 {P::global_batch, 64},
                                                 {P::sequence_length, 16384},
                                                 {P::activation_offload, 0.75},
                                                 {P::host_memory, 20e9}});
    SearchOptions counted;
    counted.count_feasible = true;
    SearchOptions everything;
    everything.everything = true;
    const auto feasible = [](const Scenario& of, const SearchOptions& options) {
        return search_plans(resolve(of), default_free_parameters(), options).feasible;
    };
    const double shared = feasible(scenario, counted);
    CHECK(shared == feasible(scenario, everything));
    scenario.give(P::host_memory, 1e13);
    CHECK(feasible(scenario, counted) == feasible(scenario, everything));
    CHECK(feasible(scenario, counted) > shared);
}

TEST_CASE("search: plans have their own memory where unsharded gradients depend on the schedule",
          "[planner]") {
    const Scenario scenario = of_model("llama-3-8b", {{P::gpus, 16},
                                                      {P::software, Software::torchtitan},
                                                      {P::sharding, Sharding::zero3},
                                                      {P::global_batch, 64},
                                                      {P::schedule, ScheduleKind::interleaved}});
    const ParameterSet free = set_of({P::pipeline_parallel, P::virtual_stages, P::micro_batch});
    int one_by_one = 0, together = 0;
    compare_plans_alone(scenario, free, [&](const Answer& alone) {
        ++(reduces_by_virtual_stage(alone.compiled) ? one_by_one : together);
    });
    CHECK(one_by_one > 0);
    CHECK(together > 0);
}

TEST_CASE("search: plans have the memory and the messages of their own schedules", "[planner]") {
    // The virtual stages of a layered schedule decide how many layers are gathered together, and Seq1F1B
    // sends a message for each chunk of a sequence.
    const Scenario scenario = of_model("llama-3-8b", {{P::gpus, 16},
                                                      {P::software, Software::other},
                                                      {P::sharding, Sharding::zero3},
                                                      {P::sequence_length, 2048},
                                                      {P::global_batch, 64},
                                                      {P::schedule, ScheduleKind::one_f_one_b}});
    const ParameterSet free = set_of({P::pipeline_parallel, P::virtual_stages, P::schedule, P::micro_batch});
    int layered = 0, chunked = 0;
    compare_plans_alone(scenario, free, [&](const Answer& alone) {
        layered += alone.compiled.schedule->layered ? 1 : 0;
        chunked += alone.compiled.schedule->splits_sequences ? 1 : 0;
    });
    CHECK(layered > 0);
    CHECK(chunked > 0);
}

TEST_CASE("search: the result does not depend on threads, pruning or the split into shares", "[planner]") {
    // The copies of offloaded activations depend on the recomputation and the micro-batch of a plan.
    const double offloaded = GENERATE(0.0, 0.5);
    const Scenario scenario =
        of_model("llama-2-13b", {{P::gpus, 64}, {P::global_batch, 128}, {P::activation_offload, offloaded}});
    const Settings settings = resolve(scenario);
    SearchOptions options;
    options.top = 25;
    const SearchResult one = search_plans(settings, default_free_parameters(), options);
    REQUIRE(one.best.size() == 25);
    CHECK(one.evaluated < one.space / 4);

    SearchOptions counted = options;
    counted.count_feasible = true;
    counted.frontier = true;
    counted.threads = 3;
    const SearchResult full = search_plans(settings, default_free_parameters(), counted);
    // Plans are counted without evaluating each.
    CHECK(full.evaluated < full.space / 20);
    SearchOptions everything;
    everything.everything = true;
    const SearchResult all = search_plans(settings, default_free_parameters(), everything);
    CHECK(all.evaluated == all.space);
    CHECK(full.feasible == all.feasible);
    // The memory of the plans that a risky verdict allows as well is counted up to its own limit.
    counted.allow_risky = everything.allow_risky = true;
    const double risky = search_plans(settings, default_free_parameters(), counted).feasible;
    CHECK(risky == search_plans(settings, default_free_parameters(), everything).feasible);
    CHECK(risky > full.feasible);
    everything.allow_risky = false;
    std::vector<Candidate> ranked = all.best;
    std::ranges::stable_sort(ranked, {}, &Candidate::peak);
    std::ranges::stable_sort(ranked, std::greater<>(), &Candidate::score);
    for (std::size_t i = 0; i < one.best.size(); ++i) {
        CHECK(one.best[i].plan == full.best[i].plan);
        CHECK(one.best[i].plan == ranked[i].plan);
        CHECK(one.best[i].score == ranked[i].score);
    }

    // For each plan the frontier has one that needs at most as much memory and is at least as fast.
    REQUIRE(full.frontier.size() > 3);
    for (const Candidate& plan : all.best) {
        const bool beaten = std::ranges::any_of(full.frontier, [&](const Candidate& edge) {
            return edge.peak <= plan.peak && edge.score >= plan.score;
        });
        REQUIRE(beaten);
    }
    for (std::size_t i = 1; i < full.frontier.size(); ++i) {
        CHECK(full.frontier[i].peak > full.frontier[i - 1].peak);
        CHECK(full.frontier[i].score > full.frontier[i - 1].score);
    }
    CHECK(full.frontier.back().plan == full.best.front().plan);

    // The merged shares give the same plans in the same order.
    std::vector<Candidate> together;
    const double parts = 7;
    for (double part = 0; part < parts; ++part) {
        SearchOptions share = everything;
        share.from = std::floor(all.space * part / parts);
        share.to = std::floor(all.space * (part + 1) / parts);
        const SearchResult some = search_plans(settings, default_free_parameters(), share);
        together.insert(together.end(), some.best.begin(), some.best.end());
    }
    REQUIRE(together.size() == all.best.size());
    for (std::size_t i = 0; i < together.size(); ++i) {
        REQUIRE(together[i].number == all.best[i].number);
        REQUIRE(together[i].plan == all.best[i].plan);
        REQUIRE(together[i].score == all.best[i].score);
    }
}

TEST_CASE("search: the frontier of another objective has the best plan for every amount of memory",
          "[planner]") {
    const Scenario scenario = of_model("llama-2-13b", {{P::gpus, 16}, {P::global_batch, 64}});
    const Settings settings = resolve(scenario);
    SearchOptions options;
    options.frontier = true;
    const SearchResult plain = search_plans(settings, default_free_parameters(), options);
    // The order of plans is that of throughput, but the values are larger than any throughput.
    options.objective.get = [](const Answer& answer) { return 1e15 / answer.estimate.step.total; };
    const SearchResult scaled = search_plans(settings, default_free_parameters(), options);
    REQUIRE(plain.frontier.size() > 3);
    REQUIRE(scaled.frontier.size() == plain.frontier.size());
    for (std::size_t i = 0; i < plain.frontier.size(); ++i)
        CHECK(scaled.frontier[i].number == plain.frontier[i].number);
}

TEST_CASE("search: the best plan of every cell is the best of that cell's plans", "[planner]") {
    const Scenario scenario = of_model("llama-2-13b", {{P::gpus, 32}, {P::global_batch, 64}});
    const Settings settings = resolve(scenario);
    SearchOptions everything;
    everything.everything = true;
    const SearchResult all = search_plans(settings, default_free_parameters(), everything);
    SearchOptions options;
    options.best_of_cells = true;
    options.threads = 2;
    const SearchResult found = search_plans(settings, default_free_parameters(), options);
    const PlanSpace space(settings, default_free_parameters());
    std::vector<Candidate> expected;
    std::size_t at = 0;
    for (const Cell& cell : space.cells()) {
        Candidate best;
        best.score = -1;
        for (; at < all.best.size() && all.best[at].number < cell.first + cell.plans; ++at) {
            // Of equally fast plans the one that needs less memory is better.
            const Candidate& other = all.best[at];
            if (other.score > best.score || (other.score == best.score && other.peak < best.peak))
                best = other;
        }
        if (best.score > 0) expected.push_back(best);
    }
    REQUIRE(found.of_cells.size() == expected.size());
    REQUIRE(expected.size() > 20);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(found.of_cells[i].number == expected[i].number);
        CHECK(found.of_cells[i].score == expected[i].score);
    }
}

TEST_CASE("a search reports how much of the space is done, and its result stays the same", "[search]") {
    const Scenario scenario = of_model("llama-3-70b", {{P::gpus, 64}});
    const Settings base = resolve(scenario);
    SearchOptions options;
    const SearchResult quiet = search_plans(base, default_free_parameters(), options);
    std::vector<double> heard;
    options.progress = [&heard](double done) { heard.push_back(done); };
    const SearchResult told = search_plans(base, default_free_parameters(), options);
    REQUIRE(heard.size() > 10);
    CHECK(std::ranges::is_sorted(heard));
    CHECK(heard.front() > 0);
    CHECK(heard.back() == 1);
    REQUIRE_FALSE(told.best.empty());
    CHECK(told.best.front().number == quiet.best.front().number);
    CHECK(told.evaluated == quiet.evaluated);
}

TEST_CASE("search: bounds of the operators' times change no result", "[search]") {
    // The space is larger than the cache of operator times, and the first layers of the model are dense.
    const Scenario scenario =
        of_model("deepseek-v3", {{P::gpus, 256}, {P::global_batch, 1024}, {P::memory, 192e9}});
    const Settings settings = resolve(scenario);
    REQUIRE(PlanSpace(settings, default_free_parameters()).cells().size() > OperatorWorkCache::kMost);
    SearchOptions bounded;
    bounded.top = 10;
    SearchOptions counted = bounded;  // with all operator times
    counted.count_feasible = true;
    const SearchResult found = search_plans(settings, default_free_parameters(), bounded);
    const SearchResult expected = search_plans(settings, default_free_parameters(), counted);
    REQUIRE(expected.best.size() == 10);
    REQUIRE(found.best.size() == 10);
    for (std::size_t i = 0; i < found.best.size(); ++i) {
        CHECK(found.best[i].number == expected.best[i].number);
        CHECK(found.best[i].score == expected.best[i].score);
    }
}

TEST_CASE("search: no plan breaks a degree of experts that is held", "[search]") {
    // A pipeline of 8 stages leaves 8 GPUs for each stage's layers, too few for 16 GPUs of one expert's
    // matrices.
    PlanQuestion question;
    question.scenario = with({{P::expert_tensor_parallel, 16}});
    question.free.set(index(P::pipeline_parallel));
    question.top = 10;
    const PlanReport report = plan_report(question, 1);
    REQUIRE(report.found());
    for (const Answer& plan : report.plans) {
        CHECK(plan.estimate.mfu > 0);
        CHECK(plan.settings[P::pipeline_parallel] <= 4);
    }
}

TEST_CASE("search: degrees that split experts are counted once and are in canonical order", "[search]") {
    const Scenario scenario =
        of_model("mixtral-8x7b", {{P::gpus, 8}, {P::tensor_parallel, 2}, {P::global_batch, 8}});
    ParameterSet free;
    free.set(index(P::expert_parallel));
    free.set(index(P::expert_tensor_parallel));
    const PlanSpace space(resolve(scenario), free);
    std::vector<std::pair<double, double>> found;
    for (const Cell& cell : space.cells())
        found.emplace_back(cell.value[Plan::place(P::expert_parallel)],
                           cell.value[Plan::place(P::expert_tensor_parallel)]);
    // 8 experts on 8 GPUs: the product of both degrees divides 8. Two GPUs for each expert are as many as
    // those of tensor parallelism, which 0 stands for.
    CHECK(found == std::vector<std::pair<double, double>>{
                       {1, 0}, {1, 1}, {1, 4}, {1, 8}, {2, 0}, {2, 1}, {2, 4}, {4, 0}, {4, 1}, {8, 1}});
    CHECK(space.size() == 10);

    // Expert tensor parallelism needs experts.
    free.reset(index(P::expert_parallel));
    const Scenario dense = of_model("llama-3-8b", {{P::gpus, 8}, {P::tensor_parallel, 2}});
    CHECK(PlanSpace(resolve(dense), free).size() == 1);
}

TEST_CASE("search: kinds of context parallelism vary where they are valid and differ", "[search]") {
    const Scenario scenario =
        of_model("llama-3-8b", {{P::gpus, 16}, {P::tensor_parallel, 2}, {P::global_batch, 16}});
    ParameterSet free;
    free.set(index(P::context_parallel));
    free.set(index(P::context_parallel_kind));
    const PlanSpace space(resolve(scenario), free);
    std::vector<std::pair<double, double>> found;
    for (const Cell& cell : space.cells())
        found.emplace_back(cell.value[Plan::place(P::context_parallel)],
                           cell.value[Plan::place(P::context_parallel_kind)]);
    // A GPU has 16 heads and 4 key/value heads, and a node of 8 GPUs holds 4 ranks of context parallelism. Up
    // to 4 ranks a2a+p2p is the same as a2a; 8 ranks cannot exchange 4 key/value heads.
    CHECK(found == std::vector<std::pair<double, double>>{
                       {1, 0}, {2, 0}, {2, 1}, {2, 2}, {4, 0}, {4, 1}, {4, 2}, {8, 0}, {8, 2}, {8, 3}});

    // A kind that is held restricts the degrees.
    free.reset(index(P::context_parallel_kind));
    Scenario held = scenario;
    held.give(P::context_parallel_kind, ContextParallelKind::a2a);
    CHECK(PlanSpace(resolve(held), free).size() == 3);
}
