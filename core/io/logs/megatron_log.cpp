// Logs of Megatron-LM and of tools that train with its loop: Megatron-Bridge, Primus, Megatron-DeepSpeed.
//
// Source: NVIDIA/Megatron-LM at commit 000c4ac, megatron/training/training.py (training_log), arguments.py
// (_print_args), theoretical_memory_usage.py and utils/common_utils.py (report_memory);
// NVIDIA-NeMo/Megatron-Bridge at commit 067f987, src/megatron/bridge/training/utils/train_utils.py,
// utils/yaml_utils.py and training/config.py (log_non_default_values, whose defaults are those of
// megatron/core/transformer/transformer_config.py); AMD-AGI/Primus,
// primus/backends/megatron/patches/training_log (memory, and means over the run behind the values of a step).
// Times are means since the line before.
#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "launch/unmodelled_options.h"
#include "logs/log_format.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::logs {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;

// Megatron-Bridge writes its configuration as YAML. These names, and some of the attributes that Megatron-LM
// prints, differ from its options.
struct Renamed {
    std::string_view printed, option;
};
constexpr std::array kRenamed{
    Renamed{"num_moe_experts", "--num-experts"},
    Renamed{"encoder_seq_length", "--seq-length"},
    Renamed{"grad_reduce_in_fp32", "--accumulate-allreduce-grads-in-fp32"},
    Renamed{"gated_linear_unit", "--swiglu"},
    Renamed{"fp8", "--fp8-format"},
    Renamed{"fp4", "--fp4-format"},
    Renamed{"num_layers_in_first_pipeline_stage", "--decoder-first-pipeline-num-layers"},
    Renamed{"num_layers_in_last_pipeline_stage", "--decoder-last-pipeline-num-layers"},
    Renamed{"virtual_pipeline_model_parallel_size", "--num-virtual-stages-per-pipeline-rank"}};
// Arguments whose option switches them off.
constexpr std::array kNegated{
    Renamed{"add_bias_linear", "--disable-bias-linear"},
    Renamed{"grad_reduce_in_fp32", "--grad-reduce-in-bf16"},
    Renamed{"share_embeddings_and_output_weights", "--untie-embeddings-and-output-weights"}};

// The settings of a YAML configuration that are read; others may have the names of other things.
constexpr auto kYamlKeys = std::to_array<std::string_view>({
    "num_layers",
    "hidden_size",
    "ffn_hidden_size",
    "num_attention_heads",
    "num_query_groups",
    "kv_channels",
    "seq_length",
    "encoder_seq_length",
    "vocab_size",
    "make_vocab_size_divisible_by",
    "normalization",
    "gated_linear_unit",
    "add_bias_linear",
    "add_qkv_bias",
    "share_embeddings_and_output_weights",
    "position_embedding_type",
    "multi_latent_attention",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_head_dim",
    "qk_pos_emb_head_dim",
    "v_head_dim",
    "qk_layernorm",
    "num_moe_experts",
    "moe_router_topk",
    "moe_router_num_groups",
    "moe_router_group_topk",
    "moe_ffn_hidden_size",
    "moe_shared_expert_intermediate_size",
    "micro_batch_size",
    "global_batch_size",
    "train_iters",
    "tensor_model_parallel_size",
    "pipeline_model_parallel_size",
    "num_layers_per_virtual_pipeline_stage",
    "context_parallel_size",
    "expert_model_parallel_size",
    "expert_tensor_parallel_size",
    "sequence_parallel",
    "tp_comm_overlap",
    "bf16",
    "fp16",
    "fp8",
    "use_distributed_optimizer",
    "overlap_grad_reduce",
    "overlap_param_gather",
    "recompute_granularity",
    "recompute_method",
    "recompute_num_layers",
    "hidden_dropout",
    "attention_dropout",
    "virtual_pipeline_model_parallel_size",
    "num_layers_in_first_pipeline_stage",
    "num_layers_in_last_pipeline_stage",
    "account_for_embedding_in_pipeline_split",
    "account_for_loss_in_pipeline_split",
    "cp_comm_type",
    "hierarchical_context_parallel_sizes",
    "mtp_num_layers",
    "window_size",
    "window_attn_skip_freq",
    "moe_layer_freq",
    "moe_token_dispatcher_type",
    "moe_enable_deepep",
    "fp4",
    "fp8_recipe",
    "recompute_modules",
    "use_megatron_fsdp",
    "data_parallel_sharding_strategy",
    "num_distributed_optimizer_instances",
    "optimizer_cpu_offload",
    "grad_reduce_in_fp32",
    "cross_entropy_loss_fusion",
    "cuda_graph_impl",
    "overlap_moe_expert_parallel_comm",
    "use_precision_aware_optimizer",
    "exp_avg_dtype",
    "exp_avg_sq_dtype",
    "fp8_param_gather",
    "first_last_layers_bf16",
    "num_layers_at_start_in_bf16",
    "num_layers_at_end_in_bf16",
    "cpu_offloading_num_layers",
    "pipeline_model_parallel_layout",
    "fine_grained_activation_offloading",
    "offload_modules",
    "delay_wgrad_compute",
    "moe_shared_expert_overlap",
    "moe_permute_fusion",
    "moe_flex_dispatcher_backend",
    "tokenizer_model",
});

