// Fuzzes preset files of every kind: a preset that the catalogue accepts can be found again and used.
#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"
#include "planner/answer.h"

using namespace shardscope;

namespace {

void run(std::string_view text) {
    Catalogue& catalogue = fuzz::catalogue();
    Problems problems;
    const Preset* preset = catalogue.add(text, "mine.json", problems);
    fuzz::check_problems(problems);
    fuzz::promise((preset == nullptr) == !problems.empty(), "a preset is taken or there is a problem");
    if (!preset) return;
    fuzz::promise(catalogue.find(preset->kind, preset->name) == preset, "a preset taken is found");
    fuzz::promise(catalogue.add(text, "mine.json", problems) == preset, "the same file is the same preset");
    Scenario scenario = Scenario::first_launch(catalogue);
    if (preset->kind == PresetKind::model) scenario = with_model(scenario, *preset);
    if (preset->kind == PresetKind::cluster) scenario = with_cluster(scenario, *preset);
    if (preset->kind == PresetKind::gpu) scenario.gpu = preset;
    if (preset->kind == PresetKind::calibration) scenario.calibration = preset;
    const Problems wrong = check(scenario, resolve(scenario));
    fuzz::check_problems(wrong);
    if (!wrong.empty() || !fuzz::runs_slow_checks(text, 4)) return;
    const Answer answered = answer(scenario);
    fuzz::promise(answered.valid(), "a scenario without a problem has an answer");
    fuzz::check_answer(answered);
}

const fuzz::Registration kRegistered({"preset", run, fuzz::mutate_json});

}  // namespace
