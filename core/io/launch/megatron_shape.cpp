// Reads the options of the model. The source is that of megatron.cpp.
#include "launch/megatron_shape.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "launch/layer_lists.h"
#include "launch/megatron_options.h"
#include "launch/tokenizers.h"
#include "parameters/interned_text.h"
#include "presets/hf_layers.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::launch {
namespace {

class ShapeReader {
  public:
    ShapeReader(MegatronCommand& command, ScenarioBuilder& out) : o_(command), out_(out) {}

    Settings read(Settings wanted) {
        s_ = &wanted;
        const LayerWords hybrid = hybrid_layers();
        // The pattern gives the number of layers, too.
        const double layers = hybrid.empty() ? required(P::layers) : static_cast<double>(hybrid.size());
        if (!hybrid.empty()) o_.flag(option_of(P::layers));
        const double hidden = required(P::hidden_size);
        const double heads = required(P::heads);
        const bool swiglu = o_.flag("--swiglu");
        const bool gated = o_.flag("--quick-geglu") || swiglu;
        set(P::layers, layers);
        set(P::hidden_size, hidden);
        set(P::heads, heads);
        set(P::mlp, gated ? 1 : 0);
        // With SwiGLU the default is two thirds of four times the hidden size, in steps of 64. The other
        // gated activation, quick GeGLU, does not reduce it (validate_args).
        const double ffn = swiglu ? std::floor(4 * hidden * 2 / 3 / 64) * 64 : 4 * hidden;
        set(P::ffn_size, number(P::ffn_size, ffn));
        attention(hidden, heads);
        read_windows(layers);
        vocabulary();
        const std::string norm =
            modelled_choice(o_, out_, "--normalization", {"LayerNorm", "layernorm", "RMSNorm", "rmsnorm"});
        const bool rms = norm == "RMSNorm" || norm == "rmsnorm";
        set(P::norm, rms ? 1 : 0);
        set(P::norm_weights, static_cast<double>(rms ? NormWeights::scale : NormWeights::scale_and_bias));
        set(P::layer_norms, 2);
        set(P::tied_embeddings, o_.flag("--untie-embeddings-and-output-weights") ? 0 : 1);
        const bool bias = !o_.flag("--disable-bias-linear");
        set(P::bias, bias ? 1 : 0);
        set(P::qkv_bias, o_.flag("--add-qkv-bias") && !bias ? 1 : 0);
        set(P::head_bias, 0);
        set(P::embedding_size, 0);
        // The last two are names in Megatron-DeepSpeed.
        const std::string kind = modelled_choice(
            o_, out_, "--position-embedding-type",
            {"learned_absolute", "rope", "mrope", "yarn", "relative", "none", "alibi", "rotary"});
        const bool learned = kind == "learned_absolute" && !o_.flag("--use-rotary-position-embeddings") &&
                             !o_.flag("--no-position-embedding");
        const double rows = o_.number("--max-position-embeddings", (*s_)[P::sequence_length]);
        set(P::learned_positions, learned ? rows : 0);
        const double in_layers = o_.number("--hidden-dropout", 0.1);
        const double in_attention = o_.number("--attention-dropout", 0.1);
        set(P::dropout, in_layers > 0 || in_attention > 0 ? 1 : 0);
        set(P::causal, 1);
        set(P::mtp_layers, o_.number("--mtp-num-layers", 0));
        experts(layers);
        set_layers(hybrid, hidden);
        if (hybrid.empty()) set_mixed_layers();
        s_ = nullptr;
        return wanted;
    }

  private:
    void set(P id, double value) { s_->set(id, value, Origin::given); }
    double number(P id, double otherwise) { return o_.number(option_of(id), otherwise); }
    double required(P id) { return required_number(o_, id); }

    void attention(double hidden, double heads) {
        const bool grouped = o_.flag("--group-query-attention");
        const double groups = number(P::kv_heads, 1);
        // The name in Megatron-DeepSpeed.
        set(P::kv_heads, o_.number("--num-key-value-heads", grouped ? groups : heads));
        set(P::head_size, number(P::head_size, heads > 0 ? hidden / heads : 1));
        for (const P id : {P::q_lora_rank, P::kv_lora_rank, P::rope_head_size, P::value_head_size})
            set(id, 0);
        if (o_.flag("--multi-latent-attention")) {
            set(P::kv_heads, heads);
            set(P::q_lora_rank, number(P::q_lora_rank, 0));
            set(P::kv_lora_rank, number(P::kv_lora_rank, 32));
            set(P::head_size, o_.number("--qk-head-dim", 128));
            set(P::rope_head_size, number(P::rope_head_size, 64));
            set(P::value_head_size, o_.number("--v-head-dim", 128));
        }
        // With latent attention the flag is for the norms of the latent vectors, which every such model has.
        const bool normalizes = o_.flag("--qk-layernorm");
        set(P::attention_sinks,
            modelled_choice(o_, out_, "--softmax-type", {"vanilla", "off-by-one", "learnable"}) == "learnable"
                ? 1
                : 0);
        set(P::attention_gate, o_.flag("--attention-output-gate") ? 1 : 0);
        set(P::qk_norm, normalizes && (*s_)[P::kv_lora_rank] <= 0 ? 1 : 0);
        const std::vector<std::string> window = split(o_.text("--window-size", "0"), ',');
        const Parsed back = parse(window.empty() ? "0" : window.front(), Quantity::count);
        // Megatron-LM counts the tokens to the left without the token itself; the window counts it.
        if (back.ok) set(P::attention_window, back.value > 0 ? back.value + 1 : 0);
        else
            o_.problem("--window-size", translate("is not a pair of numbers"), "", translate("write 4096,0"));
    }