// Megatron-Bridge also prints a summary of the settings that differ from the defaults of Megatron-Core. These
// are False, None or "none" where the summary does not have them.
constexpr auto kOffInCore = std::to_array<std::string_view>({
    "recompute_granularity",
    "optimizer_cpu_offload",
    "sequence_parallel",
    "tp_comm_overlap",
    "overlap_grad_reduce",
    "overlap_param_gather",
    "overlap_moe_expert_parallel_comm",
    "cross_entropy_loss_fusion",
    "cuda_graph_impl",
    "grad_reduce_in_fp32",
});
// The defaults of MLATransformerConfig, which differ from those of Megatron-LM's options.
struct CoreDefault {
    const char* name;
    const char* value;
};
constexpr std::array kMlaDefaults{
    CoreDefault{"multi_latent_attention", "True"},
    CoreDefault{"q_lora_rank", "512"},
    CoreDefault{"kv_lora_rank", "512"},
    CoreDefault{"qk_head_dim", "128"},
    CoreDefault{"qk_pos_emb_head_dim", "64"},
    CoreDefault{"v_head_dim", "128"},
    CoreDefault{"normalization", "RMSNorm"},
};

std::string option_name(std::string_view argument) {
    std::string out = "--";
    for (const char c : argument) out += c == '_' ? '-' : c;
    return out;
}

bool is_name(std::string_view text) {
    return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == text.npos;
}

// Returns the stages of a pipeline in the letters of --pipeline-model-parallel-layout:
// "[[embedding, decoder], [decoder, loss]]" is Et|tL. Other names of layers are kept, so that the reader of
// arguments refuses them.
std::string layout_letters(std::string_view stages) {
    static constexpr std::array kLayers{std::pair{"embedding", "E"}, std::pair{"decoder", "t"},
                                        std::pair{"mtp", "m"}, std::pair{"loss", "L"}};
    std::string out;
    for (const std::string& stage : split(stages, ']')) {
        const std::size_t begin = stage.rfind('[');
        if (begin == std::string::npos) continue;
        if (!out.empty()) out += '|';
        for (const std::string& item : split(stage.substr(begin + 1), ',')) {
            const std::string name = trim(item);
            const auto known =
                std::ranges::find_if(kLayers, [&](const auto& one) { return name == one.first; });
            out += known == kLayers.end() ? name : known->second;
        }
    }
    return out;
}

