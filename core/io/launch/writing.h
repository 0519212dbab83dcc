// The parts that all writers of launch settings share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "parameters/parameter.h"
#include "text/translate.h"

namespace shardscope::launch {

// The settings to write, and the notes that the writer has added.
struct LaunchSettings {
    explicit LaunchSettings(const Answer& of) : answer(of), s(of.settings) {}

    const Answer& answer;
    const Settings& s;
    std::vector<std::string> notes;
    // Schedules that the tool has in addition to those of the writer whose options it takes.
    std::vector<ScheduleKind> more_schedules;

    void note(std::string sentence) { notes.push_back(std::move(sentence)); }
    [[nodiscard]] std::string whole(P id) const;  // "4096"
    [[nodiscard]] std::string named(P id) const;  // "Recompute 0.3"
    [[nodiscard]] bool is(P id, double value) const { return s[id] == value; }
    template <typename Choice>
    [[nodiscard]] bool is(P id, Choice value) const {
        return s.choice<Choice>(id) == value;
    }
    // Adds a note that the tool has no option for a value. The sentence has placeholders for the tool, the
    // value and what is written instead.
    void note_missing_option(const LaunchFormat& tool, P id,
                             const char* sentence = translatable("{1} has no option for “{2}”."),
                             std::string_view written = {});
    // Adds notes where the prediction is for another software stack than that of the tool, or for layers of
    // different kinds.
    void note_mismatches(const LaunchFormat& tool, bool writes_pattern = false);
    // Adds notes for what FSDP2 does not have, whichever tool wraps the model with it.
    void note_fsdp2_limits();
};

// Adds a note for each setting of the training and the plan that `written` does not contain, if the
// prediction would be another one without it. `written` contains a setting if the tool's file or notes would
// be others with another value.
void note_unset(const LaunchFormat& tool, const Answer& answer, const std::string& file, LaunchText& written);
// Returns whether the scenario's software is PyTorch with torch.compile.
bool is_compiled(const Settings& settings);
// Returns a whole number without digit grouping, for files.
std::string whole(double value);
// "16.4 s a step, MFU 40.1 %, 59.1 GiB of 79.1 GiB at peak", in English.
std::string prediction(const Answer& answer);
// Returns the comment lines at the top of a file: the tool's version, the prediction, the scenario, and how
// to start the training.
std::string header(const LaunchFormat& tool, const Answer& answer, const std::string& how_to_start);

bool has_tpus(const Scenario& scenario);
// A GPU whose vendor is not known counts as one of them.
bool is_of_nvidia_or_amd(const Preset& gpu);
// Returns the backend of Megatron-Core's flexible dispatcher of experts: DeepEP does not run on the racks of
// GB200 and GB300 (NVIDIA-NeMo/Megatron-Bridge, training/flex_dispatcher_backend.py).
std::string flex_backend(const Settings& settings);
// Returns the GPUs of each node that the run uses. A node is an NVLink domain.
double gpus_in_node(const Settings& settings);
// Returns the hosts of the run. A node that is a rack has several.
Hosts hosts(const Settings& settings);
// Adds a note where a node has more GPUs than a host.
void note_hosts(LaunchSettings& plan);
// Returns "torchrun --nnodes=8 …" up to the program, and adds the note on hosts.
std::string torchrun(LaunchSettings& plan);
// Returns comment lines that say how to start the training.
std::string start_comment(const std::string& launcher, const std::string& program);

// Returns the optimizer steps of the run if the scenario has a number of training tokens; otherwise 0.
double steps(const Answer& answer);

}  // namespace shardscope::launch
