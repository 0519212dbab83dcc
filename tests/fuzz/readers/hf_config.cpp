// Fuzzes a model's config.json from Hugging Face: the catalogue accepts the resulting preset.
#include "presets/hf_config.h"

#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"
#include "planner/answer.h"

using namespace shardscope;

namespace {

void run(std::string_view text) {
    is_hf_config(text);
    Problems problems;
    const ImportedModel model = import_hf_config(text, {}, problems);
    fuzz::check_problems(problems);
    fuzz::promise(model.preset.empty() == !problems.empty(), "a preset or a problem");
    if (!problems.empty()) return;
    fuzz::promise(!model.name.empty(), "an imported model has a name");
    for (const std::string& note : model.notes) fuzz::promise(!note.empty(), "a note says something");
    Catalogue& catalogue = fuzz::catalogue();
    const Preset* preset = catalogue.add(model.preset, "config.json", problems);
    fuzz::promise(preset && problems.empty(), "an imported model is a preset");
    const Scenario scenario = with_model(Scenario::first_launch(catalogue), *preset);
    const Problems wrong = check(scenario, resolve(scenario));
    fuzz::check_problems(wrong);
    if (wrong.empty() && fuzz::runs_slow_checks(text, 4)) fuzz::check_answer(answer(scenario));
}

const fuzz::Registration kRegistered({"hf_config", run, fuzz::mutate_json});

}  // namespace
