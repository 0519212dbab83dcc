// Reads the logs of training tools: the settings that a log states, its steps in the steady state, and its
// memory peaks. They become a measured run.
//
// Each tool has one file with a LogFormat (log_format.h). To add a tool, add a file and a line in
// log_format.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evidence/runs.h"
#include "logs/log_contents.h"
#include "logs/steady_state.h"
#include "text/problem.h"

namespace shardscope {

// What the lines of the steps state.
enum class StepUnit : unsigned char {
    seconds,             // s of a step
    seconds_per_token,   // the inverse of tokens/s/GPU
    seconds_per_sample,  // the inverse of sequences/s of all GPUs
    seconds_per_batch,   // s of a micro-batch of each GPU; an optimizer step accumulates several
};

struct TrainingLog {
    std::string tool;  // "Megatron-LM"; "PyTorch" where the log states neither steps nor a tool's settings
    std::string software;  // the value of `cluster.software`; "" where the tool is no software stack
    StepUnit unit = StepUnit::seconds;
    logs::SteadyState steady;       // in that unit
    std::size_t earlier_steps = 0;  // of starts with other settings, where the last start has no steps
    bool whole_run = false;         // there are no steps, only the mean over the run
    double model_tflops = 0;        // the median that the tool states; 0 where it does not
    logs::LogContents contents;

    // Returns the median step time of a run with these settings; 0 where the log has no steps.
    [[nodiscard]] double step_time(const Settings& settings) const;
    // Returns the factor from the unit of `steady` to seconds.
    [[nodiscard]] double seconds(const Settings& settings) const;
    [[nodiscard]] RunQuality quality() const;
};

// Returns whether a text is a log of a training tool: it has a logged step. JSON is none, except for the
// Trainer's state file.
bool is_training_log(std::string_view text);
// Read a log, from a text or piece by piece from a file (see read_pieces). Adds a problem where it has
// neither steps nor a memory peak.
TrainingLog read_training_log(std::string_view text, Problems& problems);
TrainingLog read_training_log_file(const std::string& path, Problems& problems);

// A scenario of a log before the user completes it.
struct LogScenario {
    Scenario scenario;  // model, cluster and GPU are nullptr where they are not stated
    std::vector<std::string> notes;
};
// Returns the scenario that the log states. What it does not state is taken from `base`; without `base`,
// parameters have their defaults. The scenario is not checked, because the user may still add what is
// missing.
LogScenario log_scenario(const TrainingLog& log, const Scenario* base, const Catalogue& catalogue,
                         Problems& problems);
// An input without which a run cannot be predicted and which its log does not state.
struct MissingInput {
    std::string_view key;              // for --set: "cluster.preset", "gpus"
    std::optional<PresetKind> preset;  // the kind of preset that gives it, or
    P parameter = P::gpus;             // the parameter
    std::string label;                 // "GPUs"
    std::string what;                  // "the number of GPUs"
    std::string example;               // "64"
};
std::vector<MissingInput> missing_inputs(const Scenario& scenario);
// Returns the problem that an input is missing, with the option that adds it.
Problem problem_of(const MissingInput& input);
// Returns the line of the log that states a value of the scenario; 0 where no line does, or where the
// scenario has another value. `stated` is the scenario before the user completed it.
int line_of_value(const TrainingLog& log, const Scenario& stated, const Scenario& scenario, P id);
// Returns all problems with a scenario that the user completed. Where values contradict each other, the
// first problem names those that the log states, with their lines.
Problems check_completed(const TrainingLog& log, const Scenario& stated, const Scenario& scenario);

// Returns which values of a run contradict each other: with its step time the GPU would compute more than its
// peak. "" where they do not. The scenario is complete.
std::string contradiction(const TrainingLog& log, const Scenario& scenario);

// Returns the run as one line of a table of measured runs in JSON Lines, without its end. The scenario is
// complete. `source` is the file.
std::string write_log_run(const TrainingLog& log, const Scenario& scenario, const std::string& source);

}  // namespace shardscope
