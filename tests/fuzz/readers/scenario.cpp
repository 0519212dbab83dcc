// Fuzzes scenario files: a scenario that is read without a problem can be written, read again and estimated.
#include "explore/sweep.h"
#include "files/result.h"
#include "files/scenario_file.h"
#include "files/view.h"
#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"
#include "planner/answer.h"
#include "planner/planner.h"

using namespace shardscope;

namespace {

void check_view_of(const SavedScenario& scenario, Catalogue& catalogue) {
    axes_of(scenario.view, scenario);
    fuzz::promise(valid_view(scenario.view, scenario, catalogue) == scenario.view,
                  "a view that is read without a problem is valid");
    Problems problems;
    pins_of(scenario.view, scenario, catalogue, problems);
    fuzz::check_problems(problems);
}

void read_one(std::string_view text, Catalogue& catalogue) {
    Problems problems;
    // An open plan is not searched for here.
    const SavedScenario scenario = read_scenario(text, catalogue, fuzz::kNowhere, problems, true);
    fuzz::check_problems(problems);
    if (!problems.empty()) {
        fuzz::promise(!invalid_json(scenario.name, problems).empty(), "problems are written as JSON");
        return;
    }
    const std::string written = write_scenario(scenario);
    const SavedScenario again = read_scenario(written, catalogue, fuzz::kNowhere, problems, true);
    fuzz::promise(problems.empty() && again == scenario, "a written scenario reads back equal");
    fuzz::promise(write_scenario(again) == written, "an equal scenario is written with the same bytes");
    check_view_of(scenario, catalogue);

    if (!fuzz::runs_slow_checks(text, 16) || !plans_within_a_frame(scenario)) return;
    read_scenario(text, catalogue, fuzz::kNowhere, problems);
    if (!problems.empty()) return;
    const Answer answered = answer(scenario);
    fuzz::promise(answered.valid(), "a scenario read without a problem has an answer");
    fuzz::check_answer(answered);
    result_json(answered, true);
    result_text(answered, true);
}

void run(std::string_view text) {
    Catalogue& catalogue = fuzz::catalogue();
    Problems problems;
    for (const Document& document : split_documents(text, problems)) read_one(document.text, catalogue);
}

const fuzz::Registration kRegistered({"scenario", run, fuzz::mutate_scenarios});

}  // namespace
