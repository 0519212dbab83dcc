// Plans with several kinds of parallelism, and their steps.
#pragma once

#include <catch2/catch.hpp>
#include <vector>

#include "step/step.h"
#include "support/scenarios.h"

namespace shardscope::testing {

inline StepTime step_of(const Scenario& scenario) {
    const Settings s = resolve(scenario);
    REQUIRE(is_valid(s));
    return step_time(compile(s));
}

inline Scenario changed(Scenario scenario, std::initializer_list<std::pair<P, Value>> values) {
    for (const auto& [id, value] : values) scenario.give(id, value);
    return scenario;
}

inline Scenario three_d() { return gpt3_175b_3d(32); }

inline Scenario with_context() {
    return of_model("llama-3-70b", {{P::gpus, 256},
                                    {P::sequence_length, 32768},
                                    {P::tensor_parallel, 4},
                                    {P::context_parallel, 4},
                                    {P::pipeline_parallel, 4},
                                    {P::sharding, Sharding::zero1},
                                    {P::micro_batch, 1},
                                    {P::accumulation, 8}});
}

inline Scenario with_experts() {
    return of_model("deepseek-v3", {{P::gpus, 1024},
                                    {P::sequence_length, 4096},
                                    {P::tensor_parallel, 2},
                                    {P::pipeline_parallel, 8},
                                    {P::expert_parallel, 32},
                                    {P::sharding, Sharding::zero1},
                                    {P::micro_batch, 1},
                                    {P::recompute, 1},
                                    {P::accumulation, 16}});
}

inline Scenario fsdp_experts() {
    return of_model("mixtral-8x7b", {{P::gpus, 128}, {P::expert_parallel, 8}, {P::tensor_parallel, 2}});
}

inline std::vector<Scenario> plans() {
    return {
        three_d(),
        with_context(),
        with_experts(),
        fsdp_experts(),
        changed(three_d(), {{P::virtual_stages, 1}, {P::schedule, ScheduleKind::zb_h1}}),  // zero bubble, H1
        changed(three_d(), {{P::virtual_stages, 1}, {P::schedule, ScheduleKind::zb_h2}}),  // H2
        changed(three_d(), {{P::virtual_stages, 1}, {P::schedule, ScheduleKind::gpipe}}),  // GPipe
        changed(three_d(), {{P::schedule, ScheduleKind::breadth_first}}),                  // breadth-first
        changed(three_d(), {{P::schedule, ScheduleKind::breadth_first}, {P::sharding, Sharding::zero3}}),
        changed(three_d(), {{P::virtual_stages, 1},
                            {P::schedule, ScheduleKind::modular},
                            {P::sharding, Sharding::zero2}}),                                 // modular
        changed(three_d(), {{P::virtual_stages, 1}, {P::schedule, ScheduleKind::dualpipe}}),  // DualPipe
        changed(three_d(), {{P::virtual_stages, 1},
                            {P::schedule, ScheduleKind::bitpipe},
                            {P::sharding, Sharding::zero3}}),                                      // BitPipe
        changed(with_context(), {{P::schedule, ScheduleKind::seq1f1b}, {P::sequence_pieces, 8}}),  // Seq1F1B
        changed(with_experts(), {{P::schedule, ScheduleKind::dualpipe}}),
        with({{P::schedule, ScheduleKind::breadth_first}, {P::accumulation, 8}}),  // layered accumulation
        changed(three_d(), {{P::async_tensor_parallel, true}, {P::recompute, 0.5}}),
        changed(with_context(), {{P::sharding, Sharding::zero3}, {P::context_imbalance, 1.5}}),
        changed(with_context(), {{P::sharding, Sharding::zero2}, {P::offload, Offload::optimizer}}),
        changed(with_experts(), {{P::sharding, Sharding::hsdp}, {P::expert_imbalance, 1.3}}),
        with({{P::tensor_parallel, 4},
              {P::offload, Offload::optimizer_and_parameters},
              {P::accumulation, 2}})};
}

}  // namespace shardscope::testing
