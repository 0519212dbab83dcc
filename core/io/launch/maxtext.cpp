// Writes the YAML configuration of MaxText, which trains transformers with JAX on TPUs and GPUs.
//
// Source: AI-Hypercomputer/maxtext at commit e591f30 (August 2026): src/maxtext/configs/base.yml for the keys
// and their defaults, types.py for types, values and what excludes each other, pyconfig.py for base_config
// and for the names of files, models/*.yml for the named models, src/maxtext/layers/decoders.py for what each
// remat_policy keeps, attention_op.py for attention under context parallelism, pipeline.py for the schedule,
// src/maxtext/optimizers/optimizers.py, and src/maxtext/utils/max_utils.py for the mesh and for the
// environment of a run on GPUs (initialize_jax_for_gpu).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "launch/launch.h"
#include "launch/shapes.h"
#include "launch/writing.h"
#include "launch/yaml.h"
#include "parameters/layer_pattern.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"
#include "text/units.h"

namespace shardscope {
namespace launch {
namespace {

// A model of the catalogue, MaxText's name of a model of the same shape, apart from the padding of the
// vocabulary, and its decoder block. A file of MaxText that sets keys of the plan, such as that of GPT-3, is
// not used: it would replace them.
struct NamedModel {
    std::string_view preset, name, block;
};
constexpr auto kMaxTextModels = std::to_array<NamedModel>({
    {"deepseek-v2", "deepseek2-236b", "deepseek"},
    {"deepseek-v3", "deepseek3-671b", "deepseek"},
    {"gemma-3-12b", "gemma3-12b", "gemma3"},
    {"gemma-3-27b", "gemma3-27b", "gemma3"},
    {"gemma-3-4b", "gemma3-4b", "gemma3"},
    {"gpt-oss-120b", "gpt-oss-120b", "gpt_oss"},
    {"gpt-oss-20b", "gpt-oss-20b", "gpt_oss"},
    {"kimi-k2", "kimi-k2-1t", "deepseek"},
    {"llama-2-13b", "llama2-13b", "llama2"},
    {"llama-2-70b", "llama2-70b", "llama2"},
    {"llama-2-7b", "llama2-7b", "llama2"},
    {"llama-3-70b", "llama3-70b", "llama2"},
    {"llama-3-8b", "llama3-8b", "llama2"},
    {"llama-3.1-405b", "llama3.1-405b", "llama2"},
    {"llama-4-maverick", "llama4-17b-128e", "llama4"},
    {"llama-4-scout", "llama4-17b-16e", "llama4"},
    {"mistral-7b", "mistral-7b", "mistral"},
    {"mixtral-8x22b", "mixtral-8x22b", "mixtral"},
    {"mixtral-8x7b", "mixtral-8x7b", "mixtral"},
    {"qwen2-7b", "qwen2.5-7b", "qwen2"},
    {"qwen3-235b-a22b", "qwen3-235b-a22b", "qwen3_moe"},
    {"qwen3-30b-a3b", "qwen3-30b-a3b", "qwen3_moe"},
    {"qwen3-32b", "qwen3-32b", "qwen3"},
    {"qwen3-8b", "qwen3-8b", "qwen3"},
    {"qwen3-next-80b-a3b", "qwen3-next-80b-a3b", "qwen3_next"},
});
constexpr std::array<std::string_view, 4> kMuonBlocks{"deepseek", "gemma3", "llama2", "qwen3"};

// What a decoder block has, apart from sizes that keys set.
struct Block {
    std::string_view name;
    Norm norm;
    bool bias;      // of all matrices
    bool qkv_bias;  // of the projections to queries, keys and values only
    QkNorm qk_norm;
    bool learned_positions;
    bool experts;
    bool shared_experts;
    bool latent_attention;
};
constexpr auto kBlocks = std::to_array<Block>({
    {"llama2", Norm::rmsnorm, false, false, QkNorm::none, false, false, false, false},
    {"qwen2", Norm::rmsnorm, false, true, QkNorm::none, false, false, false, false},
    {"qwen3", Norm::rmsnorm, false, false, QkNorm::head, false, false, false, false},
    {"gpt3", Norm::layernorm, true, false, QkNorm::none, true, false, false, false},
    {"mixtral", Norm::rmsnorm, false, false, QkNorm::none, false, true, false, false},
    {"qwen3_moe", Norm::rmsnorm, false, false, QkNorm::head, false, true, false, false},
    {"deepseek", Norm::rmsnorm, false, false, QkNorm::none, false, true, true, true},
});

// Returns the settings in which the model differs from every model of the block.
std::vector<P> differences(const Block& block, const Settings& s) {
    std::vector<P> out;
    const auto add = [&](P id, bool differs) {
        if (differs) out.push_back(id);
    };
    const bool experts = s[P::experts] > 0;
    const bool latent = s[P::kv_lora_rank] > 0;
    add(P::experts, experts != block.experts);
    add(P::kv_lora_rank, latent != block.latent_attention);
    add(P::shared_expert_ffn_size, s[P::shared_expert_ffn_size] > 0 && !block.shared_experts);
    add(P::norm, s.choice<Norm>(P::norm) != block.norm);
    add(P::bias, s.on(P::bias) != block.bias);
    add(P::qkv_bias, s.on(P::qkv_bias) != block.qkv_bias);
    add(P::qk_norm, s.choice<QkNorm>(P::qk_norm) != block.qk_norm);
    add(P::learned_positions, (positions(s) > 0) != block.learned_positions);
    add(P::layer_norms, s[P::layer_norms] != 2);
    add(P::dense_layers, s[P::dense_layers] > 0 && !block.shared_experts);
    add(P::shared_expert_gate, s.on(P::shared_expert_gate));
    add(P::latent_expert_size, s[P::latent_expert_size] > 0);
    add(P::head_bias, s.on(P::head_bias));
    add(P::embedding_size, s[P::embedding_size] > 0 && s[P::embedding_size] != s[P::hidden_size]);
    add(P::causal, !s.on(P::causal));
    add(P::attention_gate, s.on(P::attention_gate));
    return out;
}

// Returns the block with the fewest differences; kinds of attention and feed-forward count most.
const Block& nearest_block(const Settings& s) {
    return *std::ranges::min_element(kBlocks, {}, [&](const Block& block) {
        std::size_t out = 0;
        for (const P id : differences(block, s))
            out += id == P::kv_lora_rank ? 100 : id == P::experts ? 10 : 1;
        return out;
    });
}

// A dimension of the mesh, with its degree inside a slice (ici) and across slices (dcn).
struct Dimension {
    std::string_view name;
    double degree;
    bool always;  // written even where it is 1, because MaxText's default is another value
};

class MaxTextWriter {
  public:
    MaxTextWriter(LaunchSettings& plan, Yaml& out)
        : plan_(plan),
          s_(plan.s),
          out_(out),
          tpu_(has_tpus(plan.answer.scenario)),
          known_(row_of_model(kMaxTextModels, plan.s, plan.answer.scenario)),
          block_(known_ ? known_->block : nearest_block(plan.s).name) {}

