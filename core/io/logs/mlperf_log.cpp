// Logs of MLPerf Training: lines with “:::MLLOG” and a JSON object.
//
// Source: mlcommons/logging, mlperf_logging/mllog (constants.py) and
// mlperf_logging/compliance_checker/training_6.0.0 (common.yaml), and mlcommons/training_policies,
// training_rules.adoc. A block lies between two evaluations; its samples and its duration give the rate.
// NVIDIA's submissions also log the rate as “tracked_stats”, in samples or in tokens, so it is not used. The
// number in front of a platform (“1xMI325X”) is that of the nodes (NVIDIA/mlperf-common,
// mlperf_common/logging.py), so it does not state the GPUs.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "launch/named_parameter.h"
#include "logs/log_format.h"
#include "text/translate.h"

namespace shardscope::logs {
namespace {

using nlohmann::json;

constexpr std::array kMlperfKeys{
    NamedParameter{"global_batch_size", P::global_batch},
    NamedParameter{"number_of_ranks", P::gpus},
    NamedParameter{"max_sequence_length", P::sequence_length},
    NamedParameter{"micro_batch_size", P::micro_batch},
    NamedParameter{"tensor_parallelism", P::tensor_parallel},
    NamedParameter{"pipeline_parallelism", P::pipeline_parallel},
    NamedParameter{"context_parallelism", P::context_parallel},
    NamedParameter{"expert_parallelism", P::expert_parallel},
};

// The presets of the benchmarks' models.
struct Benchmark {
    std::string_view name, preset;
    bool has_adapters = false;  // LoRA
};
constexpr std::array kBenchmarks{
    Benchmark{"bert", "bert-large"},
    Benchmark{"gpt3", "gpt-3-175b"},
    Benchmark{"gpt_oss_20b", "gpt-oss-20b"},
    Benchmark{"llama2_70b_lora", "llama-2-70b", true},
    Benchmark{"llama31_8b", "llama-3-8b"},
    Benchmark{"llama31_405b", "llama-3.1-405b"},
    Benchmark{"deepseekv3_671b", "deepseek-v3"},
};

// The names of precisions in the rules. No GPU's preset has a rate for MXFP4 and MXFP6, so they are treated
// as MXFP8.
struct PrecisionName {
    std::string_view name, precision;
    bool exact = true;
};
constexpr std::array kPrecisions{
    PrecisionName{"fp32", "fp32"},
    PrecisionName{"fp16", "fp16"},
    PrecisionName{"bf16", "bf16"},
    PrecisionName{"bfloat16", "bf16"},
    PrecisionName{"fp8", "fp8"},
    PrecisionName{"mxfp8", "mxfp8"},
    PrecisionName{"nvfp4", "nvfp4"},
    PrecisionName{"mxfp4", "mxfp8", false},
    PrecisionName{"mxfp6", "mxfp8", false},
};

double number_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

class MlperfReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        constexpr std::string_view kMark = ":::MLLOG";
        constexpr std::size_t kLongest = 4096;
        const std::size_t at = line.text.find(kMark);
        if (at == std::string_view::npos || line.text.size() > kLongest) return;
        const json event = json::parse(line.text.substr(at + kMark.size()), nullptr, false);
        if (!event.is_object() || !event.contains("key") || !event["key"].is_string()) return;
        const std::string& key = event["key"].get_ref<const std::string&>();
        read_setting(key, event, line, contents);
        read_names(key, event, line, contents);
        read_block(key, event, line);
    }

    // With the accumulation, batch and micro-batch state how many ranks there are, and the ranks and the
    // batch state the micro-batch.
    void finish(LogContents& contents) override {
        if (stated(contents, P::gpus, 0) <= 0 && nodes_.value * gpus_per_node_ >= 1)
            contents.set(P::gpus, nodes_.value * gpus_per_node_, nodes_.line);
        if (accumulation_.value <= 0) return;
        const double batch = stated(contents, P::global_batch, 0) / accumulation_.value;
        const double micro_batch = stated(contents, P::micro_batch, 0);
        const double gpus = stated(contents, P::gpus, 0);
        const double copy = stated(contents, P::tensor_parallel, 1) *
                            stated(contents, P::pipeline_parallel, 1) *
                            stated(contents, P::context_parallel, 1);
        if (batch <= 0) contents.set(P::accumulation, accumulation_.value, accumulation_.line);
        else if (gpus <= 0 && micro_batch > 0) set_whole(contents, P::gpus, batch / micro_batch * copy);
        else if (gpus > 0 && micro_batch <= 0) set_whole(contents, P::micro_batch, batch / (gpus / copy));
    }

