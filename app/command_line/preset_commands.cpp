// Commands that take a cluster, a GPU, a model, a study or a scenario from the catalogue: "h200", "llama 3
// 70b".
#include <algorithm>
#include <functional>

#include "app/command_line/window_command.h"
#include "app/documents.h"
#include "app/preset_facts.h"
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

}  // namespace

WindowCommands preset_commands(const QString& words, const CommandTargets& targets) {
    LiveModel& model = targets.model;
    PresetFacts& facts = targets.facts;
    WindowCommands out;
    const auto add = [&](PresetKind kind, const QString& label, const char* name, auto with, auto run) {
        // The shortest title comes first: "h100" is DGX H100 rather than a cloud's instance with H100.
        std::vector<const Preset*> presets = model.catalogue().all(kind);
        std::ranges::stable_sort(presets, {}, [](const Preset* one) { return one->title.size(); });
        for (const Preset* preset : presets) {
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
            if (with) {
                command.leads_to = [&model, preset, with] {
                    return with(locked(model.answer().scenario), *preset);
                };
            }
            out.push_back(std::move(command));
        }
    };
    using With = Scenario (*)(const Scenario&, const Preset&);
    add(PresetKind::cluster, QObject::tr("Cluster %1"), "cluster", With(with_cluster),
        [&model](const Preset& preset) { model.apply_cluster(preset); });
    // A GPU stands for the cluster that has it, or comes in its usual node.
    const auto cluster_with = [&model](const Preset& gpu) {
        const Preset* found = nullptr;
        for (const Preset* cluster : model.catalogue().all(PresetKind::cluster)) {
            if (cluster->gpu == &gpu && (!found || cluster->title.size() < found->title.size()))
                found = cluster;
        }
        return found;
    };
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
    add(PresetKind::model, QObject::tr("Model %1"), "model", With(with_model),
        [&model](const Preset& preset) { model.apply_model(preset); });
    add(PresetKind::study, QObject::tr("Study %1"), "study", With(nullptr),
        [&documents = targets.documents](const Preset& preset) { documents.open_study(preset); });
    return out;
}

}  // namespace shardscope
