#include "parameters/parameter.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "parameters/interned_text.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace names {

constexpr std::array software{Named{"fsdp1", 0, "FSDP1"},
                              Named{"fsdp1-compile", 1, translatable("FSDP1, compiled")},
                              Named{"fsdp2", 2, "FSDP2"},
                              Named{"fsdp2-compile", 3, translatable("FSDP2, compiled")},
                              Named{"deepspeed", 4, "DeepSpeed"},
                              Named{"deepspeed-2021", 5, translatable("DeepSpeed of 2021")},
                              Named{"megatron-core", 6, "Megatron-Core"},
                              Named{"megatron-2021", 7, translatable("Megatron-LM of 2021")},
                              Named{"nemo", 8, "NeMo"},
                              Named{"maxtext", 9, "MaxText"},
                              Named{"internevo", 10, "InternEvo"},
                              Named{"megatron-2022", 11, translatable("Megatron-LM of 2022")},
                              Named{"megatron-deepspeed", 12, "Megatron-DeepSpeed"},
                              Named{"other", 13, translatable("Any other stack")},
                              Named{"nanotron", 14},
                              Named{"torchtitan", 15},
                              Named{"jax", 16, "JAX"},
                              Named{"megatron-bridge", 17, "Megatron-Bridge"},
                              Named{"primus", 18, "Primus"}};
constexpr std::array mlp{Named{translatable("plain"), 0}, Named{translatable("gated"), 1}};
constexpr std::array norm{Named{"layernorm", 0, "LayerNorm"}, Named{"rmsnorm", 1, "RMSNorm"}};
constexpr std::array flag{Named{translatable("off"), 0}, Named{translatable("on"), 1}};
constexpr std::array qk_norm{Named{translatable("none"), 0}, Named{"head", 1, translatable("each head")},
                             Named{"whole", 2, translatable("all heads")}};
constexpr std::array norm_weights{Named{translatable("none"), 0}, Named{"scale", 1, translatable("scale")},
                                  Named{"scale-and-bias", 2, translatable("scale and bias")}};
constexpr std::array positions{Named{"sequence", kPositionsAsSequence, translatable("as the sequence")}};
constexpr std::array precision{Named{"bf16", 0}, Named{"fp16", 1},           Named{"fp8", 2},
                               Named{"fp32", 3}, Named{"mxfp8", 4, "MXFP8"}, Named{"nvfp4", 5, "NVFP4"}};
constexpr std::array fp8_recipe{Named{translatable("delayed"), 0}, Named{translatable("tensorwise"), 1},
                                Named{translatable("blockwise"), 2}, Named{"mxfp8", 3, "MXFP8"}};
constexpr std::array gradient_precision{Named{"bf16", 0}, Named{"fp16", 1}, Named{"fp32", 3}};
constexpr std::array main_gradient_precision{Named{"reduced", kAsReduced, translatable("as reduced")},
                                             Named{"bf16", 0}, Named{"fp16", 1}, Named{"fp32", 3}};
constexpr std::array optimizer_precision{Named{"bf16", 0}, Named{"fp32", 3}};
constexpr std::array moment_precision{Named{"master", kAsMaster, translatable("as the master")},
                                      Named{"bf16", Value(MomentPrecision::bf16)},
                                      Named{"fp8", Value(MomentPrecision::fp8)},
                                      Named{"fp32", Value(MomentPrecision::fp32)},
                                      Named{"bf16+fp32", Value(MomentPrecision::bf16_fp32), "bf16 + fp32"},
                                      Named{"fp8+bf16", Value(MomentPrecision::fp8_bf16), "fp8 + bf16"},
                                      Named{"fp8+fp32", Value(MomentPrecision::fp8_fp32), "fp8 + fp32"}};
constexpr std::array loss{Named{translatable("plain"), 0}, Named{translatable("fused"), 1},
                          Named{translatable("chunked"), 2}};
constexpr std::array recompute_modules{Named{"layernorm", 1, "LayerNorm"},
                                       Named{"core_attention", 2, translatable("core attention")},
                                       Named{"mla_up_proj", 4, translatable("MLA up-projection")},
                                       Named{"mlp", 8, "MLP"},
                                       Named{"activation", 16, translatable("activation function")},
                                       Named{"moe", 32, "MoE"},
                                       Named{"moe_activation", 64, translatable("MoE activation function")},
                                       Named{"shared_experts", 128, translatable("shared experts")}};
constexpr std::array context_parallel_kind{Named{"p2p", 0, "P2P"}, Named{"a2a", 1, "A2A"},
                                           Named{"all-gather", 2}, Named{"a2a+p2p", 3, "A2A + P2P"}};
constexpr std::array topology{Named{translatable("switch"), 0}, Named{translatable("mesh"), 1},
                              Named{translatable("torus"), 2}};
