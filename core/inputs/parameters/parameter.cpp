#include "parameters/parameter.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "containers/no_value.h"
#include "parameters/interned_text.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace names {

constexpr std::array software{
    Named{"fsdp1", Value(Software::fsdp1), "FSDP1"},
    Named{"fsdp1-compile", Value(Software::fsdp1_compile), translatable("FSDP1, compiled")},
    Named{"fsdp2", Value(Software::fsdp2), "FSDP2"},
    Named{"fsdp2-compile", Value(Software::fsdp2_compile), translatable("FSDP2, compiled")},
    Named{"deepspeed", Value(Software::deepspeed), "DeepSpeed"},
    Named{"deepspeed-2021", Value(Software::deepspeed_2021), translatable("DeepSpeed of 2021")},
    Named{"megatron-core", Value(Software::megatron_core), "Megatron-Core"},
    Named{"megatron-2021", Value(Software::megatron_2021), translatable("Megatron-LM of 2021")},
    Named{"nemo", Value(Software::nemo), "NeMo"},
    Named{"maxtext", Value(Software::maxtext), "MaxText"},
    Named{"internevo", Value(Software::internevo), "InternEvo"},
    Named{"megatron-2022", Value(Software::megatron_2022), translatable("Megatron-LM of 2022")},
    Named{"megatron-deepspeed", Value(Software::megatron_deepspeed), "Megatron-DeepSpeed"},
    Named{"other", Value(Software::other), translatable("Any other stack")},
    Named{"nanotron", Value(Software::nanotron)},
    Named{"torchtitan", Value(Software::torchtitan)},
    Named{"jax", Value(Software::jax), "JAX"},
    Named{"megatron-bridge", Value(Software::megatron_bridge), "Megatron-Bridge"},
    Named{"primus", Value(Software::primus), "Primus"}};
constexpr std::array mlp{Named{translatable("plain"), Value(Mlp::plain)},
                         Named{translatable("gated"), Value(Mlp::gated)}};
constexpr std::array norm{Named{"layernorm", Value(Norm::layernorm), "LayerNorm"},
                          Named{"rmsnorm", Value(Norm::rmsnorm), "RMSNorm"}};
constexpr std::array flag{Named{translatable("off"), 0}, Named{translatable("on"), 1}};
constexpr std::array qk_norm{Named{translatable("none"), Value(QkNorm::none)},
                             Named{"head", Value(QkNorm::head), translatable("each head")},
                             Named{"whole", Value(QkNorm::whole), translatable("all heads")}};
constexpr std::array norm_weights{
    Named{translatable("none"), Value(NormWeights::none)},
    Named{"scale", Value(NormWeights::scale), translatable("scale")},
    Named{"scale-and-bias", Value(NormWeights::scale_and_bias), translatable("scale and bias")}};
constexpr std::array positions{Named{"sequence", kPositionsAsSequence, translatable("as the sequence")}};
constexpr std::array precision{Named{"bf16", Value(Precision::bf16)},
                               Named{"fp16", Value(Precision::fp16)},
                               Named{"fp8", Value(Precision::fp8)},
                               Named{"fp32", Value(Precision::fp32)},
                               Named{"mxfp8", Value(Precision::mxfp8), "MXFP8"},
                               Named{"nvfp4", Value(Precision::nvfp4), "NVFP4"}};
constexpr std::array fp8_recipe{Named{translatable("delayed"), Value(Fp8Recipe::delayed)},
                                Named{translatable("tensorwise"), Value(Fp8Recipe::tensorwise)},
                                Named{translatable("blockwise"), Value(Fp8Recipe::blockwise)},
                                Named{"mxfp8", Value(Fp8Recipe::mxfp8), "MXFP8"}};
constexpr std::array gradient_precision{Named{"bf16", Value(Precision::bf16)},
                                        Named{"fp16", Value(Precision::fp16)},
                                        Named{"fp32", Value(Precision::fp32)}};
