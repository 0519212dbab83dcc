#include "evidence/validated.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "evidence/coverage.h"
#include "evidence/runs.h"
#include "schedules/schedule.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Inputs that are validated up to their largest value among the public runs.
constexpr std::array kReach{
    P::gpus,          P::sequence_length, P::tensor_parallel, P::context_parallel, P::pipeline_parallel,
    P::virtual_stages};

// A run with these sizes of a model is one of that model.
constexpr std::array kModelSizes{P::layers, P::hidden_size, P::ffn_size,
                                 P::heads,  P::experts,     P::kv_lora_rank};

Settings settings_of_model(const Preset& preset) {
    return resolve(with_model(Scenario::first_launch(Catalogue::shipped()), preset));
}

// Returns whether there is a public run of this GPU or model, whatever the quality of its time.
bool has_runs(const Preset& preset) {
    if (preset.kind == PresetKind::model) {
        const Settings own = settings_of_model(preset);
        if (own.listed()) return false;
        return std::ranges::any_of(public_runs(), [&](const PublicRun& run) {
            return std::ranges::all_of(kModelSizes, [&](P id) { return own[id] == run.settings[id]; });
        });
    }
    const Preset* gpu = preset.kind == PresetKind::cluster ? preset.gpu : &preset;
    return gpu &&
           std::ranges::any_of(shipped_runs(), [&](const MeasuredRun& run) { return run.gpu == gpu->name; });
}

}  // namespace

std::vector<std::string> extrapolation_warnings(const Answer& answer) {
    std::vector<std::string> out;
    const Settings& s = answer.settings;
    for (const P id : kReach) {
        if (s[id] <= coverage().largest_of(id)) continue;
        out.push_back(translate("{1} {2} is beyond the public runs, which end at {3}.",
                                {label_of(id), format(id, s[id]), format(id, coverage().largest_of(id))}));
    }
    if (answer.compiled.parameters > 1.1 * coverage().parameters) {
        out.push_back(translate("A model of {1} parameters is beyond the public runs, which end at {2}.",
                                {format(answer.compiled.parameters, Quantity::big_count),
                                 format(coverage().parameters, Quantity::big_count)}));
    }
    if (s[P::experts] > 0 && !coverage().has(P::experts))
        out.push_back(translate("No public run of a mixture of experts was compared."));
    const auto kind = s.choice<ScheduleKind>(P::schedule);
    const bool orders = s[P::pipeline_parallel] > 1 || (schedule_of(kind).layered && s[P::accumulation] > 1);
    if (orders && kind != ScheduleKind::one_f_one_b && kind != ScheduleKind::interleaved)
        out.push_back(translate("No public run of the schedule {1} was compared.",
                                {translate(schedule_of(kind).title)}));
    if (s.choice<Offload>(P::offload) != Offload::none)
        out.push_back(translate("No public run with offload was compared."));
    if (s.listed())
        out.push_back(
            translate("No public run of a list of operators was compared: the error band is wide."));
    if (s[P::kv_lora_rank] > 0 && !coverage().has(P::kv_lora_rank))
        out.push_back(translate("No public run of latent attention was compared."));
    const Preset* gpu = answer.scenario.gpu_preset();
    if (!gpu || compared(*gpu) == Compared::never)
        out.push_back(translate("No public run of this GPU with a reliable step time was compared."));
    if (const std::string& name = answer.scenario.software_name; !name.empty())
        out.push_back(unknown_software_sentence(name));
    else if (!coverage().software.contains(written(P::software, s[P::software])))
        out.push_back(translate("No public run of this software was compared: the error band is wide."));
    if (distance_to_runs(s) >= kUnlikeAnyRun) out.push_back(nearest_runs_sentence(answer));
    return out;
}

