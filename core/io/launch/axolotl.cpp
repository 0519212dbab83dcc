// Writes the YAML configuration of axolotl, which trains models of Hugging Face under FSDP2 or DeepSpeed.
//
// Source: axolotl-ai-cloud/axolotl at commit 067b021 (July 2026): src/axolotl/utils/schemas/config.py,
// training.py, fsdp.py and enums.py for keys and values, validation.py for what excludes each other,
// src/axolotl/utils/distributed.py (_get_parallel_config_kwargs) for the dimensions of the mesh,
// src/axolotl/utils/config/__init__.py (resolve_dtype) for the precision of the weights,
// src/axolotl/loaders/model.py for offloaded activations, src/axolotl/integrations/expert_parallel,
// cut_cross_entropy and liger for the plugins, deepspeed_configs for the files of ZeRO, and
// src/axolotl/cli/utils/train.py for the launcher. The names of optimizers are those of
// huggingface/transformers, src/transformers/training_args.py (OptimizerNames).
#include <array>
#include <cmath>
#include <vector>

#include "launch/launch.h"
#include "launch/shapes.h"
#include "launch/writing.h"
#include "launch/yaml.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// Models of the catalogue and their names in the Hugging Face Hub. Only those are here that the library
// transformers contains and that have its format.
struct HubModel {
    std::string_view preset, name;
};
constexpr auto kAxolotlModels = std::to_array<HubModel>({
    {"bloom-176b", "bigscience/bloom"},
    {"deepseek-v2", "deepseek-ai/DeepSeek-V2"},
    {"deepseek-v3", "deepseek-ai/DeepSeek-V3-Base"},
    {"gemma-3-12b", "google/gemma-3-12b-pt"},
    {"gemma-3-27b", "google/gemma-3-27b-pt"},
    {"gemma-3-4b", "google/gemma-3-4b-pt"},
    {"gemma-7b", "google/gemma-7b"},
    {"glm-4.5", "zai-org/GLM-4.5"},
    {"glm-4.5-air", "zai-org/GLM-4.5-Air"},
    {"gpt-oss-120b", "openai/gpt-oss-120b"},
    {"gpt-oss-20b", "openai/gpt-oss-20b"},
    {"gpt2-1.5b", "openai-community/gpt2-xl"},
    {"llama-13b", "huggyllama/llama-13b"},
    {"llama-2-13b", "meta-llama/Llama-2-13b-hf"},
    {"llama-2-70b", "meta-llama/Llama-2-70b-hf"},
    {"llama-2-7b", "meta-llama/Llama-2-7b-hf"},
    {"llama-3-70b", "meta-llama/Meta-Llama-3-70B"},
    {"llama-3-8b", "meta-llama/Meta-Llama-3-8B"},
    {"llama-3.1-405b", "meta-llama/Llama-3.1-405B"},
    {"llama-4-maverick", "meta-llama/Llama-4-Maverick-17B-128E"},
    {"llama-4-scout", "meta-llama/Llama-4-Scout-17B-16E"},
    {"llama-7b", "huggyllama/llama-7b"},
    {"minimax-m2", "MiniMaxAI/MiniMax-M2"},
    {"mistral-7b", "mistralai/Mistral-7B-v0.2"},
    {"mixtral-8x22b", "mistral-community/Mixtral-8x22B-v0.1"},
    {"mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"},
    {"nemotron-4-340b", "mgoin/Nemotron-4-340B-Base-hf"},
    {"olmo-2-32b", "allenai/OLMo-2-0325-32B"},
    {"phi-4", "microsoft/phi-4"},
    {"qwen2-72b", "Qwen/Qwen2-72B"},
    {"qwen2-7b", "Qwen/Qwen2-7B"},
    {"qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B"},
    {"qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B"},
    {"qwen3-32b", "Qwen/Qwen3-32B"},
    {"qwen3-8b", "Qwen/Qwen3-8B"},
    {"qwen3-next-80b-a3b", "Qwen/Qwen3-Next-80B-A3B-Instruct"},
});

enum class Wrapper { replicas, deepspeed, fsdp };

// The plan as axolotl can express it. The GPUs of a pipeline become data-parallel.
struct AxolotlPlan {
    double sharers = 1;  // GPUs that hold the same part of the weights without sharding, context included
    double experts = 1;  // expert parallel
    double accumulation = 1;
    Wrapper wrapper = Wrapper::fsdp;
};