constexpr std::array main_gradient_precision{
    Named{"reduced", kAsReduced, translatable("as reduced")}, Named{"bf16", Value(Precision::bf16)},
    Named{"fp16", Value(Precision::fp16)}, Named{"fp32", Value(Precision::fp32)}};
constexpr std::array optimizer_precision{Named{"bf16", Value(Precision::bf16)},
                                         Named{"fp32", Value(Precision::fp32)}};
constexpr std::array moment_precision{Named{"master", kAsMaster, translatable("as the master")},
                                      Named{"bf16", Value(MomentPrecision::bf16)},
                                      Named{"fp8", Value(MomentPrecision::fp8)},
                                      Named{"fp32", Value(MomentPrecision::fp32)},
                                      Named{"bf16+fp32", Value(MomentPrecision::bf16_fp32), "bf16 + fp32"},
                                      Named{"fp8+bf16", Value(MomentPrecision::fp8_bf16), "fp8 + bf16"},
                                      Named{"fp8+fp32", Value(MomentPrecision::fp8_fp32), "fp8 + fp32"},
                                      Named{"fp32+bf16", Value(MomentPrecision::fp32_bf16), "fp32 + bf16"},
                                      Named{"fp32+fp8", Value(MomentPrecision::fp32_fp8), "fp32 + fp8"},
                                      Named{"bf16+fp8", Value(MomentPrecision::bf16_fp8), "bf16 + fp8"}};
constexpr std::array loss{Named{translatable("plain"), Value(Loss::plain)},
                          Named{translatable("fused"), Value(Loss::fused)},
                          Named{translatable("chunked"), Value(Loss::chunked)}};
constexpr std::array recompute_modules{
    Named{"layernorm", Value(RecomputeModule::layernorm), "LayerNorm"},
    Named{"core_attention", Value(RecomputeModule::core_attention), translatable("core attention")},
    Named{"mla_up_proj", Value(RecomputeModule::mla_up_proj), translatable("MLA up-projection")},
    Named{"mlp", Value(RecomputeModule::mlp), "MLP"},
    Named{"activation", Value(RecomputeModule::activation), translatable("activation function")},
    Named{"moe", Value(RecomputeModule::moe), "MoE"},
    Named{"moe_activation", Value(RecomputeModule::moe_activation), translatable("MoE activation function")},
    Named{"shared_experts", Value(RecomputeModule::shared_experts), translatable("shared experts")}};
constexpr std::array context_parallel_kind{
    Named{"p2p", Value(ContextParallelKind::p2p), "P2P"},
    Named{"a2a", Value(ContextParallelKind::a2a), "A2A"},
    Named{"all-gather", Value(ContextParallelKind::all_gather)},
    Named{"a2a+p2p", Value(ContextParallelKind::a2a_p2p), "A2A + P2P"}};
constexpr std::array rank_order{Named{"tp-cp-ep-dp-pp", Value(RankOrder::data_before_pipeline)},
                                Named{"tp-cp-ep-pp-dp", Value(RankOrder::pipeline_before_data)}};
constexpr std::array topology{Named{translatable("switch"), Value(Topology::switched)},
                              Named{translatable("mesh"), Value(Topology::mesh)},
                              Named{translatable("torus"), Value(Topology::torus)}};
constexpr std::array in_network_reduction{
    Named{translatable("none"), Value(InNetworkReduction::none)},
    Named{"node", Value(InNetworkReduction::node), translatable("in the node")},
    Named{"network", Value(InNetworkReduction::network), translatable("between nodes")},
    Named{"both", Value(InNetworkReduction::both), translatable("both")}};
constexpr std::array equal_share{Named{"equal-share", 0, translatable("equal share")}};
constexpr std::array one_pod{Named{"one-pod", 0, translatable("one pod")}};
constexpr std::array moe_dispatcher{Named{"all-to-all", Value(MoeDispatcher::all_to_all)},
                                    Named{"deepep", Value(MoeDispatcher::deepep), "DeepEP"},
                                    Named{"all-gather", Value(MoeDispatcher::all_gather)}};