std::string unknown_software_sentence(const std::string& name) {
    std::vector<std::string> known;
    for (const Named& stack : parameter(P::software).names) known.emplace_back(stack.name);
    const std::string out = translate(
        "The software “{1}” is not known. It is predicted as “other”, and the error band is wide.", {name});
    constexpr std::size_t kShort = 4;  // letters; two other letters make another word of a shorter one
    const std::string near = name.size() < kShort ? std::string() : nearest(name, known);
    return near.empty() ? out : out + " " + translate("Is “{1}” meant?", {near});
}

Compared compared(const Preset& preset) {
    if (preset.kind == PresetKind::model)
        return families_with({}, settings_of_model(preset), kModelSizes).empty() ? Compared::never
                                                                                 : Compared::yes;
    const Preset* gpu = preset.kind == PresetKind::cluster ? preset.gpu : &preset;
    if (!gpu || !coverage().gpus.contains(gpu->name)) return Compared::never;
    const bool known =
        preset.kind == PresetKind::gpu ||
        !families_with(gpu->name, resolve(with_cluster(Scenario::first_launch(Catalogue::shipped()), preset)),
                       std::array{P::gpus_per_node, P::intra_node_bandwidth, P::inter_node_bandwidth})
             .empty();
    return known ? Compared::yes : Compared::gpu_only;
}

std::string comparison_of(const Preset& preset) {
    switch (compared(preset)) {
        case Compared::never: break;
        case Compared::gpu_only: return translate("only its GPU");
        case Compared::yes: return translate("compared");
    }
    return has_runs(preset) ? translate("no reliable time") : translate("never compared");
}

std::string largest_difference_sentence(const Settings& settings) {
    const std::optional<LargestDifference> found = largest_difference(settings);
    if (!found) return {};
    const Coordinate& axis = *found->coordinate;
    const std::string label = axis.label.empty() ? label_of(axis.id) : translate(axis.label);
    if (axis.kind == CoordinateKind::presence) {
        if (found->here == 0) return translate("Unlike this scenario, the nearest run has {1}.", {label});
        return found->measured ? translate("Unlike this scenario, the nearest run has no {1}.", {label})
                               : translate("No measured run has {1}.", {label});
    }
    const auto shown = [&](double value) {
        constexpr double kManyDigits = 100;
        const double rounded = value >= kManyDigits ? std::round(value) : value;
        return axis.label.empty() ? format(axis.id, value) : format(rounded, axis.quantity);
    };
    if (axis.kind == CoordinateKind::choice && !found->measured)
        return translate("No measured run has the setting {1}: {2}.", {label, shown(found->here)});
    return translate("The largest difference from the nearest run is {1}: {2} instead of {3}.",
                     {label, shown(found->here), shown(found->there)});
}

namespace {

// The titles of what a table of runs names: "A100 SXM 80 GB", "FSDP1".
std::string title_of_gpu(const std::string& name) {
    const Preset* gpu = Catalogue::shipped().find(PresetKind::gpu, name);
    return gpu ? gpu->shown_title() : name;
}
std::string title_of_software(const std::string& name) {
    const Parsed known = parse(P::software, name);
    return known.ok ? format(P::software, known.value) : name;
}

}  // namespace

std::string nearest_runs_sentence(const Answer& answer) {
    const std::vector<NearestRun> nearest = nearest_runs(answer.settings, kNearestRuns);
    const std::string runs = joined(nearest, "; ", [](const NearestRun& run) {
        return translate("{1} on {2} × {3} with {4}, run {5}",
                         {run.model, format(run.gpus, Quantity::count), title_of_gpu(run.gpu),
                          title_of_software(run.software), run.id});
    });
    if (nearest.empty()) return translate("Nothing like this scenario was measured.");
    const std::string named = translate("The nearest measured runs, at a distance of {1}: {2}.",
                                        {format(nearest.front().distance, Quantity::percent), runs});
    if (nearest.front().distance < kUnlikeAnyRun) return named;
    const std::string furthest = largest_difference_sentence(answer.settings);
    return translate("Nothing like this scenario was measured.") + (furthest.empty() ? "" : ' ' + furthest) +
           ' ' + named;
}

}  // namespace shardscope
