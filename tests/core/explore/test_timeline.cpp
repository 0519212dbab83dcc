// Tests that the drawn step adds up to the computed step.
#include "explore/timeline.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>

#include "parameters/interned_text.h"
#include "planner/answer.h"
#include "support/scenarios.h"
#include "text/units.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

struct Case {
    std::string name;
    Scenario scenario;
};

Scenario pipelined(std::string_view model, double schedule, double p, double v, double m, double sharding = 1,
                   std::initializer_list<std::pair<P, Value>> more = {}) {
    Scenario scenario = of_model(model, {{P::gpus, 512},
                                         {P::tensor_parallel, 8},
                                         {P::sequence_parallel, true},
                                         {P::pipeline_parallel, p},
                                         {P::virtual_stages, v},
                                         {P::schedule, schedule},
                                         {P::sharding, sharding},
                                         {P::micro_batch, 1},
                                         {P::accumulation, m}});
    for (const auto& [id, value] : more) scenario.give(id, value);
    return scenario;
}

double kind(ScheduleKind which) { return static_cast<double>(which); }

std::vector<Case> cases() {
    std::vector<Case> out;
    for (const double sharding : {0.0, 1.0, 2.0, 3.0}) {
        for (const double m : {1.0, 2.0, 7.0, 64.0, 500.0}) {
            out.push_back({"sharding " + exact(sharding) + ", accumulation " + exact(m),
                           with({{P::sharding, sharding}, {P::accumulation, m}, {P::micro_batch, 1}})});
        }
    }
    out.push_back({"host bound", with({{P::gpus, 8}, {P::sequence_length, 128}, {P::micro_batch, 1}})});
    out.push_back({"network bound", with({{P::inter_node_bandwidth, 1e9}, {P::micro_batch, 1}})});
    out.push_back({"recompute", with({{P::recompute, 1}, {P::accumulation, 3}})});
    out.push_back({"no resharding", with({{P::reshard_after_forward, false}})});
    out.push_back({"offload", with({{P::offload, Offload::optimizer}})});
    for (const double m : {1.0, 3.0})
        out.push_back({"offloaded weights, accumulation " + exact(m),
                       with({{P::offload, Offload::optimizer_and_parameters},
                             {P::host_bandwidth, 5e9},
                             {P::accumulation, m}})});
    for (const char* layout : {"E|t*16|t*16|L", "E||t*32|L", "Et*12|t*12|t*8|L"}) {
        for (const double sharding : {1.0, 3.0})
            out.push_back({std::string(layout) + ", sharding " + exact(sharding),
                           pipelined("llama-3-8b", kind(ScheduleKind::one_f_one_b), 4, 1, 16, sharding,
                                     {{P::pipeline_layout, intern_text(layout)}})});
    }
    out.push_back({"offloaded weights in a pipeline",
                   pipelined("gpt-3-175b", kind(ScheduleKind::one_f_one_b), 4, 1, 16, 1,
                             {{P::sharding, Sharding::zero3},
                              {P::offload, Offload::optimizer_and_parameters},
                              {P::host_bandwidth, 5e9}})});
    out.push_back({"muon", with({{P::optimizer, Optimizer::muon}, {P::accumulation, 2}})});
    // The link to the host is so slow that the passes wait for the copies of the activations.
    out.push_back({"offloaded activations", with({{P::activation_offload, 1}, {P::host_bandwidth, 5e9}})});
    for (const ScheduleKind schedule : {ScheduleKind::one_f_one_b, ScheduleKind::interleaved}) {
        const double v = schedule == ScheduleKind::interleaved ? 3 : 1;
        out.push_back({"offloaded activations in a pipeline",
                       pipelined("gpt-3-175b", kind(schedule), 4, v, 16, 1,
                                 {{P::activation_offload, 1}, {P::host_bandwidth, 5e9}})});
        out.push_back({"host bound in a pipeline",
                       pipelined("gpt-3-175b", kind(schedule), 4, v, 16, 1,
                                 {{P::sequence_length, 64}, {P::launch_overhead, 0.3e-3}})});
    }
    out.push_back({"tensor", with({{P::tensor_parallel, 4}, {P::sequence_parallel, true}})});
    out.push_back({"context", with({{P::context_parallel, 4}, {P::sequence_length, 32768}})});
    // With a chunked loss the buffers of the ring are the peak.
    out.push_back({"ring buffers", of_model("llama-2-7b", {{P::gpus, 16},
                                                           {P::context_parallel, 16},
                                                           {P::sequence_length, 262144},
                                                           {P::micro_batch, 1},
                                                           {P::loss, Loss::chunked}})});
    out.push_back({"experts", of_model("mixtral-8x7b", {{P::expert_parallel, 8}, {P::accumulation, 2}})});
    for (const ScheduleKind schedule :
         {ScheduleKind::one_f_one_b, ScheduleKind::gpipe, ScheduleKind::zb_h1, ScheduleKind::zb_h2}) {
        for (const double p : {2.0, 4.0, 8.0, 16.0, 32.0}) {
            for (const double m : {1.0, 4.0, 8.0, 33.0, 128.0, 2000.0}) {
                for (const double sharding : {0.0, 1.0, 2.0, 3.0}) {
                    // Of the long pipelines one combination is enough.
                    if (m > 100 && sharding != 1) continue;
                    out.push_back({std::string(schedule_of(schedule).title) + ", p " + exact(p) + ", m " +
                                       exact(m) + ", sharding " + exact(sharding),
                                   pipelined("gpt-3-175b", kind(schedule), p, 1, m, sharding)});
                }
            }
        }
        out.push_back(
            {"uneven", pipelined("deepseek-v3", kind(schedule), 16, 1, 64, 1, {{P::expert_parallel, 4}})});
        out.push_back(
            {"recompute", pipelined("gpt-3-175b", kind(schedule), 8, 1, 16, 1, {{P::recompute, 1}})});
    }
    for (const double m : {1.0, 2.0, 7.0, 64.0}) {
        for (const double schedule : {3.0, 4.0}) {
            for (const double sharding : {1.0, 2.0, 3.0}) {
                out.push_back({"layered accumulation", with({{P::schedule, schedule},
                                                             {P::sharding, sharding},
                                                             {P::micro_batch, 1},
                                                             {P::accumulation, m}})});
            }
        }
    }
    for (const double p : {2.0, 4.0, 8.0, 16.0, 32.0}) {
        for (const double m : {p, 2 * p, 3 * p, 64 * p, 200 * p}) {
            for (const double sharding : {0.0, 1.0, 2.0, 3.0}) {
                if (m > 10 * p && (sharding != 3 || p > 16)) continue;
                const auto add = [&](ScheduleKind schedule, double v) {
                    if (m < 2 * p && schedule == ScheduleKind::dualpipe) return;
                    out.push_back({std::string(schedule_of(schedule).title) + ", p " + exact(p) + ", v " +
                                       exact(v) + ", m " + exact(m) + ", sharding " + exact(sharding),
                                   pipelined("gpt-3-175b", kind(schedule), p, v, m, sharding)});
                };
                add(ScheduleKind::modular, 1);
                add(ScheduleKind::dualpipe, 1);
                add(ScheduleKind::bitpipe, 1);
                add(ScheduleKind::seq1f1b, 1);
                for (const double v : {1.0, 2.0, 3.0}) add(ScheduleKind::breadth_first, v);
            }
        }
    }
    for (const ScheduleKind schedule :
         {ScheduleKind::breadth_first, ScheduleKind::dualpipe, ScheduleKind::seq1f1b}) {
        out.push_back({"uneven " + std::string(schedule_of(schedule).title),
                       pipelined("deepseek-v3", kind(schedule), 16, 1, 64, 1, {{P::expert_parallel, 4}})});
    }
    for (const double p : {4.0, 8.0}) {
        for (const double v : {2.0, 3.0}) {
            for (const double m : {p, 4 * p, 200 * p}) {
                out.push_back({"interleaved, p " + exact(p) + ", v " + exact(v) + ", m " + exact(m),
                               pipelined("gpt-3-175b", kind(ScheduleKind::interleaved), p, v, m)});
            }
        }
    }
    return out;
}