    [[nodiscard]] bool is_known() const { return known_ != nullptr; }

    void model() {
        out_.put("base_config", "base.yml");
        out_.put("run_name", "shardscope");
        out_.put("hardware", tpu_ ? "tpu" : "gpu");
        const Preset* gpu = plan_.answer.scenario.gpu_preset();
        if (gpu && !tpu_ && !is_of_nvidia_or_amd(*gpu))
            plan_.note(translate("MaxText runs on TPUs and GPUs, not on {1}.", {gpu->title}));
        if (known_) out_.put("model_name", std::string(known_->name));
        else shape();
        if (s_[P::mtp_layers] > 0) out_.put("mtp_num_layers", plan_.whole(P::mtp_layers));
    }

    // One step of MaxText's pipeline runs all of its micro-batches, so they are one batch.
    void batch() {
        const double stages = s_[P::pipeline_parallel];
        const double accumulation = s_[P::accumulation];
        batches_ = accumulation;
        if (stages > 1) {
            batches_ = std::fmax(1.0, std::floor(accumulation / stages)) * stages;
            if (batches_ != accumulation)
                plan_.note(translate(
                    "MaxText's pipeline needs a multiple of its stages: accumulation {1} becomes {2}, "
                    "which makes a global batch of {3}.",
                    {whole(accumulation), whole(batches_),
                     whole(batches_ * s_[P::micro_batch] * data_parallel(s_))}));
        }
        const double forward = s_[P::micro_batch] * data_parallel(s_) * (stages > 1 ? batches_ : 1);
        // MaxText multiplies by the number of GPUs and rounds down.
        each_ = forward / s_[P::gpus];
        while (std::floor(each_ * s_[P::gpus]) < forward)
            each_ = std::nextafter(each_, std::numeric_limits<double>::infinity());
        out_.put("max_target_length", plan_.whole(P::sequence_length));
        out_.put("per_device_batch_size", exact(each_));
        out_.put("gradient_accumulation_steps", stages > 1 ? "1" : whole(accumulation));
        if (const double count = steps(plan_.answer); count > 0) out_.put("steps", whole(count));
        const bool packed = s_[P::packing] > 0;
        out_.put("packing", packed);
        if (!packed) return;
        if (!tpu_)
            out_.put("max_segments_per_seq",
                     whole(std::fmax(32.0, 2 * std::ceil(s_[P::sequence_length] / s_[P::packing]))));
        plan_.note(translate("The data decides the length of documents, “{1}”.", {plan_.named(P::packing)}));
    }

