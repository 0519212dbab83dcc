#include "explore/repair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "explore/balanced_layout.h"
#include "explore/change_text.h"
#include "explore/plan_report.h"
#include "parameters/interned_text.h"
#include "planner/plan.h"
#include "planner/planner.h"
#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Sets what a repair leads to; `after` is the answer of its scenario.
void set_result(Repair& repair, const Settings& before, const Answer& after) {
    constexpr std::array kJob{P::gpus, P::memory, P::sequence_length, P::global_batch,
                              P::optimizer_precision};
    const Estimate& e = after.estimate;
    repair.works = e.fits();
    repair.risky = e.verdict == Verdict::risky;
    repair.same_job = std::ranges::all_of(kJob, [&](P id) { return after.settings[id] == before[id]; });
    repair.planned = after.scenario;
    repair.mfu = e.mfu;
    repair.peak = e.memory.peak;
    repair.capacity = e.memory.capacity;
    repair.result =
        translate(repair.risky ? translatable("risky, {1}, MFU {2}") : translatable("fits, {1}, MFU {2}"),
                  {format(e.memory.peak, Quantity::bytes), format(e.mfu, Quantity::percent)});
}

// "Tensor parallel 1 → 2, Accumulation 1 → 2": the change of `id` and all that changes with it. Automatic
// parameters are not named.
std::string changes_text(P id, const Settings& before, const Answer& after) {
    std::vector<std::string> changes;
    const auto add = [&](P one) {
        const Settings& now = after.settings;
        if (now[one] == before[one] || after.scenario.automatic[index(one)]) return;
        changes.push_back(change_text(one, before[one], now[one]));
    };
    add(id);
    for (const P one : kPlanParameters) {
        if (one != id) add(one);
    }
    for (const P one : {P::accumulation, P::global_batch}) {
        if (one != id) add(one);
    }
    return joined(changes, ", ");
}

// Makes one change and holds the global batch if it is a multiple of the new micro-batches. Where the plan is
// automatic, the scenario itself says what is held.
Scenario changed(const Scenario& scenario, P id, double value) {
    if (scenario.automatic.none()) {
        const Scenario held = edited(with_hold(scenario, Hold::global_batch), id, value);
        const Settings s = resolve(held);
        if (s[id] == value && is_valid(s)) return with_hold(held, scenario.hold());
    }
    return edited(scenario, id, value);
}

// Tries `candidates` in order, nearest to the present value first, and returns the first that fits with the
// margin to spare or, if none does, the first that fits at all. If none does, or when it was stopped, the
// repair does not work.
Repair try_values(const Scenario& scenario, const Answer& now, P id, const std::vector<double>& candidates,
                  const std::stop_token& stop = {}) {
    Repair repair;
    repair.id = id;
    Answer scratch;
    double last_peak = 0;
    for (const double value : candidates) {
        if (stop.stop_requested()) break;  // each value may need a plan search
        Scenario trial = changed(scenario, id, value);
        const bool valid = answer_into(trial, scratch);
        last_peak = scratch.estimate.memory.peak;
        if (!repair.works) repair.value = value;
        if (!valid || !scratch.fits()) continue;
        const bool wants_safe = repair.works || now.estimate.verdict == Verdict::risky;
        if (wants_safe && scratch.estimate.verdict == Verdict::risky) continue;
        repair.value = value;
        repair.scenario = std::move(trial);
        set_result(repair, now.settings, scratch);
        repair.label = changes_text(id, now.settings, scratch);
        if (!repair.risky) return repair;
    }
    if (repair.works) return repair;
    repair.peak = last_peak;
    repair.label = label_of(id);
    repair.result = candidates.empty()
                        ? translate("nothing left to change")
                        : translate("{1} still needs {2}",
                                    {format(id, repair.value), format(last_peak, Quantity::bytes)});
    return repair;
}

// Best first: what works by its predicted MFU, then what does not work.
void rank(std::vector<Repair>& repairs) {
    std::ranges::stable_sort(repairs, [](const Repair& a, const Repair& b) {
        if (a.works != b.works) return a.works;
        return a.works && a.mfu > b.mfu;
    });
}

