// What a training log states: logged steps, settings, the GPU and memory peaks, each with its line.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launch/megatron_options.h"

namespace shardscope::logs {

// What happened between a logged step and the one before it.
enum class Interruption : unsigned char { none, evaluation, checkpoint, restart };

// A line that states how long one step took, or the mean of the steps since the line before it. 0 means that
// the line does not state the value.
struct LoggedStep {
    double number = 0;  // of the step in the run
    double seconds = 0;
    double samples_per_s = 0;         // sequences of all GPUs
    double tokens_per_s_per_gpu = 0;  // tokens
    double global_batch = 0;          // sequences
    double model_tflops = 0;          // per GPU, in the convention of the tool
    int line = 0;
    Interruption interruption = Interruption::none;
};

// A setting that a line states.
struct StatedSetting {
    P id;
    double value = 0;
    int line = 0;
};

// A key of torchtitan's job config with its value as TOML.
struct StatedKey {
    std::string key;
    std::string value;
    int line = 0;
};

enum class Peak : unsigned char { allocated, reserved, device, count };
inline constexpr std::size_t kPeaks = static_cast<std::size_t>(Peak::count);

struct StatedNumber {
    double value = 0;  // 0: not stated
    int line = 0;
};

struct LogContents {
    std::vector<StatedSetting> settings;  // of lines that state a single one
    std::vector<launch::MegatronArgument> megatron;
    // Options of Megatron-LM that the log states as None or False, which no argument expresses.
    std::set<std::string, std::less<>> megatron_off;
    std::vector<StatedKey> torchtitan;
    StatedNumber pipeline_stages;    // of torchtitan, of all GPUs of a pipeline: each GPU may have several
    std::string deepspeed;           // DeepSpeed's configuration as JSON; "" where the log has none
    int deepspeed_line = 0;          // where it begins
    std::string_view model;          // the name of the model's preset; "" where the log names no model
    std::vector<std::string> notes;  // one sentence for each statement that the scenario only approximates
    bool is_bridge = false;          // lines that only Megatron-Bridge writes
    bool has_steps = false;          // a line so far states a step
    // Lines after steps state other settings, so that those steps are of an earlier start of the training.
    bool other_settings = false;
    std::string device;  // "NVIDIA H100 80GB HBM3"
    int device_line = 0;
    StatedNumber parameters;                 // of the model
    std::array<StatedNumber, kPeaks> peaks;  // bytes, the largest of all lines and ranks
    // The same of the lines before the first step of tools that show the memory while the model is made, too.
    // They are not peaks of training; a log without steps has nothing else.
    std::array<StatedNumber, kPeaks> early_peaks;
    int out_of_memory_line = 0;  // 0: it did not run out of memory
    // Medians of the parts that DeepSpeed's timers report, in s, by name ("fwd", "bwd", "step").
    std::map<std::string, double, std::less<>> parts;
    // The mean over the whole run, with evaluation and checkpoints, where no single steps are logged.
    LoggedStep whole_run;

    void set(P id, double value, int line);
    // Does the same for a choice by its name.
    void set(P id, std::string_view name, int line);
    void update_peak(Peak peak, double bytes, int line);
    // Does the same, but before the first step it updates the early peak instead.
    void update_training_peak(Peak peak, double bytes, int line);
    // Forgets what an earlier start with other settings measured.
    void start_again();
    // Returns the line that states a setting, the last one if there are several; 0 where there is none.
    [[nodiscard]] int line_of(P id) const;
};

}  // namespace shardscope::logs
