// Constraints on how the batch of an optimizer step is split among data-parallel GPUs and into micro-batches.
#include <cmath>

#include "scenario/constraint.h"
#include "scenario/gpu_groups.h"
#include "scenario/problem_text.h"
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using Level = Constraint::Level;

bool global_batch_is_held(const Settings& s) { return s.origin(P::global_batch) == Origin::given; }

constexpr P kBatchParameters[] = {P::micro_batch, P::accumulation, P::global_batch, P::gpus};

// ---- Whole micro-batches ----------------------------------------------------------------------------------

bool micro_batches_are_whole(const Settings& s) {
    return s[P::accumulation] >= 1 && s[P::accumulation] == std::floor(s[P::accumulation]);
}

Problem micro_batches_not_whole(const Settings& s) {
    if (!global_batch_is_held(s))
        return value_problem(P::accumulation, s, translate("must be a whole number"),
                             suggest_multiples(s[P::accumulation], 1));
    const double gpus = data_parallel(s);
    const double group = micro_batch_rule(s).multiple;
    const std::string_view product =
        group <= 1 ? translatable("not a multiple of data-parallel GPUs × micro-batch = {1} × {2}")
        : group == s[P::pipeline_parallel]
            ? translatable("not a multiple of data-parallel GPUs × micro-batch × stages = {1} × {2} × {3}")
            : translatable(
                  "not a multiple of data-parallel GPUs × micro-batch × the schedule’s group = "
                  "{1} × {2} × {3}");
    return value_problem(
        P::global_batch, s,
        translate(product, {count_text(gpus), format(P::micro_batch, s[P::micro_batch]), count_text(group)}),
        suggest_multiples(s[P::global_batch], gpus * s[P::micro_batch] * group));
}

// ---- Numbers of micro-batches that the schedule supports --------------------------------------------------

bool schedule_supports_micro_batches(const Settings& s) {
    return !micro_batches_are_whole(s) || micro_batch_rule(s).allows(s[P::accumulation]);
}

Problem schedule_does_not_support_micro_batches(const Settings& s) {
    const MicroBatchRule rule = micro_batch_rule(s);
    const std::string there_are = format(P::accumulation, s[P::accumulation]);
    const std::string instead =
        s[P::virtual_stages] > 1 ? translate("1 for virtual stages") : std::string("1F1B");
    if (s[P::accumulation] < rule.least) {
        return value_problem(P::schedule, s,
                             translate("the {1} micro-batches of a step are fewer than the {2} it needs",
                                       {there_are, count_text(rule.least)}),
                             translate("use {1} or more of them, or {2}", {count_text(rule.least), instead}));
    }
    return value_problem(
        P::schedule, s,
        rule.multiple == s[P::pipeline_parallel]
            ? translate("the {1} micro-batches of a step are not a multiple of the {2} stages",
                        {there_are, count_text(rule.multiple)})
            : translate("the {1} micro-batches of a step are not a multiple of {2}",
                        {there_are, count_text(rule.multiple)}),
        suggest_multiples_or(s[P::accumulation], rule.multiple, instead));
}

// Narrows the values by both rules: the micro-batches come in whole groups, and there is a least number of
// them.
void keep_batch_split(P id, const Settings& s, ValidValues& values) {
    const MicroBatchRule rule = micro_batch_rule(s);
    const double fewest = rule.fewest();
    const double each = s[P::global_batch] / data_parallel(s);  // samples per data-parallel rank
    if (id == P::global_batch) {
        values.multiples_of(data_parallel(s) * s[P::micro_batch] * rule.multiple);
    } else if (id == P::accumulation && !global_batch_is_held(s)) {
        values.multiples_of(rule.multiple);
        values.at_least(fewest);
    } else if (!global_batch_is_held(s)) {
        return;  // the global batch follows
    } else if (id == P::gpus) {
        const double model = gpus_per_replica(s);
        std::vector<double> gpus = divisors(s[P::global_batch] / rule.multiple, values.most() / model);
        for (double& count : gpus) count *= model;
        values.among(std::move(gpus));
    } else if (id == P::accumulation) {
        std::vector<double> counts = divisors(each / rule.multiple, values.most() / rule.multiple);
        for (double& count : counts) count *= rule.multiple;
        values.among(std::move(counts));
        values.keep_if([&](double count) { return count >= fewest; });
    } else {
        values.divisors_of(each / rule.multiple);
        values.keep_if([&](double size) { return size <= each / fewest; });
    }
}

// ---- The group over which the model states are sharded ----------------------------------------------------

constexpr P kShardGroup[] = {P::shard_group};

bool shard_group_divides(const Settings& s) {
    return s[P::shard_group] <= 0 || divides(s[P::shard_group], max_shard_group(s));
}

Problem shard_group_does_not_divide(const Settings& s) {
    return value_problem(P::shard_group, s,
                         translate("does not divide the {1} GPUs that hold the same weights",
                                   {count_text(max_shard_group(s))}),
                         suggest_nearest(P::shard_group, s));
}

constexpr Constraint kBatchConstraints[] = {
    {.level = Level::batch,
     .parameters = kShardGroup,
     .holds = shard_group_divides,
     .problem = shard_group_does_not_divide,
     .narrow =
         [](P, const Settings& s, ValidValues& values) {
             values.divisors_of(max_shard_group(s));
             values.add(0);  // all of them
         }},
    {.level = Level::batch,
     .holds = schedule_supports_micro_batches,
     .problem = schedule_does_not_support_micro_batches},
    {.level = Level::batch,
     .parameters = kBatchParameters,
     .holds = micro_batches_are_whole,
     .problem = micro_batches_not_whole,
     .narrow = keep_batch_split},
};

}  // namespace

std::span<const Constraint> batch_constraints() { return kBatchConstraints; }

}  // namespace shardscope