constexpr std::array fitting{Named{translatable("fitting"), 0}};
constexpr std::array as_tensor{Named{"tensor", 0, translatable("as TP")}};
constexpr std::array optimizer{
    Named{"adamw", Value(Optimizer::adamw), "AdamW"},
    Named{"adamw-8bit", Value(Optimizer::adamw_8bit), translatable("AdamW, 8-bit")},
    Named{"adafactor", Value(Optimizer::adafactor), "Adafactor"},
    Named{"lion", Value(Optimizer::lion), "Lion"},
    Named{"muon", Value(Optimizer::muon), "Muon"},
    Named{"momentum", Value(Optimizer::momentum), translatable("Momentum")},
    Named{"sgd", Value(Optimizer::sgd), "SGD"}};
constexpr std::array sharding{
    Named{"ddp", Value(Sharding::ddp), "DDP"},        Named{"zero1", Value(Sharding::zero1), "ZeRO-1"},
    Named{"zero2", Value(Sharding::zero2), "ZeRO-2"}, Named{"zero3", Value(Sharding::zero3), "ZeRO-3"},
    Named{"hsdp", Value(Sharding::hsdp), "HSDP"},     Named{"zero++", Value(Sharding::zero_pp), "ZeRO++"}};
constexpr std::array recompute{Named{translatable("none"), 0},
                               Named{translatable("selective"), kRecomputeSelective},
                               Named{translatable("full"), 1}};
constexpr std::array attention{Named{"flash", Value(AttentionKernel::flash), "Flash"},
                               Named{translatable("naive"), Value(AttentionKernel::naive)}};
constexpr std::array schedule{
#define SHARDSCOPE_SCHEDULE(kind, name, label, schedule) Named{name, Value(ScheduleKind::kind), label},
#include "parameters/schedules.inc"
#undef SHARDSCOPE_SCHEDULE
};
constexpr std::array offload{
    Named{translatable("none"), Value(Offload::none)},
    Named{"optimizer", Value(Offload::optimizer), translatable("optimizer")},
    Named{"optimizer+parameters", Value(Offload::optimizer_and_parameters),
          translatable("optimizer and weights")},
    Named{"optimizer-nvme", Value(Offload::optimizer_nvme), translatable("optimizer to NVMe")}};
constexpr std::array none{Named{translatable("none"), 0}};
constexpr std::array usual{Named{translatable("usual"), 0}};
constexpr std::array optimal{Named{translatable("optimal"), 0}};
constexpr std::array by_size{Named{"by-size", 0, translatable("by size")}};
constexpr std::array critical_batch_law{
    Named{translatable("none"), Value(CriticalBatchLaw::none)},
    Named{"kaplan", Value(CriticalBatchLaw::kaplan), "Kaplan"},
    Named{"bergsma", Value(CriticalBatchLaw::bergsma), "Bergsma"},
    Named{"fixed", Value(CriticalBatchLaw::fixed), translatable("fixed")}};
constexpr std::array convention{Named{"palm", Value(FlopsConvention::palm), "PaLM"},
                                Named{translatable("causal"), Value(FlopsConvention::causal)},
                                Named{"6n", Value(FlopsConvention::six_n), "6N"}};

}  // namespace names

namespace {

constexpr std::array<Parameter, kParameters> kTable{{
#define SHARDSCOPE_PARAMETER(id, ...) Parameter{__VA_ARGS__},
#include "parameters/rows.inc"
}};

std::string name_of(const Named& named) { return std::string(named.name); }

std::string all_names(const Parameter& row) { return joined(row.names, ", ", &Named::name); }

Parsed unknown_name(const Parameter& row, const std::string& word) {
    std::vector<std::string> known;
    for (const Named& named : row.names) known.emplace_back(named.name);
    return {false, 0, translate("“{1}” is not one of its values", {word}),
            suggestion(word, known, translate("use one of {1}", {all_names(row)}))};
}

}  // namespace

std::string_view name_of(Group group) {
    switch (group) {
        case Group::cluster: return "cluster";
        case Group::gpu: return "gpu";
        case Group::model: return "model";
        case Group::training: return "training";
        case Group::plan: return "plan";
        case Group::assumptions: return "assumptions";
    }
    return "";
}