using Sums = std::array<double, kActivities>;

// Sums the exposed seconds by activity; hidden communication is summed separately.
struct ActivityTimes {
    Sums exposed{};
    double hidden = 0;
};

ActivityTimes times_of_stage(const StageTimeline& stage, int only_micro_batch = 0) {
    ActivityTimes out;
    for (const auto* lane : {&stage.compute, &stage.communication}) {
        for (const Interval& interval : *lane) {
            if (only_micro_batch != 0 && interval.micro_batch != only_micro_batch) continue;
            if (interval.exposed)
                out.exposed[static_cast<std::size_t>(interval.activity)] += interval.seconds();
            else out.hidden += interval.seconds();
        }
    }
    return out;
}

// Counts each micro-batch that is not drawn like one in the middle.
ActivityTimes times_of_all(const StepTimeline& line) {
    const StageTimeline& stage = line.stages[line.slowest];
    ActivityTimes out = times_of_stage(stage);
    if (line.omitted == 0) return out;
    // Micro-batch 2 is neither the first nor the last in any schedule.
    const ActivityTimes one = times_of_stage(stage, 2);
    for (std::size_t i = 0; i < kActivities; ++i) out.exposed[i] += line.omitted * one.exposed[i];
    out.hidden += line.omitted * one.hidden;
    return out;
}