    void mesh() {
        const double data = data_parallel(s_);
        const double context = s_[P::context_parallel];
        const double experts = expert_degree(data);
        experts_ = experts;
        const double all = data / experts;
        double shard = is_fsdp(s_) ? all : 1;
        if (is_fsdp(s_) && shard_group(s_) < max_shard_group(s_)) {
            shard = std::fmax(1.0, std::floor(shard_group(s_) / (context * experts)));
            if (std::fmod(all, shard) != 0) shard = all;
            if (shard * context * experts != shard_group(s_))
                plan_.note_missing_option(
                    kMaxText, P::shard_group,
                    translatable("{1} has no option for “{2}” in this plan; weights are sharded over groups "
                                 "of {3}."),
                    whole(shard * context * experts));
        }
        if (!is_fsdp(s_) && context * experts > 1)
            plan_.note(
                translate("MaxText always shards weights over the GPUs of context and expert parallelism."));
        switch (s_.choice<Sharding>(P::sharding)) {
            case Sharding::zero2:
                plan_.note_missing_option(kMaxText, P::sharding,
                                          translatable("{1} has no option for “{2}”; ZeRO-1 is written."));
                [[fallthrough]];
            case Sharding::zero1: out_.put("shard_optimizer_over_data", true); break;
            default: break;
        }
        // tensor_sequence also splits norms and residuals along the sequence, tensor along their width.
        const bool sequence = s_.on(P::sequence_parallel);
        write_dimensions({{{sequence ? "tensor_sequence" : "tensor", s_[P::tensor_parallel], false},
                           {"context", context, false},
                           {"expert", experts, false},
                           {"fsdp", shard, true},
                           {"data", all / shard, true},
                           {"pipeline", s_[P::pipeline_parallel], false}}});
        context_parallelism();
    }

    // Returns the layers that pipeline stages can hold. The dense layers of the block deepseek are outside.
    [[nodiscard]] double pipeline_layers() const {
        return s_[P::layers] - (block_ == "deepseek" ? s_[P::dense_layers] : 0);
    }

