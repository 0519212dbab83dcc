#include "explain/conventions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compile/mixer_flops.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

bool is_transformer(const FlopCounts& c) { return c.listed <= 0; }
bool has_experts(const FlopCounts& c) { return is_transformer(c) && c.total_parameters > c.parameters; }
bool has_positions(const FlopCounts& c) { return is_transformer(c) && c.positions > 0; }
bool is_listed(const FlopCounts& c) { return c.listed > 0; }
bool always(const FlopCounts& /*c*/) { return true; }

// Parameters of the matrices of a token: without the lookups of embedding and positions, with the head.
double matrices_and_head(const FlopCounts& c) { return c.parameters - c.embedding - c.positions; }
double layer_matrices(const FlopCounts& c) { return matrices_and_head(c) - c.head; }
// Megatron counts the head again for each prediction layer.
double matrices_and_heads(const FlopCounts& c) { return matrices_and_head(c) + c.predictions * c.head; }

// Sources that several rows share.
constexpr const char* kKaplan = "Kaplan et al. 2020, arXiv 2001.08361";
constexpr const char* kPalm = "Chowdhery et al. 2022, arXiv 2204.02311, appendix B";
constexpr const char* kMegatron =
    "Megatron-LM, num_floating_point_operations in megatron/training/training.py";

constexpr std::array kConventions{
    Convention{"6n", "6·N", translatable("scaling laws, compute budgets, rough estimates"), kKaplan,
               [](const FlopCounts& c) { return 6 * c.parameters; }, is_transformer},
    Convention{"6n-non-embedding", translatable("6·(N − embedding − positions − head)"),
               translatable("scaling laws after Kaplan et al., which leave embeddings out"), kKaplan,
               [](const FlopCounts& c) { return 6 * layer_matrices(c); }, is_transformer},
    Convention{"6n-total", translatable("6·N with all experts"),
               translatable("figures that count all experts, of which a token uses only a few"), kKaplan,
               [](const FlopCounts& c) { return 6 * c.total_parameters; }, has_experts, true},
    Convention{"palm", "6·N + 12·L·a·d·s", translatable("PaLM, llm-foundry; the default of this program"),
               kPalm, [](const FlopCounts& c) { return 6 * c.parameters + c.attention + c.recurrence; },
               is_transformer},
    Convention{
        "nanogpt", translatable("6·(N − positions) + 12·L·a·d·s"), translatable("nanoGPT"),
        "karpathy/nanoGPT, estimate_mfu and get_num_params in model.py",
        [](const FlopCounts& c) { return 6 * (c.parameters - c.positions) + c.attention + c.recurrence; },
        has_positions},
    Convention{
        "causal", "6·N + 6·L·a·d·s",
        translatable("papers that count only the unmasked half of attention, such as those of DeepSeek"),
        "Zhao et al. 2025, arXiv 2505.09343; Dao 2023, arXiv 2307.08691",
        [](const FlopCounts& c) { return 6 * c.parameters + c.attention / 2 + c.recurrence; },
        is_transformer},
    // A matrix that embedding and head share is counted once, as that of the head.
    Convention{"torchtitan", translatable("6·(N − embedding) + 12·L·a·d·s"), translatable("torchtitan"),
               "torchtitan at b5bcd76, get_dense_model_nparams_and_flops in torchtitan/models/utils.py",
               [](const FlopCounts& c) { return 6 * matrices_and_head(c) + c.attention + c.recurrence; },
               is_transformer},
    Convention{"megatron", translatable("6·(matrices + head) + 6·L·a·d·s"),
               translatable("Megatron-LM and Megatron-Bridge since 2025, MaxText"), kMegatron,
               [](const FlopCounts& c) { return 6 * matrices_and_heads(c) + c.attention / 2 + c.recurrence; },
               is_transformer},
    Convention{"megatron-2024", translatable("6·(matrices + head) + 12·L·a·d·s"),
               translatable("Megatron-LM and NeMo until early 2025"), kMegatron,
               [](const FlopCounts& c) { return 6 * matrices_and_heads(c) + c.attention + c.recurrence; },
               is_transformer},
    Convention{"megatron-2021", translatable("8·matrices + 16·L·a·d·s + 6·head"),
               translatable(
                   "Megatron-LM's papers of 2021, BLOOM and others with full recomputation: hardware FLOPs"),
               "Narayanan et al. 2021, arXiv 2104.04473, section 5.1",
               [](const FlopCounts& c) {
                   return 8 * layer_matrices(c) + 4 * (c.attention + c.recurrence) / 3 + 6 * c.head;
               },
               is_transformer},
    Convention{"operators", translatable("3 × forward FLOPs of the operators"),
               translatable("models other than transformers"), kPalm,
               [](const FlopCounts& c) { return c.listed; }, is_listed},
    Convention{"hfu", translatable("executed FLOPs, with recomputation"),
               translatable("HFU: what the kernels execute, with the recomputation of this plan"), kPalm,
               [](const FlopCounts& c) { return c.executed; }, always},
};

