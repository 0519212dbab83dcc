// `shardscope presets`: the catalogue, each number with its source.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "base/text.h"
#include "model/listed_model.h"
#include "scenario/catalogue.h"

namespace shardscope::commands {
namespace {

constexpr PresetKind kKinds[] = {PresetKind::gpu,      PresetKind::cluster, PresetKind::model,
                                 PresetKind::scenario, PresetKind::study,   PresetKind::calibration};

struct Options {
    std::string kind;
    std::string name;
};

bool wanted(PresetKind kind, const Options& options) {
    return options.kind.empty() || name_of(kind) == options.kind;
}

int list(const Options& options) {
    for (const PresetKind kind : kKinds) {
        if (!wanted(kind, options)) continue;
        for (const Preset* preset : catalogue().all(kind)) {
            std::printf("%-12s %-32s %s\n", std::string(name_of(kind)).c_str(), preset->name.c_str(),
                        preset->title.c_str());
        }
    }
    return kDone;
}

void print(const Preset& preset) {
    std::printf("%s %s: %s\n", std::string(name_of(preset.kind)).c_str(), preset.name.c_str(),
                preset.title.c_str());
    if (!preset.source.empty()) std::printf("  source: %s\n", preset.source.c_str());
    if (preset.gpu) std::printf("  gpu: %s\n", preset.gpu->name.c_str());
    if (preset.calibration) std::printf("  calibration: %s\n", preset.calibration->name.c_str());
    if (preset.published_parameters > 0)
        std::printf("  published parameters: %s\n", exact(preset.published_parameters).c_str());
    if (preset.operators) {
        std::printf("  operators:\n");
        for (const ListedBlock& block : preset.operators->blocks) {
            std::printf("    %-34s %zu operators, ×%s\n", block.name.c_str(), block.operators.size(),
                        format(block.repeat, Quantity::count).c_str());
        }
    }
    for (const Values* values : {&preset.values, &preset.node}) {
        for (const auto& [id, value] : *values) {
            std::printf("  %-36s %-20s %s%s\n", std::string(parameter(id).key).c_str(),
                        format(id, value).c_str(), preset.source_of(id).c_str(),
                        preset.is_unverified(id) ? " (unverified)" : "");
        }
    }
    if (preset.values.empty()) std::fputs(preset.text.c_str(), stdout);
}

int show(const Options& options) {
    bool found = false;
    std::vector<std::string> known;
    for (const PresetKind kind : kKinds) {
        if (!wanted(kind, options)) continue;
        for (const std::string& name : catalogue().names(kind)) known.push_back(name);
        if (const Preset* preset = catalogue().find(kind, options.name)) {
            print(*preset);
            found = true;
        }
    }
    if (found) return kDone;
    const std::string near = nearest(options.name, known);
    report({{"", "there is no preset “" + options.name + "”", "",
             near.empty() ? "see `shardscope presets list`" : "did you mean “" + near + "”?"}},
           {});
    return kUnusable;
}

}  // namespace

void add_presets(CLI::App& app, Context& context) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("presets", "The catalogue of GPUs, clusters, models, scenarios and calibrations");
    const auto kind = [options](CLI::App* to) {
        to->add_option("--kind", options->kind, "Only this kind")
            ->check(CLI::IsMember({"gpu", "cluster", "model", "scenario", "study", "calibration"}));
    };
    kind(command);
    CLI::App* lister = command->add_subcommand("list", "Names and titles");
    kind(lister);
    CLI::App* shower = command->add_subcommand("show", "One preset, each number with its source");
    shower->add_option("NAME", options->name)->required();
    kind(shower);
    command->callback([options, shower, &context] {
        context.exit_code = shower->parsed() ? show(*options) : list(*options);
    });
}

}  // namespace shardscope::commands