    void pipeline() {
        const double stages = s_[P::pipeline_parallel];
        out_.put("scan_layers", stages <= 1);
        if (stages <= 1) return;
        const double repeats = std::fmax(1.0, s_[P::virtual_stages]);
        const double layers = pipeline_layers();
        const double each = std::fmax(1.0, std::floor(layers / (stages * repeats)));
        const double possible = std::fmin(repeats, std::fmax(1.0, std::floor(layers / (stages * each))));
        const double inside = each * stages * possible;
        out_.put("num_layers_per_pipeline_stage", whole(each));
        out_.put("num_pipeline_repeats", whole(possible));
        out_.put("pipeline_parallel_layers", whole(inside));
        out_.put("num_pipeline_microbatches", whole(batches_));
        if (is_fsdp(s_)) out_.put("pipeline_fsdp_ag_once", !s_.on(P::reshard_after_forward));
        if (inside != s_[P::layers] || possible != repeats)
            plan_.note(translate(
                "MaxText's stages have equally many layers: {1} of the {2} layers are in the pipeline "
                "(stages on each GPU: {3}, layers in each: {4}); the others run on all GPUs, without stages.",
                {whole(inside), plan_.whole(P::layers), whole(possible), whole(each)}));
        const auto exact_kind = repeats > 1 ? ScheduleKind::breadth_first : ScheduleKind::gpipe;
        if (!plan_.is(P::schedule, exact_kind))
            plan_.note(translate(
                "MaxText runs the forward passes of all micro-batches before the backward passes, as "
                "{1} does; the scenario's schedule is {2}.",
                {format(P::schedule, static_cast<double>(exact_kind)),
                 format(P::schedule, s_[P::schedule])}));
    }

    void precision() {
        const auto precision = s_.choice<Precision>(P::precision);
        out_.put("dtype", dtype(is_low(precision) ? Precision::bf16 : precision));
        out_.put("weight_dtype", dtype(s_.choice<Precision>(P::optimizer_precision)));
        out_.put("grad_dtype", dtype(s_.choice<Precision>(P::gradient_precision)));
        if (is_low(precision)) quantization(precision);
        optimizer();
        moments();
    }

    void recomputation() {
        const double share = s_[P::recompute];
        const double offloaded = s_[P::activation_offload];
        if (share > 0) {
            out_.put("remat_policy", offloaded > 0 ? "custom" : "full");
            if (offloaded > 0) out_.put("decoder_layer_input", "offload");
            if (share < 1)
                plan_.note(translate("{1} recomputes every layer or none; “{2}” is written as every layer.",
                                     {kMaxText.label, plan_.named(P::recompute)}));
        } else {
            out_.put("remat_policy", offloaded > 0 ? "minimal_offloaded" : saved_products());
            plan_.note(
                translate("MaxText's remat_policy keeps the results of matrix products; norms and activation "
                          "functions are recomputed."));
            if (share == kRecomputeSelective)
                plan_.note(translate("The scenario has “{1}”.", {plan_.named(P::recompute_modules)}));
        }
        if (offloaded > 0)
            plan_.note(translate("MaxText offloads what every layer keeps; that is written for “{1}”.",
                                 {plan_.named(P::activation_offload)}));
        const auto offload = s_.choice<Offload>(P::offload);
        if (offload != Offload::none) out_.put("optimizer_memory_host_offload", true);
        if (offload == Offload::optimizer_and_parameters) out_.put("parameter_memory_host_offload", true);
    }

