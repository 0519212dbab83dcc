// The command line. Each command has one file; all use the helpers that are declared here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "explain/output.h"
#include "explore/sweep.h"
#include "files/saved_scenario.h"
#include "planner/answer.h"
#include "text/problem.h"

namespace shardscope {
struct CollectiveTable;
}

namespace shardscope::commands {

// The exit codes of the program.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUnusable = 2;
inline constexpr int kNoSolution = 3;

// Each function adds a command, which runs when the command line names it.
void add_estimate(Command& program);
void add_sweep(Command& program);
void add_plan(Command& program);
void add_solve(Command& program);
void add_export(Command& program);
void add_presets(Command& program);
void add_validate(Command& program);
void add_calibrate(Command& program);
void add_parameters(Command& program);
void add_import(Command& program);
void add_launch(Command& program);
void add_conventions(Command& program);
void add_explain_gap(Command& program);
// Adds `import launch` to the command `import`.
void add_import_launch(Command& command);
// Adds `import log` to the command `import`.
void add_import_log(Command& command);
void add_completion(Command& program);
void add_manual(Command& program);

// The kinds of option values, as --help shows them. Completions offer values by these words (candidates.cpp);
// values of any other kind, such as WxH, are not completed.
namespace value {
inline constexpr const char* kScenario = "SCENARIO";  // a file, or the name of a scenario or a study
inline constexpr const char* kFile = "FILE";
inline constexpr const char* kPreset = "PRESET";
inline constexpr const char* kCluster = "CLUSTER";
inline constexpr const char* kGpu = "GPU";
inline constexpr const char* kSoftware = "SOFTWARE";
inline constexpr const char* kPlot = "PLOT";
inline constexpr const char* kKey = "KEY";         // a parameter
inline constexpr const char* kPlanKeys = "KEY,…";  // parameters of the plan
inline constexpr const char* kAssignment = "KEY=VALUE";
inline constexpr const char* kAxis = "KEY=VALUES";
inline constexpr const char* kOutput = "FIELD";  // of the result
inline constexpr const char* kOutputs = "FIELD,…";
inline constexpr const char* kTarget = "TARGET";
}  // namespace value

// The keys that `--set` accepts in addition to parameters.
struct PresetKey {
    const char* key;
    PresetKind kind;
};
inline constexpr PresetKey kPresetKeys[] = {{"model.preset", PresetKind::model},
                                            {"cluster.preset", PresetKind::cluster},
                                            {"cluster.gpu", PresetKind::gpu}};

// Returns the possible completions of the last of `words`, which are the words after the program's name. Each
// line has a completion, a tab and its description. The line `:files` means that file names are possible,
// too.
std::string candidates(const Command& program, std::vector<std::string> words);

// Adds the option `--set KEY=VALUE`, which may be repeated.
void add_assignments(Command& command, std::vector<std::string>& into);

// Print like printf() to standard output and standard error. Control characters are escaped, so that a name
// or a file cannot control the terminal; see terminal_text(). Only our own scripts are printed unescaped.
[[gnu::format(printf, 1, 2)]] void print_out(const char* format, ...);
[[gnu::format(printf, 1, 2)]] void print_err(const char* format, ...);
void print_text(const std::string& text);  // on standard output

// Returns the folder of the user's presets, which may not exist yet; "" where there is no home folder.
std::string preset_folder();
// Returns the shipped presets and those of that folder.
Catalogue& catalogue();

// Prints problems to standard error, one per line, in the form FILE[:LINE]:/pointer: problem (why);
// suggestion. Beyond the first 1,000 only their number is printed.
void report(const Problems& problems, const std::string& file);

// Returns the tables of an nccl-tests log; none where the log cannot be used. Problems are printed to
// standard error, as warnings if there are usable tables.
std::vector<CollectiveTable> read_log(const std::string& file);

// Reports the problems of an output that cannot be written. Returns the exit code, which is not that of
// unusable input.
int report_unwritten(const Problems& problems, const std::string& file);
// Returns whether the target of an output option is empty, "-" or "/dev/stdout".
bool is_standard_output(const std::string& target);
// Writes to the file, or to standard output where none is named. Returns the exit code.
int write_output(const std::string& target, const std::string& text);

// Returns the text of a file of scenarios or of a stream (see read_text). Where there is no such file, it is
// the text of the scenario preset or study preset of that name. A study is returned as the text of its
// scenario.
std::string read_input(const std::string& file, Problems& problems);
// Returns the folder against which relative paths in that text are resolved.
std::string input_folder(const std::string& file);
// Returns the scenario preset or study preset of this name; nullptr when there is none.
const Preset* scenario_named(const std::string& name);

// Reads one scenario from a file ("-": standard input), applies `--set` and reports problems. Returns nothing
// if the scenario is unusable.
std::optional<SavedScenario> load_scenario(const std::string& file,
                                           const std::vector<std::string>& assignments);

// A value or a preset that "KEY=VALUE" gives.
struct Assignment {
    const Preset* preset = nullptr;  // or the value of a parameter
    P id = P::gpus;
    Value value = 0;
    std::string software{};  // the name of the program, instead of a value
};
std::optional<Assignment> parse_assignment(const std::string& assignment, const Catalogue& presets,
                                           Problems& problems);
// Returns the scenario with the value of an assignment that names no preset.
Scenario assigned(const Scenario& scenario, const Assignment& assignment);
// Applies "KEY=VALUE" to the scenario.
void assign(Scenario& scenario, const std::string& assignment, Problems& problems);

// Like load_scenario, but does not check the plan parameters, because a search will choose them.
std::optional<SavedScenario> load_job(const std::string& file, const std::vector<std::string>& assignments);

// Parses "training.micro_batch" or "micro_batch". For any other key it returns nothing and adds a problem of
// `option` that suggests the nearest key.
std::optional<P> parse_key(const std::string& option, const std::string& key, Problems& problems);

// Parses "memory.peak_bytes". For any other path it returns nothing and adds a problem of `option` that
// suggests the nearest path.
std::optional<Output> parse_output(const std::string& option, const std::string& path, Problems& problems);

// Parses axes. Returns none if one of them has a problem.
std::vector<Axis> parse_axes(const Scenario& scenario, const std::vector<std::string>& texts,
                             Problems& problems);

// Parses "mfu,memory.peak_bytes".
std::vector<Output> parse_outputs(const std::string& list, Problems& problems);

}  // namespace shardscope::commands
