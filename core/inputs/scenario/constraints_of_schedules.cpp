// Constraints of pipelines and their schedules on the stages, the layers and the sequence.
#include <algorithm>
#include <cmath>

#include "scenario/constraint.h"
#include "scenario/domain.h"
#include "scenario/problem_text.h"
#include "schedules/pipeline_layout.h"
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using Level = Constraint::Level;

// ---- Stages -----------------------------------------------------------------------------------------------

constexpr P kStageParameters[] = {P::pipeline_parallel, P::virtual_stages};

Problem stages_without_layers(const Settings& s) {
    const P id = s[P::virtual_stages] > 1 ? P::virtual_stages : P::pipeline_parallel;
    return value_problem(id, s,
                         translate("more stages than the {1} layers", {format(P::layers, s[P::layers])}),
                         suggest_nearest(id, s));
}

void keep_layers_for_stages(P id, const Settings& s, ValidValues& values) {
    if (id == P::pipeline_parallel) {
        values.keep_if([other = s](double stages) mutable {
            other.set(P::pipeline_parallel, stages, Origin::given);
            return stages_have_layers(other);
        });
        return;
    }
    // The numbers that divide the layers of a stage, so that each virtual stage has at least one. The
    // embedding and the head may count as a layer each.
    const double stages = s[P::pipeline_parallel];
    values.divisors_of(std::floor(s[P::layers] / stages));
    if (!divides(stages, s[P::layers] + 2)) return;
    for (const double count : divisors((s[P::layers] + 2) / stages, values.most())) {
        if (!values.contains(count)) values.add(count);
    }
}

// ---- Virtual stages ---------------------------------------------------------------------------------------

constexpr P kVirtualStages[] = {P::virtual_stages};

bool virtual_stages_have_a_pipeline(const Settings& s) {
    return s[P::virtual_stages] <= 1 || s[P::pipeline_parallel] > 1;
}

Problem schedule_without_virtual_stages(const Settings& s) {
    return value_problem(P::schedule, s,
                         schedule_of(s).fixed_virtual_stages
                             ? translate("it sets the number of virtual stages itself")
                             : translate("it has no virtual stages"),
                         translate("use interleaved, or 1 for virtual stages"));
}

// ---- Schedules with a fixed number of virtual stages ------------------------------------------------------

constexpr P kPipelineParallel[] = {P::pipeline_parallel};

Problem schedule_does_not_split_layers(const Settings& s) {
    const std::string stages = count_text(s[P::pipeline_parallel]);
    const bool odd = schedule_of(s).weight_copies > 1 && std::fmod(s[P::pipeline_parallel], 2) != 0;
    return value_problem(
        P::schedule, s,
        odd ? translate("it needs an even number of stages, not {1}", {stages})
            : translate("it cannot split {2} layers into {1} stages",
                        {stages, format(P::layers, s[P::layers])}),
        translate(
            "use {1} pipeline stages",
            {format(P::pipeline_parallel, nearest_valid(P::pipeline_parallel, s[P::pipeline_parallel], s))}));
}

void keep_layers_splittable(P, const Settings& s, ValidValues& values) {
    const Schedule& schedule = schedule_of(s);
    values.keep_if([&](double stages) { return stages <= 1 || schedule.can_split(stages, s[P::layers]); });
}

// ---- Sequence chunks of the schedule ----------------------------------------------------------------------

constexpr P kSequenceChunks[] = {P::sequence_pieces};

void keep_sequence_split(P, const Settings& s, ValidValues& values) {
    if (schedule_of(s).splits_sequences && s[P::pipeline_parallel] > 1)
        values.divisors_of(s[P::sequence_length] / s[P::context_parallel]);
}

Problem schedule_does_not_split_sequence(const Settings& s) {
    if (!s.on(P::causal)) {
        return value_problem(P::schedule, s,
                             translate("it splits sequences, which requires causal attention"),
                             translate("use {1}", {"1F1B"}));
    }
    return value_problem(P::sequence_pieces, s,
                         translate("with context parallel {1} this does not divide the sequence of {2}",
                                   {format(P::context_parallel, s[P::context_parallel]),
                                    format(P::sequence_length, s[P::sequence_length])}),
                         translate("use a divisor of it"));
}

// ---- Layers of the first and the last stage ---------------------------------------------------------------

constexpr P kEnds[] = {P::first_stage_layers, P::last_stage_layers};

P other_end(P end) { return end == P::first_stage_layers ? P::last_stage_layers : P::first_stage_layers; }

Problem schedule_does_not_support_partition(const Settings& s) {
    const double stages = s[P::pipeline_parallel];
    const Partition partition = partition_of(s);
    const P end = partition.first > 0 ? P::first_stage_layers : P::last_stage_layers;
    const std::string why = !partition.is_feasible(s[P::layers], stages)
                                ? translate("leaves no valid split of the {2} layers into {1} stages",
                                            {count_text(stages), format(P::layers, s[P::layers])})
                            : s[P::virtual_stages] > 1
                                ? translate("virtual stages must have equal numbers of layers")
                                : translate("the schedule requires stages with equal numbers of layers");
    if (stages == 2 && partition.first > 0 && partition.last > 0)
        return value_problem(end, s, why, translate("use 0 for one of the two ends"));
    const double near = nearest_valid(end, s[end], s);
    return value_problem(end, s, why,
                         near > 0 ? translate("use {1}, or 0", {format(end, near)})
                                  : translate("use 0, or 1F1B without virtual stages"));
}

