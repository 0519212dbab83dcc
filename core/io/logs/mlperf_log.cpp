// Logs of MLPerf Training: lines with “:::MLLOG” and a JSON object.
//
// Source: mlcommons/logging, mlperf_logging/mllog (constants.py), and mlcommons/training_policies,
// training_rules.adoc. A block lies between two evaluations; its samples and its duration give the rate.
// NVIDIA's submissions also log the rate as “tracked_stats”, in samples or in tokens, so it is not used.
#include <array>
#include <nlohmann/json.hpp>

#include "launch/named_parameter.h"
#include "logs/log_format.h"

namespace shardscope::logs {
namespace {

using nlohmann::json;

constexpr std::array kKeys{
    NamedParameter{"global_batch_size", P::global_batch},
    NamedParameter{"max_sequence_length", P::sequence_length},
    NamedParameter{"micro_batch_size", P::micro_batch},
    NamedParameter{"tensor_parallelism", P::tensor_parallel},
    NamedParameter{"pipeline_parallelism", P::pipeline_parallel},
    NamedParameter{"context_parallelism", P::context_parallel},
    NamedParameter{"expert_parallelism", P::expert_parallel},
};

double number_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
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
        read_block(key, event, line);
    }

  private:
    static void read_setting(const std::string& key, const json& event, const LogLine& line,
                             LogContents& contents) {
        const double value = number_at(event, "value");
        for (const NamedParameter& known : kKeys)
            if (key == known.name && value >= 1) contents.set(known.id, value, line.number);
        if (key != "submission_platform" || !contents.device.empty()) return;
        const auto platform = event.find("value");
        if (platform == event.end() || !platform->is_string()) return;
        std::string name = platform->get<std::string>();
        if (gpu_preset_of(name).empty()) return;  // a later line may name the GPU
        contents.device = std::move(name);
        contents.device_line = line.number;
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
        constexpr double kMilli = 1e-3;
        LoggedStep step;
        step.number = samples;
        step.samples_per_s = (samples - start_samples_) / ((time - start_time_) * kMilli);
        start_time_ = 0;
        // The time of the evaluation lies between two blocks.
        interrupt(Interruption::none);
        add(step, line);
    }

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