double of(const ActivityTimes& times, Activity activity) {
    return times.exposed[static_cast<std::size_t>(activity)];
}

}  // namespace

TEST_CASE("timeline: it ends with the step, and the drawn intervals add up to the engine's terms",
          "[timeline]") {
    for (const auto& [name, scenario] : cases()) {
        INFO(name);
        const Answer a = answer(scenario);
        REQUIRE(a.valid());
        const StepTime& step = a.estimate.step;
        const StepTimeline line = step_timeline(a.compiled, a.estimate);
        REQUIRE(line.slowest < line.stages.size());
        CHECK(line.end == step.total);
        const auto near = [&](double value) { return Approx(value).epsilon(1e-9).margin(1e-9 * step.total); };
        const ActivityTimes times = times_of_all(line);
        CHECK(of(times, Activity::forward) + of(times, Activity::backward) +
                  of(times, Activity::weight_gradient) ==
              near(step.term(StepTerm::matmul) + step.term(StepTerm::attention) +
                   step.term(StepTerm::elementwise)));
        CHECK(of(times, Activity::recompute) == near(step.term(StepTerm::recompute)));
        CHECK(of(times, Activity::memory_copies) == near(step.term(StepTerm::memory_copies)));
        CHECK(of(times, Activity::gather) + of(times, Activity::reduce) ==
              near(step.term(StepTerm::network)));
        CHECK(of(times, Activity::tensor_exchange) == near(step.term(StepTerm::tensor_network)));
        CHECK(of(times, Activity::context_exchange) == near(step.term(StepTerm::context_network)));
        CHECK(of(times, Activity::expert_exchange) == near(step.term(StepTerm::expert_network)));
        CHECK(of(times, Activity::stage_message) == near(step.term(StepTerm::stage_network)));
        CHECK(of(times, Activity::bubble) == near(step.term(StepTerm::bubble)));
        CHECK(of(times, Activity::optimizer) == near(step.term(StepTerm::optimizer)));
        CHECK(of(times, Activity::host_link) == near(step.term(StepTerm::host_link)));
        CHECK(of(times, Activity::host) == near(step.term(StepTerm::host)));
        CHECK(times.hidden == near(step.hidden_communication));
    }
}

TEST_CASE("timeline: every stage does one thing at a time, from the start to the end of the step",
          "[timeline]") {
    for (const auto& [name, scenario] : cases()) {
        INFO(name);
        const Answer a = answer(scenario);
        const StepTimeline line = step_timeline(a.compiled, a.estimate);
        const double slack = 1e-9 * line.end;
        for (const StageTimeline& stage : line.stages) {
            // Computation and the waits between its parts cover the whole step.
            std::vector<Interval> all = stage.compute;
            std::ranges::copy_if(stage.communication, std::back_inserter(all), &Interval::exposed);
            std::ranges::sort(all, {}, &Interval::start);
            double at = 0;
            bool gapless = true;
            for (const Interval& interval : all) {
                gapless = gapless && std::abs(interval.start - at) <= slack && interval.end > interval.start;
                at = interval.end;
            }
            CHECK(gapless);
            CHECK(at == Approx(line.end).epsilon(1e-9));
            for (const Interval& interval : stage.communication) {
                if (interval.exposed) continue;
                CHECK(interval.start >= -slack);
                CHECK(interval.end <= line.end + slack);
            }
        }
    }
}