// Returns whether the GPU multiplies matrices of 2:4 sparsity at twice the rate of dense ones. Sources: the
// data sheets of the presets; NVIDIA's from the A100 on, and AMD CDNA 3 white paper, table 2. Tensor cores
// have no sparse fp32, CDNA 4 no sparse MXFP4, and the fp4 of Blackwell Ultra gains less than a factor of 2.
bool doubles_with_sparsity(const Answer& answer) {
    const Preset* gpu = answer.scenario.gpu_preset();
    const Precision precision = answer.settings.choice<Precision>(P::precision);
    if (!gpu || precision == Precision::fp32) return false;
    constexpr std::array<std::string_view, 12> kSparse{"a100", "a800", "h100",  "h200",  "h800", "gh200",
                                                       "b200", "b300", "gb200", "gb300", "l40s", "rtx-pro"};
    const auto is_of = [&](std::string_view family) { return gpu->name.starts_with(family); };
    const bool amd = is_of("mi300x") || is_of("mi325x") || is_of("mi355x");
    const bool ultra = is_of("b300") || is_of("gb300");
    if (precision == Precision::nvfp4 && (amd || ultra)) return false;
    return amd || std::ranges::any_of(kSparse, is_of);
}

double share_or_nan(double rate, double peak) { return peak > 0 ? rate / peak : std::nan(""); }

// Returns a rate with the unit that `parse` knows: papers and tools also write "TFLOPs", "TFLOP/s/GPU" and
// "TFLOP/s per GPU", and a rate is that of one GPU here in any case.
std::string rate_of_gpu(const std::string& value) {
    std::string out = trim(value);
    for (const std::string_view ending : {"/gpu", "per gpu", "/device", "per device", "/chip", "per chip"}) {
        if (lower(out).ends_with(ending)) out = trim(out.substr(0, out.size() - ending.size()));
    }
    for (const std::string_view ending : {"FLOPs/s", "FLOPS/s", "FLOPs", "FLOPS", "FLOP"}) {
        if (out.ends_with(ending)) return out.substr(0, out.size() - ending.size()) + "FLOP/s";
    }
    return out;
}

// Returns FLOP/s of one GPU.
double rate_of(const Answer& answer, const QuotedValue& quoted) {
    return quoted.is_share ? quoted.value * peak_flops(answer, quoted.peak) : quoted.value;
}

// Reads the name of a convention with an optional peak.
void parse_name(const std::string& name, QuotedValue& out, Problems& problems) {
    const std::size_t slash = name.find('/');
    out.convention = find_convention(name.substr(0, slash));
    if (!out.convention) {
        std::vector<std::string> known;
        for (const Convention& one : conventions()) known.emplace_back(one.name);
        problems.push_back(
            {"--as " + name, translate("there is no such convention"), "",
             suggestion(name.substr(0, slash), known, translate("use one of {1}", {joined(known, ", ")}))});
    }
    if (slash == std::string::npos) return;
    for (const PeakKind kind : {PeakKind::dense, PeakKind::bf16, PeakKind::fp8, PeakKind::sparse}) {
        if (name.substr(slash + 1) != name_of(kind)) continue;
        out.peak = kind;
        return;
    }
    problems.push_back({"--as " + name, translate("there is no such peak"), "",
                        translate("write dense, bf16, fp8 or sparse after the slash")});
}

}  // namespace

