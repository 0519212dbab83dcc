// Fuzzes studies: an accepted study has claims, each with a question and a range, and its scenario can be
// written.
#include "studies/study.h"

#include "files/scenario_file.h"
#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"

using namespace shardscope;

namespace {

void run(std::string_view text) {
    Catalogue& catalogue = fuzz::catalogue();
    is_study(text);
    Problems problems;
    const Study study = read_study(text, catalogue, fuzz::kNowhere, problems);
    fuzz::check_problems(problems);
    if (!problems.empty()) return;
    fuzz::promise(!study.claims.empty(), "a study that is taken has claims");
    for (const Claim& claim : study.claims) {
        fuzz::promise(!claim.scenarios.empty(), "a claim is about a scenario");
        fuzz::promise(claim.low <= claim.high, "a claim's range has two ends in order");
        fuzz::promise(!claim.statement.empty(), "a claim says something");
        expected_text(claim);
        range_text(claim);
    }
    fuzz::promise(!study.origin().empty(), "a study says where it comes from");
    const Scenario again =
        read_scenario(write_scenario(study.scenario), catalogue, fuzz::kNowhere, problems, true);
    fuzz::promise(problems.empty() && again == study.scenario, "a study's scenario reads back equal");
}

const fuzz::Registration kRegistered({"study", run, fuzz::mutate_scenarios});

}  // namespace
