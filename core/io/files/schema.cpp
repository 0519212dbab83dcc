#include "files/schema.h"

#include <nlohmann/json.hpp>

#include "files/view_json.h"
#include "presets/calibration_file.h"
#include "presets/json_values.h"
#include "presets/listed_model_file.h"
#include "presets/router_json.h"
#include "text/encode.h"

namespace shardscope {
namespace {

using nlohmann::ordered_json;

const ordered_json kText = {{"type", "string"}};
const ordered_json kFilledText = {{"type", "string"}, {"minLength", 1}};
const ordered_json kCount = {{"type", "integer"}, {"minimum", 1}};

ordered_json reference(std::string_view definition) {
    return {{"$ref", "#/definitions/" + std::string(definition)}};
}

ordered_json any_of(const ordered_json& schema, const ordered_json& other) {
    return {{"anyOf", {schema, other}}};
}

// Returns the schema of an object that has no other fields.
ordered_json object(const ordered_json& properties) {
    return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

// Returns the same schema, which also refuses to have both of two fields. A field that is null counts as
// absent.
ordered_json object_without_both(const ordered_json& properties, std::string_view one,
                                 std::string_view other) {
    const ordered_json given = {{"not", {{"type", "null"}}}};
    ordered_json out = object(properties);
    out["not"] = {{"required", {one, other}}, {"properties", {{one, given}, {other, given}}}};
    return out;
}

// Returns the fields `first` and those of a section of the parameter table.
ordered_json fields_of(std::string_view section, ordered_json first = ordered_json::object()) {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (section_of(id) != section) continue;
        const std::string_view key = parameter(id).key;
        first[std::string(field_of(id))] =
            id == P::peak_flops ? any_of(reference(key), object(fields_of(key))) : reference(key);
    }
    return first;
}

// Returns the fields of a scenario except its view, or those of a patch of a scenario, in which null removes
// any field (RFC 7396). A parameter may be null in both.
ordered_json scenario_fields(bool is_patch) {
    const auto field = [is_patch](const ordered_json& schema) {
        return is_patch ? any_of(schema, {{"type", "null"}}) : schema;
    };
    const ordered_json preset = {{"preset", field(kFilledText)}};
    ordered_json plan = ordered_json::array();
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).of_plan()) plan.push_back(field_of(id));
    }
    ordered_json model = {{"name", kText}};
    model.update(preset);
    model["operators"] = field(reference("operators"));
    ordered_json cluster = preset;
    cluster["gpu"] = field(any_of(kFilledText, object(fields_of("cluster.gpu", preset))));
    cluster["calibration"] = reference("calibration");
    cluster = fields_of("cluster", cluster);
    // Software that is not known is predicted as `other`.
    cluster["software"] = any_of(reference("cluster.software"), kFilledText);
    return {{"format", {{"const", "shardscope-scenario"}}},
            {"version", {{"const", 1}}},
            {"name", kText},
            {"model", field(object_without_both(fields_of("model", model), "preset", "operators"))},
            {"cluster", field(object(cluster))},
            {"training",
             field(object_without_both(
                 fields_of("training", {{"auto", field({{"type", "array"}, {"items", {{"enum", plan}}}})}}),
                 field_of(P::accumulation), field_of(P::global_batch)))},
            {"assumptions", field(object(fields_of("assumptions")))}};
}

// Returns the schema of a preset of one kind; `further` are the fields that not every kind has.
ordered_json preset_of_kind(PresetKind kind, const ordered_json& values, const ordered_json& further) {
    ordered_json properties = {{"format", {{"const", "shardscope-preset"}}},
                               {"version", {{"const", 1}}},
                               {"kind", {{"const", name_of(kind)}}},
                               {"name",
                                {{"type", "string"},
                                 {"pattern", "^[A-Za-z0-9][A-Za-z0-9._+-]*$"},
                                 {"maxLength", kLongestPresetName}}},
                               {"title", kFilledText},
                               {"source", {{"type", "string"}, {"description", "the main public source"}}},
                               {"values", object(values)},
                               {"sources",
                                {{"type", "object"},
                                 {"additionalProperties", kFilledText},
                                 {"description", "the source of a value where it is not the main one"}}},
                               {"unverified",
                                {{"type", "array"},
                                 {"items", kFilledText},
                                 {"description", "the values that no public source confirms"}}}};
    properties.update(further);
    ordered_json out = object(properties);
    out["required"] = {"format", "version", "kind", "name"};
    return out;
}

ordered_json calibration_preset() {
    return preset_of_kind(
        PresetKind::calibration, fields_of("assumptions", fields_of("cluster", fields_of("training"))),
        {{"calibration", kFilledText},
         {"releases",
          {{"type", "array"},
           {"maxItems", 100},
           {"items", kFilledText},
           {"description", "words of software_version: the releases of the stack that it describes"}}}});
}