// Returns a value as it is written after the option: "torch.bfloat16" is bf16 there, enumerations have their
// names in lower case, the window is a pair ("(128, 0)" is 128,0), a list of layers has no blanks ("[0, 1]"
// is [0,1]), and other lists have blanks alone.
std::string option_value(std::string_view name, const std::string& value) {
    if (value == "torch.float32") return "fp32";
    if (value == "torch.bfloat16") return "bf16";
    if (value == "torch.float16") return "fp16";
    if (value.starts_with("AttnBackend.")) return value.substr(value.find('.') + 1);
    if (!value.starts_with('[') && !value.starts_with('(')) return value;
    if (name == "pipeline_model_parallel_layout") return layout_letters(value);
    std::string out;
    if (name.ends_with("_freq")) {
        std::ranges::copy_if(value, std::back_inserter(out), [](char c) { return c != ' '; });
        return out;
    }
    const char separator = name == "window_size" ? ',' : ' ';
    for (const char c : value) {
        if (c == ',') out += separator;
        else if (std::string_view("[]()' ").find(c) == std::string_view::npos) out += c;
    }
    return out;
}

// Returns the option that sets a printed attribute.
std::string option_of_attribute(std::string_view name) {
    const auto renamed = std::ranges::find(kRenamed, name, &Renamed::printed);
    return renamed == kRenamed.end() ? option_name(name) : std::string(renamed->option);
}

// Returns whether steps with another value of the option may take another time, which is not so for the
// number of iterations. The batch does not count, because each step states it.
bool changes_time(std::string_view option) {
    if (option == launch::option_of(P::global_batch)) return false;
    static constexpr auto kBegins = std::to_array<std::string_view>({
        "--accumulate-allreduce",
        "--attention-",
        "--bf16",
        "--context-parallel",
        "--cp-comm",
        "--cross-entropy",
        "--cuda-graph",
        "--data-parallel",
        "--decoder-",
        "--exp-avg",
        "--expert-",
        "--first-last",
        "--fp16",
        "--fp4",
        "--fp8",
        "--grad-reduce",
        "--hidden-dropout",
        "--main-",
        "--micro-batch-size",
        "--moe-",
        "--mtp-",
        "--num-",
        "--optimizer",
        "--overlap-",
        "--pipeline-",
        "--recompute-",
        "--sequence-parallel",
        "--tensor-",
        "--tp-comm",
        "--transformer-impl",
        "--use-distributed-optimizer",
        "--use-megatron-fsdp",
        "--use-precision-aware",
        "--use-torch-fsdp2",
        "--vocab-size",
        "--window-",
    });
    if (option == "--num-workers") return false;
    if (launch::is_unmodelled_megatron(option)) return true;
    for (const P id : {P::hidden_size, P::ffn_size, P::head_size, P::sequence_length})
        if (option == launch::option_of(id)) return true;
    return std::ranges::any_of(kBegins, [&](std::string_view begin) { return option.starts_with(begin); });
}

class MegatronReader : public LineReader {
  public:
    void read(const LogLine& line, LogContents& contents) override {
        if (read_step(line, contents)) return;
        read_memory(line, contents);
        read_parameters(line, contents);
        read_setting(line, contents);
    }

    void finish(LogContents& contents) override {
        // World size and padded vocabulary may also be stated outside of the list of arguments.
        if (world_size_ > 0) add_option(contents, {"--nproc-per-node", exact(world_size_), world_line_});
        if (padded_ > 0) add_option(contents, {"--padded-vocab-size", exact(padded_), padded_line_});
        const auto has_positions = [](const launch::MegatronArgument& argument) {
            return argument.option == "--position-embedding-type";
        };
        if (summary_line_ == 0 || std::ranges::any_of(contents.megatron, has_positions)) return;
        // The summary has no settings of the model outside of the transformer's layers.
        contents.notes.push_back(translate(
            "The log states neither the positions of the model nor whether its embeddings are tied; "
            "rotary positions and two matrices are assumed."));
        add_option(contents, {"--position-embedding-type", "rope", summary_line_});
        add_option(contents, {"--untie-embeddings-and-output-weights", "", summary_line_});
    }

