// The command line: one file a command, all built on the same few helpers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explain/output.h"
#include "planner/answer.h"
#include "text/problem.h"

namespace CLI {
class App;
}

namespace shardscope {
struct CollectiveTable;
}

namespace shardscope::commands {

// Exit codes, INTERFACE of the program.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUnusable = 2;
inline constexpr int kNoSolution = 3;

// What a command gets and what it leaves: its exit code.
struct Context {
    int exit_code = kDone;
};

// Each adds its subcommand; its work runs when the command line names it.
void add_estimate(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_plan(CLI::App& app, Context& context);
void add_solve(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_presets(CLI::App& app, Context& context);
void add_validate(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_parameters(CLI::App& app, Context& context);
void add_import(CLI::App& app, Context& context);
void add_launch(CLI::App& app, Context& context);
// `import launch`, below `import`.
void add_import_launch(CLI::App& command, Context& context);
void add_completion(CLI::App& app, Context& context);
void add_manual(CLI::App& app, Context& context);

// What an option's value is: the word for it in --help, by which completions know what may stand there
// (candidates.cpp). Any other word, such as WxH, is for a person to fill in.
namespace value {
inline constexpr const char* kScenario = "SCENARIO";  // a file, a scenario's or a study's name
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

// What `--set` takes beside parameters.
struct PresetKey {
    const char* key;
    PresetKind kind;
};
inline constexpr PresetKey kPresetKeys[] = {{"model.preset", PresetKind::model},
                                            {"cluster.preset", PresetKind::cluster},
                                            {"cluster.gpu", PresetKind::gpu}};

// What may stand in the place of the last of `words`, the words after the program's name, one a line with
// what it is after a tab; the line `:files` says that files may, too.
std::string candidates(const CLI::App& app, std::vector<std::string> words);

// `--set KEY=VALUE`, as often as need be.
void add_assignments(CLI::App& command, std::vector<std::string>& into);

// Standard output and standard error, as printf() does, for everything but scripts of ours. What a file or a
// name holds cannot steer the terminal: see terminal_text().
[[gnu::format(printf, 1, 2)]] void print_out(const char* format, ...);
[[gnu::format(printf, 1, 2)]] void print_err(const char* format, ...);
void print_text(const std::string& text);  // on standard output

// The shipped presets and those of the user's data folder.
Catalogue& catalogue();

// Problems on standard error, one a line, in the form FILE[:LINE]:/pointer: problem (why); suggestion. Of
// more than 1,000 the rest are counted.
void report(const Problems& problems, const std::string& file);

// The tables of an nccl-tests log; none where it cannot be used. What is wrong is said on standard error: as
// a warning beside tables that can be used.
std::vector<CollectiveTable> read_log(const std::string& file);

// What an output that cannot be written ends with: it is no unusable input. The problems are reported.
int unwritten(const Problems& problems, const std::string& file);
// Whether an output option names no file: it is empty, "-" or "/dev/stdout".
bool is_standard_output(const std::string& target);
// Writes to the file, or to standard output where none is named; the exit code.
int write_output(const std::string& target, const std::string& text);

// The text of a file of scenarios or of a stream (see read_text), or of the scenario or study preset of that
// name where there is no such file. A study's text is its scenario's.
std::string read_input(const std::string& file, Problems& problems);
// The folder in which relative paths in that text begin.
std::string input_folder(const std::string& file);
// Whether a scenario or study preset has this name; nullptr when there is none.
const Preset* scenario_named(const std::string& name);

// One scenario from a file ("-": standard input) with `--set` applied; problems are reported. False:
// unusable.
bool load_scenario(const std::string& file, const std::vector<std::string>& assignments, Scenario& out);

// "KEY=VALUE" applied to the scenario.
void assign(Scenario& scenario, const std::string& assignment, Problems& problems);

// The same without judging its plan parameters, which a search will choose.
bool load_job(const std::string& file, const std::vector<std::string>& assignments, Scenario& out);

// "training.micro_batch" or "micro_batch" as a parameter; else a problem of `option` that names the nearest.
P parse_key(const std::string& option, const std::string& key, Problems& problems);

// "memory.peak_bytes" as an output; else a problem of `option` that names the nearest, and Output::count.
Output parse_output(const std::string& option, const std::string& path, Problems& problems);

// "mfu,memory.peak_bytes" as outputs.
std::vector<Output> parse_outputs(const std::string& list, Problems& problems);

}  // namespace shardscope::commands
