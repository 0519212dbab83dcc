// `shardscope presets`: prints the catalogue, each number with its source.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "evidence/validated.h"
#include "model/operators.h"
#include "presets/router_json.h"
#include "scenario/catalogue.h"
#include "scenario/listed_model.h"
#include "studies/study.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

constexpr PresetKind kKinds[] = {PresetKind::gpu,      PresetKind::cluster, PresetKind::model,
                                 PresetKind::scenario, PresetKind::study,   PresetKind::calibration};

struct Options {
    std::string kind;
    std::string name;
    std::string format = "text";
};

bool is_selected(PresetKind kind, const Options& options) {
    return options.kind.empty() || name_of(kind) == options.kind;
}

// Reads the study of a preset. Reports problems and returns nothing where it cannot be used.
std::optional<Study> study_of(const Preset& preset) {
    Problems problems;
    Study study = read_study(preset, catalogue(), problems);
    report(problems, preset.path.empty() ? preset.name : preset.path);
    if (!problems.empty()) return std::nullopt;
    return study;
}

// Prints the papers' numbers beside the engine's, one row per claim: the table of presets/studies/README.md.
int list_claims() {
    std::vector<Study> studies;
    for (const Preset* preset : catalogue().all(PresetKind::study)) {
        std::optional<Study> study = study_of(*preset);
        if (!study) return kUnusable;
        studies.push_back(std::move(*study));
    }
    print_out("| study | claim | from | stated | engine | |\n|---|---|---|---|---|---|\n");
    for (const Study& study : studies) {
        for (const Claim& claim : study.claims) {
            const Finding finding = evaluate_claim(claim);
            const std::string expected = expected_text(claim);
            const std::string from = claim.published ? claim.by : "our question";
            print_out("| `%s` | %s | %s | %s | %s | %s |\n", study.name.c_str(),
                      markdown_text(claim.statement).c_str(), markdown_text(from).c_str(),
                      expected.empty() ? "–" : markdown_text(expected).c_str(),
                      markdown_text(found_text(claim, finding)).c_str(),
                      std::string(name_of(finding.agreement)).c_str());
        }
    }
    return kDone;
}

int list(const Options& options) {
    if (options.format == "markdown") {
        if (options.kind == "study") return list_claims();
        report({{"--format markdown", "is a table of studies", "", "add --kind study"}}, {});
        return kUnusable;
    }
    for (const PresetKind kind : kKinds) {
        if (!is_selected(kind, options)) continue;
        for (const Preset* preset : catalogue().all(kind)) {
            print_out("%-12s %-32s %s\n", std::string(name_of(kind)).c_str(), preset->name.c_str(),
                      preset->title.c_str());
        }
    }
    return kDone;
}

void print(const Study& study) {
    print_out("study %s: %s\n  %s\n  paper: %s, %s\n", study.name.c_str(), study.title.c_str(),
              study.origin().c_str(), study.paper.authors.c_str(), study.paper.title.c_str());
    print_out("  look at: %s\n  drag: %s\n", study.look.c_str(), study.drag.c_str());
    for (const Scenario& pin : study.pins) print_out("  pinned: %s\n", pin.title().c_str());
    for (const Claim& claim : study.claims) {
        const Finding finding = evaluate_claim(claim);
        print_out("\n  %s: %s\n    %s: %s\n", claim.name.c_str(), claim.statement.c_str(),
                  claim.published ? "published" : "our question", claim.source.c_str());
        const std::string expected = expected_text(claim);
        print_out("    %s%sthe engine %s (%s): %s\n", expected.empty() ? "" : "stated ",
                  expected.empty() ? "" : (expected + ", ").c_str(), found_text(claim, finding).c_str(),
                  std::string(output(claim.output).label).c_str(),
                  std::string(name_of(finding.agreement)).c_str());
        if (const std::string values = values_text(claim, finding); !values.empty())
            print_out("    %s\n", values.c_str());
    }
}