TEST_CASE("timeline: memory over the step has the peak of the estimate", "[timeline]") {
    for (const auto& [name, scenario] : cases()) {
        INFO(name);
        const Answer a = answer(scenario);
        const StepTimeline line = step_timeline(a.compiled, a.estimate);
        REQUIRE(line.fullest < line.stages.size());
        const bool drawn = std::ranges::any_of(line.stages, [&](const StageTimeline& stage) {
            return stage.position == a.estimate.memory.stage;
        });
        if (drawn) CHECK(line.stages[line.fullest].position == a.estimate.memory.stage);
        for (std::size_t i = 0; i < line.stages.size(); ++i) {
            double most = 0;
            double before = 0;
            bool in_order = true;
            for (const MemoryPoint& point : line.stages[i].memory) {
                most = std::max(most, point.bytes);
                in_order = in_order && point.time >= before - 1e-12 * line.end;
                before = point.time;
            }
            CHECK(in_order);
            CHECK(before == Approx(line.end).epsilon(1e-9));
            CHECK(most <= a.estimate.memory.peak * (1 + 1e-9));
            if (drawn && i == line.fullest) CHECK(most == Approx(a.estimate.memory.peak).epsilon(1e-9));
        }
    }
}

TEST_CASE("timeline: a stage without layers only waits", "[timeline]") {
    const Answer a = answer(pipelined("llama-3-8b", kind(ScheduleKind::one_f_one_b), 4, 1, 16, 1,
                                      {{P::pipeline_layout, intern_text("E||t*32|L")}}));
    REQUIRE(a.valid());
    const StepTimeline line = step_timeline(a.compiled, a.estimate);
    REQUIRE(line.stages.size() == 4);
    CHECK(line.slowest == 2);
    CHECK(line.fullest == 2);
    for (const Interval& interval : line.stages[1].compute) {
        const bool waits = interval.activity == Activity::bubble || interval.activity == Activity::host ||
                           interval.activity == Activity::optimizer;
        CHECK(waits);
    }
    for (const Interval& interval : line.stages[1].communication)
        CHECK(interval.activity == Activity::stage_message);
}

TEST_CASE("timeline: a pass starts after the one it depends on", "[timeline]") {
    for (const ScheduleKind schedule :
         {ScheduleKind::one_f_one_b, ScheduleKind::gpipe, ScheduleKind::zb_h1, ScheduleKind::zb_h2}) {
        INFO(schedule_of(schedule).title);
        const Answer a = answer(pipelined("gpt-3-175b", kind(schedule), 8, 1, 32));
        const StepTimeline line = step_timeline(a.compiled, a.estimate);
        CHECK(line.stage_delay >= 0);
        REQUIRE(line.stages.size() == 8);
        const auto when = [&](std::size_t stage, Activity activity) {
            std::map<int, Interval> out;
            for (const Interval& interval : line.stages[stage].compute) {
                if (interval.activity == activity && !interval.previous &&
                    !out.contains(interval.micro_batch))
                    out[interval.micro_batch] = interval;
            }
            return out;
        };
        for (std::size_t i = 0; i + 1 < 8; ++i) {
            for (const auto& [micro_batch, pass] : when(i + 1, Activity::forward)) {
                const auto before = when(i, Activity::forward);
                if (before.contains(micro_batch)) CHECK(pass.start >= before.at(micro_batch).end - 1e-12);
            }
        }
    }
}

TEST_CASE("timeline: a long pipeline shows its first and last stages", "[timeline]") {
    const Answer a = answer(pipelined("gpt-3-175b", kind(ScheduleKind::one_f_one_b), 32, 1, 64));
    const StepTimeline line = step_timeline(a.compiled, a.estimate);
    CHECK(line.stage_count == 32);
    REQUIRE(line.stages.size() == static_cast<std::size_t>(kMostStages) - 1);
    CHECK(line.stages.front().position == 0);
    CHECK(line.stages.back().position == 31);
}
