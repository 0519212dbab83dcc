#include "app/commands/compared_run.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "files/scenario_file.h"
#include "system/file_io.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

std::optional<ComparedRun> of_run(const MeasuredRun& run, const LogOptions& reading) {
    Problems problems;
    ComparedRun out{run.id, {}, run.step_time};
    Scenario scenario = scenario_of(run, catalogue(), problems);
    for (const std::string& assignment : reading.assignments)
        if (problems.empty()) assign(scenario, assignment, problems);
    if (problems.empty()) {
        out.answer = answer(scenario);
        problems = out.answer.problems;
    }
    report(problems, run.id);
    if (!problems.empty()) return std::nullopt;
    return out;
}

std::optional<ComparedRun> of_log(const std::string& file, const LogOptions& reading) {
    ImportedLog log = import_log(file, reading);
    if (!log.is_log || !log.complete) return std::nullopt;
    return ComparedRun{log.run.id, answer(log.scenario), log.run.step_time};
}

void report_unknown(const std::string& name, const std::vector<MeasuredRun>& runs) {
    std::vector<std::string> known;
    for (const MeasuredRun& run : runs) known.push_back(run.id);
    report({{"", "there is no such file, and no measured run has this identifier", "",
             suggestion(name, known,
                        "give a scenario file, a training log or an identifier that `validate --format json` "
                        "lists")}},
           name);
}

// Returns whether the file is a training log. A file that is too large for a scenario is one.
bool is_log_file(const std::string& file) {
    std::error_code error;
    if (is_stream(file) || !std::filesystem::is_regular_file(file, error)) return false;
    if (std::filesystem::file_size(file, error) > kLargestInput) return true;
    Problems ignored;
    // A log that cannot be used is refused with the message for logs.
    const std::string ending = std::filesystem::path(file).extension().string();
    if (ending == ".log" || ending == ".out") return true;
    return is_training_log(read_text(file, ignored));
}

}  // namespace

void print_warning(const ComparedRun& run) {
    if (run.measured <= 0 && !run.answer.fits())
        print_out("%s does not fit in memory; its step time is what GPUs with more memory would give.\n",
                  run.name.c_str());
}

std::optional<ComparedRun> load_compared_run(const std::string& file, const LogOptions& reading) {
    std::error_code error;
    const bool exists = is_stream(file) || std::filesystem::exists(file, error);
    // A path that cannot be followed is reported when it is read.
    if (!exists && !error && !scenario_named(file)) {
        const std::vector<MeasuredRun>& runs = shipped_runs();
        const auto found = std::ranges::find(runs, file, &MeasuredRun::id);
        if (found != runs.end()) return of_run(*found, reading);
        report_unknown(file, runs);
        return std::nullopt;
    }
    if (is_log_file(file)) return of_log(file, reading);
    const auto scenario = load_scenario(file, reading.assignments);
    if (!scenario) return std::nullopt;
    return ComparedRun{scenario->title(), answer(*scenario), 0};
}

}  // namespace shardscope::commands
