#include "files/view_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "explore/sweep.h"
#include "presets/json_values.h"
#include "text/encode.h"
#include "text/pin_letters.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const std::vector<std::string> kPlots{
#define SHARDSCOPE_PLOT(name, kind) name,
#include "files/plots.inc"
};
constexpr const char* kHeld = "held";
constexpr const char* kReplanned = "anew";
// This is far more than the number of existing names, and than a plot can show.
constexpr std::size_t kMostNames = 1000;

// `no_such` is a translatable sentence with a placeholder for the wrong value.
void check_name(const json& view, const char* field, std::span<const std::string> known, const char* no_such,
                Problems& problems) {
    const auto entry = view.find(field);
    if (entry == view.end()) return;
    const std::string name = text_at(view, field);
    if (std::ranges::find(known, name) != known.end()) return;
    problems.push_back(
        {std::string("/view/") + field,
         translate(no_such, {entry->is_string() ? translate("“{1}”", {name}) : json_text(*entry)}), "",
         suggestion(name, known)});
}

void check_inputs(const json& view, const Scenario& scenario, Problems& problems) {
    const auto range = view.find("range");
    if (range != view.end() && !range->is_object()) {
        problems.push_back({"/view/range", translate("range must be an object of ranges"), "",
                            translate("write for instance {\"x\": \"8:2048:33:log\"}")});
    }
    std::vector<std::string> known;
    for (const Parameter& row : parameters()) known.emplace_back(row.key);
    for (std::size_t i = 0; i < kParameters; ++i) known.emplace_back(field_of(static_cast<P>(i)));
    for (const char* side : {"x", "y"}) {
        const std::optional<P> id = find_parameter(text_at(view, side));
        if (!id) check_name(view, side, known, translatable("{1} is not a parameter"), problems);
        if (range == view.end() || !range->is_object() || !range->contains(side)) continue;
        const std::string text = text_at(*range, side);
        const std::string where = std::string("/view/range/") + side;
        if (!id) problems.push_back({where, translate("the view has a range but no {1}", {side}), "", {}});
        else if (!ranged_axis(scenario, *id, text))
            problems.push_back({where, translate("“{1}” is not a range of {2}", {text, parameter(*id).key}),
                                "", translate("write FROM:TO:STEPS[:log] or a,b,c")});
    }
    if (range == view.end() || !range->is_object()) return;
    const std::vector<std::string> sides{"x", "y"};
    for (const auto& [field, value] : range->items()) {
        if (std::ranges::find(sides, field) == sides.end())
            problems.push_back(unknown_field("/view/range", field, sides));
    }
}

void check_output(const json& entry, const std::string& where, Problems& problems) {
    const std::string path = entry.is_string() ? entry.get<std::string>() : json_text(entry);
    if (find_output(path)) return;
    static const std::vector<std::string> known = [] {
        std::vector<std::string> paths;
        for (const OutputRow& row : outputs()) paths.emplace_back(row.path);
        return paths;
    }();
    problems.push_back({where, translate("there is no output “{1}”", {path}), "", suggestion(path, known)});
}

void check_outputs(const json& view, Problems& problems) {
    const auto entry = view.find("outputs");
    if (entry == view.end()) return;
    if (!entry->is_array() || entry->size() > kMostNames) {
        problems.push_back({"/view/outputs", translate("outputs must be a list of up to 1,000 result fields"),
                            "", translate("write for instance [\"mfu\"]")});
        return;
    }
    for (std::size_t i = 0; i < entry->size(); ++i)
        check_output((*entry)[i], "/view/outputs/" + std::to_string(i), problems);
}

void check_switched(const json& view, Problems& problems) {
    const auto entry = view.find("switched");
    if (entry == view.end()) return;
    if (!entry->is_array() || entry->size() > kMostNames) {
        problems.push_back({"/view/switched",
                            translate("switched must be a list of up to 1,000 options of a plot"), "",
                            translate("write for instance [\"strong\"]")});
        return;
    }
    for (std::size_t i = 0; i < entry->size(); ++i) {
        const json& one = (*entry)[i];
        const std::string name = one.is_string() ? one.get<std::string>() : json_text(one);
        if (std::ranges::find(view_switches(), name) != view_switches().end()) continue;
        problems.push_back({"/view/switched/" + std::to_string(i),
                            translate("no plot has an option “{1}”", {name}), "",
                            suggestion(name, view_switches())});
    }
}

