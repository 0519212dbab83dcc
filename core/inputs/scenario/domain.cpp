#include "scenario/domain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"
#include "schedules/schedule.h"

namespace shardscope {
namespace {

// 1, 2, 3, 4, 6, 8, 12, … : two stops an octave.
void add_octaves(std::vector<double>& stops, double unit, double high) {
    for (double factor = 1; unit * factor <= high; factor *= 2) {
        stops.push_back(unit * factor);
        if (factor >= 2 && unit * factor * 1.5 <= high) stops.push_back(unit * factor * 1.5);
    }
}

// Values come here before anybody has checked them: those beyond what is exact in a double become the nearest
// that is.
long long integer(double value) {
    constexpr long long kMost = 1LL << 53;
    return value >= static_cast<double>(kMost) ? kMost : value > 0 ? static_cast<long long>(value) : 0;
}

double least_common_multiple(double a, double b) {
    const long long x = integer(a);
    const long long y = integer(b);
    if (x <= 0 || y <= 0) return 0;
    const long long factor = x / std::gcd(x, y);  // exact
    return static_cast<double>(factor) * static_cast<double>(y);
}

std::vector<double> divisors(double number, double most) {
    std::vector<double> out;
    const long long n = integer(number);
    // Divisors beyond `most` are not wanted, so a pair whose smaller half is beyond it need not be looked
    // for.
    const double last = std::min(std::sqrt(number), most);
    for (long long d = 1; static_cast<double>(d) <= last; ++d) {
        if (n % d != 0) continue;
        const long long other = n / d;
        out.push_back(static_cast<double>(d));
        if (d != other) out.push_back(static_cast<double>(other));
    }
    std::ranges::sort(out);
    std::erase_if(out, [&](double d) { return d > most; });
    return out;
}

bool holds_global_batch(const Settings& s) { return s.origin(P::global_batch) == Origin::given; }

// The width that one head (or one group of query heads that share a key head) takes, times the GPUs that
// share the heads out; where the number of heads is given, the width that one element of head size takes.
double width_step(const Settings& s) {
    const bool heads_given = s.origin(P::heads) == Origin::given;
    if (heads_given && s.origin(P::head_size) == Origin::given) return 1;  // the two stand on their own
    const double kv = s[P::kv_heads];
    double group = 1;
    if (!heads_given) {
        group = least_common_multiple(kv != s[P::heads] ? kv : 1, std::max(1.0, s[P::tensor_parallel]));
    }
    const double step = s[P::hidden_size] / (heads_given ? s[P::head_size] : s[P::heads]) * group;
    return step == std::floor(step) ? step : 1;
}

// Width of all query heads together, which their number and their size share out.
double query_width(const Settings& s) { return s[P::heads] * s[P::head_size]; }

// Schedules may take their micro-batches in groups of as many as there are stages.
double micro_batch_group(const Settings& s) { return micro_batch_rule(s).multiple; }
// The least number of them, a whole number of groups.
double fewest_micro_batches(const Settings& s) {
    const MicroBatchRule rule = micro_batch_rule(s);
    return std::ceil(rule.least / rule.multiple) * rule.multiple;
}

// Sizes of a micro-batch, and numbers of them, that divide what each GPU has of a held global batch.
std::vector<double> micro_batch_stops(const Settings& s, double most) {
    const double each = s[P::global_batch] / data_parallel(s);
    return divisors(each / micro_batch_group(s), std::min(most, each / fewest_micro_batches(s)));
}
std::vector<double> accumulation_stops(const Settings& s, double most) {
    const double group = micro_batch_group(s);
    std::vector<double> out = divisors(s[P::global_batch] / data_parallel(s) / group, most / group);
    for (double& count : out) count *= group;
    std::erase_if(out, [&](double count) { return count < fewest_micro_batches(s); });
    return out;
}

// Numbers of query heads, and their sizes, that fill the width and that tensor parallelism divides.
std::vector<double> head_stops(const Settings& s, double most) {
    std::vector<double> out = divisors(query_width(s), most);
    std::erase_if(out, [&](double heads) { return std::fmod(heads, s[P::tensor_parallel]) != 0; });
    return out;
}
std::vector<double> head_size_stops(const Settings& s, double most) {
    std::vector<double> out = divisors(query_width(s), most);
    std::erase_if(out, [&](double d) { return std::fmod(query_width(s) / d, s[P::tensor_parallel]) != 0; });
    return out;
}

// Degrees that divide what each copy of the model leaves of the GPUs, and what `also` says.
std::vector<double> degrees(const Settings& s, P id, double most, bool (*also)(const Settings&, double)) {
    std::vector<double> out = divisors(s[P::gpus] * s[id] / model_gpus(s), most);
    std::erase_if(out, [&](double d) { return !also(s, d); });
    return out;
}

bool divides_tensor(const Settings& s, double d) {
    const bool experts = s[P::experts] <= 0 || std::fmod(s[P::expert_ffn_size], d) == 0;
    return std::fmod(s[P::heads], d) == 0 && std::fmod(s[P::ffn_size], d) == 0 && experts;
}
bool divides_sequence(const Settings& s, double d) { return std::fmod(s[P::sequence_length], d) == 0; }
bool cuts_layers(const Settings& s, double d) {
    const Schedule& schedule = schedule_of(s.choice<ScheduleKind>(P::schedule));
    return d * s[P::virtual_stages] <= s[P::layers] && (d <= 1 || schedule.suits(d, s[P::layers]));
}

// The most layers an end of the pipeline can be given, so that every other stage keeps one; 0 where it cannot
// be given any.
double most_end_layers(P id, const Settings& s) {
    const Schedule& schedule = schedule_of(s.choice<ScheduleKind>(P::schedule));
    const double stages = s[P::pipeline_parallel];
    if (stages <= 1 || s[P::virtual_stages] > 1 || schedule.pieces || schedule.copies > 1) return 0;
    const double other = s[id == P::first_stage_layers ? P::last_stage_layers : P::first_stage_layers];
    return std::max(0.0, s[P::layers] - std::max(other, 1.0) - (stages - 2));
}

// Valid values of the degrees of parallelism; empty where `id` is none.
std::vector<double> degree_stops(P id, const Settings& s, double most) {
    switch (id) {
        case P::tensor_parallel: return degrees(s, id, most, divides_tensor);
        case P::context_parallel: return degrees(s, id, most, divides_sequence);
        case P::pipeline_parallel: return degrees(s, id, most, cuts_layers);
        case P::expert_parallel: {
            if (s[P::experts] <= 0) return {1};
            std::vector<double> out = divisors(s[P::experts], most);
            std::erase_if(out, [&](double e) { return std::fmod(sharing_gpus(s), e) != 0; });
            return out;
        }
        case P::virtual_stages: {
            if (s[P::pipeline_parallel] <= 1) return {1};
            std::vector<double> out = divisors(std::floor(s[P::layers] / s[P::pipeline_parallel]), most);
            return out;
        }
        default: return {};
    }
}

}  // namespace

double gpu_step(const Settings& s, double gpus) {
    const double model = model_gpus(s);
    const double node = s[P::gpus_per_node];
    return gpus > node ? least_common_multiple(model, node) : model;
}

bool bears(P id, const Settings& s) {
    const ListedModel* listed = s.listed();
    if (id == P::image_size) return listed && listed->has_image();
    if (!listed) return true;
    switch (id) {
        case P::sequence_length:
        case P::tensor_parallel:
        case P::sequence_parallel:
        case P::async_tensor_parallel:
        case P::context_parallel:
        case P::expert_parallel:
        case P::attention:
        case P::sequence_pieces: return false;
        default: return parameter(id).group != Group::model;
    }
}

Domain domain(P id, const Settings& s) {
    const Parameter& row = parameter(id);
    if (!bears(id, s)) return {s[id], s[id], 0, {s[id]}};
    Domain d{row.slider_low, row.slider_high, row.whole ? 1.0 : 0.0, {}};
    switch (id) {
        case P::gpus: {
            const double node = s[P::gpus_per_node];
            for (double g = 1; g < node; g *= 2) d.stops.push_back(g);
            add_octaves(d.stops, node, std::max(row.slider_high, s[P::gpus]));
            std::erase_if(d.stops, [&](double g) { return std::fmod(g, model_gpus(s)) != 0; });
            if (d.stops.empty()) d.stops.push_back(s[P::gpus]);
            if (holds_global_batch(s)) {
                const double held = s[P::global_batch] / micro_batch_group(s);
                std::erase_if(d.stops, [&](double g) { return std::fmod(held, g / model_gpus(s)) != 0; });
            }
            break;
        }
        case P::hidden_size: d.step = std::max(1.0, width_step(s)); break;
        case P::heads: d.stops = head_stops(s, row.slider_high); break;
        case P::ffn_size: d.step = std::max(1.0, s[P::tensor_parallel]); break;
        case P::kv_heads: d.stops = divisors(s[P::heads], row.slider_high); break;
        case P::micro_batch:
            if (holds_global_batch(s)) {
                d.stops = micro_batch_stops(s, row.slider_high);
            } else {
                for (int b = 1; b <= 8; ++b) d.stops.push_back(b);
                for (double b = 10; b <= row.slider_high;) {
                    d.stops.push_back(b);
                    b += std::pow(2.0, std::floor(std::log2(b)) - 2);
                    b = std::floor(b);
                }
            }
            break;
        case P::accumulation:
            if (holds_global_batch(s)) {
                d.stops = accumulation_stops(s, row.slider_high);
            } else {
                add_octaves(d.stops, micro_batch_group(s), row.slider_high);
                std::erase_if(d.stops, [&](double m) { return m < fewest_micro_batches(s); });
                if (d.stops.empty()) d.stops.push_back(fewest_micro_batches(s));
            }
            break;
        case P::global_batch: {
            d.step = data_parallel(s) * s[P::micro_batch] * micro_batch_group(s);
            d.low = d.step;
            d.high = std::max(d.step * 256, s[P::global_batch]);
            break;
        }
        case P::shard_group:
            d.stops = divisors(state_sharers(s), row.slider_high);
            d.stops.insert(d.stops.begin(), 0);
            break;
        case P::tensor_parallel:
        case P::context_parallel:
        case P::pipeline_parallel:
        case P::expert_parallel:
        case P::virtual_stages: d.stops = degree_stops(id, s, row.slider_high); break;
        case P::first_stage_layers:
        case P::last_stage_layers:
            d.high = most_end_layers(id, s);
            if (d.high == 0) d.stops = {0};
            break;
        case P::sequence_length: d.step = std::max(64.0, s[P::context_parallel]); break;
        case P::vocab_size: d.step = 64; break;
        case P::recompute: d.stops = {0, kRecomputeSelective, 0.25, 0.5, 0.75, 1}; break;
        case P::gpus_per_node: d.stops = {1, 2, 4, 8, 16, 32, 36, 64, 72}; break;
        case P::head_size: d.stops = head_size_stops(s, row.slider_high); break;
        default:
            if (row.named_only) {
                d.step = 0;
                for (const Named& named : row.names) d.stops.push_back(named.value);
                if (id == P::precision) {
                    std::erase_if(d.stops, [&](double v) {
                        return std::isnan(s[peak_of(static_cast<Precision>(static_cast<int>(v)))]);
                    });
                }
            }
            break;
    }
    if (!d.stops.empty()) {
        d.low = d.stops.front();
        d.high = d.stops.back();
    }
    return d;
}

double nearest_valid(P id, double value, const Settings& s) {
    const Parameter& row = parameter(id);
    if (std::isnan(value) || !bears(id, s)) return s[id];
    const auto nearest_of = [&](const std::vector<double>& stops) {
        double best = stops.empty() ? value : stops.front();
        for (const double stop : stops) {
            const bool nearer = row.logarithmic && stop > 0 && value > 0
                                    ? std::fabs(std::log(stop / value)) < std::fabs(std::log(best / value))
                                    : std::fabs(stop - value) < std::fabs(best - value);
            if (nearer) best = stop;
        }
        return best;
    };
    for (const Named& named : row.names) {
        if (named.value == value) return value;
    }
    if (row.named_only) return nearest_of(domain(id, s).stops);
    const double limit = row.maximum;
    value = std::clamp(value, row.minimum, limit);
    if (row.whole) value = std::max(std::ceil(row.minimum), std::round(value));

    switch (id) {
        case P::gpus: {
            const double model = model_gpus(s);
            if (holds_global_batch(s)) {
                const double node = s[P::gpus_per_node];
                std::vector<double> good = divisors(s[P::global_batch] / micro_batch_group(s), limit / model);
                for (double& g : good) g *= model;
                std::erase_if(good, [&](double g) { return g > node && std::fmod(g, node) != 0; });
                return nearest_of(good);
            }
            const double step = gpu_step(s, value);
            return std::max(step, std::round(value / step) * step);
        }
        case P::tensor_parallel:
        case P::context_parallel:
        case P::pipeline_parallel:
        case P::expert_parallel:
        case P::virtual_stages: return nearest_of(degree_stops(id, s, limit));
        case P::sequence_length: {
            const double step = s[P::context_parallel];
            return std::max(step, std::round(value / step) * step);
        }
        case P::hidden_size: {
            const double step = std::max(1.0, width_step(s));
            return std::max(step, std::round(value / step) * step);
        }
        case P::micro_batch: return holds_global_batch(s) ? nearest_of(micro_batch_stops(s, limit)) : value;
        case P::accumulation: {
            if (holds_global_batch(s)) return nearest_of(accumulation_stops(s, limit));
            const double step = micro_batch_group(s);
            return std::max(fewest_micro_batches(s), std::round(value / step) * step);
        }
        case P::global_batch: {
            const double step = data_parallel(s) * s[P::micro_batch] * micro_batch_group(s);
            return std::max(step, std::round(value / step) * step);
        }
        case P::ffn_size: {
            const double step = s[P::tensor_parallel];
            return std::max(step, std::round(value / step) * step);
        }
        case P::heads: {
            if (s.origin(P::head_size) != Origin::given) return nearest_of(head_stops(s, limit));
            const double step = s[P::tensor_parallel];
            return std::max(step, std::round(value / step) * step);
        }
        case P::head_size:
            return s.origin(P::heads) == Origin::given ? value : nearest_of(head_size_stops(s, limit));
        case P::kv_heads: return nearest_of(divisors(s[P::heads], limit));
        case P::shard_group: return value == 0 ? 0 : nearest_of(divisors(state_sharers(s), limit));
        case P::first_stage_layers:
        case P::last_stage_layers: {
            const double most = most_end_layers(id, s);
            // Two stages share out all layers.
            const P other = id == P::first_stage_layers ? P::last_stage_layers : P::first_stage_layers;
            if (most > 0 && s[P::pipeline_parallel] == 2 && s[other] > 0)
                return nearest_of({0, s[P::layers] - s[other]});
            return std::min(value, most);
        }
        default: return value;
    }
}

}  // namespace shardscope
