// Tests that the JSON schemas accept what the readers accept and refuse what they refuse. Valijson validates.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "files/schema.h"
#include "files/view.h"
#include "presets/calibration_file.h"
#include "presets/json_values.h"
#include "presets/listed_model_file.h"
#include "studies/study.h"
#include "support/check_scenario.h"
#include "support/properties.h"
#include "support/scenarios.h"
#include "system/file_io.h"
#include "text/text.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;
namespace fs = std::filesystem;

const std::string kPresets = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/";

json load(const std::string& path) {
    Problems none;
    return json::parse(read_text(path, none));
}

class Schema {
  public:
    // References to other files are to the schema of scenarios.
    explicit Schema(const json& text) {
        valijson::SchemaParser().populateSchema<NlohmannJsonAdapter>(
            NlohmannJsonAdapter(text), schema_,
            [](const std::string&) { return new json(json::parse(scenario_schema())); },
            [](const json* fetched) { delete fetched; });
    }

    // Returns an empty string if the document is valid.
    [[nodiscard]] std::string violations(const json& document) const {
        valijson::Validator validator;
        valijson::ValidationResults results;
        if (validator.validate(schema_, NlohmannJsonAdapter(document), &results)) return {};
        std::string out;
        valijson::ValidationResults::Error error;
        while (results.popError(error)) {
            for (const std::string& part : error.context) out += part;
            out += ": " + error.description + "\n";
        }
        return out;
    }

  private:
    valijson::Schema schema_;
};

const Schema& of_scenarios() {
    static const Schema schema(json::parse(scenario_schema()));
    return schema;
}

const Schema& of_presets() {
    static const Schema schema(json::parse(preset_schema()));
    return schema;
}

std::string problems_of_scenario(const json& file) {
    static Catalogue catalogue = own_catalogue();
    Problems problems;
    read_scenario(file.dump(), catalogue, "", problems);
    return problems.empty() ? "" : problems.front().text();
}

std::string problems_of_preset(const json& file) {
    static Catalogue catalogue = own_catalogue();
    Problems problems;
    catalogue.add(file.dump(), "", problems);
    return problems.empty() ? "" : problems.front().text();
}

void check_scenario(const json& file, bool is_valid) {
    INFO(file.dump());
    CHECK(problems_of_scenario(file).empty() == is_valid);
    CHECK(of_scenarios().violations(file).empty() == is_valid);
}

void check_preset(const json& file, bool is_valid) {
    INFO(file.dump());
    CHECK(problems_of_preset(file).empty() == is_valid);
    CHECK(of_presets().violations(file).empty() == is_valid);
}

json::json_pointer pointer_of(std::string key) {
    std::ranges::replace(key, '.', '/');
    return json::json_pointer("/" + key);
}

// Returns a scenario that gives this parameter and nothing else that is not required.
json scenario_with(P id, const json& value) {
    json out;
    if (id == P::image_size) out["model"]["preset"] = "resnet-50";  // transformers have no image size
    out[pointer_of(std::string(parameter(id).key))] = value;
    return out;
}

// Returns a valid value of the parameter in such a scenario.
double valid_value(P id) {
    static const Settings settings = resolve(first());
    const Parameter& row = parameter(id);
    if (id == P::image_size) return row.slider_low;
    if (!std::isnan(settings[id])) return settings[id];
    return row.names.empty() ? row.minimum : row.names.front().value;
}

// Returns the forms in which a file may write that value.
std::vector<json> valid_forms(P id) {
    const Parameter& row = parameter(id);
    const double value = valid_value(id);
    std::vector<json> out{write_value(id, value), nullptr};
    if (row.quantity == Quantity::flag) {
        for (const char* text : {"on", "off", "true", "false", "yes", "no", "1", "0"}) {
            if (parse(id, text).value == value) out.emplace_back(text);
        }
    }
    if (row.quantity == Quantity::set) out.emplace_back(written(id, value));
    if (row.named_only || row.quantity == Quantity::set || is_text(row.quantity) || out.front().is_string())
        return out;
    out.emplace_back(exact(value));
    for (const Unit& unit : units_of(row.quantity))
        out.push_back(exact(value / unit.factor) + " " + std::string(unit.symbol));
    return out;
}

