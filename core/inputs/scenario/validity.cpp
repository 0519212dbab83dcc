// Which combinations of values make sense, and what to say when they do not. One list of rules answers both
// `check` (with words) and `is_valid` (for inner loops): the words are made only when somebody listens.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "scenario/scenario.h"
#include "schedules/schedule.h"
#include "text/said.h"

namespace shardscope {
namespace {

std::string pointer(P id) {
    std::string out = "/" + std::string(parameter(id).key);
    std::ranges::replace(out, '.', '/');
    return out;
}

// What a scenario says of a list of operators that it does not have. A degree of one is none.
bool says_nothing(P id, const Scenario& scenario, const Settings& s) {
    if (!s.listed() || !scenario.given[index(id)] || bears(id, s)) return false;
    return parameter(id).group == Group::model ||
           (id == P::sequence_length && scenario.value[index(id)] != 1) ||
           ((id == P::sequence_parallel || id == P::async_tensor_parallel) && s.on(id));
}

// A fraction where a whole number belongs is shown as it is, not rounded into a riddle.
std::string quoted(P id, const Settings& s) {
    const bool broken = parameter(id).whole && s[id] != std::floor(s[id]);
    return said("{1} is {2}", {field_of(id), broken ? exact(s[id]) : format(id, s[id])});
}

bool divides(double part, double whole) { return part > 0 && std::fmod(whole, part) == 0; }

// A whole-number multiple of `step` below and above `value`.
std::string neighbours(double value, double step) {
    const double below = std::floor(value / step) * step;
    const double above = below + step;
    const std::string larger = format(above, Quantity::count);
    return below > 0 ? said("use {1} or {2}", {format(below, Quantity::count), larger})
                     : said("use {1}", {larger});
}

// The same of micro-batches, or what asks for no such number.
std::string neighbours_or(double value, double step, const std::string& instead) {
    const double below = std::floor(value / step) * step;
    const std::string larger = format(below + step, Quantity::count);
    return below > 0
               ? said("use {1} or {2} of them, or {3}", {format(below, Quantity::count), larger, instead})
               : said("use {1} of them, or {2}", {larger, instead});
}

// Values that follow from others are judged with them, in `combinations`, where the message can name the
// cause.
bool judged_by_its_cause(P id, const Settings& s) {
    if (s.origin(id) != Origin::derived) return false;
    return id == P::accumulation || id == P::global_batch || id == P::heads || id == P::kv_heads ||
           id == P::head_size;
}

// What nearly every value is found to be, without its row: loops ask this for every parameter of every point.
struct Bounds {
    double low, high;
    bool whole;
    bool optional = false;  // may be missing
};

// A row's named values when they are whole numbers in a row, or else nothing plain.
Bounds bounds_of_names(const Parameter& row) {
    for (std::size_t i = 0; i < row.names.size(); ++i) {
        if (row.names[i].value != static_cast<double>(i)) return {1, 0, true};
    }
    return {0, static_cast<double>(row.names.size()) - 1, true};
}

std::array<Bounds, kParameters> make_bounds() {
    std::array<Bounds, kParameters> out{};
    for (std::size_t i = 0; i < kParameters; ++i) {
        const Parameter& row = parameter(static_cast<P>(i));
        constexpr double kMost = 9e18;  // beyond it no integer holds a whole number
        if (row.named_only) out[i] = bounds_of_names(row);
        else if (row.maximum > kMost) out[i] = {1, 0, true};
        else out[i] = {row.minimum, row.maximum, row.whole};
        out[i].optional = row.optional || row.prominence == Prominence::file;
    }
    return out;
}

const std::array<Bounds, kParameters>& all_bounds() {
    static const std::array<Bounds, kParameters> all = make_bounds();
    return all;
}

bool is_plainly_in_range(const Bounds& bounds, double value) {
    if (!(value >= bounds.low && value <= bounds.high)) return bounds.optional && std::isnan(value);
    // Faster than to round down, which is a call.
    return !bounds.whole || static_cast<double>(static_cast<std::int64_t>(value)) == value;
}

// `report(id, words)` is called once for each broken rule; `words` makes the Problem.
template <typename Report>
void values_in_range(const Settings& s, Report&& report) {
    const std::array<Bounds, kParameters>& bounds = all_bounds();
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const double value = s[id];
        if (is_plainly_in_range(bounds[i], value)) continue;
        const Parameter& row = parameter(id);
        if (judged_by_its_cause(id, s)) continue;
        const auto is_named = [&](const Named& entry) { return entry.value == value; };
        if (std::ranges::any_of(row.names, is_named)) continue;
        if (std::isnan(value)) {
            report(id, [&] {
                if (id == P::peak_flops) {
                    return Problem{
                        "/training/precision",
                        said("the GPU has no peak for {1}", {format(P::precision, s[P::precision])}),
                        said("its data sheet names none"),
                        said("choose another precision or give cluster.gpu.peak_flops")};
                }
                return Problem{pointer(id), said("{1} is missing", {field_of(id)}),
                               said("no preset gives it"), said("set {1}", {row.key})};
            });
        } else if (row.named_only) {
            report(id, [&] {
                std::string names;
                for (const Named& entry : row.names)
                    names += std::string(names.empty() ? "" : ", ") + std::string(entry.name);
                return Problem{pointer(id), quoted(id, s), said("there is no such choice"),
                               said("use one of {1}", {names})};
            });
        } else if (!std::isfinite(value) || value < row.minimum || value > row.maximum) {
            report(id, [&] {
                const std::string least = format(id, row.minimum);
                const std::string most = format(id, row.maximum);
                return Problem{
                    pointer(id), quoted(id, s),
                    value < row.minimum ? said("must be at least {1}", {least})
                                        : said("must be at most {1}", {most}),
                    units_of(row.quantity).empty()
                        ? said("use a value from {1} to {2}", {least, most})
                        : said("use a value from {1} to {2}; a number without a unit is in SI units",
                               {least, most})};
            });
        } else if (row.whole && value != std::floor(value)) {
            report(id, [&] {
                return Problem{pointer(id), quoted(id, s), said("must be a whole number"),
                               neighbours(value, 1)};
            });
        }
    }
}

// What the schedule of a pipeline asks of the stages, the micro-batches and the sequence.
template <typename Broken>
void pipeline_schedule(const Settings& s, const Schedule& schedule, Broken&& broken) {
    const double stages = s[P::pipeline_parallel];
    if (!schedule.suits(stages, s[P::layers])) {
        broken(
            P::schedule,
            [&] {
                if (schedule.copies > 1 && std::fmod(stages, 2) != 0)
                    return said("it takes an even number of stages, not {1}",
                                {format(stages, Quantity::count)});
                return said("{1} stages do not cut {2} layers as it does",
                            {format(stages, Quantity::count), format(P::layers, s[P::layers])});
            },
            [&] {
                return said("use {1} for pipeline_parallel",
                            {format(P::pipeline_parallel, nearest_valid(P::pipeline_parallel, stages, s))});
            });
        return;
    }
    if (!cuts_whole_pieces(s, schedule)) {
        const bool causal = s.on(P::causal);
        broken(
            causal ? P::sequence_pieces : P::schedule,
            [&] {
                return causal ? said("with context_parallel {1} they do not divide the sequence of {2}",
                                     {format(P::context_parallel, s[P::context_parallel]),
                                      format(P::sequence_length, s[P::sequence_length])})
                              : said("it cuts sequences, and attention is not causal");
            },
            [&] { return causal ? said("use a divisor of it") : said("use {1}", {"1f1b"}); });
        return;
    }
    if (!takes_partition(schedule, s[P::virtual_stages], s)) {
        const Partition partition = partition_of(s);
        const P end = partition.first > 0 ? P::first_stage_layers : P::last_stage_layers;
        broken(
            end,
            [&] {
                if (!partition.deals(s[P::layers], stages))
                    return said(
                        "does not leave a layer for each of the {1} stages of {2} layers, or leaves some "
                        "over",
                        {format(stages, Quantity::count), format(P::layers, s[P::layers])});
                return s[P::virtual_stages] > 1 ? said("virtual stages are all alike")
                                                : said("the schedule needs stages alike");
            },
            [&] {
                if (stages == 2 && partition.first > 0 && partition.last > 0)
                    return said("use 0 for one of the two ends");
                const double near = nearest_valid(end, s[end], s);
                return near > 0 ? said("use {1}, or 0", {format(end, near)})
                                : said("use 0, or 1f1b without virtual stages");
            });
        return;
    }
    const double micro_batches = s[P::accumulation];
    if (micro_batches != std::floor(micro_batches)) return;  // judged with the batch
    const MicroBatchRule rule = micro_batch_rule(s);
    const auto there_are = [&] { return format(P::accumulation, micro_batches); };
    const auto instead = [&] {
        return s[P::virtual_stages] > 1 ? said("1 for virtual_stages") : std::string("1f1b");
    };
    if (micro_batches < rule.least) {
        broken(
            P::schedule,
            [&] {
                return said("the {1} micro-batches of a step are fewer than the {2} it needs",
                            {there_are(), format(rule.least, Quantity::count)});
            },
            [&] {
                return said("use {1} or more of them, or {2}",
                            {format(rule.least, Quantity::count), instead()});
            });
    } else if (!divides(rule.multiple, micro_batches)) {
        broken(
            P::schedule,
            [&] {
                return rule.multiple == stages
                           ? said("the {1} micro-batches of a step are not a multiple of the {2} stages",
                                  {there_are(), format(stages, Quantity::count)})
                           : said("the {1} micro-batches of a step are not a multiple of {2}",
                                  {there_are(), format(rule.multiple, Quantity::count)});
            },
            [&] { return neighbours_or(micro_batches, rule.multiple, instead()); });
    }
}

// Degrees of parallelism: what they must divide. False when nothing that follows can be judged.
template <typename Report>
bool parallelism(const Settings& s, Report&& report) {
    bool good = true;
    const auto broken = [&](P id, auto&& why, auto&& what_to_do) {
        good = false;
        report(id, [&] { return Problem{pointer(id), quoted(id, s), why(), what_to_do()}; });
    };
    const auto nearest_degree = [&](P id) {
        return [&s, id] { return said("use {1}", {format(id, nearest_valid(id, s[id], s))}); };
    };
    if (s.listed()) {
        for (const P id : {P::tensor_parallel, P::context_parallel, P::expert_parallel}) {
            if (s[id] > 1)
                broken(
                    id,
                    [] {
                        return said(
                            "the model is a list of operators, which only data and pipeline "
                            "parallelism share out");
                    },
                    [] { return said("use {1}", {"1"}); });
        }
        if (bears(P::image_size, s) && s[P::image_size] < 1) {
            broken(
                P::image_size, [] { return said("the model's feature maps follow it"); },
                [] { return said("use the side of an image in pixels, such as 224"); });
        }
        if (s[P::pipeline_parallel] > 1 && schedule_of(s.choice<ScheduleKind>(P::schedule)).cuts_sequences) {
            broken(
                P::schedule,
                [] { return said("the model is a list of operators: there is no sequence to cut"); },
                [] { return said("use {1}", {"1f1b"}); });
        }
        if (!good) return false;
    }
    const double tensor = s[P::tensor_parallel];
    const double model = tensor * s[P::context_parallel] * s[P::pipeline_parallel];
    if (!divides(model, s[P::gpus])) {
        broken(
            P::gpus,
            [&] {
                return said("not a multiple of tensor × context × pipeline parallel = {1}",
                            {format(model, Quantity::count)});
            },
            [&] { return neighbours(s[P::gpus], gpu_step(s, s[P::gpus])); });
        return false;
    }
    if (!divides(tensor, s[P::heads])) {
        broken(
            P::tensor_parallel,
            [&] { return said("does not divide the {1} heads", {format(P::heads, s[P::heads])}); },
            nearest_degree(P::tensor_parallel));
    } else if (!divides(tensor, s[P::ffn_size])) {
        broken(
            P::tensor_parallel,
            [&] {
                return said("does not divide the feed-forward size {1}",
                            {format(P::ffn_size, s[P::ffn_size])});
            },
            nearest_degree(P::tensor_parallel));
    }
    if (!divides(s[P::context_parallel], s[P::sequence_length])) {
        broken(
            P::context_parallel,
            [&] {
                return said("does not divide the sequence of {1}",
                            {format(P::sequence_length, s[P::sequence_length])});
            },
            nearest_degree(P::context_parallel));
    }
    const double stages = s[P::pipeline_parallel];
    const double pieces = s[P::virtual_stages];
    const Schedule& schedule = schedule_of(s.choice<ScheduleKind>(P::schedule));
    if (stages * pieces > s[P::layers]) {
        broken(
            pieces > 1 ? P::virtual_stages : P::pipeline_parallel,
            [&] { return said("more stages than the {1} layers", {format(P::layers, s[P::layers])}); },
            nearest_degree(pieces > 1 ? P::virtual_stages : P::pipeline_parallel));
    }
    if (pieces > 1 && stages <= 1) {
        broken(
            P::virtual_stages, [] { return said("there is one pipeline stage only"); },
            [] { return said("use 1, or more pipeline_parallel"); });
    } else if (pieces > 1 && !schedule.interleaves) {
        broken(
            P::schedule,
            [&] {
                return schedule.pieces ? said("it cuts the layers by itself")
                                       : said("it has no virtual stages");
            },
            [] { return said("use interleaved, or 1 for virtual_stages"); });
    } else if (stages > 1) {
        pipeline_schedule(s, schedule, broken);
    }
    const double experts = s[P::experts];
    const double expert_gpus = s[P::expert_parallel];
    if (experts > 0 && s[P::expert_ffn_size] > 0 && !divides(tensor, s[P::expert_ffn_size])) {
        broken(
            P::expert_ffn_size,
            [&] {
                return said("tensor_parallel {1} does not divide it", {format(P::tensor_parallel, tensor)});
            },
            [&] { return neighbours(s[P::expert_ffn_size], tensor); });
    }
    if (s[P::dense_layers] > s[P::layers]) {
        broken(
            P::dense_layers, [&] { return said("there are {1} layers", {format(P::layers, s[P::layers])}); },
            [&] { return said("use at most {1}", {format(P::layers, s[P::layers])}); });
    }
    if (s[P::kv_lora_rank] <= 0 &&
        (s[P::rope_head_size] > 0 || s[P::value_head_size] > 0 || s[P::q_lora_rank] > 0)) {
        const P id = s[P::q_lora_rank] > 0      ? P::q_lora_rank
                     : s[P::rope_head_size] > 0 ? P::rope_head_size
                                                : P::value_head_size;
        broken(
            id, [] { return said("it belongs to latent attention, and kv_lora_rank is 0"); },
            [] { return said("give kv_lora_rank, or leave it out"); });
    }
    if (s.choice<Offload>(P::offload) == Offload::optimizer_and_parameters &&
        s.choice<Sharding>(P::sharding) < Sharding::zero3) {
        broken(
            P::offload, [] { return said("only zero3 and hsdp bring weights from the host layer by layer"); },
            [] { return said("use optimizer, or sharding zero3"); });
    }
    if (experts > 0 && (s[P::experts_per_token] < 1 || s[P::experts_per_token] > experts)) {
        broken(
            P::experts_per_token,
            [&] { return said("there are {1} experts", {format(P::experts, experts)}); },
            [&] { return said("use 1 to {1}", {format(P::experts, experts)}); });
    }
    if (expert_gpus > 1 && experts <= 0) {
        broken(
            P::expert_parallel, [] { return said("the model has no experts"); },
            [] { return said("use {1}", {"1"}); });
    } else if (expert_gpus > 1 &&
               (!divides(expert_gpus, experts) || !divides(expert_gpus, sharing_gpus(s)))) {
        broken(
            P::expert_parallel,
            [&] {
                return said("must divide the {1} experts and the {2} GPUs that hold the same weights",
                            {format(P::experts, experts), format(sharing_gpus(s), Quantity::count)});
            },
            nearest_degree(P::expert_parallel));
    }
    return good;
}

template <typename Report>
void combinations(const Settings& s, Report&& report) {
    const double heads = s[P::heads];
    if (heads != std::floor(heads) || heads < 1) {
        report(P::hidden_size, [&] {
            return Problem{
                pointer(P::hidden_size), quoted(P::hidden_size, s),
                said("heads of size {1} do not divide it", {format(P::head_size, s[P::head_size])}),
                neighbours(s[P::hidden_size], s[P::head_size])};
        });
    } else if (s[P::head_size] != std::floor(s[P::head_size]) || s[P::head_size] < 1) {
        report(P::heads, [&] {
            return Problem{
                pointer(P::heads), quoted(P::heads, s),
                said("does not divide hidden_size {1}", {format(P::hidden_size, s[P::hidden_size])}),
                said("use a divisor of it, or give head_size")};
        });
    } else if (!divides(s[P::kv_heads], heads)) {
        report(P::kv_heads, [&] {
            return Problem{
                pointer(P::kv_heads), quoted(P::kv_heads, s),
                said("does not divide the {1} heads", {format(P::heads, heads)}),
                said("use {1}", {format(P::kv_heads, nearest_valid(P::kv_heads, s[P::kv_heads], s))})};
        });
    }

    const double gpus = s[P::gpus];
    const double node = s[P::gpus_per_node];
    if (gpus > node && !divides(node, gpus)) {
        report(P::gpus, [&] {
            return Problem{pointer(P::gpus), quoted(P::gpus, s),
                           said("not a multiple of the {1} GPUs of a node", {format(P::gpus_per_node, node)}),
                           neighbours(gpus, node)};
        });
        return;
    }
    if (!parallelism(s, report)) return;
    const double dp = data_parallel(s);
    const double sharers = state_sharers(s);
    if (s[P::shard_group] > 0 && !divides(s[P::shard_group], sharers)) {
        report(P::shard_group, [&] {
            return Problem{pointer(P::shard_group), quoted(P::shard_group, s),
                           said("does not divide the {1} GPUs that hold the same weights",
                                {format(sharers, Quantity::count)}),
                           said("use {1}", {format(P::shard_group,
                                                   nearest_valid(P::shard_group, s[P::shard_group], s))})};
        });
    }
    const double accumulation = s[P::accumulation];
    if (accumulation != std::floor(accumulation) || accumulation < 1) {
        report(P::global_batch, [&] {
            const double group = micro_batch_rule(s).multiple;
            const double step = dp * s[P::micro_batch] * group;
            if (s.origin(P::global_batch) != Origin::given) {
                return Problem{
                    pointer(P::accumulation), quoted(P::accumulation, s), said("must be a whole number"), {}};
            }
            const std::string_view product =
                group <= 1 ? phrase("not a multiple of data-parallel GPUs × micro-batch = {1} × {2}")
                : group == s[P::pipeline_parallel]
                    ? phrase("not a multiple of data-parallel GPUs × micro-batch × stages = {1} × {2} × {3}")
                    : phrase(
                          "not a multiple of data-parallel GPUs × micro-batch × the schedule’s group = "
                          "{1} × {2} × {3}");
            return Problem{
                pointer(P::global_batch), quoted(P::global_batch, s),
                said(product, {format(dp, Quantity::count), format(P::micro_batch, s[P::micro_batch]),
                               format(group, Quantity::count)}),
                neighbours(s[P::global_batch], step)};
        });
    }
}

// What is wrong with a scenario that its settings do not show: values of a model that it does not have, and
// what cannot be automatic.
template <typename Report>
void beyond_settings(const Scenario& scenario, const Settings& settings, Report&& report) {
    if (!settings.listed() && scenario.automatic.none() && !scenario.given[index(P::image_size)]) return;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (says_nothing(id, scenario, settings)) {
            report(id, [&] {
                return Problem{pointer(id), said("{1} is given", {field_of(id)}),
                               said("the model is a list of operators"), said("leave it out")};
            });
        } else if (id == P::image_size && scenario.given[i] && !bears(id, settings)) {
            report(id, [&] {
                return Problem{pointer(id), said("{1} is given", {field_of(id)}),
                               said("no feature map of the model follows an image"), said("leave it out")};
            });
        }
        if (scenario.automatic[i] && !parameter(id).plan) {
            report(id, [&] {
                return Problem{"/training/auto", said("“{1}” cannot be automatic", {field_of(id)}),
                               said("it is no choice of the training plan"), said("leave it out")};
            });
        }
    }
}

}  // namespace

Problems check(const Scenario& scenario, const Settings& settings) {
    Problems problems;
    const auto collect = [&](P, auto&& words) { problems.push_back(words()); };
    values_in_range(settings, collect);
    if (problems.empty()) combinations(settings, collect);
    beyond_settings(scenario, settings, collect);
    return problems;
}

bool is_valid(const Scenario& scenario, const Settings& settings) {
    bool valid = is_valid(settings);
    if (valid) beyond_settings(scenario, settings, [&](P, auto&&) { valid = false; });
    return valid;
}

bool is_valid(const Settings& settings) {
    bool valid = true;
    const auto note = [&](P, auto&&) { valid = false; };
    values_in_range(settings, note);
    if (valid) combinations(settings, note);
    return valid;
}

}  // namespace shardscope
