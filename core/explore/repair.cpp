#include "explore/repair.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/said.h"

namespace shardscope {
namespace {

std::string result_text(const Answer& answer) {
    return said("fits, {1}, MFU {2}", {format(answer.estimate.memory.peak, Quantity::bytes),
                                       format(answer.estimate.mfu, Quantity::percent)});
}

bool fits_well(const Scenario& scenario, Answer& scratch) {
    return answer_into(scenario, scratch) && scratch.estimate.verdict == Verdict::fits;
}

// The candidate nearest to the present value that fits, trying `candidates` in order.
Repair try_values(const Scenario& scenario, const Answer& now, P id, const std::vector<double>& candidates) {
    Repair repair;
    repair.id = id;
    Answer scratch;
    double last_peak = 0;
    for (const double value : candidates) {
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
                       format(id, scratch.settings[id], false);
        repair.result = result_text(scratch);
        return repair;
    }
    repair.peak = last_peak;
    repair.label = label_of(id);
    repair.result = candidates.empty() ? said("nothing left to change")
                                       : said("{1} still needs {2}", {format(id, repair.value, false),
                                                                      format(last_peak, Quantity::bytes)});
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

// Every whole micro-batch below the present one, or every divisor where the global batch is held.
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

}  // namespace

std::optional<Repair> best_fix(const Answer& now) {
    if (!now.valid()) return std::nullopt;
    if (!now.fits()) {
        std::vector<Repair> found = repairs(now.scenario);
        if (found.empty() || !found.front().works) return std::nullopt;
        return std::move(found.front());
    }
    const Settings& s = now.settings;
    // One step on each axis of the plan.
    const std::pair<P, double> steps[] = {{P::micro_batch, s[P::micro_batch] * 2},
                                          {P::recompute, 0},
                                          {P::sharding, static_cast<double>(Sharding::zero2)},
                                          {P::sharding, static_cast<double>(Sharding::hsdp)},
                                          {P::reshard_after_forward, 0},
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
        constexpr double kWorthSaying = 0.002;
        if (!trial.works || trial.mfu < now.estimate.mfu + kWorthSaying) continue;
        if (!best || trial.mfu > best->mfu) best = std::move(trial);
    }
    return best;
}

std::vector<Repair> repairs(const Scenario& scenario) {
    std::vector<Repair> out;
    const Answer now = answer(scenario);
    if (!now.valid() || now.fits()) return out;
    const Settings& s = now.settings;

    if (!scenario.automatic[index(P::micro_batch)]) {
        out.push_back(try_values(scenario, now, P::micro_batch, smaller_micro_batches(scenario, s)));
    }
    out.push_back(
        try_values(scenario, now, P::recompute,
                   s[P::recompute] == 1 ? std::vector<double>{} : std::vector<double>{0.25, 0.5, 0.75, 1}));
    const auto sharding = s.choice<Sharding>(P::sharding);
    if (sharding != Sharding::zero3) {
        std::vector<double> more;
        if (sharding < Sharding::zero3) {
            for (double level = s[P::sharding] + 1; level <= 3; ++level) more.push_back(level);
        } else {
            more.push_back(static_cast<double>(Sharding::zero3));
        }
        out.push_back(try_values(scenario, now, P::sharding, more));
    }
    for (const P degree : {P::tensor_parallel, P::pipeline_parallel, P::context_parallel})
        out.push_back(try_values(scenario, now, degree, ascending_above(domain(degree, s).stops, s[degree])));
    out.push_back(try_values(scenario, now, P::sequence_length, shorter_sequences(s)));
    out.push_back(try_values(scenario, now, P::gpus, ascending_above(domain(P::gpus, s).stops, s[P::gpus])));
    if (!out.back().works) out.back().label = said("More GPUs");

    std::ranges::stable_sort(out, [](const Repair& a, const Repair& b) {
        if (a.works != b.works) return a.works;
        if (!a.works) return false;
        // Another plan for the same job comes before another job.
        const bool a_plan = parameter(a.id).plan;
        const bool b_plan = parameter(b.id).plan;
        return a_plan != b_plan ? a_plan : a.mfu > b.mfu;
    });
    return out;
}

}  // namespace shardscope
