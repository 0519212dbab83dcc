// Writes the options of the model. The sources are those of megatron.cpp.
#include "launch/megatron_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "launch/layer_lists.h"
#include "launch/shapes.h"
#include "launch/stage_layers.h"
#include "parameters/layer_pattern.h"
#include "scenario/gpu_groups.h"
#include "scenario/valid_values.h"
#include "text/translate.h"

namespace shardscope::launch {

bool has_bf16_weights(const LaunchSettings& plan) {
    return !plan.is(P::precision, Precision::fp16) && !plan.is(P::precision, Precision::fp32);
}

namespace {

// Return whether any layer, or every layer, has the flag.
bool has_any(const LayerFlags& flags) { return std::ranges::find(flags, true) != flags.end(); }
bool has_all(const LayerFlags& flags) { return std::ranges::find(flags, false) == flags.end(); }

// What the layers of a transformer have, in their order.
struct TransformerLayers {
    LayerFlags windows, linear, experts;
};

// Returns whether the chunks of chunked attention are as long as the sequence, so that it is full attention.
bool is_one_chunk(const Settings& s) {
    return s[P::attention_window] <= 0 || s[P::attention_window] >= s[P::sequence_length];
}

// Returns nothing for a model with layers that Megatron-LM's options of a transformer cannot express: those
// that are a mixer or a feed-forward alone, chunks, linear attention without the delta rule, and linear
// attention beside windows.
std::optional<TransformerLayers> transformer_layers(const Settings& s) {
    const LayerSequence sequence(s);
    TransformerLayers out;
    for (std::size_t i = 0; static_cast<double>(i) < sequence.layers(); ++i) {
        const LayerKind& layer = sequence.kind_of_layer(i);
        const bool attends = layer.mixer == Mixer::full || layer.mixer == Mixer::sliding ||
                             (layer.mixer == Mixer::chunked && is_one_chunk(s));
        const bool is_linear = layer.mixer == Mixer::linear && s[P::convolution_kernel] > 0;
        if ((!attends && !is_linear) || layer.feed_forward == FeedForward::none) return std::nullopt;
        out.windows.push_back(layer.mixer == Mixer::sliding);
        out.linear.push_back(is_linear);
        out.experts.push_back(layer.feed_forward == FeedForward::experts);
    }
    if (has_any(out.windows) && has_any(out.linear)) return std::nullopt;
    return out;
}

// Returns a list for the shell, or a stride where it says the same.
std::string list_or_stride(const LayerFlags& flags) {
    const std::size_t stride = stride_of_unset(flags);
    return stride > 0 ? std::to_string(stride) : "'" + layer_list(flags) + "'";
}

void write_experts(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    if (s[P::experts] <= 0) return;
    put(out, plan, {P::experts, P::experts_per_token, P::expert_parallel});
    out.put("--moe-ffn-hidden-size",
            plan.whole(s[P::expert_ffn_size] > 0 ? P::expert_ffn_size : P::ffn_size));
    if (s[P::shared_expert_ffn_size] > 0) put(out, plan, {P::shared_expert_ffn_size});
    if (s.on(P::shared_expert_gate) && s[P::shared_expert_ffn_size] > 0) out.put("--moe-shared-expert-gate");
    if (s[P::latent_expert_size] > 0) put(out, plan, {P::latent_expert_size});
    if (const auto layers = transformer_layers(s)) {
        if (!has_all(layers->experts)) out.put("--moe-layer-freq", "'" + layer_list(layers->experts) + "'");
    } else if (const double dense = s[P::dense_layers]; dense > 0) {
        out.put("--moe-layer-freq", "'([0]*" + whole(dense) + "+[1]*" + whole(s[P::layers] - dense) + ")'");
    }
    const std::vector<MegatronArgument> routing = routing_options(plan.answer.scenario.model);
    if (s[P::chosen_expert_groups] > 0) {
        if (divides(s[P::expert_groups], s[P::experts]))
            put(out, plan, {P::expert_groups, P::chosen_expert_groups});
        else
            plan.note(
                translate("{1} experts are not whole groups of the model's routing; no groups are written.",
                          {plan.whole(P::experts)}));
    }
    put(out, routing);
    // With one expert, the softmax over the chosen experts would always be 1.
    constexpr const char* kPreSoftmax = "--moe-router-pre-softmax";
    const auto sigmoid = [](const MegatronArgument& argument) { return argument.value == "sigmoid"; };
    if (s[P::experts_per_token] == 1 && std::ranges::none_of(routing, sigmoid) &&
        std::ranges::find(routing, kPreSoftmax, &MegatronArgument::option) == routing.end())
        out.put(kPreSoftmax);
    switch (s.choice<MoeDispatcher>(P::moe_dispatcher)) {
        case MoeDispatcher::all_to_all: out.put("--moe-token-dispatcher-type", "alltoall"); break;
        case MoeDispatcher::all_gather: out.put("--moe-token-dispatcher-type", "allgather"); break;
        case MoeDispatcher::deepep:
            out.put("--moe-token-dispatcher-type", "flex");
            out.put("--moe-flex-dispatcher-backend", flex_backend(s));
            break;
    }
    if (s[P::expert_tensor_parallel] > 0)
        out.put("--expert-tensor-parallel-size", plan.whole(P::expert_tensor_parallel));
    if (s.on(P::bias) && expert_tensor_parallel(s) > 1)
        plan.note(translate("Megatron-LM's experts have biases only with --expert-tensor-parallel-size 1."));
    // The grouped GEMM kernel supports bfloat16 only.
    const bool recomputes_activation = recomputes(s, RecomputeModule::moe_activation);
    if (has_bf16_weights(plan)) out.put("--moe-grouped-gemm");
    else if (recomputes_activation)
        plan.note(translate("Megatron-LM recomputes the activation of experts only in bf16."));
}

}  // namespace

std::string hybrid_letters(const Settings& s) {
    const LayerPattern* pattern = layer_pattern(s);
    if (!pattern) return {};
    std::string period;
    for (const std::size_t layer : pattern->layers) {
        const LayerPattern::Element& element = pattern->elements[layer];
        if (element.by_position) return {};
        const bool only_mixer = element.feed_forward == FeedForward::none;
        if (only_mixer && element.mixer == Mixer::mamba2) period += 'M';
        else if (only_mixer && element.mixer == Mixer::full) period += '*';
        else if (!only_mixer && element.mixer == Mixer::none)
            period += element.feed_forward == FeedForward::experts ? 'E' : '-';
        else return {};
    }
    std::string out;
    for (double i = 0; i < s[P::layers]; ++i) out += period[out.size() % period.size()];
    return out;
}

namespace {

// Returns the letters of a hybrid model's layers with a | between its virtual stages.
std::string separate_stages(const std::string& letters, const Settings& s) {
    std::string out;
    std::size_t next = 0;
    for (const double layers : planned_stages(s)) {
        if (next > 0) out += '|';
        out += letters.substr(next, static_cast<std::size_t>(layers));
        next += static_cast<std::size_t>(layers);
    }
    return out;
}

// Writes layers of several kinds, and the sizes of those that keep a state.
void write_layers(LaunchSettings& plan, const LaunchFormat& tool, Arguments& out) {
    const Settings& s = plan.s;
    if (&tool == &kPrimus) {
        put(out, plan, {P::layers});
        return;
    }
    if (const std::string letters = hybrid_letters(s); !letters.empty()) {
        out.put("--hybrid-layer-pattern", "'" + separate_stages(letters, s) + "'");
        out.put("--mamba-num-heads", plan.whole(P::ssm_heads));
        out.put("--mamba-head-dim", plan.whole(P::ssm_head_size));
        out.put("--mamba-state-dim", plan.whole(P::ssm_state_size));
        out.put("--mamba-num-groups", plan.whole(P::ssm_groups));
        return;
    }
    put(out, plan, {P::layers});
    const auto layers = transformer_layers(s);
    if (!layers || !has_any(layers->linear)) return;
    out.put("--experimental-attention-variant", "gated_delta_net");
    out.put("--linear-attention-freq", list_or_stride(layers->linear));
    out.put("--linear-num-key-heads", plan.whole(P::linear_key_heads));
    out.put("--linear-num-value-heads", whole(linear_value_heads(s)));
    out.put("--linear-key-head-dim", plan.whole(P::linear_key_head_size));
    out.put("--linear-value-head-dim", whole(linear_value_head_size(s)));
    out.put("--linear-conv-kernel-dim", plan.whole(P::convolution_kernel));
}

void write_attention(LaunchSettings& plan, Arguments& out) {
    const Settings& s = plan.s;
    if (s[P::kv_lora_rank] > 0) {
        out.put("--multi-latent-attention");
        if (s[P::q_lora_rank] > 0) put(out, plan, {P::q_lora_rank});
        put(out, plan, {P::kv_lora_rank});
        out.put("--qk-head-dim", plan.whole(P::head_size));
        put(out, plan, {P::rope_head_size});
        out.put("--v-head-dim", plan.whole(s[P::value_head_size] > 0 ? P::value_head_size : P::head_size));
        // Without it, the latent queries, keys and values would not be normalized.
        out.put("--qk-layernorm");
    } else {
        put(out, plan, {P::head_size});
        if (s[P::kv_heads] != s[P::heads]) {
            out.put("--group-query-attention");
            put(out, plan, {P::kv_heads});
        }
        const double groups = s[P::kv_heads];
        const double tensor = s[P::tensor_parallel];
        if (std::fmod(groups, tensor) != 0 && std::fmod(tensor, groups) != 0)
            plan.note(translate("Megatron-LM requires that of {1} and {2} one divides the other.",
                                {plan.named(P::kv_heads), plan.named(P::tensor_parallel)}));
    }
    switch (s.choice<QkNorm>(P::qk_norm)) {
        case QkNorm::none: break;
        case QkNorm::head:
            if (s[P::kv_lora_rank] <= 0) out.put("--qk-layernorm");
            break;
        case QkNorm::whole:
            if (s[P::kv_lora_rank] <= 0) out.put("--qk-layernorm");
            plan.note_missing_option(kMegatron, P::qk_norm,
                                     translatable("{1} has no option for “{2}”; it normalizes each head."));
            break;
    }
    if (const auto layers = transformer_layers(s)) {
        if (has_any(layers->windows)) out.put("--window-size", whole(s[P::attention_window] - 1) + ",0");
        if (has_any(layers->windows) && !has_all(layers->windows))
            out.put("--window-attn-skip-freq", list_or_stride(layers->windows));
        if (has_mixer(s, Mixer::chunked))
            plan.note(
                translate("Megatron-LM has no chunked attention. The sequence is one chunk, for which "
                          "full attention is the same."));
    }
    if (s.on(P::attention_sinks)) out.put("--softmax-type", "learnable");
    if (s.on(P::attention_gate) && s[P::kv_lora_rank] <= 0) out.put("--attention-output-gate");
    else if (s.on(P::attention_gate)) plan.note_missing_option(kMegatron, P::attention_gate);
    if (!s.on(P::causal))
        plan.note(translate("Megatron-LM's GPT is causal; the scenario's attention is not."));
    // Transformer Engine chooses the fastest kernel of the GPU: `flash` would exclude cuDNN's, the only one
    // with sinks and the fastest of Blackwell (pytorch/attention/dot_product_attention/utils.py).
    out.put("--attention-backend",
            s.choice<AttentionKernel>(P::attention) == AttentionKernel::flash ? "auto" : "unfused");
}

}  // namespace

double prediction_layers(const Settings& s) {
    return positions(s) > 0 || !hybrid_letters(s).empty() ? 0 : s[P::mtp_layers];
}

void write_model(LaunchSettings& plan, const LaunchFormat& tool, Arguments& out) {
    const Settings& s = plan.s;
    write_layers(plan, tool, out);
    put(out, plan, {P::hidden_size, P::ffn_size, P::heads});
    write_attention(plan, out);
    put(out, plan, {P::vocab_size});
    // Megatron-LM pads the vocabulary to a multiple of this number times the tensor parallel degree.
    double multiple = 128;
    while (multiple > 1 && std::fmod(s[P::vocab_size], multiple * s[P::tensor_parallel]) != 0) multiple /= 2;
    out.put("--make-vocab-size-divisible-by", whole(multiple));
    if (std::fmod(s[P::vocab_size], s[P::tensor_parallel]) != 0)
        plan.note(translate("Megatron-LM pads the vocabulary to a multiple of {1}.",
                            {plan.whole(P::tensor_parallel)}));
    if (s.choice<Mlp>(P::mlp) == Mlp::gated) out.put("--swiglu");
    else put(out, activation_options(plan.answer.scenario.model, s.on(P::bias)));
    const bool rms = s.choice<Norm>(P::norm) == Norm::rmsnorm;
    out.put("--normalization", rms ? "RMSNorm" : "LayerNorm");
    if (s.choice<NormWeights>(P::norm_weights) != (rms ? NormWeights::scale : NormWeights::scale_and_bias))
        plan.note(rms ? translate("Megatron-LM's RMSNorm has a scale.")
                      : translate("Megatron-LM's LayerNorm has a bias."));
    if (s[P::layer_norms] != 2)
        plan.note_missing_option(kMegatron, P::layer_norms,
                                 translatable("{1} has no option for “{2}”; a layer has two."));
    if (!s.on(P::tied_embeddings)) out.put("--untie-embeddings-and-output-weights");
    if (!s.on(P::bias)) out.put("--disable-bias-linear");
    if (s.on(P::qkv_bias) && !s.on(P::bias)) out.put("--add-qkv-bias");
    if (s.on(P::head_bias)) plan.note_missing_option(kMegatron, P::head_bias);
    if (s[P::embedding_size] > 0 && s[P::embedding_size] != s[P::hidden_size])
        plan.note_missing_option(kMegatron, P::embedding_size);
    const double rows = positions(s);
    // State-space layers see the order of the tokens: models that have some need no embedding of positions.
    const bool rotates = rows <= 0 && !has_mixer(s, Mixer::mamba2);
    out.put("--position-embedding-type", rows > 0 ? "learned_absolute" : rotates ? "rope" : "none");
    if (rotates) put(out, rotary_options(plan.answer.scenario.model));
    out.put("--max-position-embeddings", whole(std::max(rows, s[P::sequence_length])));
    if (rows > 0 && rows < s[P::sequence_length])
        plan.note(translate("Megatron-LM requires as many learned positions as the sequence has tokens."));
    const std::string dropout = s.on(P::dropout) ? "0.1" : "0.0";
    out.put("--attention-dropout", dropout);
    out.put("--hidden-dropout", dropout);
    if (const double count = prediction_layers(s); count > 0) out.put("--mtp-num-layers", whole(count));
    else if (s[P::mtp_layers] > 0)
        plan.note_missing_option(kMegatron, P::mtp_layers,
                                 positions(s) > 0
                                     ? translatable("{1} has no option for “{2}” with learned positions.")
                                     : translatable("{1} has no option for “{2}”."));
    write_experts(plan, out);
}

bool writes_layer_pattern(const Settings& s, const LaunchFormat& tool) {
    const auto layers = transformer_layers(s);
    if (&tool != &kPrimus) return layers || !hybrid_letters(s).empty();
    return layers && !has_any(layers->linear) &&
           (!has_any(layers->windows) || has_all(layers->windows) || stride_of_unset(layers->windows) > 0);
}

std::string refused_layers(const Settings& s, const LaunchFormat& tool) {
    if (has_mixer(s, Mixer::chunked) && !is_one_chunk(s))
        return translate(
            "A file for {1} has no chunked attention, and chunks of {2} tokens are shorter than the "
            "sequence.",
            {tool.label, whole(s[P::attention_window])});
    if (&tool == &kPrimus)
        return translate(
            "A file for {1} describes layers that all have attention, with a window in all of them or in all "
            "but every n-th; this model has other layers.",
            {tool.label});
    return translate(
        "A file for {1} describes layers of attention, all or some of which have a window or are gated "
        "DeltaNet, or layers that are each Mamba-2, attention, a feed-forward or experts; this model has "
        "other "
        "layers.",
        {tool.label});
}

namespace {

// Returns the number without an exponent: "0.0001".
std::string decimal(double value) {
    std::array<char, 64> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
    return {text.data(), end};
}

}  // namespace

std::vector<MegatronArgument> rotary_options(const Preset* model) {
    if (!model) return {};
    Arguments out;
    if (model->rotary_base > 0) out.put("--rotary-base", whole(model->rotary_base));
    if (model->rotary_share > 0) out.put("--rotary-percent", decimal(model->rotary_share));
    return std::move(out).take();
}

std::vector<MegatronArgument> activation_options(const Preset* model, bool has_bias) {
    if (!model || model->activation != "squared-relu") return {};
    if (!has_bias) return {{"--squared-relu", "", 0}};
    // The kernel that adds the bias, too, has no squared ReLU.
    return {{"--squared-relu", "", 0}, {"--no-bias-gelu-fusion", "", 0}};
}

std::vector<MegatronArgument> routing_options(const Preset* model) {
    if (!model || !model->router) return {};
    const Router& router = *model->router;
    Arguments out;
    out.put("--moe-router-score-function", router.score);
    if (router.scores_all_experts) out.put("--moe-router-pre-softmax");
    if (router.balancing_bias) out.put("--moe-router-enable-expert-bias");
    if (router.scaling > 0) out.put("--moe-router-topk-scaling-factor", decimal(router.scaling));
    if (router.balancing_loss > 0) {
        out.put("--moe-router-load-balancing-type",
                router.balances_each_sequence ? "seq_aux_loss" : "aux_loss");
        out.put("--moe-aux-loss-coeff", decimal(router.balancing_loss));
    } else if (router.balancing_loss == 0) {
        out.put("--moe-router-load-balancing-type", "none");
    }
    return std::move(out).take();
}

void note_options_without_preset(LaunchSettings& plan) {
    const Preset* model = plan.answer.scenario.model;
    if (positions(plan.s) <= 0 && !(model && model->rotary_base > 0))
        plan.note(translate("Add --rotary-base as the model has it; the default is 10,000."));
    if (plan.s.choice<Mlp>(P::mlp) == Mlp::gated && model && model->activation == "gelu")
        plan.note(translate("Megatron-LM has no option for GeGLU; SwiGLU is written, which takes as long."));
    if (plan.s[P::experts] <= 0) return;
    if (!model || !model->router)
        plan.note(
            translate("Add the model's routing: --moe-router-score-function, "
                      "--moe-router-load-balancing-type, --moe-aux-loss-coeff and, where it has groups or "
                      "balancing biases, --moe-router-num-groups, --moe-router-group-topk and "
                      "--moe-router-enable-expert-bias."));
    else if (model->router->balancing_loss < 0)
        plan.note(translate(
            "Add --moe-router-load-balancing-type and --moe-aux-loss-coeff as the model has them; its "
            "preset does not give them."));
}

}  // namespace shardscope::launch