    void attention_and_loss() {
        const bool naive = plan_.is(P::attention, AttentionKernel::naive);
        // The kernels for GPUs have no sinks.
        const bool sinks = s_.on(P::attention_sinks) && !tpu_;
        out_.put("attention", naive || sinks ? "dot_product" : tpu_ ? "flash" : "cudnn_flash_te");
        if (sinks && !naive)
            plan_.note_missing_option(
                kMaxText, P::attention,
                translatable("{1} has no option for “{2}” with attention sinks; dot_product is written."));
        if (plan_.is(P::loss, Loss::fused)) plan_.note_missing_option(kMaxText, P::loss);
        if (!plan_.is(P::loss, Loss::chunked)) return;
        // The tiles of the loss divide the tokens of a GPU.
        for (const double tiles : {8.0, 4.0, 2.0}) {
            if (std::fmod(each_ * s_[P::sequence_length], tiles) != 0) continue;
            out_.put("num_vocab_tiling", whole(tiles));
            return;
        }
        plan_.note_missing_option(kMaxText, P::loss);
    }

    void experts() {
        if (s_[P::experts] <= 0) return;
        out_.put("sparse_matmul", true);
        out_.put("megablox", tpu_);  // kernels of TPUs
        // MaxText refuses a ring of one GPU.
        out_.put("use_ring_of_experts",
                 experts_ > 1 && plan_.is(P::moe_dispatcher, MoeDispatcher::all_gather));
        if (experts_ > 1 && plan_.is(P::moe_dispatcher, MoeDispatcher::deepep))
            plan_.note_missing_option(kMaxText, P::moe_dispatcher,
                                      translatable("{1} has no option for “{2}”; all-to-all is written."));
        if (!s_.on(P::static_expert_buffers))
            plan_.note(
                translate("MaxText's experts always have buffers of fixed size, which the scenario's "
                          "do not have."));
    }

    void note_cuda_graphs() {
        if (s_.on(P::cuda_graphs))
            plan_.note(
                translate("CUDA graphs are XLA's command buffers: set --xla_gpu_enable_command_buffer in "
                          "XLA_FLAGS."));
    }

  private:
    void shape() {
        const Block& block = nearest_block(s_);
        out_.put("decoder_block", std::string(block.name));
        const auto number = [&](const char* key, P id) { out_.put(key, plan_.whole(id)); };
        number("base_emb_dim", P::hidden_size);
        number("base_num_query_heads", P::heads);
        number("base_num_kv_heads", P::kv_heads);
        number("head_dim", P::head_size);
        number("base_num_decoder_layers", P::layers);
        number("vocab_size", P::vocab_size);
        const bool gated = plan_.is(P::mlp, Mlp::gated);
        out_.put("mlp_activations", gated ? "[silu, linear]" : "[gelu]");
        out_.put("logits_via_embedding", s_.on(P::tied_embeddings));
        out_.put("enable_dropout", s_.on(P::dropout));
        if (s_.on(P::dropout)) out_.put("dropout_rate", "0.1");
        if (block.qkv_bias) out_.put("attention_bias", true);
        if (block.qk_norm == QkNorm::head) out_.put("use_qk_norm", true);
        if (block.learned_positions) out_.put("trainable_position_size", whole(positions(s_)));
        const bool window = s_[P::attention_window] > 0 && s_[P::layer_pattern] == 0;
        if (block.latent_attention) {
            out_.put("attention_type", "mla");
            number("q_lora_rank", P::q_lora_rank);
            number("kv_lora_rank", P::kv_lora_rank);
            number("qk_nope_head_dim", P::head_size);
            number("qk_rope_head_dim", P::rope_head_size);
            number("v_head_dim", s_[P::value_head_size] > 0 ? P::value_head_size : P::head_size);
        } else if (window) {
            out_.put("attention_type", "local_sliding");
            number("sliding_window_size", P::attention_window);
        }
        if (s_.on(P::attention_sinks)) out_.put("attention_sink", true);
        feed_forward(block);
        note_differences(block);
    }

