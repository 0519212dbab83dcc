// Logs of torchtitan.
//
// Source: pytorch/torchtitan, torchtitan/components/metrics.py (the line of a step: memory is the maximum
// that the caching allocator reserved since the line before, tps is tokens/s of one GPU), trainer.py (batch,
// configuration) and distributed/parallel_dims.py (the mesh).
#include <algorithm>
#include <array>
#include <optional>

#include "logs/log_format.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::logs {
namespace {

// The keys of the configuration that are read from its JSON. "parallelism.x" is the key x of its section.
constexpr std::array<std::string_view, 26> kKeys{
    "training.local_batch_size",
    "training.batch_size",
    "training.global_batch_size",
    "training.seq_len",
    "training.steps",
    "training.dtype",
    "training.mixed_precision_param",
    "training.enable_cpu_offload",
    "parallelism.data_parallel_replicate_degree",
    "parallelism.data_parallel_shard_degree",
    "parallelism.fsdp_reshard_after_forward",
    "parallelism.tensor_parallel_degree",
    "parallelism.disable_loss_parallel",
    "parallelism.enable_async_tensor_parallel",
    "parallelism.pipeline_parallel_degree",
    "parallelism.pipeline_parallel_schedule",
    "parallelism.pipeline_parallel_microbatch_size",
    "parallelism.pipeline_parallel_layers_per_stage",
    "parallelism.pipeline_parallel_first_stage_less_layers",
    "parallelism.pipeline_parallel_last_stage_less_layers",
    "parallelism.context_parallel_degree",
    "parallelism.expert_parallel_degree",
    "activation_checkpoint.mode",
    "activation_checkpoint.selective_ac_option",
    "compile.enable",
    "optimizer.name",
};

// The degrees of the line "Building device mesh with parallelism: pp=1, dp_replicate=1, …".
struct Degree {
    std::string_view name, key;
};
constexpr std::array kDegrees{
    Degree{"pp", "parallelism.pipeline_parallel_degree"},
    Degree{"dp_replicate", "parallelism.data_parallel_replicate_degree"},
    Degree{"dp_shard", "parallelism.data_parallel_shard_degree"},
    Degree{"cp", "parallelism.context_parallel_degree"},
    Degree{"tp", "parallelism.tensor_parallel_degree"},
    Degree{"ep", "parallelism.expert_parallel_degree"},
};

void put(LogContents& contents, std::string_view key, std::string value, int line) {
    for (StatedKey& old : contents.torchtitan) {
        if (old.key != key) continue;
        old = {std::string(key), std::move(value), line};
        return;
    }
    contents.torchtitan.push_back({std::string(key), std::move(value), line});
}

void put_number(LogContents& contents, std::string_view key, std::optional<double> value, int line) {
    if (value) put(contents, key, exact(*value), line);
}

class TorchtitanReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        if (read_step(line, contents)) return;
        if (line.has("Running with configs: {") || line.has("Running with args: {")) {
            in_configuration_ = true;
            section_.clear();
        } else if (in_configuration_) {
            read_configuration(line, contents);
        }
        read_batch(line, contents);
        read_mesh(line, contents);
        read_model(line, contents);
    }

  private:
    bool read_step(const LogLine& line, LogContents& contents) {
        if (!line.has("tps:") || !line.has("step:") || line.has("validate step")) return false;
        in_configuration_ = false;
        const auto number = number_after(line, "step:");
        const auto rate = number_after(line, "tps:");
        if (!number || !rate || *rate <= 0) return false;
        LoggedStep step;
        step.number = *number;
        step.tokens_per_s_per_gpu = *rate;
        step.model_tflops = number_after(line, "tflops:").value_or(0);
        add(step, line);
        if (const auto peak = bytes_after(line, "memory:"))
            contents.raise(Peak::reserved, *peak, line.number);
        return true;
    }

    // The JSON is indented; a section is an object one level below the whole.
    void read_configuration(const LogLine& line, LogContents& contents) {
        std::string text = trim(without_rank(line.text));
        if (text.starts_with("}") && section_.empty()) in_configuration_ = false;
        if (text.starts_with("}")) section_.clear();
        if (!text.starts_with("\"")) return;
        const std::size_t quote = text.find('"', 1);
        const std::size_t colon = text.find(':', quote);
        if (quote == std::string::npos || colon == std::string::npos) return;
        const std::string name = text.substr(1, quote - 1);
        std::string value = trim(text.substr(colon + 1));
        if (value.ends_with(",")) value.pop_back();
        if (value == "{") {
            section_ = name;
            return;
        }
        give(section_ + "." + name, value, line.number, contents);
    }

    void give(const std::string& key, const std::string& value, int line, LogContents& contents) {
        if (key == "model_spec.name" || key == "model.name") model_ = value;
        if (key == "model_spec.flavor" || key == "model.flavor") flavor_ = value;
        if (!model_.empty() && !flavor_.empty() && model_.starts_with('"') && flavor_.starts_with('"')) {
            put(contents, "model.name", model_, line);
            put(contents, "model.flavor", flavor_, line);
        }
        const bool simple = !value.empty() && value.find_first_of("[{") == std::string::npos;
        if (simple && value != "null" && std::ranges::find(kKeys, key) != kKeys.end())
            put(contents, key, value, line);
    }

    // "Trainer is initialized with local batch size 8, global batch size 64, …, sequence length 2048, …"
    static void read_batch(const LogLine& line, LogContents& contents) {
        if (!line.has("Trainer is initialized with")) return;
        put_number(contents, "training.local_batch_size", number_after(line, "local batch size"),
                   line.number);
        put_number(contents, "training.global_batch_size", number_after(line, "global batch size"),
                   line.number);
        put_number(contents, "training.seq_len", number_after(line, "sequence length"), line.number);
    }

    static void read_mesh(const LogLine& line, LogContents& contents) {
        if (!line.has("Building ") || !line.has("device mesh with")) return;
        if (line.has("parallelism:")) {
            for (const Degree& degree : kDegrees)
                put_number(contents, degree.key, number_after(line, degree.name), line.number);
            return;
        }
        // Until 2025: "Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]".
        const std::vector<std::string> lists = split(line.text, '[');
        if (lists.size() < 3) return;
        const std::vector<std::string> names = split(lists[lists.size() - 2], ',');
        const std::vector<std::string> sizes = split(lists.back(), ',');
        for (std::size_t i = 0; i < names.size() && i < sizes.size(); ++i) {
            for (const Degree& degree : kDegrees) {
                if (names[i].find("'" + std::string(degree.name) + "'") != std::string::npos)
                    put_number(contents, degree.key, leading_number(trim(sizes[i])), line.number);
            }
        }
    }

    static void read_model(const LogLine& line, LogContents& contents) {
        if (line.has("total parameters") && line.has("Model ")) {
            // "Model llama3 8B size: 8,030,261,248 total parameters"
            const std::size_t at = line.text.find("Model ");
            const std::vector<std::string> words = split(line.text.substr(at), ' ');
            constexpr std::size_t kWords = 4;
            if (words.size() > kWords && words[3].starts_with("size")) {
                put(contents, "model.name", toml_string(words[1]), line.number);
                put(contents, "model.flavor", toml_string(words[2]), line.number);
            }
            if (const auto count = number_after(line, "size:")) contents.parameters = {*count, line.number};
        } else if (line.has("activation checkpointing to the model")) {
            const std::string_view kind = word_after(line, "Applied");
            const bool full = kind == "full" || kind == "FullAC";
            put(contents, "activation_checkpoint.mode", full ? "\"full\"" : "\"selective\"", line.number);
        } else if (line.has("Compiling each TransformerBlock")) {
            put(contents, "compile.enable", "true", line.number);
        }
    }

    bool in_configuration_ = false;
    std::string section_, model_, flavor_;
};

}  // namespace

const LogFormat kTorchtitanLog{
    .label = "torchtitan",
    .software = "fsdp2",
    .checked = "torchtitan of 2026, torchtitan/components/metrics.py, torchtitan/trainer.py",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<TorchtitanReader>()); },
};

}  // namespace shardscope::logs
