// Logs of DeepSpeed: its throughput timer, the wall-clock breakdown, the pipeline engine and the printed
// configuration.
//
// Source: deepspeedai/DeepSpeed, deepspeed/utils/timer.py (samples/s of the whole batch, since the line
// before), deepspeed/runtime/engine.py (wall-clock breakdown, see_memory_usage), runtime/pipe/engine.py,
// runtime/config.py (print, print_user_config, world_size) and launcher/launch.py, at commit edaa722. What
// DeepSpeed calls GB is 1,024³ bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "evidence/validation.h"
#include "logs/log_format.h"
#include "text/text.h"

namespace shardscope::logs {
namespace {

constexpr std::array<std::string_view, 4> kParts{"fwd", "bwd", "bwd_allreduce", "step"};

class DeepspeedReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        read_batch(line);
        read_json(line, contents);
        if (read_throughput(line, contents) || read_pipeline(line) || read_breakdown(line)) return;
        read_memory(line, contents);
        read_configuration(line, contents);
        read_ranks(line, contents);
    }

    void start_again() override {
        LineReader::start_again();
        batches_.clear();
        for (std::vector<double>& part : parts_) part.clear();
    }

    void finish(LogContents& contents) override {
        if (processes_.value > 0) contents.set(P::gpus, processes_.value, processes_.line);
        else if (ranks_.value > 0 && stages_ == 0 && !divides_model_)
            contents.set(P::gpus, ranks_.value, ranks_.line);
        if (!batches_.empty() && contents.line_of(P::global_batch) == 0)
            contents.set(P::global_batch, std::round(quantile(batches_, 0.5)), batch_line_);
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
            contents.update_peak(Peak::allocated, *peak, line.number);
        return true;
    }

    // A line with both the samples per second and the seconds of the iteration states the batch, as those of
    // Megatron-DeepSpeed and of the pipeline engine do.
    void read_batch(const LogLine& line) {
        if (!line.has("samples/sec:")) return;
        const auto rate = number_after(line, "samples/sec:");
        const auto seconds = number_after(line, "iter time (s):");
        const auto time = number_after(line, "elapsed time per iteration (ms)");
        const double length = seconds ? *seconds : time.value_or(0) * kMilli;
        if (!rate || *rate * length < 1 || batches_.size() >= kMostSteps) return;
        batches_.push_back(*rate * length);
        batch_line_ = line.number;
    }

    // "steps: 10 loss: 2.5101 iter time (s): 1.234 samples/sec: 51.870"
    bool read_pipeline(const LogLine& line) {
        if (!line.has("iter time (s):")) return false;
        const auto seconds = number_after(line, "iter time (s):");
        if (!seconds || *seconds <= 0) return false;
        LoggedStep step;
        step.number = number_after(line, "steps:").value_or(0);
        divides_model_ = true;
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
            contents.update_training_peak(Peak::allocated, *peak, line.number);
        if (const auto peak = bytes_after(line, "Max_CA"))
            contents.update_training_peak(Peak::reserved, *peak, line.number);
    }

    // "[config.py:1000:print]   train_batch_size ............. 64"; a name of 29 or more characters has no
    // dots behind it.
    void read_configuration(const LogLine& line, LogContents& contents) {
        constexpr std::string_view kMark = ":print]";
        const std::size_t mark = line.text.find(kMark);
        if (mark == std::string_view::npos) return;
        const std::string text = trim(line.text.substr(mark + kMark.size()));
        const std::size_t blank = text.find(' ');
        if (blank == std::string::npos) return;
        const std::string_view name = std::string_view(text).substr(0, blank);
        const std::size_t dots = std::min(text.find_first_not_of(' ', blank), text.size());
        const std::string value = trim(text.substr(std::min(text.find_first_not_of('.', dots), text.size())));
        read_setting(name, value, line.number, contents);
    }

    void read_setting(std::string_view name, const std::string& value, int line, LogContents& contents) {
        const auto number = leading_number(value);
        // A section of the configuration is printed as "enabled=True …".
        const bool on = value == "True" || value.starts_with("enabled=True");
        if (name == "train_micro_batch_size_per_gpu" && number) contents.set(P::micro_batch, *number, line);
        else if (name == "train_batch_size" && number) contents.set(P::global_batch, *number, line);
        else if (name == "world_size" && number) count(ranks_, *number, line, contents);
        else if ((name == "bfloat16_enabled" || name == "bf16_enabled" || name == "bfloat16_config") && on)
            contents.set(P::precision, "bf16", line);
        else if ((name == "fp16_enabled" || name == "float16_enabled" || name == "float16_config") && on)
            contents.set(P::precision, "fp16", line);
        else if (name == "zero_optimization_stage" && number && *number >= 0 && *number <= 3)
            contents.set(P::sharding, *number, line);
        else if (name == "optimizer_name" && (value == "adam" || value == "adamw"))
            contents.set(P::optimizer, "adamw", line);
        else if (name == "optimizer_name" && value == "muon") contents.set(P::optimizer, value, line);
        else if (name == "zero_config") read_offload(value, line, contents);
    }