// Returns whether the plugin's mesh is possible: experts and sharding fill all GPUs, and tensor parallelism
// has no dimension in it.
bool can_split_experts(const Settings& s, double sharers) {
    return s[P::tensor_parallel] <= 1 &&
           std::fmod(sharers / s[P::context_parallel], s[P::expert_parallel]) == 0;
}

// DeepSpeed combines only with tensor parallelism, and neither it nor plain replicas with the other
// dimensions. axolotl refuses Muon with DeepSpeed.
Wrapper wrapper_of(const Settings& s, const AxolotlPlan& degrees) {
    const bool divided = s[P::context_parallel] > 1 || degrees.experts > 1;
    if (degrees.sharers <= 1) return Wrapper::replicas;
    switch (s.choice<Sharding>(P::sharding)) {
        case Sharding::ddp: return divided || s[P::tensor_parallel] > 1 ? Wrapper::fsdp : Wrapper::replicas;
        case Sharding::zero1:
        case Sharding::zero2:
            return divided || s.choice<Optimizer>(P::optimizer) == Optimizer::muon ? Wrapper::fsdp
                                                                                   : Wrapper::deepspeed;
        default: return Wrapper::fsdp;
    }
}

AxolotlPlan degrees_of(LaunchSettings& plan) {
    const Settings& s = plan.s;
    const double stages = std::fmax(1.0, s[P::pipeline_parallel]);
    AxolotlPlan out;
    out.sharers = data_context_parallel(s) * stages;
    out.accumulation = std::ceil(s[P::accumulation] / stages);
    if (stages > 1)
        plan.note(translate(
            "axolotl has no pipeline: the GPUs of “{1}” process further sequences, and accumulation "
            "{2} becomes {3}, which makes a global batch of {4}.",
            {plan.named(P::pipeline_parallel), plan.whole(P::accumulation), whole(out.accumulation),
             whole(out.accumulation * s[P::micro_batch] * out.sharers / s[P::context_parallel])}));
    if (s[P::expert_parallel] > 1 && can_split_experts(s, out.sharers)) out.experts = s[P::expert_parallel];
    else if (s[P::expert_parallel] > 1)
        plan.note_missing_option(
            kAxolotl, P::expert_parallel,
            translatable("{1} has no option for “{2}” in this plan; the experts are sharded like other "
                         "weights."));
    out.wrapper = wrapper_of(s, out);
    return out;
}

class AxolotlWriter {
  public:
    AxolotlWriter(LaunchSettings& plan, Yaml& out)
        : plan_(plan), s_(plan.s), out_(out), degrees_(degrees_of(plan)) {}

    void model(const HubModel* known) {
        out_.put("base_model", std::string(known ? known->name : "your_model"));
        if (known) return;
        plan_.note(
            translate("axolotl trains an existing model of Hugging Face. Save one of this shape in a folder "
                      "({1} layers, {2} wide, feed-forward {3}, {4} heads, vocabulary {5}), and name it in "
                      "place of your_model.",
                      {plan_.whole(P::layers), plan_.whole(P::hidden_size), plan_.whole(P::ffn_size),
                       plan_.whole(P::heads), plan_.whole(P::vocab_size)}));
    }

    void batch() {
        out_.put("sequence_len", plan_.whole(P::sequence_length));
        out_.put("micro_batch_size", plan_.whole(P::micro_batch));
        out_.put("gradient_accumulation_steps", whole(degrees_.accumulation));
        if (const double count = steps(plan_.answer); count > 0) out_.put("max_steps", whole(count));
        // ring-flash-attn takes packed sequences one at a time.
        packed_ = s_[P::packing] > 0 && (s_[P::context_parallel] <= 1 || s_[P::micro_batch] <= 1);
        out_.put("sample_packing", packed_);
        out_.put("pad_to_sequence_len", true);
        if (s_[P::packing] > 0)
            plan_.note(packed_ ? translate("The data decides the length of documents, “{1}”.",
                                           {plan_.named(P::packing)})
                               : translate("axolotl packs documents under context parallelism only with "
                                           "micro-batch 1; “{1}” is not written.",
                                           {plan_.named(P::packing)}));
    }

