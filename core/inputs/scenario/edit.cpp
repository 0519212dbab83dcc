#include <algorithm>
#include <cmath>

#include "scenario/constraint.h"
#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "scenario/scenario.h"
#include "scenario/with_preset.h"
#include "schedules/schedule.h"

namespace shardscope {
namespace {

// Adapts other parameters to an edit of `id`: each is moved to its nearest valid value, from the model's
// shape through the degrees of parallelism to the batch. `micro_batch` is the largest size allowed if the
// global batch is held. Returns whether the scenario is valid afterwards.
bool repair_others(Scenario& out, P id, double micro_batch) {
    Settings s = resolve(out);
    const auto give = [&](P which, Value value) {
        if (value == s[which]) return;
        out.give(which, value);
        s = resolve(out);
    };
    const auto move = [&](P which) { give(which, nearest_valid(which, s[which], s)); };
    if (is_valid(s)) return true;

    // A layout by hand is made for one number of stages and of layers.
    if (!layout_matches(s)) {
        out.withdraw(P::pipeline_layout);
        s = resolve(out);
        if (is_valid(s)) return true;
    }
    // Fractional heads or head sizes are rounded to whole numbers.
    if (id == P::heads || id == P::head_size || id == P::hidden_size) {
        if (!heads_are_whole(s)) {
            for (const P part : {P::heads, P::head_size}) give(part, std::max(1.0, std::round(s[part])));
        }
        move(P::kv_heads);
    }
    for (const P part : {P::experts_per_token, P::chosen_expert_groups, P::dense_layers}) move(part);

    // After a change of the node the GPU count may no longer be a multiple of its GPUs, and the data-parallel
    // GPUs may no longer divide a held batch.
    move(P::gpus);
    move(P::tensor_parallel);
    move(P::context_parallel);
    if (id != P::context_parallel_kind) move(P::context_parallel_kind);
    if (!schedule_splits_layers(s)) {
        move(P::pipeline_parallel);
    } else if (!stages_have_layers(s)) {
        if (s[P::pipeline_parallel] > s[P::layers]) give(P::virtual_stages, 1);
        move(id == P::virtual_stages ? P::virtual_stages : P::pipeline_parallel);
    }
    move(P::virtual_stages);
    if (!schedule_has_virtual_stages(s)) {
        if (id == P::schedule) {
            give(P::virtual_stages, 1);
        } else {
            give(P::schedule, ScheduleKind::interleaved);
        }
    }
    if (!supports_partition(s)) {
        for (const P end : {P::first_stage_layers, P::last_stage_layers}) out.withdraw(end);
        s = resolve(out);
    }
    move(P::gpus);
    if (out.is_given(P::expert_tensor_parallel)) move(P::expert_tensor_parallel);
    if (out.is_given(P::expert_parallel)) move(P::expert_parallel);
    if (out.is_given(P::shard_group)) move(P::shard_group);

    // Strong scaling reduces the batch of each GPU: first the number of micro-batches, then their size.
    const MicroBatchRule rule = micro_batch_rule(s);
    if (out.hold() == Hold::global_batch) {
        const double per_gpu = s[P::global_batch] / data_parallel(s);
        if (std::fmod(per_gpu, rule.multiple) == 0) {
            give(P::micro_batch, divisor_at_most(per_gpu / rule.multiple,
                                                 std::min(micro_batch, std::max(1.0, per_gpu / rule.least))));
        } else {
            // The micro-batches do not come in whole groups of as many as there are stages, so virtual stages
            // are not possible.
            give(P::virtual_stages, 1);
            give(P::micro_batch, divisor_at_most(per_gpu, micro_batch));
        }
    } else {
        move(P::accumulation);
    }
    return is_valid(s);
}

}  // namespace

bool may_change_others(P id) {
    switch (parameter(id).group) {
        case Group::gpu:
        case Group::assumptions: return false;
        // Each software has its own kinds of context parallelism.
        case Group::cluster:
            return id == P::gpus || id == P::gpus_per_node || id == P::gpus_used_per_node ||
                   id == P::software;
        case Group::model:
        case Group::training:
        case Group::plan: return true;
    }
    return true;
}

namespace {

// The degrees of model parallelism that the planner may choose: more GPUs than sequences in a held batch need
// them.
constexpr std::array kModelParallel{P::tensor_parallel, P::pipeline_parallel};

// Returns whether the planner can spread a held batch over more GPUs, or a larger micro-batch over the same
// GPUs, by model parallelism.
bool may_spread_batch(const Scenario& scenario, P id) {
    return (id == P::gpus || id == P::global_batch || id == P::micro_batch) &&
           scenario.hold() == Hold::global_batch &&
           std::ranges::any_of(kModelParallel, [&](P degree) { return scenario.automatic[index(degree)]; });
}

// The scenario on which an edit of `id` is based. The other automatic degrees of parallelism, and an
// automatic micro-batch if the global batch is held, are set to one if that is valid, or if the edit chooses
// them anew to spread the batch.
Scenario basis_of_edit(const Scenario& scenario, P id) {
    if (scenario.automatic.none()) return scenario;
    Scenario out = scenario;
    for (const P degree : kDegrees) {
        if (scenario.automatic[index(degree)] && degree != id) out.give(degree, 1);
    }
    if (scenario.automatic[index(P::context_parallel_kind)] && id != P::context_parallel_kind)
        out.give(P::context_parallel_kind, ContextParallelKind::p2p);
    // The planner cuts the stages anew.
    if (scenario.automatic[index(P::virtual_stages)] && id != P::virtual_stages)
        out.give(P::virtual_stages, 1);
    if (scenario.automatic[index(P::schedule)] && id != P::schedule)
        out.give(P::schedule, ScheduleKind::one_f_one_b);
    if (scenario.automatic[index(P::micro_batch)] && id != P::micro_batch &&
        scenario.hold() == Hold::global_batch)
        out.give(P::micro_batch, 1);
    return may_spread_batch(scenario, id) || is_valid(resolve(out)) ? out : scenario;
}

// The powers of two that one of these degrees may have, ascending; only one if the degree is not automatic.
std::vector<double> degrees(const Scenario& scenario, P id, const Settings& s) {
    std::vector<double> out{s[id]};
    if (!scenario.automatic[index(id)]) return out;
    for (const double stop : domain(id, s).stops) {
        const bool allowed = id != P::tensor_parallel || is_planned_tensor_degree(stop, s);
        if (stop == 2 * out.back() && allowed) out.push_back(stop);
    }
    return out;
}

// Gives the smallest automatic degrees of model parallelism with which the scenario is valid, if there are
// any.
void spread_batch(Scenario& out, const Settings& s) {
    std::vector<std::pair<double, double>> choices;
    for (const double pipeline : degrees(out, P::pipeline_parallel, s)) {
        for (const double tensor : degrees(out, P::tensor_parallel, s))
            choices.emplace_back(tensor, pipeline);
    }
    std::ranges::stable_sort(choices, {}, [](const auto& one) { return one.first * one.second; });
    for (const auto& [tensor, pipeline] : choices) {
        Scenario trial = out;
        trial.give(P::tensor_parallel, tensor);
        trial.give(P::pipeline_parallel, pipeline);
        if (!is_valid(resolve(trial))) continue;
        out = trial;
        return;
    }
}

}  // namespace

Settings settings_for_edit(const Scenario& scenario, P id) {
    Settings s = resolve(basis_of_edit(scenario, id));
    if (!may_spread_batch(scenario, id)) return s;
    // A batch that M GPUs share allows M times as many GPUs or micro-batches of M times the size, where M is
    // any power of two up to the most model parallelism, and that is the same as a batch of M times the size.
    double most = 1;
    for (const P degree : kModelParallel) {
        const double degree_most = degrees(scenario, degree, s).back();
        most *= degree_most / s[degree];
        if (id == P::global_batch) s.set(degree, degree_most, Origin::derived);
    }
    // The data-parallel GPUs that share a micro-batch divide all of them.
    if (id == P::micro_batch) {
        while (most > 1 && std::fmod(data_parallel(s), most) != 0) most /= 2;
    }
    if (id != P::global_batch) s.set(P::global_batch, s[P::global_batch] * most, s.origin(P::global_batch));
    return s;
}

namespace {

Scenario edited_values(const Scenario& scenario, P id, Value value) {
    if (!may_change_others(id) && !is_constrained(id) && !std::isnan(value))
        return assigned(scenario, id, nearest_in_range(id, value));
    Scenario out = basis_of_edit(scenario, id);
    const Settings before = resolve(out);
    if (!applies_to(id, before)) return scenario;
    const bool spreads = may_spread_batch(scenario, id);
    value = nearest_valid(id, value, spreads ? settings_for_edit(scenario, id) : before);
    const bool global = scenario.hold() == Hold::global_batch;
    out.automatic.reset(index(id));
    if (id == P::global_batch && !global) {
        // The per-GPU batch is held, so that a new global batch changes the accumulation.
        const double step = data_parallel(before) * before[P::micro_batch];
        out.give(P::accumulation,
                 std::clamp(std::round(value / step), 1.0, parameter(P::accumulation).maximum));
    } else if (id == P::accumulation && global) {
        out.give(P::micro_batch, before[P::global_batch] / data_parallel(before) / value);
    } else {
        out.give(id, value);
    }
    if (id == P::hidden_size && out.is_given(P::heads)) {
        // The number of heads is set and stays; the head size is derived.
        out.withdraw(P::head_size);
    }
    if (spreads && !is_valid(resolve(out))) spread_batch(out, before);
    if (!may_change_others(id) || repair_others(out, id, before[P::micro_batch])) return out;
    // An edit that cannot be made valid is discarded, unless the scenario was not valid before.
    return is_valid(resolve(scenario)) ? scenario : out;
}

// Returns whether the degree changes how many GPUs are data parallel.
bool divides_gpus(P id) {
    return id == P::tensor_parallel || id == P::context_parallel || id == P::pipeline_parallel;
}

// Another plan does the same job: the global batch stays where the accumulation can make up for the change,
// also if the batch of each GPU is held.
Scenario on_other_degrees(const Scenario& scenario, P id, Value value) {
    const Scenario same_job = edited_values(with_hold(scenario, Hold::global_batch), id, value);
    const Settings before = resolve(scenario);
    const Settings s = resolve(same_job);
    const bool keeps = s[id] != before[id] && s[P::micro_batch] == before[P::micro_batch] && is_valid(s);
    return keeps ? with_hold(same_job, scenario.hold()) : edited_values(scenario, id, value);
}

}  // namespace

Scenario edited(const Scenario& scenario, P id, Value value) {
    Scenario out = scenario.automatic.none() && divides_gpus(id) ? on_other_degrees(scenario, id, value)
                                                                 : edited_values(scenario, id, value);
    // A model that is named after its shape is named after the new one.
    if (!out.model_name.empty() && parameter(id).group == Group::model &&
        out.model_name == name_of_shape(resolve(scenario)))
        out.model_name = name_of_shape(resolve(out));
    return out;
}

Scenario assigned(const Scenario& scenario, P id, Value value) {
    Scenario out = scenario;
    out.give(id, value);
    out.automatic.reset(index(id));
    return out;
}

Scenario with_hold(const Scenario& scenario, Hold hold) {
    if (scenario.hold() == hold) return scenario;
    Scenario out = scenario;
    const Settings s = resolve(scenario);
    if (hold == Hold::global_batch) {
        out.give(P::global_batch, s[P::global_batch]);
    } else {
        out.give(P::accumulation, std::min(s[P::accumulation], parameter(P::accumulation).maximum));
    }
    return out;
}

namespace {

// Returns the scenario on other hardware, of which one of the two presets is given.
Scenario on_hardware(const Scenario& scenario, const Preset* cluster, const Preset* gpu) {
    Scenario out = scenario;
    out.cluster = cluster;
    out.gpu = gpu;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Group group = parameter(id).group;
        if (group == Group::gpu || (group == Group::cluster && id != P::gpus && id != P::software))
            out.withdraw(id);
    }
    return out;
}

Scenario of_model(const Scenario& scenario, const Preset& model) {
    Scenario out = scenario;
    out.model = &model;
    out.model_name.clear();
    for (std::size_t i = 0; i < kParameters; ++i) {
        if (parameter(static_cast<P>(i)).group == Group::model) out.withdraw(static_cast<P>(i));
    }
    return out;
}

Scenario with_hardware(const Scenario& scenario, const Preset* cluster, const Preset* gpu) {
    Scenario out = on_hardware(scenario, cluster, gpu);
    const double gpus = resolve(scenario)[P::gpus];
    // A precision that the new GPU does not support is replaced by the first one that it supports.
    const Settings s = resolve(out);
    if (const std::vector<double> precisions = domain(P::precision, s).stops;
        !precisions.empty() && std::ranges::find(precisions, s[P::precision]) == precisions.end())
        out.give(P::precision, precisions.front());
    const double wanted = nearest_valid(P::gpus, gpus, s);
    // Another cluster does the same job: if it needs another number of GPUs, the global batch is kept.
    if (wanted != s[P::gpus])
        out = with_hold(edited(with_hold(out, Hold::global_batch), P::gpus, wanted), scenario.hold());
    repair_others(out, P::gpus_per_node, s[P::micro_batch]);
    return out;
}

}  // namespace