    void feed_forward(const Block& block) {
        const double expert = s_[P::expert_ffn_size] > 0 ? s_[P::expert_ffn_size] : s_[P::ffn_size];
        const bool dense = !block.experts || (block.shared_experts && s_[P::dense_layers] > 0);
        // MaxText refuses two widths where every layer has experts.
        out_.put("base_mlp_dim", dense ? plan_.whole(P::ffn_size) : whole(expert));
        if (!block.experts || s_[P::experts] <= 0) return;
        out_.put("num_experts", plan_.whole(P::experts));
        out_.put("num_experts_per_tok", plan_.whole(P::experts_per_token));
        out_.put("base_moe_mlp_dim", whole(expert));
        if (!block.shared_experts) return;
        out_.put("first_num_dense_layers", plan_.whole(P::dense_layers));
        out_.put("shared_experts", whole(std::ceil(s_[P::shared_expert_ffn_size] / expert)));
    }

    void note_differences(const Block& block) {
        const std::string names =
            joined(differences(block, s_), ", ", [&](P id) { return "“" + plan_.named(id) + "”"; });
        plan_.note(
            names.empty()
                ? translate("MaxText has no model of this shape; its sizes are written for the decoder "
                            "block {1}.",
                            {std::string(block.name)})
                : translate("MaxText has no model of this shape; its sizes are written for the decoder "
                            "block {1}, which differs in {2}.",
                            {std::string(block.name), names}));
    }

    // Experts are split over data-parallel GPUs.
    double expert_degree(double data) {
        const double wanted = s_[P::expert_parallel];
        if (wanted <= 1) return 1;
        const auto out =
            static_cast<double>(std::gcd(static_cast<long long>(data), static_cast<long long>(wanted)));
        if (out != wanted)
            plan_.note_missing_option(
                kMaxText, P::expert_parallel,
                translatable("{1} has no option for “{2}” in this plan; {3} is written."), whole(out));
        return out;
    }

    // Dimensions fill a slice from the first one on, and continue across slices.
    void write_dimensions(const std::array<Dimension, 6>& dimensions) {
        auto left = static_cast<long long>(gpus_in_node(s_));
        for (const Dimension& dimension : dimensions) {
            const long long inside = std::gcd(left, static_cast<long long>(dimension.degree));
            left /= inside;
            const double outside = dimension.degree / static_cast<double>(inside);
            const std::string key = std::string(dimension.name) + "_parallelism";
            if (inside > 1 || dimension.always) out_.put("ici_" + key, std::to_string(inside));
            if (outside > 1 || dimension.always) out_.put("dcn_" + key, whole(outside));
        }
    }

    void context_parallelism() {
        if (s_[P::context_parallel] <= 1) return;
        const auto kind = s_.choice<ContextParallelKind>(P::context_parallel_kind);
        const bool packed = s_[P::packing] > 0;
        // On TPUs a ring and an exchange of heads need Tokamax's kernels. On GPUs packed sequences need a
        // ring.
        const bool ring = !tpu_ && (kind == ContextParallelKind::p2p || packed);
        out_.put("context_parallel_strategy", ring ? "ring" : "all_gather");
        if (kind != (ring ? ContextParallelKind::p2p : ContextParallelKind::all_gather))
            plan_.note_missing_option(
                kMaxText, P::context_parallel_kind,
                translatable("{1} has no option for “{2}” in this plan; {3} is written."),
                ring ? "ring" : "all_gather");
        if (!tpu_ && has_mixer(s_, Mixer::chunked))
            plan_.note(
                translate("On GPUs MaxText does not combine context parallelism with chunked attention."));
        else if (!tpu_ && s_[P::attention_window] > 0 && !packed)
            plan_.note(
                translate("On GPUs MaxText combines context parallelism with attention windows only for "
                          "packed sequences."));
    }