void keep_partition_possible(P end, const Settings& s, ValidValues& values) {
    const double stages = s[P::pipeline_parallel];
    if (stages <= 1 || s[P::virtual_stages] > 1 || !schedule_of(s).supports_uneven_stages()) {
        values.at_most(0);
        return;
    }
    const double other = s[other_end(end)];
    // Every other stage keeps at least one layer; with two stages the other one has all remaining layers.
    values.at_most(std::max(0.0, s[P::layers] - std::max(other, 1.0) - (stages - 2)));
    if (stages == 2 && other > 0 && other < s[P::layers]) values.among({0, s[P::layers] - other});
}

// ---- Layouts by hand --------------------------------------------------------------------------------------

enum class LayoutFault : unsigned char { none, unreadable, stages, layers, misplaced, predictions };

LayoutFault fault_of_layout(const Settings& s) {
    const PipelineLayout* layout = pipeline_layout(s);
    if (!layout || s[P::pipeline_parallel] <= 1) return LayoutFault::none;
    if (!layout->problem.empty()) return LayoutFault::unreadable;
    const double stages = s[P::pipeline_parallel] * s[P::virtual_stages];
    if (static_cast<double>(layout->layers.size()) != stages) return LayoutFault::stages;
    if (layout->total != s[P::layers]) return LayoutFault::layers;
    if (layout->misplaced) return LayoutFault::misplaced;
    // Recipes keep the m of variants without prediction layers.
    if (s[P::mtp_layers] > 0 && layout->predictions != s[P::mtp_layers]) return LayoutFault::predictions;
    return LayoutFault::none;
}

Problem layout_does_not_match(const Settings& s) {
    const PipelineLayout& layout = *pipeline_layout(s);
    std::string why;
    switch (fault_of_layout(s)) {
        case LayoutFault::none: break;
        case LayoutFault::unreadable: why = layout.problem; break;
        case LayoutFault::stages:
            why = translate("it has {1} stages, but pipeline parallel × virtual stages is {2}",
                            {std::to_string(layout.layers.size()),
                             count_text(s[P::pipeline_parallel] * s[P::virtual_stages])});
            break;
        case LayoutFault::layers:
            why = translate("it has {1} layers, but the model has {2}",
                            {std::to_string(layout.total), format(P::layers, s[P::layers])});
            break;
        case LayoutFault::misplaced:
            why = translate("its prediction layers (m) must be in one stage, after all layers (t)");
            break;
        case LayoutFault::predictions:
            why = translate("it has {1} prediction layers (m), but model.mtp_layers is {2}",
                            {std::to_string(layout.predictions), format(P::mtp_layers, s[P::mtp_layers])});
            break;
    }
    return value_problem(P::pipeline_layout, s, why,
                         translate("correct it, or leave it out for an even split"));
}

constexpr Constraint kScheduleConstraints[] = {
    {.parameters = kStageParameters,
     .holds = stages_have_layers,
     .problem = stages_without_layers,
     .narrow = keep_layers_for_stages},
    {.parameters = kVirtualStages,
     .holds = virtual_stages_have_a_pipeline,
     .problem =
         [](const Settings& s) {
             return value_problem(P::virtual_stages, s, translate("there is only one pipeline stage"),
                                  translate("use 1, or a larger pipeline-parallel degree"));
         },
     .narrow =
         [](P, const Settings& s, ValidValues& values) {
             if (s[P::pipeline_parallel] <= 1) values.among({1});
         }},
    {.holds = schedule_has_virtual_stages, .problem = schedule_without_virtual_stages},
    {.parameters = kPipelineParallel,
     .holds = schedule_splits_layers,
     .problem = schedule_does_not_split_layers,
     .narrow = keep_layers_splittable},
    {.holds = layout_matches, .problem = layout_does_not_match},
    // The following constraints depend on the stages.
    {.level = Level::schedule,
     .parameters = kSequenceChunks,
     .holds = splits_sequences_evenly,
     .problem = schedule_does_not_split_sequence,
     .narrow = keep_sequence_split},
    {.level = Level::partition,
     .parameters = kEnds,
     .holds = supports_partition,
     .problem = schedule_does_not_support_partition,
     .narrow = keep_partition_possible},
};

}  // namespace

bool layout_matches(const Settings& s) { return fault_of_layout(s) == LayoutFault::none; }

bool stages_have_layers(const Settings& s) {
    const double stages = s[P::pipeline_parallel] * s[P::virtual_stages];
    // The embedding and the head may count as a layer each (schedules/stages.h).
    return s[P::pipeline_layout] != 0 || stages <= s[P::layers] || divides(stages, s[P::layers] + 2);
}

bool schedule_has_virtual_stages(const Settings& s) {
    return s[P::virtual_stages] <= 1 || s[P::pipeline_parallel] <= 1 || schedule_of(s).interleaves;
}

bool schedule_splits_layers(const Settings& s) {
    return s[P::pipeline_parallel] <= 1 || !schedule_has_virtual_stages(s) ||
           schedule_of(s).can_split(s[P::pipeline_parallel], s[P::layers]);
}

std::span<const Constraint> schedule_constraints() { return kScheduleConstraints; }

}  // namespace shardscope