  private:
    bool read_step(const LogLine& line, LogContents& contents) {
        const bool own = line.has("elapsed time per iteration (ms)");
        const bool of_deepspeed = !own && line.has("elapsed_time_per_iteration_ms=");
        if (own || of_deepspeed) {
            if (bridge_steps_) drop_steps();
            bridge_steps_ = false;
            const auto time =
                number_after(line, own ? "elapsed time per iteration (ms)" : "elapsed_time_per_iteration_ms");
            if (!time || *time <= 0) return false;
            LoggedStep step;
            step.number = number_after(line, "iteration").value_or(0);
            step.seconds = *time * kMilli;
            step.global_batch =
                number_after(line, own ? "global batch size" : "global_batch_size").value_or(0);
            for (const char* rate : {"throughput per GPU (TFLOP/s/GPU)", "compute per GPU (TFLOP/s/GPU)"})
                if (const auto tflops = number_after(line, rate)) step.model_tflops = *tflops;
            add(step, line);
            state_batch(step, line, contents);
            read_device_memory(line, contents);
            return true;
        }
        // Megatron-Bridge states the step time in a line of its own, too.
        if (!line.has("MODEL_TFLOP/s/GPU") || !line.has("Step Time")) return false;
        contents.is_bridge = true;
        if (has_steps() && !bridge_steps_) return true;
        const auto seconds = number_after(line, "Step Time");
        if (!seconds || *seconds <= 0) return false;
        bridge_steps_ = true;
        LoggedStep step;
        step.seconds = *seconds;
        step.model_tflops = number_after(line, "GPU utilization").value_or(0);
        add(step, line);
        return true;
    }

    static void state_batch(const LoggedStep& step, const LogLine& line, LogContents& contents) {
        if (step.global_batch > 0) contents.set(P::global_batch, step.global_batch, line.number);
    }

    // Primus: "hip mem usage/free/total/usage_ratio: 150.01GB/41.98GB/191.98GB/78.14%".
    static void read_device_memory(const LogLine& line, LogContents& contents) {
        for (const char* usage :
             {"hip mem usage/free/total/usage_ratio", "rocm mem usage/free/total/usage_ratio"})
            if (const auto bytes = bytes_after(line, usage))
                contents.update_peak(Peak::device, *bytes, line.number);
    }

    static void read_parameters(const LogLine& line, LogContents& contents) {
        constexpr double kBillion = 1e9;
        if (const auto count = number_after(line, "Total number of parameters in billions"))
            contents.parameters = {*count * kBillion, line.number};
    }

    static void read_memory(const LogLine& line, LogContents& contents) {
        if (line.has("memory (MB)")) {
            if (const auto peak = number_after(line, "max allocated"))
                contents.update_peak(Peak::allocated, *peak * kMebi, line.number);
            if (const auto peak = number_after(line, "max reserved"))
                contents.update_peak(Peak::reserved, *peak * kMebi, line.number);
            return;
        }
        // Megatron-Bridge: "mem-max-allocated-gigabytes: 40.2".
        constexpr double kGiga = 1e9;
        if (!line.has("mem-max-")) return;
        if (const auto peak = number_after(line, "mem-max-allocated-gigabytes"))
            contents.update_peak(Peak::allocated, *peak * kGiga, line.number);
        if (const auto peak = number_after(line, "mem-max-reserved-gigabytes"))
            contents.update_peak(Peak::reserved, *peak * kGiga, line.number);
    }

    void read_setting(const LogLine& line, LogContents& contents) {
        if (line.has("Configuration Summary (Non-Default Values vs Megatron Core)")) {
            begin_summary(line, contents);
        } else if (in_summary_) {
            read_summary(line, contents);
        } else if (line.has(" arguments ------")) {
            const bool ends = line.has("end of");
            if (ends && in_arguments_) end_arguments(contents);
            else if (!ends) begin_arguments(contents);
            in_arguments_ = !ends;
        } else if (line.has("using world size:")) {
            if (const auto size = number_after(line, "world size")) set_world(*size, line.number, contents);
            read_degrees(line, contents);
        } else if (line.has("padded vocab (size:")) {
            padded_ = number_after(line, "new size").value_or(0);
            padded_line_ = line.number;
        } else if (in_arguments_) {
            read_argument(line, contents);
        } else {
            read_yaml(line, contents);
        }
    }