std::vector<double> descending_below(const std::vector<double>& stops, double value) {
    std::vector<double> out;
    for (const double stop : stops) {
        if (stop < value) out.push_back(stop);
    }
    std::ranges::sort(out, std::greater<>());
    return out;
}

std::vector<double> ascending_above(const std::vector<double>& stops, double value) {
    std::vector<double> out;
    for (const double stop : stops) {
        if (stop > value) out.push_back(stop);
    }
    return out;
}

// Every smaller whole micro-batch or, if the global batch is held, every smaller divisor of it.
std::vector<double> smaller_micro_batches(const Scenario& scenario, const Settings& s) {
    if (scenario.hold() == Hold::global_batch)
        return descending_below(domain(P::micro_batch, s).stops, s[P::micro_batch]);
    std::vector<double> out;
    constexpr double kMost = 4096;
    for (double b = std::min(s[P::micro_batch] - 1, kMost); b >= 1; --b) out.push_back(b);
    return out;
}

std::vector<double> shorter_sequences(const Settings& s) {
    std::vector<double> out;
    for (double length = 256 * std::floor((s[P::sequence_length] - 1) / 256); length >= 256; length -= 256) {
        out.push_back(length);
        if (out.size() > 600) length = 256 * std::floor(length / 512) + 256;
    }
    return out;
}

// Returns the memory sizes of shipped GPUs with more memory, ascending, each with one GPU that has it. GPUs
// whose usable memory is not verified are left out. The window's catalogue is not used, because presets may
// be added to it while repairs are computed in another thread.
std::map<double, const Preset*> larger_memories(const Settings& s) {
    std::map<double, const Preset*> out;
    for (const Preset* gpu : Catalogue::shipped().all(PresetKind::gpu)) {
        if (gpu->is_unverified(P::memory)) continue;
        for (const auto& [id, value] : gpu->values) {
            if (id == P::memory && value > s[P::memory]) out.try_emplace(value, gpu);
        }
    }
    return out;
}

// All choices but the present one, in their order.
std::vector<double> other_choices(P id, const Settings& s) {
    std::vector<double> out = domain(id, s).stops;
    std::erase(out, s[id]);
    return out;
}

}  // namespace

bool needs_repair(const Answer& answer) { return answer.valid() && answer.estimate.verdict != Verdict::fits; }

std::optional<Repair> other_plan(const Scenario& scenario, unsigned threads, const std::stop_token& stop) {
    if ((scenario.automatic | default_free_parameters()) == scenario.automatic) return std::nullopt;
    const auto present = planned(scenario, threads, stop);
    if (!present) return std::nullopt;
    Scenario free = with_hold(locked(*present), Hold::global_batch);
    free.automatic = scenario.automatic | default_free_parameters();
    const auto found = planned(free, threads, stop);
    if (!found || stop.stop_requested()) return std::nullopt;
    Repair repair;
    repair.scenario = with_hold(locked(*found), scenario.hold());
    const Answer best = answer(repair.scenario);
    repair.scenario.automatic = scenario.automatic;
    if (best.valid()) set_result(repair, resolve(*present), best);
    if (repair.risky && answer(*present).estimate.verdict == Verdict::risky) return std::nullopt;
    if (!repair.works) {
        repair.label = translate("Best plan");
        repair.result = translate("no plan fits");
        return repair;
    }
    repair.label = translate("Best plan: {1}", {short_plan(best.settings)});
    return repair;
}

std::vector<Repair> with_other_plan(std::vector<Repair> single, std::optional<Repair> plan) {
    if (plan) single.insert(single.begin(), std::move(*plan));
    rank(single);
    return single;
}

const Repair* best_of(const std::vector<Repair>& repairs) {
    auto found = std::ranges::find_if(repairs, [](const Repair& one) { return one.works && !one.risky; });
    if (found == repairs.end()) found = std::ranges::find(repairs, true, &Repair::works);
    return found == repairs.end() ? nullptr : &*found;
}

