// Commands that take a cluster, a GPU, a model, a study or a scenario from the catalogue: "h200", "llama 3
// 70b".
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "app/command_line/window_command.h"
#include "app/documents.h"
#include "app/preset_facts.h"
#include "containers/no_value.h"
#include "studies/study.h"
#include "widgets/live_model.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// The parts of a name count as its names too, so that "h200" is the whole of a part of "dgx-h200".
WordMatch match_of(const Preset& preset, const QString& text, const QString& words) {
    QStringList names{text, text_of(preset.title), text_of(preset.name)};
    names << names.back().split(QLatin1Char('-'));
    return match_words(words, names, {});
}

// Returns a value that the preset itself gives; NaN if it gives none.
double value_in(const Values& values, P id) {
    const auto found = std::ranges::find(values, id, &Values::value_type::first);
    return found == values.end() ? kNoValue : found->second;
}

// Returns whether the cluster differs from the usual node of its GPU.
bool is_special(const Preset& cluster) {
    return !cluster.gpu || std::ranges::any_of(cluster.gpu->node, [&](const auto& usual) {
        const double own = value_in(cluster.values, usual.first);
        return !std::isnan(own) && own != usual.second;
    });
}

// Returns the presets in the order in which equal matches are listed. Clusters that are the usual machine of
// their GPU come first, then those with the shortest titles, and GPUs that most clusters have: "a100" is the
// A100 SXM 80 GB in a DGX, rather than the machine of a public run.
std::vector<const Preset*> in_order(const Catalogue& catalogue, PresetKind kind) {
    const auto order = [&](const Preset* one) -> std::array<double, 3> {
        const auto length = static_cast<double>(one->title.size());
        if (kind == PresetKind::cluster) {
            const bool named = one->gpu && one->title.find(one->gpu->title.substr(
                                               0, one->gpu->title.find(' '))) != std::string::npos;
            return {is_special(*one) ? 1.0 : 0.0, named ? 0.0 : 1.0, length};
        }
        if (kind != PresetKind::gpu) return {length};
        const auto users = std::ranges::count(catalogue.all(PresetKind::cluster), one, &Preset::gpu);
        return {-static_cast<double>(users), -std::fmax(0, value_in(one->values, P::memory)), length};
    };
    std::vector<const Preset*> out = catalogue.all(kind);
    std::ranges::stable_sort(out, {}, order);
    return out;
}

}  // namespace

WindowCommands preset_commands(const QString& words, const CommandTargets& targets) {
    LiveModel& model = targets.model;
    PresetFacts& facts = targets.facts;
    WindowCommands out;
    // A GPU stands for the first cluster that has it, or comes in its usual node.
    const auto cluster_with = [clusters =
                                   in_order(model.catalogue(), PresetKind::cluster)](const Preset& gpu) {
        const auto found = std::ranges::find(clusters, &gpu, &Preset::gpu);
        return found == clusters.end() ? nullptr : *found;
    };
    const auto add = [&](PresetKind kind, const QString& label, const char* name, auto with, auto run) {
        for (const Preset* preset : in_order(model.catalogue(), kind)) {
            const QString text = label.arg(preset_text(preset->shown_title()));
            WordMatch match = match_of(*preset, text, words);
            // A cluster is also found by its GPU, and a model by its size.
            const bool has_facts = kind == PresetKind::cluster || kind == PresetKind::model;
            if (match == WordMatch::none && has_facts && facts.have(*preset, words))
                match = WordMatch::mentioned;
            if (match == WordMatch::none) continue;
            WindowCommand command{QLatin1String(name) + QLatin1Char('/') + text_of(preset->name), text,
                                  has_facts ? facts.line(*preset) : QString(), match,
                                  [preset, run] { run(*preset); }};
            if (const Preset* cluster = kind == PresetKind::gpu ? cluster_with(*preset) : nullptr)
                command.effect =
                    preset_text(cluster->shown_title()) + kBetweenParts.toString() + facts.line(*cluster);
            if (with) {
                command.leads_to = [&model, preset, with] {
                    return with(locked(model.answer().scenario), *preset);
                };
            }
            out.push_back(std::move(command));
        }
    };
    using With = Scenario (*)(const Scenario&, const Preset&);
    const auto on_gpu = [cluster_with](const Scenario& scenario, const Preset& gpu) {
        const Preset* cluster = cluster_with(gpu);
        return cluster ? with_cluster(scenario, *cluster) : with_gpu(scenario, gpu);
    };
    add(PresetKind::gpu, QObject::tr("GPU %1"), "gpu",
        std::function<Scenario(const Scenario&, const Preset&)>(on_gpu),
        [&model, cluster_with](const Preset& preset) {
            const Preset* cluster = cluster_with(preset);
            if (cluster) model.apply_cluster(*cluster);
            else model.apply_gpu(preset);
        });
    add(PresetKind::cluster, QObject::tr("Cluster %1"), "cluster", With(with_cluster),
        [&model](const Preset& preset) { model.apply_cluster(preset); });
    add(PresetKind::model, QObject::tr("Model %1"), "model", With(with_model),
        [&model](const Preset& preset) { model.apply_model(preset); });
    add(PresetKind::study, QObject::tr("Study %1"), "study", With(nullptr),
        [&documents = targets.documents](const Preset& preset) { documents.open_study(preset); });
    return out;
}

}  // namespace shardscope