    // "using world size: 64, data-parallel size: 32, context-parallel size: 1, tensor-model-parallel size: 2,
    // …": a log without the list of arguments has only this line.
    static void read_degrees(const LogLine& line, LogContents& contents) {
        struct Degree {
            const char* words;
            P id;
        };
        for (const Degree& degree :
             {Degree{"world size", P::gpus}, Degree{", tensor-model-parallel size", P::tensor_parallel},
              Degree{", pipeline-model-parallel size", P::pipeline_parallel},
              Degree{", context-parallel size", P::context_parallel}}) {
            const auto size = number_after(line, degree.words);
            if (size && *size >= 1) contents.set(degree.id, *size, line.number);
        }
    }

    // A list of arguments is complete, so that it replaces the list of an earlier start.
    void begin_arguments(LogContents& contents) {
        if (!has_list_) return;
        earlier_list_ = std::exchange(contents.megatron, {});
        contents.megatron_off.clear();
    }
    void end_arguments(LogContents& contents) {
        const auto of_time = [](const std::vector<launch::MegatronArgument>& list) {
            std::set<std::pair<std::string, std::string>> out;
            for (const launch::MegatronArgument& one : list)
                if (changes_time(one.option)) out.emplace(one.option, one.value);
            return out;
        };
        if (has_list_ && of_time(earlier_list_) != of_time(contents.megatron)) contents.other_settings = true;
        has_list_ = true;
        earlier_list_.clear();
    }

    void set_world(double size, int line, LogContents& contents) {
        if (world_size_ > 0 && size != world_size_) contents.other_settings = true;
        world_size_ = size;
        world_line_ = line;
    }

    // "  num_layers ...................................... 32"
    void read_argument(const LogLine& line, LogContents& contents) {
        const std::string text = trim(without_rank(line.text));
        const std::size_t dots = text.find(" .");
        if (dots == std::string::npos) return;
        const std::string name = text.substr(0, dots);
        const std::size_t after = text.find_first_not_of('.', dots + 1);
        if (!is_name(name) || after == std::string::npos) return;
        add_named(name, trim(text.substr(after)), line.number, contents);
    }

    void begin_summary(const LogLine& line, LogContents& contents) {
        begin_arguments(contents);
        in_summary_ = true;
        summary_rules_ = 0;
        summary_line_ = line.number;
        contents.is_bridge = true;
        for (const std::string_view name : kOffInCore)
            add_named(std::string(name), "False", line.number, contents);
    }

    // "  tensor_model_parallel_size: 2  (Mcore default: 1)" in the group "[model] Non-default values (vs
    // Mcore TransformerConfig):", and "  micro_batch_size: 1" in the group "[train]:". Values are those of
    // Python's repr. A second line of "=" ends the summary; the first one ends its title.
    void read_summary(const LogLine& line, LogContents& contents) {
        const std::string text = trim(without_rank(line.text));
        if (text.starts_with("===")) {
            in_summary_ = ++summary_rules_ < 2;
            if (!in_summary_) end_arguments(contents);
            return;
        }
        if (text.starts_with("[model]") && line.has("MLATransformerConfig"))
            for (const CoreDefault& known : kMlaDefaults)
                add_named(known.name, known.value, line.number, contents);
        const std::size_t colon = text.find(": ");
        if (colon == std::string::npos) return;
        std::string name = text.substr(0, colon);
        if (name == "sequence_length") name = "seq_length";  // of the data in earlier versions
        std::string value = text.substr(colon + 2);
        value = trim(value.substr(0, value.find("  (Mcore default:")));
        std::erase(value, '\'');
        // In the YAML this is the name of a section.
        if (name == "optimizer") add_named(name, value, line.number, contents);
        else add_known(name, value, line.number, contents);
    }