constexpr std::array in_network_reduction{
    Named{translatable("none"), 0}, Named{"node", 1, translatable("in the node")},
    Named{"network", 2, translatable("between nodes")}, Named{"both", 3, translatable("both")}};
constexpr std::array equal_share{Named{"equal-share", 0, translatable("equal share")}};
constexpr std::array one_pod{Named{"one-pod", 0, translatable("one pod")}};
constexpr std::array moe_dispatcher{Named{"all-to-all", 0}, Named{"deepep", 1, "DeepEP"},
                                    Named{"all-gather", 2}};
constexpr std::array fitting{Named{translatable("fitting"), 0}};
constexpr std::array as_tensor{Named{"tensor", 0, translatable("as TP")}};
constexpr std::array optimizer{Named{"adamw", 0, "AdamW"},
                               Named{"adamw-8bit", 1, translatable("AdamW, 8-bit")},
                               Named{"adafactor", 2, "Adafactor"},
                               Named{"lion", 3, "Lion"},
                               Named{"muon", 4, "Muon"},
                               Named{"momentum", 5, translatable("Momentum")},
                               Named{"sgd", 6, "SGD"}};
constexpr std::array sharding{Named{"ddp", 0, "DDP"},      Named{"zero1", 1, "ZeRO-1"},
                              Named{"zero2", 2, "ZeRO-2"}, Named{"zero3", 3, "ZeRO-3"},
                              Named{"hsdp", 4, "HSDP"},    Named{"zero++", 5, "ZeRO++"}};
constexpr std::array recompute{Named{translatable("none"), 0},
                               Named{translatable("selective"), kRecomputeSelective},
                               Named{translatable("full"), 1}};
constexpr std::array attention{Named{"flash", 0, "Flash"}, Named{translatable("naive"), 1}};
constexpr std::array schedule{
#define SHARDSCOPE_SCHEDULE(kind, name, label, schedule) Named{name, Value(ScheduleKind::kind), label},
#include "parameters/schedules.inc"
#undef SHARDSCOPE_SCHEDULE
};
constexpr std::array offload{Named{translatable("none"), 0}, Named{"optimizer", 1, translatable("optimizer")},
                             Named{"optimizer+parameters", 2, translatable("optimizer and weights")},
                             Named{"optimizer-nvme", 3, translatable("optimizer to NVMe")}};
constexpr std::array none{Named{translatable("none"), 0}};
constexpr std::array usual{Named{translatable("usual"), 0}};
constexpr std::array optimal{Named{translatable("optimal"), 0}};
constexpr std::array by_size{Named{"by-size", 0, translatable("by size")}};
constexpr std::array critical_batch_law{Named{translatable("none"), 0}, Named{"kaplan", 1, "Kaplan"},
                                        Named{"bergsma", 2, "Bergsma"},
                                        Named{"fixed", 3, translatable("fixed")}};
constexpr std::array convention{Named{"palm", 0, "PaLM"}, Named{translatable("causal"), 1},
                                Named{"6n", 2, "6N"}};

}  // namespace names

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<Parameter, kParameters> kTable{{
#define SHARDSCOPE_PARAMETER(id, ...) Parameter{__VA_ARGS__},
#include "parameters/rows.inc"
#undef SHARDSCOPE_PARAMETER
}};

std::string name_of(const Named& named) { return std::string(named.name); }

std::string joined(std::span<const Named> all, const char* separator, std::string (*text)(const Named&)) {
    std::string out;
    for (const Named& named : all) out += (out.empty() ? "" : separator) + text(named);
    return out;
}

std::string quoted_names(const Parameter& row) { return joined(row.names, ", ", name_of); }

Parsed unknown_name(const Parameter& row, const std::string& word) {
    std::vector<std::string> known;
    for (const Named& named : row.names) known.emplace_back(named.name);
    const std::string near = nearest(word, known);
    return {false, 0, translate("“{1}” is not one of its values", {word}),
            near.empty() ? translate("use one of {1}", {quoted_names(row)})
                         : translate("did you mean “{1}”?", {near})};
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
    if (is_text(row.quantity)) return interned_text(value);
    if (row.quantity == Quantity::set) {
        const std::vector<Named> members = members_of(id, value);
        return members.empty() ? translate("none") : joined(members, " + ", label_of);
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
        return members.empty() ? "none" : joined(members, "+", name_of);
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

}  // namespace

Parsed parse(P id, std::string_view text, bool as_shown) {
    const Parameter& row = parameter(id);
    const std::string word = trim(text);
    // A list may be longer than what a title may have.
    if (row.quantity == Quantity::list) return {true, intern_text(one_line(word)), {}, {}};
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
                              {format(id, row.minimum), format(id, row.maximum), quoted_names(row)})};
        }
    }
    if (!parsed.ok && !row.names.empty())
        parsed.suggestion = translate("{1}, or one of {2}", {parsed.suggestion, quoted_names(row)});
    return parsed;
}

}  // namespace shardscope