  private:
    static double stated(const LogContents& contents, P id, double otherwise) {
        const auto found = std::ranges::find(contents.settings, id, &StatedSetting::id);
        return found == contents.settings.end() ? otherwise : found->value;
    }

    void set_whole(LogContents& contents, P id, double value) const {
        if (value >= 1 && value == std::floor(value)) contents.set(id, value, accumulation_.line);
    }

    void read_setting(const std::string& key, const json& event, const LogLine& line, LogContents& contents) {
        const double value = number_at(event, "value");
        for (const NamedParameter& known : kMlperfKeys)
            if (key == known.name && value >= 1) contents.set(known.id, value, line.number);
        if (value < 1) return;
        if (key == "gradient_accumulation_steps") accumulation_ = {value, line.number};
        if (key == "number_of_nodes") nodes_ = {value, line.number};
        if (key == "accelerators_per_node") gpus_per_node_ = value;
    }

    static void read_names(const std::string& key, const json& event, const LogLine& line,
                           LogContents& contents) {
        const std::string name = text_at(event, "value");
        if (key == "submission_benchmark") read_benchmark(name, contents);
        // AMD's and older logs have no "in".
        if (key == "lowest_numerical_precision_in_linear" || key == "lowest_numerical_precision_linear")
            read_precision(name, line, contents);
        // A later line may name the GPU.
        if (key != "submission_platform" || !contents.device.empty() || gpu_preset_of(name).empty()) return;
        contents.device = name;
        contents.device_line = line.number;
    }

    static void read_benchmark(const std::string& name, LogContents& contents) {
        const auto known = std::ranges::find(kBenchmarks, name, &Benchmark::name);
        if (known == kBenchmarks.end() || contents.model == known->preset) return;
        contents.model = known->preset;
        if (known->has_adapters)
            contents.notes.push_back(translate(
                "The benchmark {1} trains LoRA adapters; the scenario trains all weights.", {name}));
    }

    static void read_precision(const std::string& name, const LogLine& line, LogContents& contents) {
        const auto known = std::ranges::find(kPrecisions, name, &PrecisionName::name);
        if (known == kPrecisions.end()) return;
        const bool repeated = stated(contents, P::precision, -1) >= 0;
        contents.set(P::precision, known->precision, line.number);
        if (!known->exact && !repeated)
            contents.notes.push_back(
                translate("The precision {1} is treated as {2}.",
                          {name, format(P::precision, stated(contents, P::precision, 0))}));
    }

    void read_block(const std::string& key, const json& event, const LogLine& line) {
        const auto metadata = event.find("metadata");
        if (metadata == event.end() || !metadata->is_object()) return;
        const double samples = number_at(*metadata, "samples_count");
        const double time = number_at(event, "time_ms");
        if (key == "block_start" || key == "run_start") {
            start_samples_ = samples;
            start_time_ = time;
            return;
        }
        if (key != "block_stop" || start_time_ <= 0 || time <= start_time_ || samples <= start_samples_)
            return;
        LoggedStep step;
        step.number = samples;
        step.samples_per_s = (samples - start_samples_) / ((time - start_time_) * kMilli);
        start_time_ = 0;
        // The time of the evaluation lies between two blocks.
        interrupt(Interruption::none);
        add(step, line);
    }

    StatedNumber accumulation_, nodes_;
    double gpus_per_node_ = 0;
    double start_samples_ = 0;
    double start_time_ = 0;  // ms since 1970; 0 outside of a block
};

}  // namespace

const LogFormat kMlperfLog{
    .label = "MLPerf",
    .software = "",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<MlperfReader>()); },
};

}  // namespace shardscope::logs