    void precision() {
        const auto precision = s_.choice<Precision>(P::precision);
        out_.put("bf16", precision != Precision::fp16 && precision != Precision::fp32);
        out_.put("fp16", precision == Precision::fp16);
        if (is_low(precision)) {
            out_.put("fp8", true);
            // torchao's recipe has one scale for each tensor.
            if (precision != Precision::fp8)
                plan_.note_missing_option(kAxolotl, P::precision,
                                          translatable("{1} has no option for “{2}”; fp8 is written."));
            else if (!plan_.is(P::fp8_recipe, Fp8Recipe::tensorwise))
                plan_.note_missing_option(kAxolotl, P::fp8_recipe,
                                          translatable("{1} has no option for “{2}”; it scales by tensor."));
            if (degrees_.wrapper == Wrapper::fsdp)
                out_.put("fp8_enable_fsdp_float8_all_gather", s_.on(P::fp8_param_gather));
        }
        const bool compile = is_compiled(s_) || is_low(precision) || s_.on(P::cuda_graphs);
        out_.put("torch_compile", compile);
        if (compile && !is_compiled(s_))
            plan_.note(translate(
                "axolotl needs torch.compile for “{1}”; the software “FSDP2, compiled” predicts it.",
                {plan_.named(is_low(precision) ? P::precision : P::cuda_graphs)}));
        // torch.compile is what records CUDA graphs.
        if (s_.on(P::cuda_graphs)) {
            out_.section("torch_compile_options");
            out_.put("triton.cudagraphs", true);
            out_.end_section();
        }
        weights(precision);
    }

    void optimizer() {
        switch (s_.choice<Optimizer>(P::optimizer)) {
            case Optimizer::adamw: out_.put("optimizer", "adamw_torch_fused"); break;
            // axolotl refuses that of bitsandbytes with FSDP2.
            case Optimizer::adamw_8bit: out_.put("optimizer", "adamw_torch_8bit"); break;
            case Optimizer::adafactor: out_.put("optimizer", "adafactor"); break;
            case Optimizer::lion:
                out_.put("optimizer", "lion_32bit");
                if (degrees_.wrapper == Wrapper::fsdp)
                    plan_.note(
                        translate("Lion is that of bitsandbytes, whose kernels may not take FSDP2's sharded "
                                  "weights; axolotl's flash_lion does."));
                break;
            case Optimizer::muon: out_.put("optimizer", "muon"); break;
            case Optimizer::momentum:
                out_.put("optimizer", "sgd");
                out_.put("optim_args", "momentum=0.9");
                break;
            case Optimizer::sgd: out_.put("optimizer", "sgd"); break;
        }
    }

    void recomputation() {
        const double share = s_[P::recompute];
        const double offloaded = s_[P::activation_offload];
        const bool every = share > 0 || offloaded > 0;
        out_.put("gradient_checkpointing", every);
        if (share > 0 && share < 1)
            plan_.note(translate("{1} recomputes every layer or none; “{2}” is written as every layer.",
                                 {kAxolotl.label, plan_.named(P::recompute)}));
        if (share == kRecomputeSelective)
            plan_.note(
                translate("Recompute of only the attention core is a setting of the model; flash attention "
                          "always does it."));
        if (offloaded <= 0) return;
        out_.put("activation_offloading", true);
        plan_.note(
            translate("axolotl recomputes every layer and offloads its input; that is written for “{1}”.",
                      {plan_.named(P::activation_offload)}));
    }

    // The loss and expert parallelism come with plugins.
    void loss_and_plugins() {
        std::vector<std::string> plugins;
        const auto add = [&](const char* name) {
            plugins.push_back(std::string("axolotl.integrations.") + name);
        };
        const bool full = plan_.is(P::precision, Precision::fp32);
        const auto loss = s_.choice<Loss>(P::loss);
        if (loss == Loss::fused) {
            add("liger.LigerPlugin");
            out_.put("liger_cross_entropy", true);
        } else if (loss == Loss::chunked && full) {
            // Cut cross entropy has no backward pass in fp32.
            out_.put("chunked_cross_entropy", true);
        } else if (loss == Loss::chunked) {
            add("cut_cross_entropy.CutCrossEntropyPlugin");
            out_.put("cut_cross_entropy", true);
        }
        if (degrees_.experts > 1) {
            add("expert_parallel.ExpertParallelPlugin");
            out_.put("expert_parallel_size", whole(degrees_.experts));
            if (!plan_.is(P::moe_dispatcher, MoeDispatcher::deepep))
                plan_.note_missing_option(
                    kAxolotl, P::moe_dispatcher,
                    translatable("{1} has no option for “{2}”; it sends tokens with DeepEP."));
            // They are the outermost dimension of the mesh.
            if (hosts(s_).nodes > 1)
                plan_.note(
                    translate("axolotl's expert parallel groups reach across nodes, where DeepEP needs "
                              "expert_parallel_num_rdma_bytes."));
        }
        if (plugins.empty()) return;
        out_.put("plugins", "[" + joined(plugins, ", ") + "]");
        plan_.note(translate("Install the packages of the plugins that the file names."));
    }