FlopCounts flop_counts(const Answer& answer) {
    const Settings& s = answer.settings;
    const Compiled& c = answer.compiled;
    FlopCounts out;
    out.executed = c.executed_flops_per_token;
    if (s.listed()) {
        out.listed = c.flops_per_token;
        return out;
    }
    out.parameters = c.active_parameters;
    out.total_parameters = c.parameters;
    out.head = s[P::vocab_size] * embedding_width(s);
    out.predictions = s[P::mtp_layers];
    out.tied = s.on(P::tied_embeddings);
    out.embedding = out.tied ? 0 : out.head;
    const double rows = s[P::learned_positions];
    out.positions = (rows == kPositionsAsSequence ? s[P::sequence_length] : rows) * s[P::hidden_size];
    const MixerFlops mixers = mixer_flops(s);
    out.attention = 3 * mixers.attention;
    out.recurrence = 3 * mixers.recurrence;
    return out;
}

std::span<const Convention> conventions() { return kConventions; }

const Convention* find_convention(std::string_view name) {
    const auto found = std::ranges::find(kConventions, name, &Convention::name);
    return found == kConventions.end() ? nullptr : &*found;
}

std::string_view name_of(PeakKind kind) {
    constexpr std::array<std::string_view, kPeakKinds> kNames{"dense", "bf16", "fp8", "sparse"};
    return kNames[static_cast<std::size_t>(kind)];
}

double peak_flops(const Answer& answer, PeakKind kind) {
    switch (kind) {
        case PeakKind::dense: break;
        case PeakKind::bf16: return answer.settings[P::peak_flops_bf16];
        case PeakKind::fp8: return answer.settings[P::peak_flops_fp8];
        case PeakKind::sparse: return doubles_with_sparsity(answer) ? 2 * answer.compiled.peak : std::nan("");
    }
    return answer.compiled.peak;
}

std::vector<ConventionValue> in_conventions(const Answer& answer, double tokens_per_s_per_gpu) {
    const FlopCounts counts = flop_counts(answer);
    std::vector<ConventionValue> out;
    for (const Convention& convention : kConventions) {
        if (!convention.applies(counts)) continue;
        ConventionValue value;
        value.convention = &convention;
        value.flops_per_token = convention.flops(counts);
        value.rate = value.flops_per_token * tokens_per_s_per_gpu;
        for (std::size_t i = 0; i < kPeakKinds; ++i)
            value.share[i] = share_or_nan(value.rate, peak_flops(answer, static_cast<PeakKind>(i)));
        out.push_back(value);
    }
    return out;
}

QuotedValue parse_quoted_value(const std::string& value, const std::string& name, Problems& problems) {
    QuotedValue out;
    parse_name(name, out, problems);
    out.is_share = lower(value).find("flop") == std::string::npos;
    const Parsed parsed =
        out.is_share ? parse(value, Quantity::percent) : parse(rate_of_gpu(value), Quantity::flop_rate);
    // A share of the peak of another precision may exceed 100 %; the GPU's fastest format has a few times the
    // rate of bf16. `exceeds_peak` checks the rate.
    constexpr double kMostShare = 10;
    out.value = parsed.value;
    if (!parsed.ok) {
        problems.push_back({"--value " + value, parsed.problem, "", parsed.suggestion});
    } else if (out.value <= 0 || (out.is_share && out.value > kMostShare)) {
        problems.push_back({"--value " + value, translate("is neither a share nor a rate"),
                            translate("a share is above 0 % and at most 100 % of the peak in use"),
                            translate("write “41.2 %” or “407 TFLOP/s”")});
    }
    return out;
}

double tokens_per_s(const Answer& answer, const QuotedValue& quoted) {
    const FlopCounts counts = flop_counts(answer);
    if (!quoted.convention || !quoted.convention->applies(counts)) return std::nan("");
    const double rate = rate_of(answer, quoted);
    return rate > 0 ? rate / quoted.convention->flops(counts) : std::nan("");
}

bool exceeds_peak(const Answer& answer, const QuotedValue& quoted) {
    return !quoted.convention->counts_idle_experts &&
           rate_of(answer, quoted) > peak_flops(answer, PeakKind::dense);
}

}  // namespace shardscope
