#include "parameters/parameter.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

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
                              Named{"other", 13}};
constexpr std::array mlp{Named{"plain", 0}, Named{"gated", 1}};
constexpr std::array norm{Named{"layernorm", 0}, Named{"rmsnorm", 1}};
constexpr std::array flag{Named{"off", 0}, Named{"on", 1}};
constexpr std::array qk_norm{Named{"none", 0}, Named{"head", 1}, Named{"whole", 2}};
constexpr std::array norm_weights{Named{"none", 0}, Named{"scale", 1}, Named{"scale-and-bias", 2}};
constexpr std::array positions{Named{"sequence", kPositionsAsSequence}};
constexpr std::array precision{Named{"bf16", 0}, Named{"fp16", 1}, Named{"fp8", 2}, Named{"fp32", 3}};
constexpr std::array gradient_precision{Named{"bf16", 0}, Named{"fp16", 1}, Named{"fp32", 3}};
constexpr std::array optimizer_precision{Named{"bf16", 0}, Named{"fp32", 3}};
constexpr std::array optimizer{Named{"adamw", 0}, Named{"adamw-8bit", 1}, Named{"adafactor", 2},
                               Named{"lion", 3},  Named{"muon", 4},       Named{"momentum", 5},
                               Named{"sgd", 6}};
constexpr std::array sharding{Named{"ddp", 0}, Named{"zero1", 1}, Named{"zero2", 2}, Named{"zero3", 3},
                              Named{"hsdp", 4}};
constexpr std::array recompute{Named{"none", 0}, Named{"selective", kRecomputeSelective}, Named{"full", 1}};
constexpr std::array attention{Named{"flash", 0}, Named{"naive", 1}};
constexpr std::array schedule{
#define SHARDSCOPE_SCHEDULE(kind, name, schedule) Named{name, Value(ScheduleKind::kind)},
#include "parameters/schedules.inc"
#undef SHARDSCOPE_SCHEDULE
};
constexpr std::array offload{Named{"none", 0}, Named{"optimizer", 1}, Named{"optimizer+parameters", 2}};
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
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

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
    for (const Named& named : row.names) {
        if (named.value == value) return std::string(named.name);
    }
    return format(value, row.quantity, with_unit);
}

Parsed parse(P id, std::string_view text, bool bare_unit_is_shown) {
    const Parameter& row = parameter(id);
    const std::string word = trim(text);
    for (const Named& named : row.names) {
        if (named.name == word) return {true, named.value, {}, {}};
    }
    if (row.quantity == Quantity::flag) {
        for (const Named& other : kFlagWords) {
            if (other.name == word) return {true, other.value, {}, {}};
        }
    }
    if (row.named_only) {
        std::vector<std::string> known;
        for (const Named& named : row.names) known.emplace_back(named.name);
        const std::string near = nearest(word, known);
        return {false, 0, translate("“{1}” is not one of its values", {word}),
                near.empty() ? translate("use one of {1}", {quoted_names(row)})
                             : translate("did you mean “{1}”?", {near})};
    }
    Parsed parsed = parse(word, row.quantity, bare_unit_is_shown);
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
