// The formats of training logs: one file per tool with a LogFormat; `log_formats()` lists them.
//
// Every line is read by all formats, because logs mix tools: DeepSpeed inside Megatron, or PyTorch's memory
// summary anywhere. The log is of the format that reads the most steps in it, where an exact format comes
// before one that shows a moving average.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "logs/log_contents.h"
#include "logs/log_lines.h"

namespace shardscope::logs {

inline constexpr std::size_t kMostSteps = 1'000'000;  // logged in one file

// Reads the lines of one log, in their order.
class LineReader {
  public:
    LineReader() = default;
    virtual ~LineReader() = default;
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    virtual void read(const LogLine& line, LogContents& contents) = 0;
    // Is called where other settings begin: the steps so far are of an earlier start.
    virtual void start_again();
    // Is called after the last line.
    virtual void finish(LogContents& /*contents*/) {}

    void interrupt(Interruption interruption) { interruption_ = interruption; }
    [[nodiscard]] const std::vector<LoggedStep>& steps() const { return steps_; }
    // Returns how many steps earlier starts with other settings logged.
    [[nodiscard]] std::size_t earlier_steps() const { return earlier_steps_; }

  protected:
    // Adds a step. Of several ranks that log the same steps, the first one counts. A step number that is not
    // larger than the last one is a restart.
    void add(LoggedStep step, const LogLine& line);
    [[nodiscard]] bool has_steps() const { return !steps_.empty(); }
    void drop_steps() { steps_.clear(); }

  private:
    std::vector<LoggedStep> steps_;
    std::size_t earlier_steps_ = 0;
    std::optional<int> rank_;
    Interruption interruption_ = Interruption::none;
};

struct LogFormat {
    std::string_view label;     // "Megatron-LM"
    std::string_view software;  // the value of `cluster.software` of its runs; "" where the tool is no stack
    bool exact_steps = true;    // the times are those of the steps; otherwise a moving average
    bool counts_batches = false;  // the steps are micro-batches, not those of the optimizer
    std::unique_ptr<LineReader> (*make)();
};

std::span<const LogFormat* const> log_formats();
extern const LogFormat kMegatronLog, kTorchtitanLog, kNemoLog, kDeepspeedLog, kNanotronLog, kTrainerLog,
    kMlperfLog, kLightningLog;

// Returns the reader of memory peaks and of the GPU's name, which no single tool writes: PyTorch's memory
// summary and out-of-memory message, nvidia-smi, and device names.
std::unique_ptr<LineReader> make_device_reader();
// Returns the name of the preset of a GPU with this device name ("NVIDIA H100 80GB HBM3") or in a system with
// this name ("DGXH100"); "" where there is none.
std::string_view gpu_preset_of(std::string_view device);

// Returns what a line says about an evaluation or a checkpoint that interrupts training.
Interruption interruption_of(const LogLine& line);

}  // namespace shardscope::logs
