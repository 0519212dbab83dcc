// Scenarios with which several tests start.
#pragma once

#include <catch2/catch.hpp>

#include "model/operators.h"
#include "planner/answer.h"

namespace shardscope::testing {

inline Scenario first() { return Scenario::first_launch(); }

// Returns the first-launch scenario with these overrides.
inline Scenario with(std::initializer_list<std::pair<P, Value>> values) {
    Scenario scenario = first();
    for (const auto& [id, value] : values) scenario.give(id, value);
    return scenario;
}

// Returns a shipped model on the first-launch cluster, with these overrides.
inline Scenario of_model(std::string_view model, std::initializer_list<std::pair<P, Value>> values) {
    Scenario scenario = first();
    scenario.model = scenario.catalogue->find(PresetKind::model, model);
    for (const auto& [id, value] : values) scenario.give(id, value);
    return scenario;
}

// Returns GPT-3 175B on 512 GPUs, tensor × pipeline × data parallel, with this many micro-batches a step.
inline Scenario gpt3_175b_3d(double micro_batches) {
    return of_model("gpt-3-175b", {{P::gpus, 512},
                                   {P::tensor_parallel, 8},
                                   {P::sequence_parallel, true},
                                   {P::pipeline_parallel, 8},
                                   {P::virtual_stages, 3},
                                   {P::sharding, Sharding::zero1},
                                   {P::micro_batch, 1},
                                   {P::recompute, kRecomputeSelective},
                                   {P::accumulation, micro_batches}});
}

inline OperatorList list_of(const Scenario& scenario) {
    OperatorList list;
    build_operators(resolve(scenario), list);
    return list;
}

// Returns a block's operator with this name. The test fails if there is none.
inline const Operator& operator_of(const Block& block, std::string_view name) {
    for (const Operator& op : block.operators) {
        if (op.name == name) return op;
    }
    FAIL("no operator " << name);
    return block.operators.front();
}

// Returns the scenario with matrices, memory and network alone: no latency, launch or host time.
inline Scenario without_latency(Scenario scenario) {
    for (const P id : {P::collective_latency, P::intra_node_latency, P::inter_node_latency, P::kernel_launch,
                       P::launch_overhead, P::expert_overhead, P::expert_cast_overhead, P::step_overhead,
                       P::step_jitter}) {
        scenario.give(id, 0);
    }
    return scenario;
}

}  // namespace shardscope::testing