std::string title(Group group) {
    switch (group) {
        case Group::cluster: return translate("Cluster");
        case Group::gpu: return translate("GPU");
        case Group::model: return translate("Model");
        case Group::training: return translate("Training");
        case Group::plan: return translate("Plan");
        case Group::assumptions: return translate("Assumptions");
    }
    return {};
}

std::span<const Parameter, kParameters> parameters() { return kTable; }
const Parameter& parameter(P id) { return kTable[index(id)]; }
bool is_named(const Parameter& row, double value) {
    return std::ranges::find(row.names, value, &Named::value) != row.names.end();
}

std::string label_of(const Named& named) { return translate(named.label); }
std::string label_of(P id) { return translate(parameter(id).label); }
std::string help_of(P id) { return translate(parameter(id).help); }
std::string synonyms_of(P id) {
    std::string english(parameter(id).synonyms);
    if (english.empty()) return english;
    const std::string translated = translate(english);
    return translated == english ? english : english + ", " + translated;
}

std::optional<P> find_parameter(std::string_view key) {
    // A map, because reading a file looks up each of its fields.
    static const std::unordered_map<std::string_view, std::optional<P>> kByName = [] {
        std::unordered_map<std::string_view, std::optional<P>> by_name;
        for (std::size_t i = 0; i < kParameters; ++i) {
            const auto id = static_cast<P>(i);
            const auto [field, is_new] = by_name.emplace(field_of(id), id);
            if (!is_new) field->second.reset();  // ambiguous, because several parameters have this field
        }
        for (std::size_t i = 0; i < kParameters; ++i) by_name[kTable[i].key] = static_cast<P>(i);
        return by_name;
    }();
    const auto found = kByName.find(key);
    return found == kByName.end() ? std::nullopt : found->second;
}

std::string_view section_of(P id) {
    const std::string_view key = parameter(id).key;
    return key.substr(0, key.rfind('.'));
}

std::string_view field_of(P id) {
    const std::string_view key = parameter(id).key;
    return key.substr(key.rfind('.') + 1);
}

std::string format(P id, double value, bool with_unit) {
    const Parameter& row = parameter(id);
    if (is_text(row.quantity))
        return value == 0 && !row.zero.empty() ? translate(row.zero) : interned_text(value);
    if (row.quantity == Quantity::set) {
        const std::vector<Named> members = members_of(id, value);
        return members.empty() ? translate("none")
                               : joined(members, " + ", [](const Named& named) { return label_of(named); });
    }
    if (const auto named = std::ranges::find(row.names, value, &Named::value); named != row.names.end())
        return label_of(*named);
    if (value == 0 && !row.zero.empty()) return translate(row.zero);
    return format(value, row.quantity, with_unit);
}

std::string written(P id, double value) {
    const Parameter& row = parameter(id);
    if (row.quantity == Quantity::set) {
        const std::vector<Named> members = members_of(id, value);
        return members.empty() ? "none" : joined(members, "+", &Named::name);
    }
    if (const auto named = std::ranges::find(row.names, value, &Named::value); named != row.names.end())
        return name_of(*named);
    return is_text(row.quantity) ? interned_text(value) : format(value, row.quantity);
}

std::vector<Named> members_of(P id, double value) {
    std::vector<Named> out;
    for (const Named& named : parameter(id).names) {
        if (std::fmod(std::floor(value / named.value), 2) == 1) out.push_back(named);
    }
    return out;
}