// Returns values of the wrong type or form, and unknown names.
std::vector<json> unreadable_values(P id) {
    const Parameter& row = parameter(id);
    if (is_text(row.quantity)) return {json::array({1}), {{"nonsense", 1}}, true};
    if (row.quantity == Quantity::set) return {json::array({"nonsense"}), {{"nonsense", 1}}, true};
    std::vector<json> out{"nonsense", "1 parsec", "", json::array({1}), {{"nonsense", 1}}};
    if (row.named_only) out.emplace_back(row.names.front().value);
    if (row.quantity != Quantity::flag && id != P::qk_norm) out.emplace_back(true);
    return out;
}

// Returns numbers beyond the parameter's range.
std::vector<json> numbers_out_of_range(P id) {
    const Parameter& row = parameter(id);
    std::vector<json> out;
    if (row.named_only || is_text(row.quantity) || row.quantity == Quantity::set) return out;
    out.emplace_back(row.minimum - std::max(1.0, row.minimum / 2));
    if (std::isfinite(row.maximum)) out.emplace_back(2 * row.maximum);
    if (row.whole) out.emplace_back(row.minimum + 0.5);
    return out;
}

void check_folder(const std::string& folder, const Schema& schema) {
    int files = 0;
    for (const auto& entry : fs::directory_iterator(kPresets + folder)) {
        if (entry.path().extension() != ".json") continue;
        INFO(entry.path().string());
        CHECK(schema.violations(load(entry.path().string())) == "");
        ++files;
    }
    CHECK(files > 0);
    CHECK_FALSE(schema.violations({{"format", "other"}}).empty());
    CHECK_FALSE(schema.violations({{"surplus", 1}}).empty());
}

}  // namespace

TEST_CASE("schema: shipped files satisfy it", "[presets]") {
    for (const char* folder : {"gpus", "clusters", "models", "calibrations"})
        check_folder(folder, of_presets());
    check_folder("studies", Schema(load(kPresets + "schema/study.schema.json")));
    check_folder("scenarios", of_scenarios());
    check_scenario({{"cluster", {{"calibration", load(kPresets + "fits/public_runs.json")}}}}, true);
}

TEST_CASE("schema: shipped presets name their sources", "[presets]") {
    const std::pair<const char*, std::vector<const char*>> folders[] = {
        {"gpus", {"node", "calibration", "sources", "unverified"}},
        {"clusters", {"calibration", "sources", "unverified"}},
        {"models", {"parameters", "parameters_source"}},
        {"calibrations", {}}};
    for (const auto& [folder, fields] : folders) {
        for (const auto& entry : fs::directory_iterator(kPresets + folder)) {
            INFO(entry.path().string());
            const json file = load(entry.path().string());
            for (const char* field : {"title", "source", "values"}) CHECK(file.contains(field));
            for (const char* field : fields) CHECK(file.contains(field));
            CHECK(file.contains("parameters_at_sequence") ==
                  (file["values"].value("learned_positions", json()) == "sequence"));
        }
    }
}

TEST_CASE("schema: a scenario may give every parameter, and the reader agrees on each value", "[presets]") {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        for (const json& value : valid_forms(id)) check_scenario(scenario_with(id, value), true);
        for (const Named& named : parameter(id).names) {
            // Some choices are not possible in the first-launch scenario.
            INFO(parameter(id).key << " " << named.name);
            CHECK(of_scenarios().violations(scenario_with(id, named.name)).empty());
        }
        for (const json& value : unreadable_values(id)) {
            // Software that is not known is predicted as `other`.
            const bool is_name = id == P::software && value.is_string() && value != "";
            check_scenario(scenario_with(id, value), is_name);
        }
        for (const json& value : numbers_out_of_range(id)) check_scenario(scenario_with(id, value), false);
        json unknown = scenario_with(id, write_value(id, valid_value(id)));
        unknown[pointer_of(std::string(section_of(id)) + ".nonsense")] = 1;
        check_scenario(unknown, false);
    }
}

