// Logs of nanotron.
//
// Source: huggingface/nanotron, src/nanotron/trainer.py (the line of an iteration; its numbers are rounded to
// three digits with decimal suffixes), src/nanotron/logging/base.py, src/nanotron/utils.py (memory) and
// config/config.py, whose printed Config(…) states parallelism and batch.
#include <array>
#include <cmath>

#include "launch/named_parameter.h"
#include "logs/log_format.h"

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

// Switches of the printed configuration.
constexpr std::array kSwitches{
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
        if (in_configuration_ && line.has("=")) read_configuration(line, contents);
    }

    void finish(LogContents& contents) override {
        if (data_ > 0) contents.set(P::gpus, data_ * tensor_ * stages_ * context_, data_line_);
        else if (gpus_.value > 0) contents.set(P::gpus, gpus_.value, gpus_.line);
        // Without the printed configuration, the lines of the steps state the batch.
        if (contents.line_of(P::accumulation) == 0 && batch_.value > 0)
            contents.set(P::global_batch, batch_.value, batch_.line);
        if (contents.line_of(P::sequence_length) == 0 && sequence_.value > 0)
            contents.set(P::sequence_length, sequence_.value, sequence_.line);
    }

  private:
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
        constexpr double kMilli = 1e-3;
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

    void read_configuration(const LogLine& line, LogContents& contents) {
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
        for (const NamedParameter& field : kSwitches) {
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
};

}  // namespace

const LogFormat kNanotronLog{
    .label = "nanotron",
    .software = "nanotron",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<NanotronReader>()); },
};

}  // namespace shardscope::logs