std::vector<std::string> read_pins(const json& view, Problems& problems) {
    std::vector<std::string> out;
    const auto entry = view.find("pins");
    if (entry == view.end()) return out;
    if (!entry->is_array() || entry->size() > kMostPins) {
        problems.push_back({"/view/pins", translate("pins must be a list of up to six scenarios"), "",
                            translate("write for instance [{\"name\": \"A100\", \"cluster\": {…}}]")});
        return out;
    }
    for (const json& patch : *entry) out.push_back(json_text(patch));
    return out;
}

bool is_positive_number(const json& value) {
    return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0;
}

void check_measurement(const json& view, Problems& problems) {
    const auto entry = view.find("measured");
    if (entry == view.end()) return;
    constexpr const char* kWhere = "/view/measured";
    const std::string example =
        translate("write for instance {\"tokens_per_s_per_gpu\": 1039, \"gpus\": 64}");
    if (!entry->is_object()) {
        problems.push_back({kWhere, translate("a measured run must be an object"), "", example});
        return;
    }
    int values = 0;
    bool gpus = false;
    for (const auto& [field, value] : entry->items()) {
        const bool known = std::ranges::any_of(
            kMeasuredKinds,
            [&, name = std::string_view(field)](MeasuredKind kind) { return name == name_of(kind); });
        const std::string where = std::string(kWhere) + "/" + field;
        if (!known && field != "gpus") {
            problems.push_back({where, translate("there is no field “{1}”", {field}), "", example});
        } else if (!is_positive_number(value)) {
            problems.push_back({where, translate("{1} is not a number above zero", {field}), "", example});
        }
        values += known ? 1 : 0;
        gpus = gpus || field == "gpus";
    }
    if (values != 1)
        problems.push_back({kWhere, translate("a measured run must have exactly one measurement"),
                            translate("tokens_per_s_per_gpu, tokens_per_s or step_time_s"), example});
    if (!gpus)
        problems.push_back({kWhere, translate("{1} is missing", {"gpus"}),
                            translate("it is the number of GPUs of the run"), example});
}

std::optional<Measurement> read_measurement(const json& view) {
    const auto entry = view.find("measured");
    if (entry == view.end() || !entry->is_object()) return std::nullopt;
    const auto gpus = entry->find("gpus");
    if (gpus == entry->end() || !is_positive_number(*gpus)) return std::nullopt;
    for (const MeasuredKind kind : kMeasuredKinds) {
        const auto value = entry->find(name_of(kind));
        if (value != entry->end() && is_positive_number(*value))
            return Measurement{kind, value->get<double>(), gpus->get<double>()};
    }
    return std::nullopt;
}

View read_fields(const json& view) {
    View out;
    out.study = text_at(view, "study");
    out.plot = text_at(view, "plot");
    if (std::ranges::find(kPlots, out.plot) == kPlots.end()) out.plot.clear();
    out.x = find_parameter(text_at(view, "x"));
    out.y = find_parameter(text_at(view, "y"));
    if (const auto range = view.find("range"); range != view.end() && range->is_object()) {
        out.x_range = text_at(*range, "x");
        out.y_range = text_at(*range, "y");
    }
    if (const auto list = view.find("outputs"); list != view.end() && list->is_array()) {
        for (const json& path : *list) {
            const auto id = path.is_string() ? find_output(path.get<std::string>()) : std::nullopt;
            if (id) out.outputs.push_back(*id);
        }
    }
    out.against = find_output(text_at(view, "against"));
    const auto beside = view.find("side_by_side");
    out.side_by_side = beside != view.end() && beside->is_boolean() && beside->get<bool>();
    out.held = text_at(view, "plan") == kHeld;
    if (const auto list = view.find("switched"); list != view.end() && list->is_array()) {
        for (const json& name : *list) {
            if (name.is_string()) out.set_switched(name.get<std::string>(), true);
        }
    }
    return out;
}