    void attention() {
        const bool ring = s_[P::context_parallel] > 1;
        const bool naive = plan_.is(P::attention, AttentionKernel::naive);
        const bool full = plan_.is(P::precision, Precision::fp32);
        // Context parallelism replaces flash attention's functions, and flash attention runs in 16 bits.
        out_.put("attn_implementation", ring    ? "flash_attention_2"
                                        : naive ? "eager"
                                        : full  ? "sdpa"
                                                : "flash_attention_2");
        if (ring && naive)
            plan_.note_missing_option(
                kAxolotl, P::attention,
                translatable("{1} has no option for “{2}” with context parallelism; flash attention is "
                             "written."));
        if (ring && full)
            plan_.note(
                translate("axolotl's context parallelism needs flash attention, which runs in 16 bits, "
                          "not in fp32."));
        out_.put("context_parallel_size", plan_.whole(P::context_parallel));
        if (!ring) return;
        // Packed sequences gather keys and values, others send them around a ring.
        out_.put("ring_attn_func", packed_ ? "varlen_llama3" : "batch_ring");
        const auto written = packed_ ? ContextParallelKind::all_gather : ContextParallelKind::p2p;
        if (!plan_.is(P::context_parallel_kind, written))
            plan_.note_missing_option(
                kAxolotl, P::context_parallel_kind,
                packed_ ? translatable("{1} has no option for “{2}” here; it gathers keys and values.")
                        : translatable("{1} has no option for “{2}” here; it sends keys and values around a "
                                       "ring."));
    }

    void sharding() {
        out_.put("tensor_parallel_size", plan_.whole(P::tensor_parallel));
        switch (degrees_.wrapper) {
            case Wrapper::replicas: note_replicas(); break;
            case Wrapper::deepspeed: write_deepspeed(); break;
            case Wrapper::fsdp: write_fsdp(); break;
        }
    }

  private:
    // Weights are loaded in the precision of the products. Only DeepSpeed keeps another copy of them.
    void weights(Precision precision) {
        const bool master = plan_.is(P::optimizer_precision, Precision::fp32);
        if (precision == Precision::fp32) {
            if (!master) plan_.note_missing_option(kAxolotl, P::optimizer_precision);
        } else if (degrees_.wrapper == Wrapper::deepspeed && !master) {
            plan_.note(
                translate("DeepSpeed keeps a master copy in fp32; for “{1}” add bf16_optimizer_states to its "
                          "file.",
                          {plan_.named(P::optimizer_precision)}));
        } else if (degrees_.wrapper != Wrapper::deepspeed && master) {
            plan_.note(
                translate("axolotl loads the weights in 16 bits and has no master copy of them without "
                          "DeepSpeed; the scenario has “{1}”.",
                          {plan_.named(P::optimizer_precision)}));
        }
    }

    void note_replicas() {
        if (!plan_.is(P::sharding, Sharding::ddp))
            plan_.note(translate("One GPU holds each part of the weights, so nothing is sharded."));
        if (s_[P::offload] != 0)
            plan_.note_missing_option(
                kAxolotl, P::offload,
                translatable("{1} has no option for “{2}” with replicated weights; none is written."));
    }

    void write_deepspeed() {
        const bool first = plan_.is(P::sharding, Sharding::zero1);
        out_.put("deepspeed", first ? "deepspeed_configs/zero1.json" : "deepspeed_configs/zero2.json");
        plan_.note(
            translate("ZeRO-1 and ZeRO-2 are DeepSpeed's, whose file “axolotl fetch deepspeed_configs” "
                      "copies."));
        // The file of the second stage offloads the optimizer, that of the first one does not.
        const bool offloads = plan_.is(P::offload, Offload::optimizer);
        if (first && s_[P::offload] != 0)
            plan_.note(translate("For “{1}” add offload_optimizer to that file.", {plan_.named(P::offload)}));
        if (!first && !offloads)
            plan_.note(
                translate("That file offloads the optimizer, and the plan has “{1}”: remove "
                          "offload_optimizer from it.",
                          {plan_.named(P::offload)}));
        if (plan_.is(P::optimizer, Optimizer::sgd) || plan_.is(P::optimizer, Optimizer::momentum))
            plan_.note(translate(
                "DeepSpeed does not test ZeRO with SGD; zero_allow_untested_optimizer lets it start."));
    }