    // "    num_layers: 32"; the items of a list follow in lines of their own, such as "    - mlp".
    void read_yaml(const LogLine& line, LogContents& contents) {
        if (list_key_.empty() && !line.has(":")) return;
        const std::string text = trim(without_rank(line.text));
        if (!list_key_.empty() && text.starts_with("- ")) {
            read_item(text.substr(2), line.number, contents);
            return;
        }
        list_key_.clear();
        const std::size_t colon = text.find(':');
        if (colon == std::string::npos) return;
        const std::string name = text.substr(0, colon);
        const std::string value = trim(text.substr(colon + 1));
        if (!value.empty()) {
            add_known(name, value, line.number, contents);
        } else if (is_known(name)) {
            list_key_ = name;
            list_items_.clear();
        }
    }

    static bool is_known(std::string_view name) {
        return std::ranges::find(kYamlKeys, name) != kYamlKeys.end();
    }

    // Adds a setting of a YAML configuration or of the summary, if its name is known.
    void add_known(const std::string& name, const std::string& value, int line, LogContents& contents) {
        const bool is_list = value.starts_with('[') || value.starts_with('(');
        if (!is_known(name) || (!is_list && value.find(' ') != std::string::npos)) return;
        add_named(name, value, line, contents);
        if (name == "num_query_groups" && !contents.megatron_off.contains("--num-query-groups"))
            add_option(contents, {"--group-query-attention", "", line});
    }

    void read_item(const std::string& item, int line, LogContents& contents) {
        constexpr std::size_t kLongest = 10'000;  // characters; no model has as many layers
        if (list_items_.size() + item.size() > kLongest) return;
        // "- - embedding" begins a list in the list, whose other items are "- decoder".
        const bool nested = item.starts_with("- ");
        list_items_ += list_items_.empty() ? (nested ? "[" : "") : nested ? "], [" : ", ";
        list_items_ += nested ? item.substr(2) : item;
        add_named(list_key_, "[" + list_items_ + "]", line, contents);
    }

    void add_named(const std::string& name, const std::string& value, int line, LogContents& contents) {
        if (value.empty()) return;
        const bool absent = value == "None" || value == "null" || value == "[]";
        const bool off = value == "False" || value == "false";
        const bool on = value == "True" || value == "true";
        const std::string option = option_of_attribute(name);
        if (absent) {
            state_off(option, contents);
        } else if (name == "world_size") {
            set_world(leading_number(value).value_or(0), line, contents);
        } else if (off) {
            state_off(option, contents);
            for (const Renamed& negated : kNegated)
                if (name == negated.printed) add_option(contents, {std::string(negated.option), "", line});
        } else {
            add_option(contents, {option, on ? "" : option_value(name, value), line});
            // This is also a value, such as that of --position-embedding-type.
            if (value == "none") state_off(option, contents);
        }
    }

    static constexpr std::size_t kMostOptions = 2000;  // Megatron-LM has about 600

    static void state_off(const std::string& option, LogContents& contents) {
        if (contents.megatron_off.size() < kMostOptions) contents.megatron_off.insert(option);
    }

    // A later statement replaces an earlier one.
    static void add_option(LogContents& contents, const launch::MegatronArgument& argument) {
        contents.megatron_off.erase(argument.option);
        for (launch::MegatronArgument& old : contents.megatron) {
            if (old.option != argument.option) continue;
            old = argument;
            return;
        }
        if (contents.megatron.size() < kMostOptions) contents.megatron.push_back(argument);
    }

    bool in_arguments_ = false;
    bool in_summary_ = false;
    int summary_rules_ = 0;  // lines of "=" after the title
    int summary_line_ = 0;   // of the title; 0 where the log has no summary
    bool has_list_ = false;  // a whole list of arguments was read
    std::vector<launch::MegatronArgument> earlier_list_;
    bool bridge_steps_ = false;  // the steps are those of Megatron-Bridge's own lines
    double world_size_ = 0;
    double padded_ = 0;
    std::string list_key_, list_items_;  // the key of the YAML list that is read, and its items
    int world_line_ = 0;
    int padded_line_ = 0;
};

}  // namespace

const LogFormat kMegatronLog{
    .label = "Megatron-LM",
    .software = "megatron-core",
    .make = [] { return std::unique_ptr<LineReader>(std::make_unique<MegatronReader>()); },
};

}  // namespace shardscope::logs