// Returns the schema of a calibration in a scenario: a preset's name, constants, or the content of a
// calibration file or a calibration preset.
ordered_json calibration() {
    ordered_json fields = ordered_json::object();
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (is_constant(id)) fields[std::string(field_of(id))] = reference(parameter(id).key);
    }
    const ordered_json constants = object(fields);
    ordered_json file = object({{"format", {{"const", "shardscope-calibration"}}},
                                {"version", {{"const", 1}}},
                                {"title", kText},
                                {"source", kText},
                                {"everywhere", constants},
                                {"values", constants},
                                {"parts", {{"type", "object"}, {"additionalProperties", constants}}}});
    file["anyOf"] = ordered_json::array();
    for (const char* field : {"format", "everywhere", "parts"})
        file["anyOf"].push_back({{"required", {field}}});
    file["dependencies"] = {{"format", {"version"}}};
    return {{"anyOf", {{{"type", "null"}}, kFilledText, constants, file, calibration_preset()}}};
}

ordered_json value_definitions() {
    ordered_json out = {{"operators", operators_schema()}};
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        out[std::string(parameter(id).key)] = value_schema(id);
    }
    return out;
}

// Returns the schema of the names by which `find` finds the rows of a table: a row's whole name, and the last
// part of it where that is unique.
template <typename Rows, typename Name, typename Find>
ordered_json names_of(const Rows& rows, Name name, Find find) {
    ordered_json out = ordered_json::array();
    for (const auto& row : rows) {
        const std::string_view whole = row.*name;
        const std::string_view last = whole.substr(whole.rfind('.') + 1);
        out.push_back(whole);
        if (last != whole && find(last) == find(whole)) out.push_back(last);
    }
    return {{"enum", out}};
}

std::string document(const char* id, const char* title, const ordered_json& schema,
                     const ordered_json& definitions) {
    ordered_json out = {
        {"$schema", "http://json-schema.org/draft-07/schema#"}, {"$id", id}, {"title", title}};
    out.update(schema);
    out["definitions"] = definitions;
    return json_text(out, 2) + "\n";
}

}  // namespace

std::string scenario_schema() {
    ordered_json fields = scenario_fields(false);
    fields["view"] = view_schema();
    ordered_json definitions = {{"patch", object(scenario_fields(true))},
                                {"input", names_of(parameters(), &Parameter::key, find_parameter)},
                                {"output", names_of(outputs(), &OutputRow::path, find_output)},
                                {"calibration", calibration()}};
    definitions.update(value_definitions());
    return document("shardscope-scenario-1",
                    "Shardscope scenario: a model, a cluster and a training set-up; every field is optional",
                    object(fields), definitions);
}

std::string preset_schema() {
    const ordered_json calibrated = {{"calibration", kFilledText}};
    const ordered_json year = {{"type", "integer"},
                               {"minimum", kFirstYear},
                               {"maximum", kLastYear},
                               {"description", "of its release"}};
    const ordered_json context = {
        {"type", "integer"},
        {"minimum", 1},
        {"maximum", static_cast<long long>(kLongestContext)},
        {"description", "the longest sequence that its positions were made for: max_position_embeddings"}};
    const ordered_json rotary_base = {
        {"type", "integer"},
        {"minimum", 1},
        {"maximum", static_cast<long long>(kLargestRotaryBase)},
        {"description", "of its rotary embeddings; only settings of training tools contain it"}};
    const ordered_json rotary_share = {
        {"type", "number"},
        {"exclusiveMinimum", 0},
        {"maximum", 1},
        {"description",
         "of each head's width that its rotary embeddings turn; only settings of training tools contain it"}};
    ordered_json gpu = calibrated;
    gpu["year"] = year;
    gpu["vendor"] = {{"enum", kVendors}, {"description", "the tools that run on it follow from it"}};
    gpu["node"] = object(fields_of("cluster"));
    const ordered_json model = {{"parameters", kCount},
                                {"parameters_source", kFilledText},
                                {"parameters_at_sequence", kCount},
                                {"year", year},
                                {"context", context},
                                {"rotary_base", rotary_base},
                                {"rotary_share", rotary_share},
                                {"router", router_schema()},
                                {"activation", {{"enum", kActivations}}}};
    const std::pair<PresetKind, ordered_json> kinds[] = {
        {PresetKind::gpu, preset_of_kind(PresetKind::gpu, fields_of("cluster.gpu"), gpu)},
        {PresetKind::cluster,
         preset_of_kind(PresetKind::cluster, fields_of("cluster", {{"gpu", kFilledText}}), calibrated)},
        {PresetKind::model,
         preset_of_kind(PresetKind::model, fields_of("model", {{"operators", reference("operators")}}),
                        model)},
        {PresetKind::calibration, calibration_preset()}};
    ordered_json names = ordered_json::array();
    ordered_json rules = ordered_json::array();
    ordered_json definitions = ordered_json::object();
    for (const auto& [kind, schema] : kinds) {
        const std::string_view name = name_of(kind);
        names.push_back(name);
        rules.push_back({{"if", {{"properties", {{"kind", {{"const", name}}}}}}}, {"then", reference(name)}});
        definitions[std::string(name)] = schema;
    }
    definitions.update(value_definitions());
    return document("shardscope-preset-1", "Shardscope preset: a GPU, a cluster, a model or a calibration",
                    {{"type", "object"},
                     {"required", {"kind"}},
                     {"properties", {{"kind", {{"enum", names}}}}},
                     {"allOf", rules}},
                    definitions);
}

}  // namespace shardscope
