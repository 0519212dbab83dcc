#include "explore/scaling.h"

#include <algorithm>
#include <cmath>

#include "scenario/constraint.h"
#include "scenario/gpu_groups.h"
#include "scenario/valid_values.h"

namespace shardscope {
namespace {

// GPU counts for a smooth curve: powers of two inside a node, then `per_octave` node counts per doubling. The
// scenario's count is always included, so that its dot lies on the curve.
Axis gpu_axis(double node, double gpus, double lowest, double highest, double per_octave) {
    std::vector<double> counts;
    for (double g = 1; g < node; g *= 2) counts.push_back(g);
    for (double octave = 1; node * octave <= highest; octave *= 2) {
        const double stride = std::max(1.0, octave / per_octave);
        for (double nodes = octave; nodes < 2 * octave; nodes += stride) counts.push_back(node * nodes);
    }
    counts.push_back(gpus);
    std::ranges::sort(counts);
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    std::erase_if(counts, [&](double g) { return g < lowest || g > highest; });
    return {P::gpus, counts};
}

// Returns whether the plan can run unchanged on `gpus`.
bool keeps_plan(Settings s, double gpus) {
    s.set(P::gpus, gpus, Origin::given);
    return all_hold(parallelism_constraints(), s);
}

// Adds the numbers of GPUs in more than one node, from `lowest` to `highest`, among which the batch is
// divided into whole micro-batches.
void add_divisors(std::vector<double>& counts, const Settings& s, double lowest, double highest) {
    const double batches = s[P::global_batch] / s[P::micro_batch];
    const double replica = gpus_per_replica(s), node = s[P::gpus_used_per_node];
    if (batches != std::floor(batches)) return;
    for (const double replicas : divisors(batches, highest / replica)) {
        const double gpus = replicas * replica;
        if (gpus >= lowest && gpus > node && divides(node, gpus) && keeps_plan(s, gpus))
            counts.push_back(gpus);
    }
    std::ranges::sort(counts);
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
}

// Keeps the points whose GPU count is valid, so that the edit did not move it.
void keep_counts(Curve& curve, const Scenario& scenario) {
    std::erase_if(curve, [&](const CurvePoint& point) {
        return resolve(edited(scenario, P::gpus, point.x))[P::gpus] != point.x;
    });
}

// Returns the weak curve of a scenario whose plan is chosen at every point: the global batch is proportional
// to the GPUs, so that the curve passes through the scenario. Counts to which no whole batch belongs are left
// out.
Curve proportional(const Scenario& scenario, const Axis& axis, const std::stop_token& stop) {
    const Settings now = resolve(scenario);
    Curve out;
    Answer scratch;
    for (const double gpus : axis.values) {
        if (stop.stop_requested()) break;
        const double batch = now[P::global_batch] * gpus / now[P::gpus];
        if (batch != std::floor(batch)) continue;
        // Each step must be valid: more GPUs need a larger batch before, and fewer GPUs a smaller one after.
        const Scenario there = gpus > now[P::gpus]
                                   ? edited(edited(scenario, P::global_batch, batch), P::gpus, gpus)
                                   : edited(edited(scenario, P::gpus, gpus), P::global_batch, batch);
        const Settings s = resolve(there);
        if (s[P::gpus] != gpus || s[P::global_batch] != batch) continue;
        const bool valid = answer_into(there, scratch);
        out.push_back(curve_point(gpus, scratch, valid));
    }
    return out;
}

}  // namespace

void keep_plan(Curve& curve, const Scenario& scenario) {
    const Settings before = resolve(scenario);
    if (std::ranges::none_of(kDegrees, [&](P id) { return before[id] > 1; })) return;
    std::erase_if(curve, [&](const CurvePoint& point) {
        const Settings after = resolve(edited(scenario, P::gpus, point.x));
        return after[P::gpus] != point.x ||
               !std::ranges::all_of(kDegrees, [&](P id) { return after[id] == before[id]; });
    });
}

Scaling scaling(const Scenario& scenario, double lowest, double highest, const std::stop_token& stop) {
    Scaling out;
    const Settings settings = resolve(scenario);
    out.node = settings[P::gpus_per_node];
    out.gpus = settings[P::gpus];
    // Plans depend on the divisors of the GPU count: three nodes have plans that four nodes do not have. So
    // re-planned counts between the powers of two would make the curves alternate between plans.
    constexpr double kSmooth = 8;
    Axis axis = gpu_axis(out.node, out.gpus, lowest, std::max(highest, out.gpus),
                         scenario.automatic.none() ? kSmooth : 1);
    const Scenario weak = with_hold(scenario, Hold::per_gpu_batch);
    const Scenario strong = with_hold(scenario, Hold::global_batch);
    if (scenario.automatic.any()) {
        if (scenario.hold() == Hold::global_batch) {
            out.weak = proportional(scenario, axis, stop);
        } else {
            out.weak = curve(weak, axis, stop);
            keep_counts(out.weak, weak);
        }
        out.strong = curve(strong, axis, stop);
        keep_counts(out.strong, strong);
    } else {
        std::erase_if(axis.values, [&](double g) { return !keeps_plan(settings, g); });
        out.weak = curve(weak, axis, stop);
        // With another micro-batch it would be another plan, and the curve would jump up and down. Only where
        // a replica has less than one micro-batch, that is what it computes at a time.
        const double batch = settings[P::global_batch];
        const double micro_batch = settings[P::micro_batch];
        const double replica = gpus_per_replica(settings);
        Axis divides = axis;
        std::erase_if(divides.values, [&](double g) {
            const double share = batch / (g / replica);
            return share != std::floor(share) || (share > micro_batch && std::fmod(share, micro_batch) != 0);
        });
        // The usual counts may have few that divide the batch, such as 4,080 sequences.
        add_divisors(divides.values, settings, lowest, std::max(highest, out.gpus));
        if (!divides.values.empty()) out.strong = curve(strong, divides, stop);
        keep_plan(out.weak, weak);
        keep_plan(out.strong, strong);
    }

    // From the knee on every added GPU adds less than half of the throughput that each of the first ones has.
    // The search starts at the largest count, so that a single drop (at the first count beyond one node) is
    // not taken for the knee.
    constexpr double kHalf = 0.5;
    double first_share = 0;
    for (const CurvePoint& point : out.weak) {
        if (first_share == 0 && point.fits() && point.x >= out.node) first_share = point.tokens_per_s_per_gpu;
    }
    for (std::size_t i = out.weak.size(); i-- > 1;) {
        const CurvePoint& a = out.weak[i - 1];
        const CurvePoint& b = out.weak[i];
        if (!a.fits() || !b.fits() || a.x < out.node) break;
        const double marginal = (b.tokens_per_s - a.tokens_per_s) / (b.x - a.x);
        if (marginal >= kHalf * first_share) break;
        out.knee = b.x;
    }
    return out;
}

}  // namespace shardscope
