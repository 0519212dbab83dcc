// Logs of torchtitan.
//
// Source: pytorch/torchtitan, torchtitan/components/metrics.py (the line of a step: memory is the maximum
// that the caching allocator reserved since the line before, tps is tokens/s of one GPU), trainer.py (batch,
// configuration), distributed/parallel_dims.py (the mesh), distributed/pipeline_parallel.py (the schedule),
// distributed/tensor_parallel.py, models/llama3/parallelize.py (offload) and
// components/quantization/float8.py, at commit b5bcd76 of August 2026 and at versions of 2025, which counted
// the batch in sequences. The schedule was logged without its numbers in 2024
// (parallelisms/pipelining_utils.py), and asynchronous tensor parallelism as "Applied Async Tensor
// Parallelism to the model" (parallelisms/parallelize_llama.py).
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "launch/torchtitan_stages.h"
#include "logs/log_format.h"
#include "text/encode.h"
#include "text/text.h"

namespace shardscope::logs {
namespace {

// The keys of the configuration that are read from its JSON. "parallelism.x" is the key x of its section.
constexpr auto kTorchtitanKeys = std::to_array<std::string_view>({
    "training.local_batch_size",
    "training.batch_size",
    "training.global_batch_size",
    "training.seq_len",
    "training.steps",
    "training.dtype",
    "training.mixed_precision_param",
    "training.enable_cpu_offload",
    "training.disable_cuda_graphs",
    "parallelism.data_parallel_replicate_degree",
    "parallelism.data_parallel_shard_degree",
    "parallelism.fsdp_reshard_after_forward",
    "parallelism.tensor_parallel_degree",
    "parallelism.enable_sequence_parallel",
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
    "parallelism.expert_tensor_parallel_degree",
    "parallelism.expert_parallel_comm_backend",
    "activation_checkpoint.mode",
    "activation_checkpoint.selective_ac_option",
    "compile.enable",
    "optimizer.name",
});

// Switches that are off by default and that the reader of torchtitan's files only names.
constexpr auto kTorchtitanSwitches = std::to_array<std::string_view>({
    "parallelism.enable_fsdp_symm_mem",
    "optimizer.early_step_in_backward",
    "debug.deterministic",
});
constexpr std::string_view kModelParts = "parallelism.module_fqns_per_model_part";

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
    Degree{"etp", "parallelism.expert_tensor_parallel_degree"},
};

constexpr std::string_view kMicroBatch = "parallelism.pipeline_parallel_microbatch_size";

void put(LogContents& contents, std::string_view key, std::string value, int line) {
    for (StatedKey& old : contents.torchtitan) {
        if (old.key != key) continue;
        if (contents.has_steps && old.value != value && key != "training.steps")
            contents.other_settings = true;
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
            open_.clear();
            converters_.clear();
            parts_.clear();
        } else if (in_configuration_) {
            read_configuration(line, contents);
        }
        read_batch(line, contents);
        read_mesh(line, contents);
        read_pipeline(line, contents);
        read_model(line, contents);
        read_switches(line, contents);
    }

    void finish(LogContents& contents) override {
        put_sequences(contents, "training.seq_len", context_, 1);
        put_sequences(contents, "training.global_batch_size", train_step_, context_.value);
        if (micro_batch_.value <= 0 && rank_.value > 0 && passes_.line > 0)
            micro_batch_ = {rank_.value / passes_.value, passes_.line};
        const StatedNumber of_config{passes_.value * micro_batch_.value, micro_batch_.line};
        // A pipeline splits a rank's tokens into micro-batches; their number is in the configuration.
        const bool splits_unknown = micro_batch_.value <= 0 && is_pipeline(contents);
        if (!splits_unknown)
            put_sequences(contents, "training.local_batch_size", rank_.value > 0 ? rank_ : of_config,
                          context_.value);
        put_sequences(contents, kMicroBatch, micro_batch_, context_.value);
        split_local_batch(contents);
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
            contents.update_peak(Peak::reserved, *peak, line.number);
        return true;
    }

