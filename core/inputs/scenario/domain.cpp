#include "scenario/domain.h"

#include <algorithm>
#include <cmath>

#include "scenario/constraint.h"
#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"
#include "schedules/schedule.h"

namespace shardscope {
namespace {

// Adds 1, 2, 3, 4, 6, 8, 12, … times `unit`: two stops per octave.
void add_octaves(std::vector<double>& stops, double unit, double high) {
    for (double factor = 1; unit * factor <= high; factor *= 2) {
        stops.push_back(unit * factor);
        if (factor >= 2 && unit * factor * 1.5 <= high) stops.push_back(unit * factor * 1.5);
    }
}

// Returns the powers of two below the size of a node, multiples of a node, and multiples of the fewest nodes
// that hold whole replicas. A job that uses only some GPUs of each node also has multiples of those.
std::vector<double> gpu_counts(const Settings& s, double high) {
    const double node = s[P::gpus_per_node];
    std::vector<double> out;
    for (double gpus = 1; gpus < node; gpus *= 2) out.push_back(gpus);
    for (const double unit : {node, s[P::gpus_used_per_node]}) {
        add_octaves(out, unit, high);
        add_octaves(out, least_common_multiple(gpus_per_replica(s), unit), high);
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// Returns the end of the slider: for more GPUs than it usually has, a multiple of the usual one that leaves
// room above them.
double most_on_slider(P id, const Settings& s) {
    double most = parameter(id).slider_high;
    if (id != P::gpus) return most;
    while (most < s[id] && most < parameter(id).maximum) most *= 4;
    return most;
}

// Returns every number up to 8, then four to eight numbers per octave.
std::vector<double> micro_batch_sizes(double high) {
    std::vector<double> out;
    for (int size = 1; size <= 8; ++size) out.push_back(size);
    for (double size = 10; size <= high;) {
        out.push_back(size);
        size = std::floor(size + std::pow(2.0, std::floor(std::log2(size)) - 2));
    }
    return out;
}

// Returns the positions of the slider, valid or not, if it does not offer every valid value; else an empty
// list.
std::vector<double> usual_values(P id, const Settings& s, const ValidValues& valid, double high) {
    std::vector<double> out;
    switch (id) {
        case P::gpus: return gpu_counts(s, high);
        case P::heads:
        case P::head_size: return divisors(s[P::heads] * s[P::head_size], high);
        case P::micro_batch: return valid.list() ? out : micro_batch_sizes(high);
        case P::accumulation:
            if (!valid.list()) add_octaves(out, valid.step(), high);
            return out;
        case P::recompute: return {0, kRecomputeSelective, 0.25, 0.5, 0.75, 1};
        case P::gpus_per_node: return {1, 2, 4, 8, 16, 32, 36, 64, 72};
        default: return out;
    }
}

// Returns the value nearest to `value` of those that `valid_up_to(most)` returns, or that have a name.
template <typename ValidUpTo>
double nearest(P id, double value, ValidUpTo&& valid_up_to) {
    const Parameter& row = parameter(id);
    if (is_named(row, value) && !row.named_only) return value;
    return valid_up_to(row.maximum).nearest(row.whole ? std::round(value) : value);
}

}  // namespace

bool applies_to(P id, const Settings& s) {
    const ListedModel* listed = s.listed();
    if (id == P::image_size) return listed && listed->has_image();
    if (!listed) return true;
    return parameter(id).group != Group::model && !parameter(id).transformer_only;
}

Domain domain(P id, const Settings& s) {
    const Parameter& row = parameter(id);
    if (!applies_to(id, s)) return {s[id], s[id], 0, {s[id]}};
    const double most = most_on_slider(id, s);
    const ValidValues valid = valid_values(id, s, most);
    Domain d{std::max(row.slider_low, valid.low()), std::min(row.slider_high, valid.high()), valid.step(),
             usual_values(id, s, valid, most)};
    if (d.stops.empty()) {
        if (valid.list()) {
            d.stops = *valid.list();
            std::erase_if(d.stops, [&](double value) { return !valid.contains(value); });
        }
    } else {
        std::erase_if(d.stops, [&](double value) { return !valid.contains(value) && !is_named(row, value); });
        if (d.stops.empty()) d.stops = {id == P::accumulation ? valid.nearest(1) : s[id]};
        // The usual counts may leave out all others that are valid.
        if (id == P::gpus && d.stops.size() == 1 && valid.list()) {
            d.stops = *valid.list();
            std::erase_if(d.stops, [&](double value) { return !valid.contains(value); });
        }
    }
    switch (id) {
        case P::gpus:
            // Each pipeline needs the micro-batches that its schedule requires.
            if (valid.list() && d.stops.size() > 1) {
                const double samples = s[P::global_batch] * gpus_per_replica(s);
                std::erase_if(d.stops, [&, fewest = micro_batch_rule(s).fewest()](double value) {
                    return value != s[id] && value * fewest > samples;
                });
            }
            break;
        case P::sequence_length:
        case P::vocab_size: d.step = least_common_multiple(d.step, 64); break;
        case P::global_batch:
            d.low = d.step;
            d.high = std::max(d.step * 256, s[id]);
            break;
        case P::first_stage_layers:
        case P::last_stage_layers:
            if (d.high == 0) d.stops = {0};
            break;
        default: break;
    }
    if (!d.stops.empty()) {
        d.low = d.stops.front();
        d.high = d.stops.back();
    }
    return d;
}

double nearest_in_range(P id, double value) {
    return nearest(id, value, [&](double most) { return ValidValues(id, most); });
}

double nearest_valid(P id, double value, const Settings& s) {
    if (std::isnan(value) || !applies_to(id, s)) return s[id];
    return nearest(id, value, [&](double most) { return valid_values(id, s, most); });
}

}  // namespace shardscope
