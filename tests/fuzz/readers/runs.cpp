// Fuzzes tables of measured runs: rows become scenarios or problems.
#include "evidence/validation.h"

#include <cmath>

#include "fuzz/fuzz.h"

using namespace shardscope;

namespace {

void run(std::string_view text) {
    is_run_table(text);
    Problems problems;
    const std::vector<MeasuredRun> runs = read_runs(text, problems);
    fuzz::check_problems(problems);
    for (const MeasuredRun& run : runs) {
        fuzz::check_problems(run.problems);
        if (!run.problems.empty()) continue;
        for (const double value : {run.step_time, run.tokens_per_s_per_gpu, run.mfu, run.peak.any()})
            fuzz::promise(std::isfinite(value) && value >= 0, "what was measured is a number");
        Problems own;
        const Scenario scenario = scenario_of(run, Catalogue::shipped(), own);
        fuzz::check_problems(own);
        if (!own.empty()) continue;
        fuzz::promise(std::isfinite(run.gpus) && run.gpus > 0, "a run that is read has GPUs");
        fuzz::promise(check(scenario, resolve(scenario)).empty(), "a run read is valid");
    }
    if (!fuzz::runs_slow_checks(text, 8)) return;
    const Validation validation = validate(runs, Catalogue::shipped());
    fuzz::promise(validation.rows.size() + validation.skipped.size() >= runs.size(),
                  "every run is judged or left out with a reason");
    for (const Validation::Skipped& skipped : validation.skipped)
        fuzz::promise(skipped.run && !skipped.reason.empty(), "a run is left out for a reason");
    for (const ValidationRow& row : validation.rows) {
        fuzz::promise(std::isfinite(row.predicted_peak) && std::isfinite(row.predicted_step),
                      "a prediction of a run is a number");
        fuzz::promise(std::isfinite(row.error) == (row.measured_step > 0),
                      "a prediction is compared with what was measured");
    }
}

const fuzz::Registration kRegistered({"runs", run});

}  // namespace
