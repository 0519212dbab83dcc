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

constexpr std::array software{Named{"fsdp1", 0},
                              Named{"fsdp1-compile", 1},
                              Named{"fsdp2", 2},
                              Named{"fsdp2-compile", 3},
                              Named{"deepspeed", 4},
                              Named{"deepspeed-2021", 5},
                              Named{"megatron-core", 6},
                              Named{"megatron-2021", 7},
                              Named{"nemo", 8},
                              Named{"maxtext", 9},
                              Named{"internevo", 10},
                              Named{"megatron-2022", 11},
                              Named{"megatron-deepspeed", 12},
                              Named{"other", 13},
                              Named{"nanotron", 14},
                              Named{"torchtitan", 15},
                              Named{"jax", 16},
                              Named{"megatron-bridge", 17},
                              Named{"primus", 18}};
constexpr std::array mlp{Named{"plain", 0}, Named{"gated", 1}};
constexpr std::array norm{Named{"layernorm", 0}, Named{"rmsnorm", 1}};
constexpr std::array flag{Named{"off", 0}, Named{"on", 1}};
constexpr std::array qk_norm{Named{"none", 0}, Named{"head", 1}, Named{"whole", 2}};
constexpr std::array norm_weights{Named{"none", 0}, Named{"scale", 1}, Named{"scale-and-bias", 2}};
constexpr std::array positions{Named{"sequence", kPositionsAsSequence}};
constexpr std::array precision{Named{"bf16", 0}, Named{"fp16", 1},  Named{"fp8", 2},
                               Named{"fp32", 3}, Named{"mxfp8", 4}, Named{"nvfp4", 5}};
constexpr std::array fp8_recipe{Named{"delayed", 0}, Named{"tensorwise", 1}, Named{"blockwise", 2},
                                Named{"mxfp8", 3}};
constexpr std::array gradient_precision{Named{"bf16", 0}, Named{"fp16", 1}, Named{"fp32", 3}};
constexpr std::array main_gradient_precision{Named{"reduced", kAsReduced}, Named{"bf16", 0}, Named{"fp16", 1},
                                             Named{"fp32", 3}};
constexpr std::array optimizer_precision{Named{"bf16", 0}, Named{"fp32", 3}};
constexpr std::array moment_precision{Named{"master", kAsMaster},
                                      Named{"bf16", Value(MomentPrecision::bf16)},
                                      Named{"fp8", Value(MomentPrecision::fp8)},
                                      Named{"fp32", Value(MomentPrecision::fp32)},
                                      Named{"bf16+fp32", Value(MomentPrecision::bf16_fp32)},
                                      Named{"fp8+bf16", Value(MomentPrecision::fp8_bf16)},
                                      Named{"fp8+fp32", Value(MomentPrecision::fp8_fp32)}};
constexpr std::array loss{Named{"plain", 0}, Named{"fused", 1}, Named{"chunked", 2}};
constexpr std::array recompute_modules{Named{"layernorm", 1},       Named{"core_attention", 2},
                                       Named{"mla_up_proj", 4},     Named{"mlp", 8},
                                       Named{"activation", 16},     Named{"moe", 32},
                                       Named{"moe_activation", 64}, Named{"shared_experts", 128}};
constexpr std::array context_parallel_kind{Named{"p2p", 0}, Named{"a2a", 1}, Named{"all-gather", 2},
                                           Named{"a2a+p2p", 3}};
constexpr std::array topology{Named{"switch", 0}, Named{"mesh", 1}, Named{"torus", 2}};
constexpr std::array in_network_reduction{Named{"none", 0}, Named{"node", 1}, Named{"network", 2},
                                          Named{"both", 3}};
constexpr std::array equal_share{Named{"equal-share", 0}};
constexpr std::array one_pod{Named{"one-pod", 0}};
constexpr std::array moe_dispatcher{Named{"all-to-all", 0}, Named{"deepep", 1}, Named{"all-gather", 2}};
constexpr std::array fitting{Named{"fitting", 0}};
constexpr std::array as_tensor{Named{"tensor", 0}};
constexpr std::array optimizer{Named{"adamw", 0}, Named{"adamw-8bit", 1}, Named{"adafactor", 2},
                               Named{"lion", 3},  Named{"muon", 4},       Named{"momentum", 5},
                               Named{"sgd", 6}};