TEST_CASE("schema: a preset may give every parameter of its kind, and the reader agrees", "[presets]") {
    const auto preset = [](PresetKind kind, const char* place, const std::string& field, const json& value) {
        json out = {
            {"format", "shardscope-preset"}, {"version", 1}, {"kind", name_of(kind)}, {"name", "own"}};
        out[pointer_of(place + ("." + field))] = value;
        return out;
    };
    struct Place {
        PresetKind kind;
        const char* object;
        std::string section;
    };
    const Place places[] = {
        {PresetKind::gpu, "values", "cluster.gpu"},        {PresetKind::gpu, "node", "cluster"},
        {PresetKind::cluster, "values", "cluster"},        {PresetKind::model, "values", "model"},
        {PresetKind::calibration, "values", "cluster"},    {PresetKind::calibration, "values", "training"},
        {PresetKind::calibration, "values", "assumptions"}};
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const std::string section(section_of(id));
        bool found = false;
        for (const Place& place : places) {
            if (section != place.section && section != place.section + ".peak_flops") continue;
            found = true;
            const std::string field(parameter(id).key.substr(place.section.size() + 1));
            for (const json& value : valid_forms(id))
                check_preset(preset(place.kind, place.object, field, value), true);
            for (const json& value : unreadable_values(id))
                check_preset(preset(place.kind, place.object, field, value), false);
            json unknown = preset(place.kind, place.object, field, write_value(id, valid_value(id)));
            unknown[place.object]["nonsense"] = 1;
            check_preset(unknown, false);
        }
        INFO(parameter(id).key);
        CHECK(found);
    }
    for (const auto& [name, is_valid] :
         std::initializer_list<std::pair<std::string, bool>>{{"0.Own_a+b-c", true},
                                                             {std::string(64, 'a'), true},
                                                             {std::string(65, 'a'), false},
                                                             {"", false},
                                                             {"-own", false},
                                                             {"own gpu", false},
                                                             {"größe", false}}) {
        check_preset({{"format", "shardscope-preset"}, {"version", 1}, {"kind", "gpu"}, {"name", name}},
                     is_valid);
    }
}