namespace {

// Returns the named value that a file calls `word` or, if `as_shown`, that has this label; else null.
const Named* find_named(const Parameter& row, std::string_view word, bool as_shown) {
    const auto found = std::ranges::find_if(row.names, [&](const Named& named) {
        return named.name == word || (as_shown && label_of(named) == word);
    });
    return found == row.names.end() ? nullptr : &*found;
}

// Reads the members of a set, joined by “+” or commas.
Parsed parse_set(const Parameter& row, const std::string& text, bool as_shown) {
    Parsed out{true, 0, {}, {}};
    if (text == "none" || text.empty() || (as_shown && text == translate("none"))) return out;
    std::set<double> members;
    std::string rest = text + "+";
    for (std::size_t end = rest.find_first_of("+,"); end != std::string::npos;
         end = rest.find_first_of("+,")) {
        const std::string word = trim(rest.substr(0, end));
        rest.erase(0, end + 1);
        const Named* const found = find_named(row, word, as_shown);
        if (!found) return unknown_name(row, word);
        members.insert(found->value);
    }
    for (const double member : members) out.value += member;
    return out;
}

// Removes the commas that group thousands: "6,144" becomes "6144". Any other text stays.
std::string without_grouping(const std::string& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string digits;
    std::size_t in_group = 0;  // digits since the last comma
    bool groups = false;
    for (std::size_t i = 0; i < end; ++i) {
        const char c = text[i];
        if (c == ',') {
            if (in_group == 0 || in_group > 3 || (groups && in_group != 3)) return text;
            groups = true;
            in_group = 0;
        } else if (c >= '0' && c <= '9') {
            digits += c;
            ++in_group;
        } else {
            return text;
        }
    }
    if (!groups || in_group != 3 || digits.front() == '0') return text;
    return digits + text.substr(end);
}

// Returns the members of a list as JSON writes it, ["sliding", "full"], joined by `separator`; any other text
// unchanged.
std::string without_brackets(std::string word, char separator) {
    if (!word.starts_with('[') || !word.ends_with(']')) return word;
    word = word.substr(1, word.size() - 2);
    std::erase_if(word, [](char c) { return c == '"' || c == ' '; });
    std::ranges::replace(word, ',', separator);
    return word;
}

}  // namespace

Parsed parse(P id, std::string_view text, bool as_shown) {
    const Parameter& row = parameter(id);
    std::string word = trim(text);
    if (row.quantity == Quantity::list) word = without_brackets(word, ',');
    if (row.quantity == Quantity::set || id == P::moment_precision) word = without_brackets(word, '+');
    // Two moments of the same format have that format.
    if (const std::size_t plus = word.find('+'); id == P::moment_precision && plus != std::string::npos &&
                                                 word.substr(0, plus) == word.substr(plus + 1))
        word.resize(plus);
    // A list or a layout may be longer than what a title may have.
    const bool is_layout = id == P::pipeline_layout;
    if (row.quantity == Quantity::list || is_layout) return {true, intern_text(one_line(word)), {}, {}};
    if (row.quantity == Quantity::text) return {true, intern_text(clean_title(word)), {}, {}};
    if (row.quantity == Quantity::set) return parse_set(row, word, as_shown);
    if (const Named* const named = find_named(row, word, as_shown)) return {true, named->value, {}, {}};
    if (as_shown && !row.zero.empty() && word == translate(row.zero)) return {true, 0, {}, {}};
    if (row.quantity == Quantity::flag) {
        for (const Named& other : kFlagWords) {
            if (other.name == word) return {true, other.value, {}, {}};
        }
    }
    if (row.named_only) return unknown_name(row, word);
    // A field of whole numbers groups thousands, so commas in it can only do the same.
    const bool grouped = row.whole && as_shown;
    Parsed parsed = parse(grouped ? without_grouping(word) : word, row.quantity, as_shown);
    // The internal number of a named value ("selective" is −1) is not accepted as text.
    for (const Named& named : row.names) {
        if (parsed.ok && parsed.value == named.value && named.value < row.minimum) {
            return {false, 0, translate("“{1}” is below {2}", {word, format(id, row.minimum)}),
                    translate("use a value from {1} to {2}, or one of {3}",
                              {format(id, row.minimum), format(id, row.maximum), all_names(row)})};
        }
    }
    if (!parsed.ok && !row.names.empty())
        parsed.suggestion = translate("{1}, or one of {2}", {parsed.suggestion, all_names(row)});
    return parsed;
}

}  // namespace shardscope
