// Writes a scenario's plan as the settings of the tools that would train it, and reads such settings.
//
// Each tool has one file with a LaunchFormat; `launch_formats()` lists them. To add a tool, add a file with a
// LaunchFormat and a line in launch.cpp; the command, the window and the tests read that table. Tests compare
// the option names with the tools' own lists (tests/core/launch/options).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"
#include "text/problem.h"

namespace shardscope {

// The hosts on which a run is started; SLURM and torchrun call them nodes.
struct Hosts {
    double nodes = 1;
    double gpus = 1;  // of each host that the run uses
};

struct LaunchText {
    std::string text;     // of the file; "" where the tool cannot train the model at all
    std::string command;  // starts the training, to be run on every node unless it says otherwise
    std::vector<std::string>
        notes;  // one sentence for each setting that the tool cannot express, with what is written instead
    Hosts hosts = {};
    std::string job_command = command;  // the same inside a SLURM job, where $HEAD_NODE is set
    bool starts_all_nodes = false;      // the job's command runs once, otherwise on every node
};

struct LaunchRead {
    Scenario scenario;               // usable only where there is no problem
    std::vector<std::string> notes;  // one sentence for each assumption and for what was not used
    // The one of `notes` that says that the file does not give the number of GPUs; empty if it does. A caller
    // that gets the number from elsewhere removes it.
    std::string gpus_note;
    // Likewise the one that says that the file contains no model.
    std::string model_note;
    // Every entry was understood: problems are those of the scenario as a whole, which other values may
    // solve.
    bool complete = false;
};

struct LaunchFormat {
    std::string_view name;       // "megatron", for --for
    std::string_view label;      // "Megatron-LM"
    std::string_view file_name;  // "train.sh"
    std::string_view stack;      // the values of `cluster.software` for this tool begin with it
    std::string_view checked;    // source of the option names: version, file, commit
    // Writes an answer whose plan is known; automatic parameters have the planner's values. `file` is the
    // name of the file, which the command contains.
    LaunchText (*write_file)(const Answer& answer, const std::string& file);
    // `recognises` returns whether a text looks like a file of this format. `read` reads it as a scenario
    // with the cluster and the assumptions of `base`. Both are null where the program does not read the
    // format.
    bool (*recognises)(std::string_view text) = nullptr;
    LaunchRead (*read)(std::string_view text, const Scenario& base, Problems& problems) = nullptr;

    // The tool runs on GPUs of NVIDIA and AMD only.
    bool gpus_only = false;
    // A format that contains the same plan and can be read, so that the file can be predicted; nullptr: none.
    const LaunchFormat* same_plan = nullptr;

    // Does the same as `write_file`, and adds a note for each setting of the training and the plan that the
    // file does not contain although it changes the prediction.
    [[nodiscard]] LaunchText write_as(const Answer& answer, const std::string& file) const;
    [[nodiscard]] LaunchText write(const Answer& answer) const {
        return write_as(answer, std::string(file_name));
    }
};

std::span<const LaunchFormat* const> launch_formats();
// Return the format of this name, and the format that reads this text; nullptr where there is none.
const LaunchFormat* launch_format(std::string_view name);
const LaunchFormat* launch_format_of(std::string_view text);
// Returns why no format reads the text: where it has the form of JSON or TOML, the place where that breaks
// off.
Problems unread_launch_file(std::string_view text);
// Returns why SLURM starts no run of the scenario; nothing where it does.
Problems problems_of_slurm_job(const Scenario& scenario);
// Returns a job for the SLURM workload manager that starts what a writer wrote, on its nodes.
std::string slurm_job(const LaunchFormat& format, const LaunchText& written);
// Returns the format of a tool that runs the scenario's software; nullptr where there is none.
const LaunchFormat* launch_format_for(const Settings& settings);

extern const LaunchFormat kTorchtitan, kTorchtitanPython, kMegatronBridge, kMegatron, kDeepspeed, kFsdp2,
    kAccelerate, kPrimus, kAxolotl, kMaxText;

}  // namespace shardscope
