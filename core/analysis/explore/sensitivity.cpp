#include "explore/sensitivity.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "planner/planner.h"
#include "scenario/domain.h"
#include "system/jobs.h"

namespace shardscope {
namespace {

bool is_input(P id) {
    const Parameter& row = parameter(id);
    return !row.named_only && row.prominence != Prominence::file;
}

// Does the same as the planner's answer_into. Planning takes longest, so that it must react to `stop`; the
// present plan makes it faster.
bool answer_into(const Scenario& scenario, Answer& out, const Plan& present, const std::stop_token& stop) {
    const auto plan = planned(scenario, 1, stop, &present);
    return plan && answer_into(locked(*plan), out);
}

// Finds the ends of bars.
struct Ends {
    const Scenario& base;
    Plan present;
    Output output;
    const std::stop_token& stop;

    std::optional<SensitivityEnd> at(const SensitivityBar& bar, double factor, Answer& scratch) const {
        const double x = nearest_valid(bar.id, bar.now * factor, resolve(base));
        // The nearest valid value may be the present one, or one in the other direction.
        if (factor < 1 ? x >= bar.now : x <= bar.now) return std::nullopt;
        if (!answer_into(edited(base, bar.id, x), scratch, present, stop) || scratch.settings[bar.id] != x)
            return std::nullopt;
        SensitivityEnd end;
        end.x = x;
        end.fits = scratch.estimate.fits();
        end.value = value_of(output, scratch);
        end.as_if = value_of(output, scratch, true);
        end.capacity = scratch.estimate.memory.capacity;
        return end;
    }
};

// The inputs of a rate: rates to multiply and times to divide.
struct RateInputs {
    std::vector<P> faster, shorter;
};
RateInputs inputs_of(Rate rate) {
    using enum P;
    switch (rate) {
        case Rate::compute: return {{peak_flops}, {}};
        case Rate::memory_bandwidth: return {{memory_bandwidth}, {}};
        case Rate::intra_node:
            return {
                {intra_node_bandwidth, peer_bandwidth, host_bandwidth, host_memory_bandwidth, nvme_bandwidth},
                {}};
        case Rate::inter_node: return {{inter_node_bandwidth}, {}};
        case Rate::latency:
            return {
                {},
                {collective_latency, intra_node_latency, inter_node_latency, kernel_launch, launch_overhead,
                 pipeline_layer_overhead, expert_overhead, expert_cast_overhead, step_overhead, step_jitter}};
        case Rate::count: break;
    }
    return {};
}

}  // namespace

std::array<double, 2> factors(Change change) {
    constexpr double kTenth = 0.1;
    return change == Change::half_and_double ? std::array{0.5, 2.0} : std::array{1 - kTenth, 1 + kTenth};
}

Sensitivity sensitivity(const Scenario& scenario, Output output, Change change, unsigned threads,
                        const std::stop_token& stop) {
    Sensitivity out;
    out.output = output;
    out.change = change;
    const auto plan = planned(scenario, threads, stop);
    Answer start;
    if (!plan || !shardscope::answer_into(locked(*plan), start)) return out;
    // Edits start from the planned scenario, as they do in the window.
    const Scenario& base = *plan;
    const Settings& settings = start.settings;
    const Ends ends{base, plan_of(settings), output, stop};
    out.fits = start.fits();
    out.now = value_of(output, start, true);
    // Inputs that are zero or unknown (NaN) have no multiples.
    std::vector<SensitivityBar> bars;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (is_input(id) && settings[id] > 0) bars.push_back({id, settings[id], {}, {}, 0, false});
    }
    parallel_for(bars.size(), threads, [&](std::size_t i) {
        SensitivityBar& bar = bars[i];
        const auto [less, more] = factors(change);
        Answer scratch;
        if (stop.stop_requested()) return;
        bar.less = ends.at(bar, less, scratch);
        bar.more = ends.at(bar, more, scratch);
    });
    for (SensitivityBar& bar : bars) {
        bool changes_fit = false;
        for (const auto& end : {bar.less, bar.more}) {
            if (!end) continue;
            bar.effect = std::max(bar.effect, std::fabs(end->as_if / out.now - 1));
            changes_fit = changes_fit || end->fits != out.fits;
        }
        bar.makes_fit = changes_fit && !out.fits;
        if (bar.effect >= kNoEffect || changes_fit) out.bars.push_back(bar);
        else ++out.without_effect;
    }
    std::ranges::stable_sort(out.bars, [](const SensitivityBar& a, const SensitivityBar& b) {
        return a.makes_fit != b.makes_fit ? a.makes_fit : a.effect > b.effect;
    });
    return out;
}

Scenario with_rate(const Answer& base, Rate rate, double factor) {
    Scenario out = base.scenario;
    const auto [faster, shorter] = inputs_of(rate);
    for (const P id : faster) out.give(id, base.settings[id] * factor);
    for (const P id : shorter) out.give(id, base.settings[id] / factor);
    return out;
}

std::optional<std::array<double, kRates>> planned_elasticity(const Answer& base, unsigned threads,
                                                             const std::stop_token& stop) {
    if (!base.fits()) return std::nullopt;
    // tokens/s at the lower and the higher end of each rate.
    std::array<double, 2 * kRates> found{};
    const Plan present = plan_of(base.settings);
    std::atomic<bool> complete = true;
    parallel_for(found.size(), threads, [&](std::size_t i) {
        Answer scratch;
        const double factor = i % 2 == 0 ? 1 - kRateStep : 1 + kRateStep;
        const Scenario there = with_rate(base, static_cast<Rate>(i / 2), factor);
        for (const Scenario& plan : {there, locked(there)}) {
            if (!answer_into(plan, scratch, present, stop)) complete = false;
            found[i] = std::max(found[i], scratch.estimate.tokens_per_s);
        }
    });
    if (!complete) return std::nullopt;
    std::array<double, kRates> out{};
    for (std::size_t i = 0; i < kRates; ++i)
        out[i] = std::log(found[2 * i + 1] / found[2 * i]) / std::log((1 + kRateStep) / (1 - kRateStep));
    return out;
}

}  // namespace shardscope