void check_fields(const json& view, const Scenario& scenario, Problems& problems) {
    static const std::vector<std::string> known_fields = [] {
        std::vector<std::string> fields;
        const ordered_json schema = view_schema();
        for (const auto& [field, rule] : schema["properties"].items()) fields.push_back(field);
        return fields;
    }();
    for (const auto& [field, value] : view.items()) {
        if (std::ranges::find(known_fields, field) == known_fields.end())
            problems.push_back(unknown_field("/view", field, known_fields));
    }
    check_name(view, "plot", kPlots, translatable("{1} is not a plot"), problems);
    check_name(view, "plan", std::vector<std::string>{kHeld, kReplanned},
               translatable("{1} is not a value of plan"), problems);
    check_inputs(view, scenario, problems);
    check_outputs(view, problems);
    if (view.contains("against")) check_output(view["against"], "/view/against", problems);
    if (view.contains("side_by_side") && !view["side_by_side"].is_boolean())
        problems.push_back({"/view/side_by_side",
                            translate("{1} is neither true nor false", {json_text(view["side_by_side"])}),
                            "",
                            {}});
    check_switched(view, problems);
}

}  // namespace

SavedView read_view(const json& view, const Scenario& scenario, Catalogue& catalogue, Problems& problems) {
    SavedView out{read_fields(view), {}, read_measurement(view)};
    check_fields(view, scenario, problems);
    out.pins = read_pins(view, problems);
    pins_of(out, scenario, catalogue, problems);
    check_measurement(view, problems);
    return out;
}

json write_view(const SavedView& view) {
    json out = json::object();
    if (!view.study.empty()) out["study"] = view.study;
    if (!view.plot.empty()) out["plot"] = view.plot;
    if (view.x) out["x"] = parameter(*view.x).key;
    if (view.y) out["y"] = parameter(*view.y).key;
    if (!view.x_range.empty()) out["range"]["x"] = view.x_range;
    if (!view.y_range.empty()) out["range"]["y"] = view.y_range;
    for (const Output id : view.outputs) out["outputs"].push_back(output(id).path);
    if (view.against) out["against"] = output(*view.against).path;
    if (view.side_by_side) out["side_by_side"] = true;
    if (view.held) out["plan"] = kHeld;
    if (!view.switched.empty()) out["switched"] = view.switched;
    for (const std::string& pin : view.pins) out["pins"].push_back(json::parse(pin));
    if (view.measured)
        out["measured"] = {{std::string(name_of(view.measured->kind)), number_of(view.measured->value)},
                           {"gpus", number_of(view.measured->gpus)}};
    return out;
}

ordered_json view_schema() {
    const ordered_json text = {{"type", "string"}};
    const ordered_json positive = {{"type", "number"}, {"exclusiveMinimum", 0}};
    const ordered_json input = {{"$ref", "#/definitions/input"}};
    const ordered_json output = {{"$ref", "#/definitions/output"}};
    const auto list = [](std::size_t most, const ordered_json& items) {
        return ordered_json{{"type", "array"}, {"maxItems", most}, {"items", items}};
    };
    const auto object = [](const ordered_json& properties) {
        return ordered_json{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
    };
    ordered_json runs = ordered_json::array();
    for (const MeasuredKind kind : kMeasuredKinds) {
        ordered_json run = object({{name_of(kind), positive}, {"gpus", positive}});
        run["required"] = {name_of(kind), "gpus"};
        runs.push_back(run);
    }
    return object({{"study", text},
                   {"plot", {{"enum", kPlots}}},
                   {"x", input},
                   {"y", input},
                   {"outputs", list(kMostNames, output)},
                   {"range", object({{"x", text}, {"y", text}})},
                   {"against", output},
                   {"side_by_side", {{"type", "boolean"}}},
                   {"plan", {{"enum", {kHeld, kReplanned}}}},
                   {"pins", list(kMostPins, {{"$ref", "#/definitions/patch"}})},
                   {"measured", {{"anyOf", runs}}},
                   {"switched", list(kMostNames, {{"enum", view_switches()}})}});
}

}  // namespace shardscope