constexpr std::array sharding{Named{"ddp", 0},   Named{"zero1", 1}, Named{"zero2", 2},
                              Named{"zero3", 3}, Named{"hsdp", 4},  Named{"zero++", 5}};
constexpr std::array recompute{Named{"none", 0}, Named{"selective", kRecomputeSelective}, Named{"full", 1}};
constexpr std::array attention{Named{"flash", 0}, Named{"naive", 1}};
constexpr std::array schedule{
#define SHARDSCOPE_SCHEDULE(kind, name, schedule) Named{name, Value(ScheduleKind::kind)},
#include "parameters/schedules.inc"
#undef SHARDSCOPE_SCHEDULE
};
constexpr std::array offload{Named{"none", 0}, Named{"optimizer", 1}, Named{"optimizer+parameters", 2},
                             Named{"optimizer-nvme", 3}};
constexpr std::array none{Named{"none", 0}};
constexpr std::array usual{Named{"usual", 0}};
constexpr std::array optimal{Named{"optimal", 0}};
constexpr std::array by_size{Named{"by-size", 0}};
constexpr std::array critical_batch_law{Named{"none", 0}, Named{"kaplan", 1}, Named{"bergsma", 2},
                                        Named{"fixed", 3}};
constexpr std::array convention{Named{"palm", 0}, Named{"causal", 1}, Named{"6n", 2}};

}  // namespace names

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<Parameter, kParameters> kTable{{
#define SHARDSCOPE_PARAMETER(id, ...) Parameter{__VA_ARGS__},
#include "parameters/rows.inc"
#undef SHARDSCOPE_PARAMETER
}};

std::string quoted_names(const Parameter& row) {
    std::string out;
    for (const Named& named : row.names) {
        if (!out.empty()) out += ", ";
        out += named.name;
    }
    return out;
}

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
        std::string out;
        for (const std::string_view member : members_of(id, value))
            out += (out.empty() ? "" : "+") + std::string(member);
        return out.empty() ? "none" : out;
    }
    for (const Named& named : row.names) {
        if (named.value == value) return std::string(named.name);
    }
    return format(value, row.quantity, with_unit);
}

std::vector<std::string_view> members_of(P id, double value) {
    std::vector<std::string_view> out;
    for (const Named& named : parameter(id).names) {
        if (std::fmod(std::floor(value / named.value), 2) == 1) out.push_back(named.name);
    }
    return out;
}

namespace {

// Reads the members of a set, joined by “+” or commas.
Parsed parse_set(const Parameter& row, const std::string& text) {
    Parsed out{true, 0, {}, {}};
    if (text == "none" || text.empty()) return out;
    std::set<double> members;
    std::string rest = text + "+";
    for (std::size_t end = rest.find_first_of("+,"); end != std::string::npos;
         end = rest.find_first_of("+,")) {
        const std::string word = trim(rest.substr(0, end));
        rest.erase(0, end + 1);
        const auto found = std::ranges::find(row.names, word, &Named::name);
        if (found == row.names.end()) return unknown_name(row, word);
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

Parsed parse(P id, std::string_view text, bool bare_unit_is_shown) {
    const Parameter& row = parameter(id);
    const std::string word = trim(text);
    // A list may be longer than what a title may have.
    if (row.quantity == Quantity::list) return {true, intern_text(one_line(word)), {}, {}};
    if (row.quantity == Quantity::text) return {true, intern_text(clean_title(word)), {}, {}};
    if (row.quantity == Quantity::set) return parse_set(row, word);
    for (const Named& named : row.names) {
        if (named.name == word) return {true, named.value, {}, {}};
    }
    if (row.quantity == Quantity::flag) {
        for (const Named& other : kFlagWords) {
            if (other.name == word) return {true, other.value, {}, {}};
        }
    }
    if (row.named_only) return unknown_name(row, word);
    // A field of whole numbers groups thousands, so commas in it can only do the same.
    const bool grouped = row.whole && bare_unit_is_shown;
    Parsed parsed = parse(grouped ? without_grouping(word) : word, row.quantity, bare_unit_is_shown);
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