    void quantization(Precision precision) {
        if (tpu_) {
            out_.put("quantization", "fp8_full");
            out_.put("use_qwix_quantization", true);
            if (precision != Precision::fp8)
                plan_.note_missing_option(kMaxText, P::precision,
                                          translatable("{1} has no option for “{2}”; fp8 is written."));
            else if (!plan_.is(P::fp8_recipe, Fp8Recipe::tensorwise))
                plan_.note_missing_option(kMaxText, P::fp8_recipe,
                                          translatable("{1} has no option for “{2}”; it scales by tensor."));
            return;
        }
        if (s_[P::experts] > 0) {
            plan_.note_missing_option(
                kMaxText, precision == Precision::fp8 ? P::fp8_recipe : P::precision,
                translatable("{1} has no option for “{2}” with experts on GPUs; bf16 is written."));
            return;
        }
        if (precision != Precision::fp8) {
            out_.put("quantization", precision == Precision::mxfp8 ? "te_mxfp8" : "te_nvfp4");
            return;
        }
        const auto recipe = s_.choice<Fp8Recipe>(P::fp8_recipe);
        // MaxText refuses a history of maxima beside accumulation.
        const bool delayed =
            recipe == Fp8Recipe::delayed && (s_[P::accumulation] <= 1 || s_[P::pipeline_parallel] > 1);
        const bool block = recipe == Fp8Recipe::mxfp8;
        out_.put("quantization", delayed ? "te_fp8_delayedscaling"
                                 : block ? "te_mxfp8"
                                         : "te_fp8_currentscaling");
        if (!delayed && !block && recipe != Fp8Recipe::tensorwise)
            plan_.note_missing_option(
                kMaxText, P::fp8_recipe,
                translatable("{1} has no option for “{2}” in this plan; {3} is written."),
                "te_fp8_currentscaling");
    }

    void optimizer() {
        const auto optimizer = s_.choice<Optimizer>(P::optimizer);
        const bool muon =
            optimizer == Optimizer::muon && std::ranges::find(kMuonBlocks, block_) != kMuonBlocks.end();
        const bool sgd = optimizer == Optimizer::sgd || optimizer == Optimizer::momentum;
        out_.put("opt_type", muon ? "muon" : sgd ? "sgd" : "adamw");
        if (optimizer == Optimizer::momentum)
            plan_.note_missing_option(
                kMaxText, P::optimizer,
                translatable("{1} has no option for “{2}”; SGD without momentum is written."));
        else if (!muon && !sgd && optimizer != Optimizer::adamw)
            plan_.note_missing_option(kMaxText, P::optimizer,
                                      translatable("{1} has no option for “{2}”; AdamW is written."));
    }

    // Only the first moment has a precision of its own; the second one has that of the weights.
    void moments() {
        if (plan_.is(P::moment_precision, kAsMaster)) return;
        const bool master = plan_.is(P::optimizer_precision, Precision::fp32);
        bool second = false;  // whether the second moment is in fp32
        switch (s_.choice<MomentPrecision>(P::moment_precision)) {
            case MomentPrecision::bf16: out_.put("mu_dtype", "bfloat16"); break;
            case MomentPrecision::bf16_fp32:
                out_.put("mu_dtype", "bfloat16");
                second = true;
                break;
            case MomentPrecision::fp32:
                out_.put("mu_dtype", "float32");
                second = true;
                break;
            case MomentPrecision::fp32_bf16: out_.put("mu_dtype", "float32"); break;
            default: plan_.note_missing_option(kMaxText, P::moment_precision); return;
        }
        if (second != master)
            plan_.note(
                translate("MaxText keeps the second moment in the precision of the weights; the scenario has "
                          "“{1}”.",
                          {plan_.named(P::moment_precision)}));
    }