    void write_fsdp() {
        const double context = s_[P::context_parallel];
        const double all = degrees_.sharers / context / degrees_.experts;
        const bool within_group = is_fsdp(s_) && shard_group(s_) < max_shard_group(s_);
        double shard = all;
        if (within_group) shard = std::fmin(all, std::fmax(1.0, std::floor(shard_group(s_) / context)));
        // Replicas need a sharded dimension, and expert parallelism has none for them.
        const bool possible = degrees_.experts <= 1 && shard > 1 && std::fmod(all, shard) == 0;
        if (shard < all && !possible) shard = all;
        const bool other = within_group && (shard == all || shard * context > shard_group(s_));
        if (!is_fsdp(s_) || other)
            plan_.note_missing_option(
                kAxolotl, P::sharding,
                translatable("{1} has no option for “{2}” in this plan; weights are sharded over all "
                             "data-parallel GPUs."));
        out_.put("dp_shard_size", whole(shard));
        if (shard < all) out_.put("dp_replicate_size", whole(all / shard));
        out_.put("fsdp_version", "2");
        out_.section("fsdp_config");
        out_.put("fsdp_version", "2");
        out_.put("auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
        out_.put("reshard_after_forward", is_fsdp(s_) && s_.on(P::reshard_after_forward));
        out_.put("offload_params", plan_.is(P::offload, Offload::optimizer_and_parameters));
        // Layers of torchao in fp8 cannot be loaded by rank 0 alone.
        out_.put("cpu_ram_efficient_loading", !is_low(s_.choice<Precision>(P::precision)));
        out_.put("state_dict_type", "SHARDED_STATE_DICT");
        out_.end_section();
        if (plan_.is(P::offload, Offload::optimizer) || plan_.is(P::offload, Offload::optimizer_nvme))
            plan_.note(
                translate("FSDP2 offloads weights, gradients and optimizer together (CPUOffloadPolicy) or "
                          "nothing; no offload is written."));
        plan_.note(translate(
            "FSDP2 wraps the layers that the model lists in _no_split_modules; if it lists none, add "
            "transformer_layer_cls_to_wrap to fsdp_config."));
    }

    LaunchSettings& plan_;
    const Settings& s_;
    Yaml& out_;
    AxolotlPlan degrees_;
    bool packed_ = false;
};

LaunchText write_axolotl(const Answer& answer, const std::string& file) {
    LaunchSettings plan(answer);
    if (plan.s.listed())
        return {"", "", {translate("axolotl trains language models; this model is a list of operators.")}};
    const HubModel* known = row_of_model(kAxolotlModels, plan.s, answer.scenario);
    plan.note_mismatches(kAxolotl, known != nullptr);
    const std::string launcher = torchrun(plan);
    // The launcher's own arguments follow the two dashes.
    const std::string command = "axolotl train " + shell_word(file) + " --launcher torchrun -- " +
                                launcher.substr(launcher.find(' ') + 1);
    Yaml out(header(kAxolotl, answer, comment_line("Start on every node:") + comment_line("  " + command)));
    AxolotlWriter writer(plan, out);
    writer.model(known);
    writer.batch();
    writer.precision();
    writer.optimizer();
    writer.recomputation();
    writer.loss_and_plugins();
    writer.attention();
    writer.sharding();
    plan.note(
        translate("Add datasets and learning_rate. Training continues from the weights of base_model; "
                  "reinit_weights: true starts with random ones."));
    return {std::move(out).take(), command, plan.notes, hosts(plan.s)};
}

}  // namespace
}  // namespace launch

const LaunchFormat kAxolotl{
    .name = "axolotl",
    .label = "axolotl",
    .file_name = "axolotl.yaml",
    .stack = "fsdp2",
    .checked = "axolotl at commit 067b021 (July 2026), src/axolotl/utils/schemas",
    .write_file = launch::write_axolotl,
};

}  // namespace shardscope
