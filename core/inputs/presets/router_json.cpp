#include "presets/router_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "presets/json_values.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array<const char*, 2> kScores{"softmax", "sigmoid"};
constexpr double kLargestNumber = 100000;

// The numbers and flags of the field, with their places in a Router.
struct NumberField {
    const char* name;
    double Router::*place;
};
struct FlagField {
    const char* name;
    bool Router::*place;
};
constexpr std::array kNumbers{NumberField{"scaling", &Router::scaling},
                              NumberField{"balancing_loss", &Router::balancing_loss}};
constexpr std::array kFlags{FlagField{"scores_all_experts", &Router::scores_all_experts},
                            FlagField{"balancing_bias", &Router::balancing_bias},
                            FlagField{"balances_each_sequence", &Router::balances_each_sequence}};

}  // namespace

std::optional<Router> read_router(const json& object, Problems& problems) {
    const std::string here = "/router";
    const std::size_t before = problems.size();
    Router out;
    if (!object.is_object()) {
        problems.push_back({here, translate("is not an object"), "", translate("write { … }")});
        return std::nullopt;
    }
    for (const auto& [name, value] : object.items()) {
        const std::string pointer = child_pointer(here, name);
        const auto number = std::ranges::find(kNumbers, name, &NumberField::name);
        const auto flag = std::ranges::find(kFlags, name, &FlagField::name);
        if (name == "score") {
            out.score = value.is_string() ? value.get<std::string>() : std::string();
            if (std::ranges::find(kScores, out.score) == kScores.end())
                problems.push_back({pointer, translate("there is no such choice"), "",
                                    translate("use one of {1}", {"softmax, sigmoid"})});
        } else if (number != kNumbers.end()) {
            const double read = value.is_number() ? value.get<double>() : std::nan("");
            if (read >= 0 && read <= kLargestNumber) out.*number->place = read;
            else
                problems.push_back({pointer, translate("is not a valid number"), "",
                                    translate("write a number of at least {1}", {"0"})});
        } else if (flag != kFlags.end()) {
            if (value.is_boolean()) out.*flag->place = value.get<bool>();
            else
                problems.push_back(
                    {pointer, translate("is neither true nor false"), "", translate("write one of them")});
        } else {
            std::vector<std::string> known{"score"};
            for (const NumberField& field : kNumbers) known.emplace_back(field.name);
            for (const FlagField& field : kFlags) known.emplace_back(field.name);
            problems.push_back(unknown_field(here, name, known));
        }
    }
    if (out.score.empty() && problems.size() == before)
        problems.push_back({here + "/score", translate("is missing"), "",
                            translate("use one of {1}", {"softmax, sigmoid"})});
    return problems.size() > before ? std::nullopt : std::optional(out);
}

ordered_json write_router(const Router& router) {
    ordered_json out{{"score", router.score}};
    const auto put = [&](const char* name, double value) {
        if (value == std::floor(value)) out[name] = static_cast<long long>(value);
        else out[name] = value;
    };
    for (const NumberField& field : kNumbers) {
        const double usual = Router{}.*field.place;
        if (router.*field.place != usual) put(field.name, router.*field.place);
    }
    for (const FlagField& field : kFlags) {
        if (router.*field.place) out[field.name] = true;
    }
    return out;
}

ordered_json router_schema() {
    ordered_json fields{{"score", {{"enum", kScores}}}};
    for (const NumberField& field : kNumbers)
        fields[field.name] = {{"type", "number"}, {"minimum", 0}, {"maximum", kLargestNumber}};
    for (const FlagField& field : kFlags) fields[field.name] = {{"type", "boolean"}};
    return {{"type", "object"},
            {"description", "how experts are chosen; only settings of training tools contain it"},
            {"required", {"score"}},
            {"properties", fields},
            {"additionalProperties", false}};
}

}  // namespace shardscope