    // The JSON is indented: a line opens a section or a list, closes one, or has a value.
    void read_configuration(const LogLine& line, LogContents& contents) {
        constexpr std::size_t kDeepest = 100;
        std::string text = trim(without_rank(line.text));
        if (text.ends_with(",")) text.pop_back();
        if (text == "}" || text == "]") {
            if (open_.size() == 2 && open_[0] + "." + open_[1] == kModelParts && !parts_.empty())
                put(contents, kModelParts, "[" + parts_ + "]", line.number);
            in_configuration_ = !open_.empty();
            if (in_configuration_) open_.pop_back();
            return;
        }
        const bool opens = text.ends_with("{") || text.ends_with("[");
        const std::size_t quote = text.starts_with("\"") ? text.find('"', 1) : std::string::npos;
        const bool has_name = quote != std::string::npos && text.find(':', quote) == quote + 1;
        const std::string name = has_name ? text.substr(1, quote - 1) : std::string();
        if (opens && open_.size() < kDeepest) {
            open_.push_back(name);
        } else if (opens) {
            in_configuration_ = false;
        } else if (!has_name) {
            read_item(text, line.number, contents);
        } else if (open_.size() == 1) {
            give(open_.front() + "." + name, trim(text.substr(quote + 2)), line.number, contents);
        }
    }

    // Reads an item of the lists of the model's converters and of its parts; other lists are not read.
    void read_item(const std::string& item, int line, LogContents& contents) {
        if (open_.size() == 3 && open_[0] + "." + open_[1] == kModelParts && item.starts_with('"')) {
            constexpr std::size_t kLongest = 10'000;  // characters; no model has as many modules
            if (parts_.size() + item.size() < kLongest) parts_ += (parts_.empty() ? "" : ", ") + item;
            return;
        }
        if (open_.size() != 2 || open_[0] != "model" || open_[1] != "converters" || !item.starts_with('"'))
            return;
        converters_ += (converters_.empty() ? "" : ", ") + item;
        put(contents, "model.converters", "[" + converters_ + "]", line);
    }

    void give(const std::string& key, const std::string& value, int line, LogContents& contents) {
        if (key == "model_spec.name" || key == "model.name") model_ = value;
        if (key == "model_spec.flavor" || key == "model.flavor") flavor_ = value;
        if (!model_.empty() && !flavor_.empty() && model_.starts_with('"') && flavor_.starts_with('"')) {
            put(contents, "model.name", model_, line);
            put(contents, "model.flavor", flavor_, line);
        }
        if (key == "training.num_tokens_per_microbatch_per_dp_rank") set(micro_batch_, value, line);
        if (key == "training.num_tokens_per_train_step") set(train_step_, value, line);
        if (key == "training.max_context_length") set(context_, value, line);
        if (key == "parallelism.num_pp_microbatches") set(passes_, value, line);
        const bool simple = !value.empty() && value.find_first_of("[{") == std::string::npos;
        if (simple && value != "null" && std::ranges::find(kTorchtitanKeys, key) != kTorchtitanKeys.end())
            put(contents, key, value, line);
        if (value == "true" && std::ranges::find(kTorchtitanSwitches, key) != kTorchtitanSwitches.end())
            put(contents, key, value, line);
    }

    // Returns the value of a key; "" where it is not stated.
    static std::string_view value_of(const LogContents& contents, std::string_view key) {
        const auto found = std::ranges::find(contents.torchtitan, key, &StatedKey::key);
        return found == contents.torchtitan.end() ? std::string_view() : found->value;
    }

    static bool is_pipeline(const LogContents& contents) {
        const std::string_view stages = value_of(contents, "parallelism.pipeline_parallel_degree");
        return !stages.empty() && stages != "1";
    }

    // The micro-batches of a pipeline split the local batch, which versions of 2025 state in sequences.
    void split_local_batch(LogContents& contents) const {
        const auto local = leading_number(value_of(contents, "training.local_batch_size"));
        const bool is_known = !value_of(contents, kMicroBatch).empty();
        if (is_known || passes_.line == 0 || !local || std::fmod(*local, passes_.value) != 0) return;
        put_number(contents, kMicroBatch, *local / passes_.value, passes_.line);
    }

    static void set(StatedNumber& to, std::string_view value, int line) {
        if (const auto number = leading_number(value); number && *number > 0) to = {*number, line};
    }

