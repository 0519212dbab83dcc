// Logs of DeepSpeed: its throughput timer, the wall-clock breakdown, the pipeline engine and the printed
// configuration.
//
// Source: deepspeedai/DeepSpeed, deepspeed/utils/timer.py (samples/s of the whole batch, since the line
// before), deepspeed/runtime/engine.py (wall-clock breakdown, see_memory_usage), runtime/pipe/engine.py and
// runtime/config.py (print). What DeepSpeed calls GB is 1,024³ bytes.
#include <algorithm>
#include <array>

#include "evidence/validation.h"
#include "logs/log_format.h"
#include "text/text.h"

namespace shardscope::logs {
namespace {

constexpr double kMilli = 1e-3;
constexpr std::array<std::string_view, 4> kParts{"fwd", "bwd", "bwd_allreduce", "step"};

class DeepspeedReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        if (read_throughput(line, contents) || read_pipeline(line) || read_breakdown(line)) return;
        read_memory(line, contents);
        read_configuration(line, contents);
    }

    void finish(LogContents& contents) override {
        for (std::size_t i = 0; i < kParts.size(); ++i)
            if (!parts_[i].empty()) contents.parts[std::string(kParts[i])] = quantile(parts_[i], 0.5);
    }

  private:
    bool read_throughput(const LogLine& line, LogContents& contents) {
        if (!line.has("SamplesPerSec=")) return false;
        // Versions before 0.5 write only SamplesPerSec.
        const char* label = line.has("CurrSamplesPerSec") ? "CurrSamplesPerSec" : "SamplesPerSec";
        const auto rate = number_after(line, label);
        if (!rate || *rate <= 0) return true;
        if (breakdown_steps_) drop_steps();
        breakdown_steps_ = false;
        LoggedStep step;
        step.number = number_after(line, "global_step").value_or(0);
        step.samples_per_s = *rate;
        add(step, line);
        if (const auto peak = bytes_after(line, "MaxMemAllocated"))
            contents.raise(Peak::allocated, *peak, line.number);
        return true;
    }

    // "steps: 10 loss: 2.5101 iter time (s): 1.234 samples/sec: 51.870"
    bool read_pipeline(const LogLine& line) {
        if (!line.has("iter time (s):")) return false;
        const auto seconds = number_after(line, "iter time (s):");
        if (!seconds || *seconds <= 0) return false;
        LoggedStep step;
        step.number = number_after(line, "steps:").value_or(0);
        step.seconds = *seconds;
        add(step, line);
        return true;
    }

    // "time (ms) | fwd: 5722.49 | bwd: 16107.19 | bwd_inner: … | bwd_allreduce: … | step: 582.04", of one
    // optimizer step.
    bool read_breakdown(const LogLine& line) {
        if (!line.has("time (ms) |") || !line.has("| fwd:")) return false;
        double sum = 0;
        for (std::size_t i = 0; i < kParts.size(); ++i) {
            const auto part = number_after(line, std::string(kParts[i]) + ":");
            if (!part || *part < 0) return false;
            parts_[i].push_back(*part * kMilli);
            if (kParts[i] != "bwd_allreduce") sum += *part * kMilli;  // which is a part of bwd
        }
        if (parts_.front().size() > kMostSteps || sum <= 0) return false;
        // The breakdown is used where there is no line with the throughput.
        if (has_steps() && !breakdown_steps_) return true;
        breakdown_steps_ = true;
        LoggedStep step;
        step.seconds = sum;
        add(step, line);
        return true;
    }

    // see_memory_usage: "MA 10.2 GB         Max_MA 12.1 GB         CA 14.0 GB         Max_CA 14 GB"
    static void read_memory(const LogLine& line, LogContents& contents) {
        if (!line.has("Max_MA")) return;
        if (const auto peak = bytes_after(line, "Max_MA"))
            contents.raise(Peak::allocated, *peak, line.number);
        if (const auto peak = bytes_after(line, "Max_CA")) contents.raise(Peak::reserved, *peak, line.number);
    }

    // "[config.py:1000:print]   train_batch_size ............. 64"
    static void read_configuration(const LogLine& line, LogContents& contents) {
        if (!line.has(":print]")) return;
        const std::string_view text = line.text.substr(line.text.find(":print]") + 7);
        const std::size_t dots = text.find(" ..");
        if (dots == std::string_view::npos) return;
        const std::string name = trim(text.substr(0, dots));
        const std::size_t after = text.find_first_not_of('.', dots + 1);
        if (after == std::string_view::npos) return;
        const std::string value = trim(text.substr(after));
        const auto number = leading_number(value);
        const bool on = value == "True";
        if (name == "train_micro_batch_size_per_gpu" && number)
            contents.state(P::micro_batch, *number, line.number);
        else if (name == "train_batch_size" && number) contents.state(P::global_batch, *number, line.number);
        else if (name == "world_size" && number) contents.state(P::gpus, *number, line.number);
        else if ((name == "bfloat16_enabled" || name == "bf16_enabled") && on)
            contents.state(P::precision, "bf16", line.number);
        else if ((name == "fp16_enabled" || name == "float16_enabled") && on)
            contents.state(P::precision, "fp16", line.number);
        else if (name == "zero_optimization_stage" && number && *number >= 0 && *number <= 3)
            contents.state(P::sharding, *number, line.number);
    }

    std::array<std::vector<double>, kParts.size()> parts_;
    bool breakdown_steps_ = false;  // the steps are those of the breakdown
};

}  // namespace

const LogFormat kDeepspeedLog{
    .label = "DeepSpeed",
    .software = "deepspeed",
    .checked = "DeepSpeed at 00376da, deepspeed/utils/timer.py, deepspeed/runtime/engine.py",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<DeepspeedReader>()); },
};

}  // namespace shardscope::logs
