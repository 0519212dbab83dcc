// Fuzzes training logs: the steady state adds up, and a log that states a whole scenario becomes a measured
// run that can be read and predicted.
#include <algorithm>
#include <cmath>

#include "evidence/validation.h"
#include "fuzz/fuzz.h"
#include "logs/training_log.h"

using namespace shardscope;

namespace {

void check_steps(const TrainingLog& log) {
    const logs::SteadyState& steady = log.steady;
    fuzz::promise(steady.left_out.total() <= steady.logged, "no step is left out twice");
    fuzz::promise(std::isfinite(steady.median) && steady.median >= 0, "a median");
    fuzz::promise(steady.low <= steady.median && steady.median <= steady.high, "quantiles in order");
    if (steady.logged > 0) fuzz::promise(steady.used() > 0 && steady.median > 0, "a step remains");
    for (const logs::StatedNumber& peak : log.contents.peaks)
        fuzz::promise(std::isfinite(peak.value) && peak.value >= 0, "a peak");
}

void run(std::string_view text) {
    if (fuzz::runs_slow_checks(text, 16)) is_training_log(text);
    Problems problems;
    const TrainingLog log = read_training_log(text, problems);
    fuzz::check_problems(problems);
    check_steps(log);
    if (!problems.empty()) return;
    static const Scenario kFirst = Scenario::first_launch();
    for (const Scenario* base : {static_cast<const Scenario*>(nullptr), &kFirst}) {
        if (base && !fuzz::runs_slow_checks(text, 4)) continue;
        Problems own;
        const LogScenario read = log_scenario(log, base, Catalogue::shipped(), own);
        fuzz::check_problems(own);
        for (const std::string& note : read.notes) fuzz::promise(!note.empty(), "a note says something");
        const bool usable = own.empty() && (base || missing_inputs(read.scenario).empty()) &&
                            check(read.scenario, resolve(read.scenario)).empty();
        if (!usable) continue;
        const std::vector<MeasuredRun> runs = read_runs(write_log_run(log, read.scenario, "run.log"), own);
        fuzz::promise(own.empty() && runs.size() == 1, "a run is written that can be read");
        const Scenario again = scenario_of(runs.front(), Catalogue::shipped(), own);
        // The times of a damaged log may be shorter than any GPU takes.
        const auto is_of_time = [](const Problem& problem) {
            return problem.where == "/measured/step_time_s";
        };
        fuzz::promise(std::ranges::all_of(own, is_of_time), "the run's scenario is valid");
        if (fuzz::runs_slow_checks(text, 16)) fuzz::check_answer(answer(again));
    }
}

const fuzz::Registration kRegistered({"log", run});

}  // namespace