    // Returns the policy that recomputes the modules of the plan besides norms and activation functions.
    const char* saved_products() {
        if (s_[P::recompute] != kRecomputeSelective) return "minimal_with_context";
        const int modules = s_.whole(P::recompute_modules);
        const int free = bit(RecomputeModule::layernorm) | bit(RecomputeModule::activation) |
                         bit(RecomputeModule::moe_activation);
        const int core = bit(RecomputeModule::core_attention);
        const int mlp = bit(RecomputeModule::mlp);
        const int wanted = modules & ~free;
        if (wanted == 0) return "minimal_with_context";
        if (wanted == mlp) return "save_dot_with_context_except_mlp";
        if (wanted == (mlp | core)) return "save_dot_except_mlp";
        if (wanted != core)
            plan_.note_missing_option(
                kMaxText, P::recompute_modules,
                translatable("{1} has no option for “{2}”; the attention core is recomputed."));
        return "minimal";
    }

    static const char* dtype(Precision precision) {
        switch (precision) {
            case Precision::fp16: return "float16";
            case Precision::fp32: return "float32";
            default: return "bfloat16";
        }
    }

    LaunchSettings& plan_;
    const Settings& s_;
    Yaml& out_;
    bool tpu_;
    const NamedModel* known_;
    std::string_view block_;
    double batches_ = 1;  // micro-batches of a pipeline, or accumulated ones
    double experts_ = 1;  // expert parallel
    double each_ = 1;     // sequences of a forward pass for each GPU
};

LaunchText write_maxtext(const Answer& answer, const std::string& file) {
    LaunchSettings plan(answer);
    const Settings& s = plan.s;
    if (s.listed())
        return {"", "", {translate("MaxText trains transformers; this model is a list of operators.")}};
    const Hosts on = hosts(s);
    const bool tpu = has_tpus(answer.scenario);
    const bool several = on.nodes > 1 && !tpu;
    const std::string program = "python3 -m maxtext.trainers.pre_train.train " + shell_word(file);
    // JAX finds the other hosts of a TPU slice by itself.
    const auto command = [&](const char* rank) {
        return several
                   ? "JAX_COORDINATOR_IP=$HEAD_NODE JAX_COORDINATOR_PORT=29500 NNODES=" + whole(on.nodes) +
                         " NODE_RANK=" + rank + " " + program
                   : program;
    };
    Yaml out(header(kMaxText, answer,
                    comment_line("Start on every host:") + comment_line("  " + command("$RANK_OF_NODE"))));
    MaxTextWriter writer(plan, out);
    if (const double stages = s[P::pipeline_parallel]; stages > 1 && stages > writer.pipeline_layers())
        return {"",
                "",
                {translate("Each of MaxText's stages has a layer; {1} stages have {2} layers here.",
                           {whole(stages), whole(writer.pipeline_layers())})}};
    plan.note_mismatches(kMaxText, writer.is_known());
    writer.model();
    writer.batch();
    writer.mesh();
    writer.pipeline();
    writer.precision();
    writer.recomputation();
    writer.attention_and_loss();
    writer.experts();
    writer.note_cuda_graphs();
    if (!tpu) note_hosts(plan);
    if (const Preset* gpu = answer.scenario.gpu_preset(); gpu && gpu->name == "tpu-v7")
        plan.note(translate(
            "MaxText sees two devices in each chip of TPU v7: double one degree of parallelism, and "
            "halve per_device_batch_size."));
    if (!file.ends_with(".yml"))
        plan.note(translate("MaxText reads a configuration only if its name ends in .yml."));
    plan.note(translate("Add dataset, tokenizer, learning_rate and base_output_directory."));
    const std::string job =
        several ? "bash -c " + shell_word(command("$SLURM_NODEID")) : command("$SLURM_NODEID");
    return {std::move(out).take(), command("$RANK_OF_NODE"), plan.notes, on, job};
}

}  // namespace
}  // namespace launch

const LaunchFormat kMaxText{
    .name = "maxtext",
    .label = "MaxText",
    .file_name = "maxtext.yml",
    .stack = "maxtext",
    .checked = "MaxText at commit e591f30 (August 2026), src/maxtext/configs/types.py",
    .write_file = launch::write_maxtext,
};

}  // namespace shardscope