    // Puts a number of tokens as a number of sequences, if it is a whole one.
    static void put_sequences(LogContents& contents, std::string_view key, StatedNumber tokens,
                              double sequence) {
        if (tokens.value <= 0 || sequence <= 0 || std::fmod(tokens.value, sequence) != 0) return;
        put(contents, key, exact(tokens.value / sequence), tokens.line);
    }

    // "Trainer is initialized with 16384 tokens per DP rank, 131072 tokens per train step, …, maximum context
    // length 8192, …"; until 2026 "local batch size 8, global batch size 64, …, sequence length 2048, …".
    void read_batch(const LogLine& line, LogContents& contents) {
        constexpr std::string_view kBegin = "Trainer is initialized with ";
        const std::size_t begin = line.text.find(kBegin);
        if (begin == std::string_view::npos) return;
        if (line.has(" tokens per DP rank, ")) {
            set(rank_, line.text.substr(begin + kBegin.size()), line.number);
            if (const auto tokens = number_after(line, "tokens per DP rank,"))
                train_step_ = {*tokens, line.number};
            if (const auto tokens = number_after(line, "maximum context length"))
                context_ = {*tokens, line.number};
            return;
        }
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

    // "Using pipeline schedule Interleaved1F1B with 8 microbatches and 4 stages." The schedule of a file of
    // one's own has other names.
    void read_pipeline(const LogLine& line, LogContents& contents) {
        constexpr const char* kBegin = "Using pipeline schedule";
        if (!line.has(kBegin)) return;
        const std::string_view name = word_after(line, kBegin);
        const auto lower = [](unsigned char c) { return std::tolower(c); };
        const auto is_name = [&](const launch::TorchSchedule& known) {
            return std::ranges::equal(known.name, name, {}, lower, lower);
        };
        if (std::ranges::none_of(launch::kTorchSchedules, is_name)) return;
        put(contents, "parallelism.pipeline_parallel_schedule", toml_string(name), line.number);
        if (const auto count = number_after(line, "with"); count && *count >= 1)
            passes_ = {*count, line.number};
        if (const auto count = number_after(line, "microbatches and"); count && *count >= 1)
            contents.pipeline_stages = {*count, line.number};
    }

    static void read_switches(const LogLine& line, LogContents& contents) {
        if (line.has("Async TP is enabled") || line.has("Async Tensor Parallelism to the model"))
            put(contents, "parallelism.enable_async_tensor_parallel", "true", line.number);
        if (line.has("Applied CPU Offloading to the model"))
            put(contents, "training.enable_cpu_offload", "true", line.number);
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
            const bool budget = kind == "MemoryBudgetAC";  // the compiler chooses what is recomputed
            put(contents, "activation_checkpoint.mode",
                full     ? "\"full\""
                : budget ? "\"memory_budget\""
                         : "\"selective\"",
                line.number);
        } else if (line.has("Compiling each TransformerBlock")) {
            put(contents, "compile.enable", "true", line.number);
        } else if (line.has("Swapped to Float8Linear") || line.has("Float8 training active")) {
            put(contents, "model.converters", R"(["quantize.linear.float8"])", line.number);
            if (const std::string_view recipe = word_after(line, "with recipe"); !recipe.empty())
                put(contents, "quantize.linear.float8.recipe_name", toml_string(recipe), line.number);
            if (line.has("all_gather=True"))
                put(contents, "quantize.linear.float8.enable_fsdp_float8_all_gather", "true", line.number);
        } else if (line.has("Swapped to MXLinear")) {
            put(contents, "model.converters", R"(["quantize.linear.mx"])", line.number);
        }
    }

    bool in_configuration_ = false;
    std::vector<std::string> open_;  // the names of the open sections and lists of the configuration
    std::string model_, flavor_, converters_, parts_;
    // In tokens: of a micro-batch, of a data-parallel rank, of a step, and of the longest sequence.
    StatedNumber micro_batch_, rank_, train_step_, context_;
    StatedNumber passes_{1, 0};  // micro-batches of a pipeline
};

}  // namespace

const LogFormat kTorchtitanLog{
    .label = "torchtitan",
    .software = "fsdp2",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<TorchtitanReader>()); },
};

}  // namespace shardscope::logs