TEST_CASE("schema: a scenario may have the documented fields beside parameters", "[presets]") {
    const json operators = {{{"operators", {{{"kind", "gemm"}, {"in", 8}, {"out", 8}}}}}};
    for (const json& file :
         {json::object(), json{{"format", "shardscope-scenario"}, {"version", 1}, {"name", ""}},
          json{{"model", {{"preset", "mpt-7b"}}}}, json{{"model", {{"operators", operators}}}},
          json{{"cluster", {{"preset", "dgx-a100-80gb"}, {"gpu", "h100-sxm-80gb"}}}},
          json{
              {"cluster", {{"gpu", {{"preset", "h100-sxm-80gb"}, {"peak_flops", {{"bf16", "1 PFLOP/s"}}}}}}}},
          json{{"cluster", {{"calibration", nullptr}}}}, json{{"cluster", {{"calibration", "stack-fsdp2"}}}},
          json{{"cluster", {{"calibration", {{"overlap", 0.2}, {"collective_latency", "20 us"}}}}}},
          json{{"cluster", {{"calibration", {{"parts", {{"stack-fsdp2", {{"overlap", 0.2}}}}}}}}}},
          json{{"training", {{"auto", {"micro_batch", "recompute"}}, {"micro_batch", "4"}}}},
          json{{"training", {{"accumulation", nullptr}, {"global_batch", 128}}}},
          json{{"view", json::object()}},
          json{{"view",
                {{"plot", "sweep"},
                 {"x", "gpus"},
                 {"y", "training.tensor_parallel"},
                 {"outputs", {"mfu", "memory.peak_bytes", "peak_bytes"}},
                 {"plan", "held"},
                 {"range", {{"x", "8:2048:33:log"}, {"y", "1,2,4"}}},
                 {"against", "ideal.mfu_bound"},
                 {"side_by_side", true},
                 {"switched", {"strong", "band"}},
                 {"measured", {{"step_time_s", 2.5}, {"gpus", 64}}},
                 {"pins",
                  {{{"name", "A100"}, {"cluster", {{"preset", "dgx-a100-80gb"}}}},
                   {{"model", nullptr},
                    {"cluster", {{"gpu", nullptr}}},
                    {"training", {{"auto", nullptr}}}}}}}}}})
        check_scenario(file, true);
    for (const json& file :
         {json::array(),
          json{{"nonsense", 1}},
          json{{"format", "shardscope-session"}},
          json{{"version", 2}},
          json{{"name", 5}},
          json{{"model", nullptr}},
          json{{"training", json::array()}},
          json{{"model", {{"preset", 5}}}},
          json{{"model", {{"preset", "mpt-7b"}, {"operators", operators}}}},
          json{{"model", {{"operators", json::array()}}}},
          json{{"cluster", {{"gpu", 5}}}},
          json{{"cluster", {{"gpu.memory", "80 GB"}}}},
          json{{"cluster", {{"calibration", {{"nonsense", 0.2}}}}}},
          json{{"cluster", {{"calibration", {{"values", {{"overlap", 0.2}}}}}}}},
          json{{"cluster", {{"calibration", {{"parts", {{"stack-fsdp2", {{"nonsense", 1}}}}}}}}}},
          json{{"training", {{"auto", "micro_batch"}}}},
          json{{"training", {{"auto", {"sequence_length"}}}}},
          json{{"training", {{"accumulation", 2}, {"global_batch", 128}}}},
          json{{"view", "sweep"}},
          json{{"view", {{"nonsense", 1}}}},
          json{{"view", {{"plot", "nonsense"}}}},
          json{{"view", {{"x", "nonsense"}}}},
          json{{"view", {{"outputs", {"nonsense"}}}}},
          json{{"view", {{"outputs", "mfu"}}}},
          json{{"view", {{"against", "nonsense"}}}},
          json{{"view", {{"x", "gpus"}, {"range", {{"z", "1,2"}}}}}},
          json{{"view", {{"side_by_side", "yes"}}}},
          json{{"view", {{"plan", "nonsense"}}}},
          json{{"view", {{"switched", {"nonsense"}}}}},
          json{{"view", {{"measured", {{"step_time_s", 2.5}}}}}},
          json{{"view", {{"measured", {{"step_time_s", 0}, {"gpus", 64}}}}}},
          json{{"view", {{"measured", {{"step_time_s", 2.5}, {"tokens_per_s", 9}, {"gpus", 64}}}}}},
          json{{"view", {{"pins", {{{"cluster", {{"nonsense", 1}}}}}}}}},
          json{{"view", {{"pins", {{{"view", {{"plot", "sweep"}}}}}}}}},
          json{{"view", {{"pins", json(7, json::object())}}}}})
        check_scenario(file, false);
}

TEST_CASE("schema: a study's scenarios, outputs and inputs are those of scenario files", "[presets]") {
    const Schema schema(load(kPresets + "schema/study.schema.json"));
    Catalogue catalogue = own_catalogue();
    const json study = load(kPresets + "studies/scaling-trends-hardware.json");
    const auto check = [&](const char* pointer, const json& value, bool is_valid) {
        json changed = study;
        changed[json::json_pointer(pointer)] = value;
        INFO(pointer);
        Problems problems;
        read_study(changed.dump(), catalogue, "", problems);
        CHECK(problems.empty() == is_valid);
        CHECK(schema.violations(changed).empty() == is_valid);
    };
    check("/look", "at this", true);
    check("/scenario/assumptions/nonsense", 1, false);
    check("/scenario/view/nonsense", 1, false);
    check("/claims/0/scenarios/0/assumptions/overlap", nullptr, true);
    check("/claims/0/scenarios/0/assumptions/nonsense", 1, false);
    check("/claims/0/output", "nonsense", false);
    check("/claims/0/along/nonsense", {1, 2}, false);
}

