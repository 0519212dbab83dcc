// `shardscope launch` writes the plan as the settings of a training tool; `shardscope import launch` reads
// such settings.
#include "launch/launch.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands/command.h"
#include "files/scenario_file.h"
#include "launch/reading.h"
#include "system/file_io.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

struct Options {
    std::string file;
    std::vector<std::string> assignments;
    std::string tool;
    std::string target;
    std::string slurm;  // file for the job
    std::string base;   // scenario whose hardware an imported run uses
};

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) print_err("%s\n", note.c_str());
}

// Returns whether both paths name the same file, which may not exist yet.
bool same_file(const std::string& a, const std::string& b) {
    std::error_code none;
    if (std::filesystem::equivalent(a, b, none)) return true;
    const auto whole_path = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none);
    };
    return !whole_path(a).empty() && whole_path(a) == whole_path(b);
}

// Writes the settings and, if it is asked for, the job: both files or none.
int write_outputs(const Options& options, const LaunchFormat& format, const LaunchText& written) {
    if (options.slurm.empty()) return write_output(options.target, written.text);
    const std::string job = slurm_job(format, written);
    if (is_standard_output(options.slurm)) {
        const int code = write_output(options.target, written.text);
        if (code == kDone) print_text(job);
        return code;
    }
    Problems problems;
    std::string failed;
    const std::vector<NewFile> files{{options.target, written.text}, {options.slurm, job}};
    return write_files_atomically(files, problems, failed) ? kDone : report_unwritten(problems, failed);
}

std::vector<std::string> tool_names() {
    std::vector<std::string> out;
    for (const LaunchFormat* format : launch_formats()) out.emplace_back(format->name);
    return out;
}

int launch(const Options& options) {
    for (const std::string& target : {options.target, options.slurm}) {
        if (target.empty() || !same_file(options.file, target)) continue;
        report({{"", "is the scenario itself", "it would be lost", "name another file"}}, target);
        return kUnusable;
    }
    if (!options.slurm.empty() && is_standard_output(options.target)) {
        report({{"--slurm", "needs -o", "the job starts the file", "add -o FILE"}}, {});
        return kUnusable;
    }
    if (!options.slurm.empty() && same_file(options.target, options.slurm)) {
        report({{"--slurm", "is the file of -o", "the job would replace the settings", "name another file"}},
               options.slurm);
        return kUnusable;
    }
    const auto scenario = load_scenario(options.file, options.assignments);
    if (!scenario) return kUnusable;
    if (!options.slurm.empty()) {
        if (const Problems refused = problems_of_slurm_job(*scenario); !refused.empty()) {
            report(refused, {});
            return kUnusable;
        }
    }
    const Answer found = answer(*scenario);
    const LaunchFormat* tool =
        options.tool.empty() ? launch_format_for(found.settings) : launch_format(options.tool);
    if (!tool) {
        report({{"/cluster/software",
                 "no tool of this program runs “" + format(P::software, found.settings[P::software]) + "”",
                 "", "choose one with --for: " + joined(tool_names(), ", ")}},
               options.file);
        return kUnusable;
    }
    const LaunchFormat& chosen = *tool;
    const LaunchText written =
        is_standard_output(options.target) ? chosen.write(found) : chosen.write_as(found, options.target);
    if (written.text.empty()) {
        std::string why = written.notes.front();
        why.pop_back();  // the full stop of a sentence
        report({{"/model", why, "", "see --for"}}, options.file);
        return kUnusable;
    }
    if (const int code = write_outputs(options, chosen, written); code != kDone) return code;
    if (!found.fits()) print_err("warning: the scenario does not fit, see `shardscope estimate`\n");
    print_err("%s: %s\n", std::string(chosen.label).c_str(), written.command.c_str());
    print_notes(written.notes);
    return kDone;
}

// Removes the note on the number of GPUs where the command line gives it.
void drop_assumed_gpus(LaunchRead& read, const std::vector<std::string>& assignments) {
    for (const std::string& assignment : assignments) {
        Problems reported_later;
        const auto one = parse_assignment(assignment, catalogue(), reported_later);
        if (one && !one->preset && one->id == P::gpus) std::erase(read.notes, read.gpus_note);
    }
}

int import(const Options& options) {
    Scenario base = Scenario::first_launch(catalogue());
    if (!options.base.empty()) {
        const auto loaded = load_scenario(options.base, {});
        if (!loaded) return kUnusable;
        base = *loaded;
    }
    Problems problems;
    const std::string text = read_text(options.file, problems);
    const LaunchFormat* format = launch_format_of(text);
    if (problems.empty() && !format) problems = unread_launch_file(text);
    LaunchRead read;
    if (problems.empty() && format) read = format->read(text, base, problems);
    // Values of the command line may complete the file, such as the number of GPUs.
    if (read.complete && !options.assignments.empty()) {
        problems.clear();
        drop_assumed_gpus(read, options.assignments);
    }
    for (const std::string& assignment : options.assignments) {
        if (problems.empty()) assign(read.scenario, assignment, problems);
    }
    if (problems.empty() && !options.assignments.empty())
        problems = check(read.scenario, resolve(read.scenario));
    if (!problems.empty() || !format) {
        report(problems, options.file);
        return kUnusable;
    }
    print_out("%s", write_scenario(read.scenario).c_str());
    print_err("%s: %s\n", std::string(format->label).c_str(), read.scenario.title().c_str());
    print_notes(read.notes);
    return kDone;
}

}  // namespace

void add_launch(Command& program) {
    auto options = std::make_shared<Options>();
    Command& command = program.add_command(
        "launch",
        "The plan as settings of a training tool; standard error lists what the tool cannot express");
    command.add_option("FILE", &options->file, value::kScenario, "Scenario; - reads standard input")
        .required = true;
    add_assignments(command, options->assignments);
    command.add_choice("--for", &options->tool, tool_names(),
                       "The tool; by default one that runs the scenario's software");
    command.add_option("-o", &options->target, value::kFile, "Output file instead of standard output");
    command.add_option("--slurm", &options->slurm, value::kFile,
                       "File for a SLURM job (sbatch) that starts the output file on the scenario's nodes");
    command.run = [options] { return launch(*options); };
}

void add_import_launch(Command& command) {
    auto options = std::make_shared<Options>();
    Command& launch = command.add_command(
        "launch",
        "A run's launch settings (torchtitan, Megatron-LM, DeepSpeed) as a scenario, on standard output");
    launch.add_option("FILE", &options->file, value::kFile, "TOML, script or JSON; - reads standard input")
        .required = true;
    launch.add_option(
        "--on", &options->base, value::kScenario,
        "Scenario whose cluster and assumptions are used; by default those of the first launch");
    add_assignments(launch, options->assignments);
    launch.run = [options] { return import(*options); };
}

}  // namespace shardscope::commands
