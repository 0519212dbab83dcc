#include "explore/repair.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "explore/plan_report.h"
#include "planner/plan.h"
#include "planner/planner.h"
#include "scenario/domain.h"
#include "text/translate.h"

namespace shardscope {
namespace {

std::string result_text(const Answer& answer) {
    return translate("fits, {1}, MFU {2}", {format(answer.estimate.memory.peak, Quantity::bytes),
                                            format(answer.estimate.mfu, Quantity::percent)});
}

bool fits_well(const Scenario& scenario, Answer& scratch) {
    return answer_into(scenario, scratch) && scratch.estimate.verdict == Verdict::fits;
}

// Tries `candidates` in order, nearest to the present value first, and returns the first that fits. If none
// does, or when it was stopped, the repair does not work.
Repair try_values(const Scenario& scenario, const Answer& now, P id, const std::vector<double>& candidates,
                  const std::stop_token& stop = {}) {
    Repair repair;
    repair.id = id;
    Answer scratch;
    double last_peak = 0;
    for (const double value : candidates) {
        if (stop.stop_requested()) break;  // each value may need a plan search
        const Scenario trial = edited(scenario, id, value);
        const bool fits = fits_well(trial, scratch);
        last_peak = scratch.estimate.memory.peak;
        repair.value = value;
        if (!fits) continue;
        repair.works = true;
        repair.scenario = trial;
        repair.mfu = scratch.estimate.mfu;
        repair.peak = scratch.estimate.memory.peak;
        repair.label = label_of(id) + " " + format(id, now.settings[id], false) + " → " +
                       format(id, scratch.settings[id]);
        repair.result = result_text(scratch);
        return repair;
    }
    repair.peak = last_peak;
    repair.label = label_of(id);
    repair.result = candidates.empty()
                        ? translate("nothing left to change")
                        : translate("{1} still needs {2}",
                                    {format(id, repair.value, false), format(last_peak, Quantity::bytes)});
    return repair;
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

// Memory sizes of shipped GPUs with more memory, ascending. The window's catalogue is not used, because
// presets may be added to it while repairs are computed in another thread.
std::vector<double> larger_memories(const Settings& s) {
    std::vector<double> out;
    for (const Preset* gpu : Catalogue::shipped().all(PresetKind::gpu)) {
        for (const auto& [id, value] : gpu->values) {
            if (id == P::memory && value > s[P::memory]) out.push_back(value);
        }
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// All choices but the present one, in their order.
std::vector<double> other_choices(P id, const Settings& s) {
    std::vector<double> out = domain(id, s).stops;
    std::erase(out, s[id]);
    return out;
}

}  // namespace

std::optional<Repair> other_plan(const Scenario& scenario, unsigned threads, const std::stop_token& stop) {
    Scenario free = scenario;
    free.automatic |= default_free_parameters();
    if (free.automatic == scenario.automatic) return std::nullopt;
    const auto found = planned(free, threads, stop);
    if (!found || stop.stop_requested()) return std::nullopt;
    Repair repair;
    repair.scenario = locked(*found);
    repair.scenario.automatic = scenario.automatic;
    const Answer best = answer(locked(repair.scenario));
    repair.works = best.valid() && best.estimate.verdict == Verdict::fits;
    if (!repair.works) {
        repair.label = translate("Best plan");
        repair.result = translate("no plan fits");
        return repair;
    }
    repair.mfu = best.estimate.mfu;
    repair.peak = best.estimate.memory.peak;
    repair.label = translate("Best plan: {1}", {short_plan(best.settings)});
    repair.result = result_text(best);
    return repair;
}

std::optional<Repair> best_fix(const Answer& now) {
    if (!now.valid()) return std::nullopt;
    if (!now.fits()) {
        std::vector<Repair> found = repairs(now.scenario);
        if (found.empty() || !found.front().works) return std::nullopt;
        return std::move(found.front());
    }
    const Settings& s = now.settings;
    // Each plan parameter is changed by one step.
    const std::pair<P, Value> steps[] = {{P::micro_batch, s[P::micro_batch] * 2},
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
    std::optional<Repair> best;
    for (const auto& [id, value] : steps) {
        if (s[id] == value || now.scenario.automatic[index(id)]) continue;
        Repair trial = try_values(now.scenario, now, id, {value});
        if (!trial.works || trial.mfu < now.estimate.mfu + kMinReportedGain) continue;
        if (!best || trial.mfu > best->mfu) best = std::move(trial);
    }
    return best;
}

std::vector<Repair> repairs(const Scenario& scenario, const std::stop_token& stop) {
    std::vector<Repair> out;
    const Answer now = answer(scenario);
    if (!now.valid() || now.fits()) return out;
    const Settings& s = now.settings;
    const auto try_all = [&](P id, const std::vector<double>& candidates) {
        // The planner has tried the other values of automatic parameters.
        if (!scenario.automatic[index(id)]) out.push_back(try_values(scenario, now, id, candidates, stop));
    };

    try_all(P::micro_batch, smaller_micro_batches(scenario, s));
    try_all(P::recompute,
            s[P::recompute] == 1 ? std::vector<double>{} : std::vector<double>{0.25, 0.5, 0.75, 1});
    const auto sharding = s.choice<Sharding>(P::sharding);
    if (sharding != Sharding::zero3) {
        std::vector<double> more;
        if (sharding < Sharding::zero3) {
            for (double level = s[P::sharding] + 1; level <= 3; ++level) more.push_back(level);
        } else {
            more.push_back(Value(Sharding::zero3));
        }
        try_all(P::sharding, more);
    }
    for (const P degree : {P::tensor_parallel, P::pipeline_parallel, P::context_parallel})
        try_all(degree, ascending_above(domain(degree, s).stops, s[degree]));
    try_all(P::offload, other_choices(P::offload, s));
    try_all(P::optimizer_precision, other_choices(P::optimizer_precision, s));
    try_all(P::sequence_length, shorter_sequences(s));
    try_all(P::memory, larger_memories(s));
    try_all(P::gpus, ascending_above(domain(P::gpus, s).stops, s[P::gpus]));
    if (stop.stop_requested()) return {};
    if (!out.back().works) out.back().label = translate("More GPUs");

    std::ranges::stable_sort(out, [](const Repair& a, const Repair& b) {
        if (a.works != b.works) return a.works;
        if (!a.works) return false;
        // Other plans for the same job come before other jobs.
        const bool a_plan = parameter(*a.id).plan;
        const bool b_plan = parameter(*b.id).plan;
        return a_plan != b_plan ? a_plan : a.mfu > b.mfu;
    });
    return out;
}

}  // namespace shardscope