    // "stage=3 … offload_param=None offload_optimizer=DeepSpeedZeroOffloadOptimizerConfig(device='cpu', …)
    // …". Weights are offloaded only together with the optimizer.
    static void read_offload(std::string_view value, int line, LogContents& contents) {
        const std::string_view optimizer = offload_device(value, "offload_optimizer=");
        const std::string_view weights = offload_device(value, "offload_param=");
        contents.set(P::offload,
                     !weights.empty()      ? "optimizer+parameters"
                     : optimizer == "nvme" ? "optimizer-nvme"
                     : optimizer == "cpu"  ? "optimizer"
                                           : "none",
                     line);
    }

    // Returns the device of an offload, "cpu" or "nvme"; "" where nothing is offloaded.
    static std::string_view offload_device(std::string_view value, std::string_view name) {
        const std::size_t at = value.find(name);
        if (at == std::string_view::npos) return {};
        const std::string_view offload = value.substr(at, value.find_first_of(" )", at + name.size()) - at);
        for (const std::string_view device : {"cpu", "nvme"})
            if (offload.find(device) != std::string_view::npos) return device;
        return {};
    }

    // "[config.py:1014:print_user_config]   json = {", whose indented lines end with "}". Lines of other
    // processes may lie between them.
    void read_json(const LogLine& line, LogContents& contents) {
        constexpr std::string_view kBegin = "json = {";
        constexpr std::size_t kLongest = 100'000;
        const std::size_t begin = line.text.find(kBegin);
        if (begin != std::string_view::npos) {
            json_.clear();
            json_line_ = line.number;
            open_braces_ = 0;
        } else if (json_.empty()) {
            return;
        }
        const std::string text =
            trim(begin != std::string_view::npos ? line.text.substr(begin + kBegin.size() - 1)
                                                 : without_rank(line.text));
        if (text.find_first_of("{}[]\"") != 0) return;
        json_ += text + "\n";
        open_braces_ += std::ranges::count(text, '{') - std::ranges::count(text, '}');
        if (open_braces_ <= 0) {
            contents.deepspeed = std::exchange(json_, {});
            contents.deepspeed_line = json_line_;
        } else if (json_.size() > kLongest) {
            json_.clear();
        }
    }

    // Sets a number of processes. Another one is that of a later start.
    static void count(StatedNumber& of, double number, int line, LogContents& contents) {
        if (of.value > 0 && of.value != number) contents.other_settings = true;
        of = {number, line};
    }

    // The launcher states all processes ("dist_world_size=8"). The configuration's world size counts only
    // data-parallel ranks where a model-parallel unit is given, as for pipelines, sequence parallelism
    // (Ulysses) and AutoTP.
    void read_ranks(const LogLine& line, LogContents& contents) {
        if (const auto size = number_after(line, "dist_world_size"); size && *size >= 1)
            count(processes_, *size, line.number, contents);
        const auto stage = line.has("LAYERS=") ? number_after(line, "STAGE") : std::nullopt;
        if (stage && *stage >= 0 && *stage + 1 > stages_) {
            stages_ = *stage + 1;
            contents.set(P::pipeline_parallel, stages_, line.number);
        }
        for (const char* size : {"\"sequence_parallel_size\"", "\"autotp_size\""})
            if (number_after(line, size).value_or(1) > 1) divides_model_ = true;
    }

    std::array<std::vector<double>, kParts.size()> parts_;
    std::vector<double> batches_;  // by the rate and the time of one iteration each
    int batch_line_ = 0;
    bool breakdown_steps_ = false;  // the steps are those of the breakdown
    bool divides_model_ = false;    // several ranks train one copy of the model
    double stages_ = 0;             // of the pipeline engine; 0 without it
    std::string json_;              // the configuration that is being read
    int json_line_ = 0;             // where it begins
    std::ptrdiff_t open_braces_ = 0;
    StatedNumber processes_;  // of the launcher
    StatedNumber ranks_;      // data-parallel ones, or all
};

}  // namespace

const LogFormat kDeepspeedLog{
    .label = "DeepSpeed",
    .software = "deepspeed",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<DeepspeedReader>()); },
};

}  // namespace shardscope::logs