TEST_CASE("schema: operators have the fields and ranges that the reader accepts", "[presets]") {
    const json schema = operators_schema()["items"]["properties"]["operators"]["items"]["anyOf"];
    CHECK(schema.size() == 6);
    for (const json& kind : schema) {
        json plain = {{"kind", kind["properties"]["kind"]["const"]}};
        for (const json& field : kind["required"]) {
            if (field != "kind") plain[field.get<std::string>()] = 8;
        }
        const auto with_operator = [](const json& one) {
            json out = {{"model", {{"operators", {{{"operators", {one}}}}}}}};
            if (one.contains("reduction")) out["model"]["image_size"] = 224;
            return out;
        };
        check_scenario(with_operator(plain), true);
        for (const auto& [field, rule] : kind["properties"].items()) {
            json changed = plain;
            const auto check = [&](const json& value, bool is_valid) {
                changed[field] = value;
                check_scenario(with_operator(changed), is_valid);
            };
            check(nullptr, false);
            check(json::object(), false);
            if (!rule.contains("minimum")) continue;
            check(rule["minimum"], true);
            check(rule["minimum"].get<double>() - 1, false);
            check(2 * rule["maximum"].get<double>(), false);
            if (rule["type"] == "integer") check(1.5, false);
        }
        json changed = plain;
        changed["nonsense"] = 1;
        check_scenario(with_operator(changed), false);
        changed = plain;
        changed.update({{"rows", 1}, {"reduction", 1}});
        check_scenario(with_operator(changed), false);
        for (const json& field : kind["required"]) {
            changed = plain;
            changed.erase(field.get<std::string>());
            check_scenario(with_operator(changed), false);
        }
    }
}

TEST_CASE("schema: scenarios that the program writes satisfy it", "[presets]") {
    const auto check = [](const Scenario& scenario) {
        return of_scenarios().violations(json::parse(write_scenario(scenario)));
    };
    Scenario whole = first();
    for (std::size_t i = 0; i < kParameters; ++i) {
        if (const P id = static_cast<P>(i); id != P::accumulation) whole.give(id, valid_value(id));
    }
    whole.automatic.set(index(P::micro_batch));
    CHECK(check(whole) == "");
    Catalogue catalogue = own_catalogue();
    Problems problems;
    CHECK(check(read_scenario(R"({"cluster": {"calibration": {"overlap": 0.2, "parallel_loss": false}},
        "model": {"operators": [{"operators": [{"kind": "softmax", "width": 8}]}]}})",
                              catalogue, "", problems)) == "");
    const std::string own = write_calibration({{"stack-fsdp2", {{P::overlap, 0.2}}}}, "Own", "runs");
    CHECK(check(read_scenario(R"({"cluster": {"calibration": )" + own + "}}", catalogue, "", problems)) ==
          "");
    const json preset = {{"format", "shardscope-preset"},
                         {"version", 1},
                         {"kind", "calibration"},
                         {"name", "own"},
                         {"values", {{"overlap", 0.2}, {"gradient_precision", "fp32"}}}};
    CHECK(check(read_scenario(json{{"cluster", {{"calibration", preset}}}}.dump(), catalogue, "",
                              problems)) == "");
    CHECK(problems.empty());
    hold("written scenarios satisfy the schema", 200,
         [&] { RC_ASSERT(check(scenario_of(*random::scenario())) == ""); });
}