Scenario with_cluster(const Scenario& scenario, const Preset& cluster) {
    return with_hardware(scenario, &cluster, nullptr);
}

Scenario with_gpu(const Scenario& scenario, const Preset& gpu) {
    return with_hardware(scenario, nullptr, &gpu);
}

Scenario with_model(const Scenario& scenario, const Preset& model) {
    Scenario out = of_model(scenario, model);
    if (model.operators) {
        const Settings s = resolve(out);
        for (std::size_t i = 0; i < kParameters; ++i) {
            if (out.given[i] && !applies_to(static_cast<P>(i), s)) out.withdraw(static_cast<P>(i));
        }
    }
    repair_others(out, P::layers, resolve(out)[P::micro_batch]);
    return out;
}

Scenario with_preset(const Scenario& scenario, const Preset& preset) {
    if (preset.kind == PresetKind::model) return of_model(scenario, preset);
    if (preset.kind == PresetKind::cluster) return on_hardware(scenario, &preset, nullptr);
    Scenario out = scenario;
    if (preset.kind == PresetKind::gpu) out.gpu = &preset;
    return out;
}

Scenario with_auto(const Scenario& scenario, P id, bool automatic) {
    Scenario out = scenario;
    out.automatic.set(index(id), automatic);
    return out;
}

Scenario locked(const Scenario& scenario) {
    Scenario out = scenario;
    out.automatic.reset();
    return out;
}

Scenario without_mfu_override(const Scenario& scenario) {
    Scenario out = scenario;
    out.withdraw(P::mfu_override);
    return out;
}

}  // namespace shardscope
