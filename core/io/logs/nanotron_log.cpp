// Logs of nanotron.
//
// Source: huggingface/nanotron, src/nanotron/trainer.py (the line of an iteration; its numbers are rounded to
// three digits with decimal suffixes), src/nanotron/logging/base.py, src/nanotron/utils.py (memory),
// config/config.py, whose printed Config(…) states parallelism and batch, and config/models_config.py and
// models/qwen.py (layers with experts).
#include <array>
#include <cmath>

#include "launch/named_parameter.h"
#include "logs/log_format.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::logs {
namespace {

// Fields of the printed configuration.
constexpr std::array kFields{
    NamedParameter{"pp", P::pipeline_parallel},
    NamedParameter{"tp", P::tensor_parallel},
    NamedParameter{"expert_parallel_size", P::expert_parallel},
    NamedParameter{"context_parallel_size", P::context_parallel},
    NamedParameter{"micro_batch_size", P::micro_batch},
    NamedParameter{"batch_accumulation_per_replica", P::accumulation},
    NamedParameter{"sequence_length", P::sequence_length},
    NamedParameter{"hidden_size", P::hidden_size},
    NamedParameter{"intermediate_size", P::ffn_size},
    NamedParameter{"num_hidden_layers", P::layers},
    NamedParameter{"num_attention_heads", P::heads},
    NamedParameter{"num_key_value_heads", P::kv_heads},
    NamedParameter{"vocab_size", P::vocab_size},
};

// Fields of its "moe_config=MoEConfig(…)".
constexpr std::array kExpertFields{
    NamedParameter{"num_experts", P::experts},
    NamedParameter{"top_k", P::experts_per_token},
    NamedParameter{"moe_intermediate_size", P::expert_ffn_size},
};

// Switches of the printed configuration.
constexpr std::array kNanotronSwitches{
    NamedParameter{"tie_word_embeddings=", P::tied_embeddings},
    NamedParameter{"recompute_layer=", P::recompute},
    NamedParameter{"tp_linear_async_communication=", P::async_tensor_parallel},
};

class NanotronReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        if (read_step(line, contents)) return;
        read_memory(line, contents);
        if (line.has("Config(")) in_configuration_ = true;
        if (in_configuration_ && (in_layers_ || line.has("="))) read_configuration(line, contents);
    }

    void finish(LogContents& contents) override {
        if (data_ > 0) contents.set(P::gpus, data_ * tensor_ * stages_ * context_, data_line_);
        else if (gpus_.value > 0) contents.set(P::gpus, gpus_.value, gpus_.line);
        // Without the printed configuration, the lines of the steps state the batch.
        if (contents.line_of(P::accumulation) == 0 && batch_.value > 0)
            contents.set(P::global_batch, batch_.value, batch_.line);
        if (contents.line_of(P::sequence_length) == 0 && sequence_.value > 0)
            contents.set(P::sequence_length, sequence_.value, sequence_.line);
        if (contents.line_of(P::experts) > 0) finish_experts(contents);
    }

  private:
    static double value_of(const LogContents& contents, P id) {
        for (const StatedSetting& setting : contents.settings)
            if (setting.id == id) return setting.value;
        return 0;
    }

    // Earlier versions have no width of their own for experts.
    void finish_experts(LogContents& contents) const {
        const int line = contents.line_of(P::experts);
        const double width = value_of(contents, P::ffn_size);
        if (width > 0 && contents.line_of(P::expert_ffn_size) == 0) {
            contents.set(P::expert_ffn_size, width, line);
            contents.notes.push_back(translate(
                "The log does not state the width of an expert; that of the other feed-forward layers is "
                "assumed."));
        }
        if (has_shared_expert_) {
            const double of_expert = value_of(contents, P::expert_ffn_size);
            contents.set(P::shared_expert_ffn_size, shared_width_ > 0 ? shared_width_ : of_expert, line);
            contents.set(P::shared_expert_gate, 1, line);
        }
        // [-1] stands for all layers.
        const double dense = value_of(contents, P::layers) - expert_layers_;
        if (expert_layers_ <= 0 || has_all_experts_ || dense <= 0) return;
        contents.set(P::dense_layers, dense, line);
        contents.notes.push_back(translate("All layers without experts are assumed to come first."));
    }

    // Returns the multiple of `unit` that is nearest to a quotient of numbers with three digits; the quotient
    // rounded to an integer where none is near.
    static double snapped(double quotient, double unit) {
        constexpr double kError = 0.015;  // of two or three rounded numbers
        const double nearest = std::round(quotient / unit) * unit;
        return std::fabs(nearest - quotient) <= kError * quotient ? nearest : std::round(quotient);
    }

    void read_rates(const LoggedStep& step, const LogLine& line) {
        constexpr double kGpusOfNode = 8;
        constexpr double kTokens = 256;
        const double all = scaled_number_after(line, "tokens_per_sec").value_or(0);
        const double each = scaled_number_after(line, "tokens_per_sec_per_gpu").value_or(0);
        if (all > 0 && each > 0) gpus_ = {snapped(all / each, kGpusOfNode), line.number};
        if (step.global_batch <= 0) return;
        batch_ = {step.global_batch, line.number};
        if (all > 0) sequence_ = {snapped(all * step.seconds / step.global_batch, kTokens), line.number};
    }

    bool read_step(const LogLine& line, LogContents& contents) {
        const bool older = line.has("elapsed_time_per_iteration_ms:");
        if (!older && !line.has("time_per_iteration_ms:")) return false;
        in_configuration_ = false;
        const auto time =
            scaled_number_after(line, older ? "elapsed_time_per_iteration_ms" : "time_per_iteration_ms");
        if (!time || *time <= 0) return false;
        LoggedStep step;
        step.number = number_after(line, "iteration:").value_or(0);
        step.seconds = *time * kMilli;
        step.global_batch = scaled_number_after(line, "global_batch_size").value_or(0);
        step.model_tflops = scaled_number_after(line, "model_tflops_per_gpu").value_or(0);
        read_rates(step, line);
        add(step, line);
        if (const auto peak = scaled_number_after(line, "cuda_max_memory_reserved"))
            contents.update_peak(Peak::reserved, *peak, line.number);
        return true;
    }

    static void read_memory(const LogLine& line, LogContents& contents) {
        if (!line.has("Memory usage:")) return;
        if (const auto peak = bytes_after(line, "Peak allocated"))
            contents.update_training_peak(Peak::allocated, *peak, line.number);
        if (const auto peak = bytes_after(line, "Peak reserved"))
            contents.update_training_peak(Peak::reserved, *peak, line.number);
    }

    // "moe_config=MoEConfig(num_experts=64, top_k=8, layers=[0, 1, 2], …)", also over several lines.
    void read_experts(const LogLine& line, LogContents& contents) {
        const std::size_t begin = line.text.find("MoEConfig(");
        if (begin != std::string_view::npos) {
            in_experts_ = true;
            has_shared_expert_ = has_all_experts_ = in_layers_ = false;
            shared_width_ = expert_layers_ = 0;
        }
        if (!in_experts_) return;
        for (const NamedParameter& field : kExpertFields) {
            const auto value = number_after(line, std::string(field.name) + "=");
            if (value && *value >= 1) contents.set(field.id, *value, line.number);
        }
        if (word_after(line, "enable_shared_expert=") == "True") has_shared_expert_ = true;
        if (const auto width = number_after(line, "shared_expert_intermediate_size=")) shared_width_ = *width;
        read_expert_layers(line.text);
        in_experts_ = line.text.find(')', begin == line.text.npos ? 0 : begin) == line.text.npos;
    }

    // Counts the items of "layers=[0, 1, 2]".
    void read_expert_layers(std::string_view text) {
        constexpr std::string_view kBegin = "layers=[";
        if (const std::size_t begin = text.find(kBegin); begin != std::string_view::npos) {
            in_layers_ = true;
            text.remove_prefix(begin + kBegin.size());
        } else if (const std::size_t prefix = text.rfind(": "); prefix != std::string_view::npos) {
            text.remove_prefix(prefix + 2);
        }
        if (!in_layers_) return;
        const std::size_t end = text.find(']');
        for (const std::string& item : split(text.substr(0, end), ',')) {
            const auto layer = leading_number(trim(item));
            if (layer) ++expert_layers_;
            if (layer && *layer < 0) has_all_experts_ = true;
        }
        in_layers_ = end == std::string_view::npos;
    }

    void read_configuration(const LogLine& line, LogContents& contents) {
        read_experts(line, contents);
        for (const NamedParameter& field : kFields) {
            const auto value = number_after(line, std::string(field.name) + "=");
            if (!value || *value < 1) continue;
            contents.set(field.id, *value, line.number);
            if (field.id == P::tensor_parallel) tensor_ = *value;
            if (field.id == P::pipeline_parallel) stages_ = *value;
            if (field.id == P::context_parallel) context_ = *value;
        }
        if (const auto value = number_after(line, "dp="); value && *value >= 1) {
            if (data_ > 0 && data_ != *value) contents.other_settings = true;
            data_ = *value;
            data_line_ = line.number;
        }
        if (const auto stage = number_after(line, "zero_stage="); stage && *stage >= 0 && *stage <= 1)
            contents.set(P::sharding, *stage, line.number);
        const std::string_view dtype = word_after(line, "dtype=");
        if (dtype == "torch.bfloat16") contents.set(P::precision, "bf16", line.number);
        for (const NamedParameter& field : kNanotronSwitches) {
            const std::string_view value = word_after(line, std::string(field.name));
            if (value == "True" || value == "False")
                contents.set(field.id, value == "True" ? 1 : 0, line.number);
        }
        // Printed as <TensorParallelLinearMode.REDUCE_SCATTER: 2>.
        if (line.has("tp_mode=") && line.has("TensorParallelLinearMode."))
            contents.set(P::sequence_parallel, line.has("REDUCE_SCATTER") ? 1 : 0, line.number);
        if (line.has("pp_engine=") && line.has("AllForwardAllBackwardPipelineEngine"))
            contents.set(P::schedule, "gpipe", line.number);
    }

    bool in_configuration_ = false;
    double data_ = 0, tensor_ = 1, stages_ = 1, context_ = 1;
    int data_line_ = 0;
    StatedNumber gpus_, batch_, sequence_;  // of the last step
    bool in_experts_ = false;               // the lines are those of the configuration of experts
    bool in_layers_ = false;                // and of its list of layers
    bool has_shared_expert_ = false, has_all_experts_ = false;
    double shared_width_ = 0, expert_layers_ = 0;
};

}  // namespace

const LogFormat kNanotronLog{
    .label = "nanotron",
    .software = "nanotron",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<NanotronReader>()); },
};

}  // namespace shardscope::logs