std::optional<Repair> best_fix(const Answer& now) {
    if (!now.valid()) return std::nullopt;
    if (needs_repair(now)) {
        const std::vector<Repair> found = repairs(now.scenario);
        const Repair* best = best_of(found);
        return best ? std::optional(*best) : std::nullopt;
    }
    const Settings& s = now.settings;
    // Each plan parameter is changed by one step.
    std::vector<std::pair<P, Value>> steps{{P::micro_batch, s[P::micro_batch] * 2},
                                           {P::recompute, 0},
                                           {P::sharding, Sharding::zero2},
                                           {P::sharding, Sharding::hsdp},
                                           {P::reshard_after_forward, false},
                                           {P::tensor_parallel, s[P::tensor_parallel] * 2},
                                           {P::tensor_parallel, s[P::tensor_parallel] / 2},
                                           {P::context_parallel, s[P::context_parallel] * 2},
                                           {P::context_parallel, s[P::context_parallel] / 2},
                                           {P::pipeline_parallel, s[P::pipeline_parallel] * 2},
                                           {P::pipeline_parallel, s[P::pipeline_parallel] / 2},
                                           {P::virtual_stages, s[P::virtual_stages] * 2}};
    if (const std::string layout = balanced_layout(now); !layout.empty())
        steps.emplace_back(P::pipeline_layout, intern_text(layout));
    std::optional<Repair> best;
    for (const auto& [id, value] : steps) {
        if (s[id] == value || now.scenario.automatic[index(id)]) continue;
        Repair trial = try_values(now.scenario, now, id, {value});
        if (!trial.works || trial.mfu < now.estimate.mfu + kMinReportedGain) continue;
        const bool better = !best || (trial.risky == best->risky ? trial.mfu > best->mfu : best->risky);
        if (better) best = std::move(trial);
    }
    return best;
}

std::vector<Repair> repairs(const Scenario& scenario, const std::stop_token& stop) {
    std::vector<Repair> out;
    const Answer now = answer(scenario);
    if (!needs_repair(now)) return out;
    const Settings& s = now.settings;
    const auto try_all = [&](P id, const std::vector<double>& candidates) {
        // The planner has tried the other values of automatic parameters.
        if (scenario.automatic[index(id)]) return;
        out.push_back(try_values(scenario, now, id, candidates, stop));
    };

    try_all(P::micro_batch, smaller_micro_batches(scenario, s));
    try_all(P::recompute,
            s[P::recompute] == 1 ? std::vector<double>{} : std::vector<double>{0.25, 0.5, 0.75, 1});
    const auto sharding = s.choice<Sharding>(P::sharding);
    if (sharding != Sharding::zero3) {
        constexpr std::array kLevels{Sharding::zero1, Sharding::zero2, Sharding::zero3};
        std::vector<double> more;
        more.reserve(kLevels.size());
        for (const Sharding level : kLevels) {
            if (level > sharding || (is_fsdp(sharding) && level == Sharding::zero3))
                more.push_back(Value(level));
        }
        try_all(P::sharding, more);
    }
    for (const P degree : {P::tensor_parallel, P::pipeline_parallel, P::context_parallel})
        try_all(degree, ascending_above(domain(degree, s).stops, s[degree]));
    try_all(P::offload, other_choices(P::offload, s));
    try_all(P::optimizer_precision, other_choices(P::optimizer_precision, s));
    try_all(P::sequence_length, shorter_sequences(s));
    const auto memories = larger_memories(s);
    std::vector<double> sizes;
    sizes.reserve(memories.size());
    for (const auto& one : memories) sizes.push_back(one.first);
    try_all(P::memory, sizes);
    // The size is that of a GPU that exists, and not the least that fits.
    if (Repair& repair = out.back(); repair.id == P::memory && repair.works)
        repair.label =
            translate("{1} (as on {2})", {repair.label, translate(memories.at(repair.value)->shown_title())});
    try_all(P::gpus, ascending_above(domain(P::gpus, s).stops, s[P::gpus]));
    if (stop.stop_requested()) return {};
    if (!out.back().works) out.back().label = translate("More GPUs");

    rank(out);
    return out;
}

}  // namespace shardscope