    // Returns the layers of a hybrid model, of which each is a mixer or a feed-forward; none for a
    // transformer.
    LayerWords hybrid_layers() {
        static constexpr std::array kNames{"--hybrid-layer-pattern", "--hybrid-override-pattern"};
        for (const char* option : kNames) {
            std::string letters = o_.text(option, "");
            if (letters.empty() || letters == "None") continue;
            std::erase(letters, '|');  // it separates stages, which are read with the parallelism
            if (auto layers = layers_of_letters(letters)) return *layers;
            o_.problem(
                option, translate("“{1}” is not understood", {letters}),
                translate("a layer is M (Mamba-2), G (gated DeltaNet), * (attention), - (feed-forward) or "
                          "E (experts)"),
                translate("write M-M*M-ME"));
            return {};
        }
        const bool hybrid = o_.program().text.find("pretrain_hybrid") != std::string::npos ||
                            o_.program().text.find("pretrain_mamba") != std::string::npos;
        if (hybrid || o_.has("--is-hybrid-model") || o_.number("--hybrid-attention-ratio", 0) > 0)
            o_.problem(kNames.front(), translate("is missing"),
                       translate("the model has layers of several kinds"),
                       translate("give the pattern of its layers"));
        return {};
    }

    // Sets layers of several kinds and the sizes of those that keep a state.
    void set_layers(const LayerWords& hybrid, double hidden) {
        if (!hybrid.empty()) {
            set_pattern(shortest_period(hybrid));
            set(P::dense_layers, 0);
            const double head = o_.number("--mamba-head-dim", 64);
            set(P::ssm_head_size, head);
            set(P::ssm_heads, o_.number("--mamba-num-heads", head > 0 ? 2 * hidden / head : 0));
            set(P::ssm_state_size, o_.number("--mamba-state-dim", 128));
            set(P::ssm_groups, o_.number("--mamba-num-groups", 8));
            set(P::convolution_kernel, 4);
            if (std::ranges::find(hybrid, "linear/none") != hybrid.end()) set_delta_net();
            return;
        }
        const std::string variant = o_.text("--experimental-attention-variant", "");
        if (variant.empty() || variant == "None") return;
        const LayerWords mixers = mixers_of("--linear-attention-freq", (*s_)[P::layers], "linear");
        // Megatron-LM has called it gdn since August 2026 and still knows the earlier name.
        const bool known = variant == "gdn" || variant == "gated_delta_net";
        if (!known || mixers.empty()) {
            o_.problem(known ? "--linear-attention-freq" : "--experimental-attention-variant",
                       translate("is not read"), translate("the model has layers of several kinds"),
                       known ? translate("write 4 for one attention layer of four")
                             : translate("the program knows gated_delta_net"));
            return;
        }
        mixers_ = mixers;
        set_delta_net();
    }

    void set_delta_net() {
        set(P::linear_key_head_size, o_.number("--linear-key-head-dim", 128));
        set(P::linear_value_head_size, o_.number("--linear-value-head-dim", 128));
        set(P::linear_key_heads, o_.number("--linear-num-key-heads", 16));
        set(P::linear_value_heads, o_.number("--linear-num-value-heads", 32));
        set(P::convolution_kernel, o_.number("--linear-conv-kernel-dim", 4));
    }

    void set_pattern(const LayerWords& layers) { set(P::layer_pattern, intern_text(joined(layers, ","))); }

    static constexpr double kMostLayers = 1000;

    // Returns the layers of an option that is a list or a stride: those with a flag, or all but every n-th,
    // are `special`, and the others have full attention. Returns none where the option is neither.
    LayerWords mixers_of(const char* option, double layers, const char* special) {
        const std::string text = o_.text(option, "");
        const Parsed stride = parse(text, Quantity::count);
        if (stride.ok && stride.value >= 1 && stride.value <= kMostLayers)
            return strided_layers(stride.value, stride.value, special, "full");
        LayerWords out;
        const auto flags = flags_of_list(text, static_cast<std::size_t>(kMostLayers));
        if (!flags || static_cast<double>(flags->size()) != layers) return out;
        for (const bool flag : *flags) out.emplace_back(flag ? special : "full");
        return out;
    }

