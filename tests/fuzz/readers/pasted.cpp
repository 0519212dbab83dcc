// Fuzzes pasted text and files of unknown kind: every recogniser checks it, and the reader of the first that
// recognises it reads it, in the order of the window (app/openable.cpp).
#include "evidence/nccl_log.h"
#include "evidence/runs.h"
#include "files/scenario_file.h"
#include "files/session_file.h"
#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"
#include "launch/launch.h"
#include "logs/training_log.h"
#include "presets/hf_config.h"
#include "studies/study.h"

using namespace shardscope;

namespace {

void run(std::string_view text) {
    Catalogue& catalogue = fuzz::catalogue();
    const LaunchFormat* launch = launch_format_of(text);
    Problems problems;
    if (is_nccl_log(text)) read_nccl_log(text, problems);
    else if (is_run_table(text)) read_runs(text, problems);
    else if (is_training_log(text)) read_training_log(text, problems);
    else if (is_session(text)) read_session(text, catalogue, fuzz::kNowhere, problems);
    else if (is_study(text)) catalogue.add(text, "study.json", problems);
    else if (is_hf_config(text)) catalogue.add(text, "config.json", problems);
    else if (launch) launch->read(text, Scenario::first_launch(catalogue), problems);
    else read_scenario(text, catalogue, fuzz::kNowhere, problems);
    fuzz::check_problems(problems);
}

const fuzz::Registration kRegistered({"pasted", run, fuzz::mutate_lines});

}  // namespace