// Prints the parameters that a token of a mixture of experts passes through. Some published numbers leave out
// the input embedding, which is looked up and not multiplied.
void print_active_parameters(const Preset& model) {
    Scenario scenario = Scenario::first_launch();
    scenario.model = &model;
    const Settings settings = resolve(scenario);
    if (!(settings[P::experts] > 0)) return;
    OperatorList operators;
    build_operators(settings, operators);
    const double active = operators.active_parameters();
    const auto text = [](double parameters) { return format(parameters, Quantity::big_count); };
    print_out("  active parameters: %s", text(active).c_str());
    if (!settings.on(P::tied_embeddings))
        print_out(", %s without the input embedding", text(active - operators.embedding.weights()).c_str());
    print_out("\n");
}

// Prints a preset. Returns false, with the reason on standard error, where it cannot be used.
bool print(const Preset& preset) {
    if (preset.kind == PresetKind::study) {
        const std::optional<Study> study = study_of(preset);
        if (study) print(*study);
        return study.has_value();
    }
    print_out("%s %s: %s\n", std::string(name_of(preset.kind)).c_str(), preset.name.c_str(),
              preset.title.c_str());
    if (!preset.source.empty()) print_out("  source: %s\n", preset.source.c_str());
    if (preset.gpu) print_out("  gpu: %s\n", preset.gpu->name.c_str());
    if (preset.calibration) print_out("  calibration: %s\n", preset.calibration->name.c_str());
    if (preset.published_parameters > 0)
        print_out("  published parameters: %s\n", exact(preset.published_parameters).c_str());
    if (preset.kind == PresetKind::model) print_active_parameters(preset);
    if (preset.kind == PresetKind::gpu || preset.kind == PresetKind::cluster ||
        preset.kind == PresetKind::model)
        print_out("  public runs: %s\n", comparison_of(preset).c_str());
    if (preset.rotary_base > 0) print_out("  rotary base: %s\n", exact(preset.rotary_base).c_str());
    if (preset.rotary_share > 0)
        print_out("  rotary share: %s of a head\n", exact(preset.rotary_share).c_str());
    if (preset.router) print_out("  router: %s\n", json_text(write_router(*preset.router)).c_str());
    if (preset.operators) {
        print_out("  operators:\n");
        for (const ListedBlock& block : preset.operators->blocks) {
            print_out("    %-34s %zu operators, ×%s\n", block.name.c_str(), block.operators.size(),
                      format(block.repeat, Quantity::count).c_str());
        }
    }
    for (const Values* values : {&preset.values, &preset.node}) {
        for (const auto& [id, value] : *values) {
            print_out("  %-36s %-20s %s%s\n", std::string(parameter(id).key).c_str(),
                      written(id, value).c_str(), preset.source_of(id).c_str(),
                      preset.is_unverified(id) ? " (unverified)" : "");
        }
    }
    if (preset.values.empty() && !preset.operators) print_text(preset.text);
    return true;
}

int show(const Options& options) {
    bool found = false;
    std::vector<std::string> known;
    for (const PresetKind kind : kKinds) {
        if (!is_selected(kind, options)) continue;
        for (const std::string& name : catalogue().names(kind)) known.push_back(name);
        if (const Preset* preset = catalogue().find(kind, options.name)) {
            if (!print(*preset)) return kUnusable;
            found = true;
        }
    }
    if (found) return kDone;
    report({{"", "there is no preset “" + options.name + "”", "",
             suggestion(options.name, known, "see `shardscope presets list`")}},
           {});
    return kUnusable;
}

}  // namespace

void add_presets(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command = program.add_command(
        "presets", "The catalogue of GPUs, clusters, models, scenarios, studies and calibrations");
    const auto add_kind = [&options](Command& to) {
        to.add_choice("--kind", &options->kind,
                      {"gpu", "cluster", "model", "scenario", "study", "calibration"}, "Only this kind");
    };
    add_kind(command);
    Command& lister = command.add_command("list", "Names and titles");
    add_kind(lister);
    lister.add_choice("--format", &options->format, {"text", "markdown"},
                      "markdown: for studies, what each paper states and the engine predicts");
    Command& shower = command.add_command("show", "One preset, each number with its source");
    shower.add_option("NAME", &options->name, value::kPreset, "Its name").required = true;
    add_kind(shower);
    command.run = [options, &shower] { return shower.named ? show(*options) : list(*options); };
}

}  // namespace shardscope::commands
