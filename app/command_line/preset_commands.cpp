// Commands that take a cluster, a model, a study or a scenario from the catalogue: "h200", "llama 3 70b".
#include "app/command_line/prediction.h"
#include "app/command_line/window_command.h"
#include "app/documents.h"
#include "studies/study.h"
#include "widgets/live_model.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Returns further words about a cluster, by which it is found: its GPU.
QString about(const Preset& preset) {
    if (!preset.gpu) return {};
    return text_of(preset.gpu->name) + QLatin1Char(' ') + text_of(preset.gpu->title);
}

// The parts of a name count as its names too, so that "h200" is the whole of a part of "dgx-h200".
WordMatch match_of(const Preset& preset, const QString& words) {
    QStringList names{text_of(preset.title), text_of(preset.name)};
    names << names.back().split(QLatin1Char('-'));
    return match_words(words, names, about(preset));
}

}  // namespace

WindowCommands preset_commands(const QString& words, const CommandTargets& targets) {
    LiveModel& model = targets.model;
    const Scenario held = locked(model.answer().scenario);
    WindowCommands out;
    const auto add = [&](PresetKind kind, const QString& label, const char* name, auto&& effect, auto&& run) {
        for (const Preset* preset : model.catalogue().all(kind)) {
            const WordMatch match = match_of(*preset, words);
            if (match == WordMatch::none) continue;
            out.push_back({QLatin1String(name) + QLatin1Char('/') + text_of(preset->name),
                           label.arg(preset_text(preset->title.empty() ? preset->name : preset->title)),
                           effect(*preset), match, [preset, run] { run(*preset); }});
        }
    };
    const auto no_effect = [](const Preset&) { return QString(); };
    add(
        PresetKind::cluster, QObject::tr("Cluster %1"), "cluster",
        [&](const Preset& preset) { return predicted(with_cluster(held, preset), model.answer()); },
        [&model](const Preset& preset) { model.apply_cluster(preset); });
    add(
        PresetKind::model, QObject::tr("Model %1"), "model",
        [&](const Preset& preset) { return predicted(with_model(held, preset), model.answer()); },
        [&model](const Preset& preset) { model.apply_model(preset); });
    add(PresetKind::study, QObject::tr("Study %1"), "study", no_effect,
        [&documents = targets.documents](const Preset& preset) { documents.open_study(preset); });
    return out;
}

}  // namespace shardscope