    // Some of the layers may have no window.
    void read_windows(double layers) {
        constexpr const char* kSkipped = "--window-attn-skip-freq";
        set(P::layer_pattern, 0);
        const std::string skipped = o_.text(kSkipped, "");
        if (skipped.empty() || (*s_)[P::attention_window] <= 0) return;
        mixers_ = mixers_of(kSkipped, layers, "sliding");
        if (mixers_.empty())
            out_.note(translate("The list of layers without a window is not read; all have one."));
    }

    // Sets the pattern of a transformer whose layers differ in their mixer or in having experts.
    void set_mixed_layers() {
        if (sparse_.empty()) {
            if (!mixers_.empty()) set_pattern(shortest_period(mixers_));
            return;
        }
        const char* usual = (*s_)[P::attention_window] > 0 ? "sliding" : "full";
        LayerWords words;
        for (std::size_t i = 0; i < sparse_.size(); ++i)
            words.push_back((mixers_.empty() ? usual : mixers_[i % mixers_.size()]) +
                            (sparse_[i] ? "/experts" : "/dense"));
        set_pattern(shortest_period(words));
    }

    void vocabulary() {
        const double padded = o_.number("--padded-vocab-size", 0);
        double size = number(P::vocab_size, 0);
        // The vocabulary is padded so that all ranks have equal parts of it.
        const double step = o_.number("--make-vocab-size-divisible-by", 128) * number(P::tensor_parallel, 1);
        if (size <= 0 && padded <= 0) size = tokenizer_size();
        set(P::vocab_size, padded > 0 ? padded : step > 0 ? std::ceil(size / step) * step : size);
    }

    double tokenizer_size() {
        // The path of the model is often an argument of the script; the type may be enough.
        const std::string name =
            o_.text_if_known("--tokenizer-type") + " " + o_.text_if_known("--tokenizer-model");
        if (const Tokenizer* known = find_tokenizer(name)) {
            out_.note(translate("The vocabulary is that of the tokenizer {1}: {2} entries, before padding.",
                                {std::string(known->name), format(known->vocabulary, Quantity::count)}));
            return known->vocabulary;
        }
        out_.note(
            translate("The vocabulary comes from the tokenizer, which is not read; the 50,257 entries of "
                      "GPT-2 are assumed."));
        return find_tokenizer("gpt2")->vocabulary;
    }

    void experts(double layers) {
        const double count = number(P::experts, 0);
        for (const P id :
             {P::experts, P::experts_per_token, P::expert_groups, P::chosen_expert_groups, P::expert_ffn_size,
              P::shared_expert_ffn_size, P::shared_expert_gate, P::latent_expert_size, P::dense_layers})
            set(id, 0);
        if (count <= 0) return;
        set(P::experts, count);
        set(P::experts_per_token, number(P::experts_per_token, 2));
        if (const double groups = number(P::expert_groups, 0); groups > 0) {
            set(P::expert_groups, groups);
            set(P::chosen_expert_groups, number(P::chosen_expert_groups, 0));
        }
        set(P::expert_ffn_size, o_.number("--moe-ffn-hidden-size", (*s_)[P::ffn_size]));
        set(P::shared_expert_ffn_size, number(P::shared_expert_ffn_size, 0));
        set(P::shared_expert_gate, o_.flag("--moe-shared-expert-gate") ? 1 : 0);
        set(P::latent_expert_size, number(P::latent_expert_size, 0));
        const std::string pattern = o_.text("--moe-layer-freq", "1");
        const Parsed stride = parse(pattern, Quantity::count);
        if (stride.ok && stride.value >= 1) {
            // One of every `stride` layers has experts.
            const double dense = layers - std::ceil(layers / stride.value);
            set(P::dense_layers, dense);
            if (dense > 0) out_.note(translate("All layers without experts are assumed to come first."));
            return;
        }
        const auto flags = flags_of_list(pattern, static_cast<std::size_t>(kMostLayers));
        if (const auto dense = flags ? leading_unset(*flags) : std::nullopt) {
            set(P::dense_layers, static_cast<double>(*dense));
        } else if (flags && static_cast<double>(flags->size()) == layers) {
            sparse_ = *flags;
        } else {
            o_.problem("--moe-layer-freq", translate("“{1}” is not understood", {pattern}), "",
                       translate("write a 0 or 1 for each layer, such as ([0]*3+[1]*58)"));
        }
    }

    MegatronCommand& o_;
    ScenarioBuilder& out_;
    Settings* s_ = nullptr;
    LayerWords mixers_;  // repeated over the layers; none if all have the same
    LayerFlags sparse_;  // the layers with experts; none if they follow all others
};

}  // namespace

Settings read_megatron_shape(MegatronCommand& command, const Settings& start, ScenarioBuilder& out) {
    return ShapeReader(command, out).read(start);
}

}  // namespace shardscope::launch
