// Every preset that ships satisfies its schema.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace {

using valijson::adapters::NlohmannJsonAdapter;

const std::string kPresets = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/";

nlohmann::json load(const std::string& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

std::string violations(const valijson::Schema& schema, const nlohmann::json& document) {
    valijson::Validator validator;
    valijson::ValidationResults results;
    const NlohmannJsonAdapter target(document);
    if (validator.validate(schema, target, &results)) return {};
    std::string out;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
        for (const std::string& part : error.context) out += part;
        out += ": " + error.description + "\n";
    }
    return out;
}

void check_folder(const std::string& folder, const std::string& schema_file) {
    const nlohmann::json schema_json = load(kPresets + "schema/" + schema_file);
    valijson::Schema schema;
    valijson::SchemaParser parser;
    parser.populateSchema(NlohmannJsonAdapter(schema_json), schema);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kPresets + folder)) {
        if (entry.path().extension() != ".json") continue;
        INFO(entry.path().string());
        CHECK(violations(schema, load(entry.path().string())).empty());
        ++files;
    }
    CHECK(files > 0);
    CHECK_FALSE(violations(schema, nlohmann::json{{"format", "other"}, {"surplus", 1}}).empty());
}

}  // namespace

TEST_CASE("schema: presets", "[presets]") {
    for (const char* folder : {"gpus", "clusters", "models", "calibrations"})
        check_folder(folder, "preset.schema.json");
}

TEST_CASE("schema: studies", "[presets]") { check_folder("studies", "study.schema.json"); }

TEST_CASE("schema: scenarios", "[presets]") { check_folder("scenarios", "scenario.schema.json"); }
