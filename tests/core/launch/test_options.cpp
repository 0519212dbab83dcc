// Tests that every written option is documented by the tool, with a value of the documented type. The lists
// in options/ are the tools' own, each with its source. The next macro is set as in the engine.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "launch/launch.h"
#include "launch/writing.h"
#include "support/launch_options.h"
#include "support/launch_plans.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Returns the documented options: a name, its type and the values it may have.
std::map<std::string, std::vector<std::string>> documented(const char* tool) {
    std::ifstream file(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/core/launch/options/" + tool + ".txt");
    REQUIRE(file);
    std::map<std::string, std::vector<std::string>> out;
    std::string line;
    while (std::getline(file, line)) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string name;
        words >> name;
        std::string word;
        while (words >> word) out[name].push_back(word);
    }
    return out;
}

// Returns an empty string or what is wrong with the value.
std::string type_mismatch(const std::vector<std::string>& type, const std::string& value) {
    static const std::regex whole("-?[0-9]+");
    static const std::regex real("-?[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?");
    if (type[0] == "int") return std::regex_match(value, whole) ? "" : "no whole number";
    if (type[0] == "float") return std::regex_match(value, real) ? "" : "no number";
    if (type[0] == "python_count") return value == "None" || std::regex_match(value, whole) ? "" : "no count";
    if (type[0] == "python_flag") return value == "True" || value == "False" ? "" : "no flag";
    if (type[0] == "flag") return value == "true" || value == "false" ? "" : "no flag";
    if (type[0] == "list")
        return std::regex_match(value, std::regex("\\[[a-z0-9_]+(, [a-z0-9_]+)*\\]")) ? "" : "no list";
    if (type[0] == "choice")
        return std::find(type.begin() + 1, type.end(), value) != type.end() ? "" : "no such choice";
    return value.empty() ? "empty" : "";
}

Written options_of_toml(const std::string& text) {
    Written out;
    const toml::table parsed = toml::parse(text);
    const std::function<void(const toml::table&, const std::string&)> walk = [&](const toml::table& table,
                                                                                 const std::string& path) {
        for (const auto& [key, node] : table) {
            const std::string name = path + std::string(key.str());
            if (const auto* inner = node.as_table()) walk(*inner, name + ".");
            else if (node.is_integer())
                out.emplace_back(name, std::to_string(node.value_or(std::int64_t{0})));
            else if (node.is_boolean()) out.emplace_back(name, node.value_or(false) ? "true" : "false");
            else out.emplace_back(name, node.is_array() ? "[list]" : node.value_or(std::string()));
        }
    };
    walk(parsed, "");
    return out;
}

void check_options(const LaunchFormat& format, Written (*options)(const std::string&), std::size_t least) {
    const auto allowed = documented(std::string(format.name).c_str());
    std::set<std::string> seen;
    std::size_t written = 0;
    for (const Answer& answer : launch_scenarios()) {
        const LaunchText launch = format.write(answer);
        if (launch.text.empty()) {
            // A tool has no file for a model that is not a transformer, whose layers or embedding it does not
            // have, or for a device on which it does not run.
            const Settings& s = answer.settings;
            const Preset* device = answer.scenario.gpu_preset();
            const bool foreign = format.gpus_only && device && !launch::is_of_nvidia_or_amd(*device);
            INFO(answer.scenario.title() << ": " << (launch.notes.empty() ? "" : launch.notes.front()));
            CHECK((foreign || s.listed() || s[P::layer_pattern] != 0 || s[P::embedding_size] > 0 ||
                   s[P::pipeline_parallel] > s[P::layers] - s[P::dense_layers]));
            REQUIRE(launch.notes.size() == 1);
            continue;
        }
        ++written;
        INFO(answer.scenario.title());
        REQUIRE(std::set(launch.notes.begin(), launch.notes.end()).size() == launch.notes.size());
        for (const auto& [name, value] : options(launch.text)) {
            const auto found = allowed.find(name);
            INFO(answer.scenario.title() << ": " << name << " " << value);
            REQUIRE(found != allowed.end());
            seen.insert(name);
            if (found->second[0] == "flag" && name.starts_with("--")) REQUIRE(value.empty());
            else REQUIRE(type_mismatch(found->second, value).empty());
        }
    }
    CHECK(written > kRandomPlans + 300);
    CHECK(seen.size() >= least);
}

}  // namespace

TEST_CASE("launch: Megatron-LM documents every argument that is written for any model and plan", "[launch]") {
    check_options(kMegatron, options_of_script, 60);
}

TEST_CASE("launch: torchtitan documents every key that is written for any model and plan", "[launch]") {
    check_options(kTorchtitan, options_of_toml, 30);
}

TEST_CASE("launch: DeepSpeed documents every key that is written for any model and plan", "[launch]") {
    check_options(kDeepspeed, options_of_json, 15);
}

TEST_CASE("launch: Accelerate documents every key that is written for any model and plan", "[launch]") {
    check_options(kAccelerate, options_of_yaml, 18);
}

TEST_CASE("launch: Primus has every key that is written for any model and plan", "[launch]") {
    check_options(kPrimus, options_of_primus, 45);
}

TEST_CASE("launch: MaxText has every key that is written for any model and plan", "[launch]") {
    check_options(kMaxText, options_of_yaml, 58);
}

TEST_CASE("launch: axolotl has every key that is written for any model and plan", "[launch]") {
    check_options(kAxolotl, options_of_yaml, 30);
}

TEST_CASE("launch: torchtitan has every field that the Python function sets for any model and plan",
          "[launch]") {
    check_options(kTorchtitanPython, options_of_python, 20);
}

TEST_CASE("launch: Megatron-Bridge has every field that is written for any model and plan", "[launch]") {
    check_options(kMegatronBridge, options_of_python, 80);
}

TEST_CASE("launch: torchtitan has the converters of the Python function and their arguments", "[launch]") {
    const auto allowed = documented("torchtitan-python");
    static const std::regex call("(model_registry|[A-Za-z0-9]+Converter\\.Config)\\(");
    static const std::regex named("([a-z_]+)=");
    std::set<std::string> seen;
    for (const Answer& answer : launch_scenarios()) {
        const std::string text = kTorchtitanPython.write(answer).text;
        INFO(text);
        for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
            const auto found = allowed.find((*at)[1]);
            REQUIRE(found != allowed.end());
            seen.insert(found->first);
            // A converter is written in one line, the registry's call up to its list of converters.
            const auto from = static_cast<std::size_t>(at->position() + at->length());
            const bool registry = found->first == "model_registry";
            const std::string arguments = text.substr(from, text.find(registry ? "[\n" : "\n", from) - from);
            const std::string own = registry && arguments.find(")\n") != std::string::npos
                                        ? arguments.substr(0, arguments.find(")\n"))
                                        : arguments;
            for (std::sregex_iterator word(own.begin(), own.end(), named); word != end; ++word) {
                INFO((*word)[1].str());
                REQUIRE(std::find(found->second.begin(), found->second.end(), (*word)[1].str()) !=
                        found->second.end());
            }
        }
    }
    CHECK(seen.size() == 6);
}

TEST_CASE("launch: PyTorch documents every function of the FSDP2 snippet and its arguments", "[launch]") {
    const auto allowed = documented("fsdp2");
    static const std::regex call("([A-Za-z_.]*[A-Za-z_])\\(([^()]*(\\([^()]*\\)[^()]*)*)\\)");
    static const std::regex named("([a-z_]+)=");
    std::set<std::string> seen;
    for (const Answer& answer : launch_scenarios()) {
        const std::string text = kFsdp2.write(answer).text;
        std::istringstream lines(text);
        std::string line;
        while (std::getline(lines, line)) {
            line = line.substr(0, line.find('#'));
            if (line.starts_with("def ")) continue;
            for (std::sregex_iterator at(line.begin(), line.end(), call), end; at != end; ++at) {
                const std::string name = (*at)[1];
                if (name == "enumerate" || name == "model.parameters") continue;
                INFO(line);
                const auto found = allowed.find(name);
                REQUIRE(found != allowed.end());
                seen.insert(name);
                const std::string arguments = (*at)[2];
                for (std::sregex_iterator word(arguments.begin(), arguments.end(), named); word != end;
                     ++word) {
                    INFO((*word)[1].str());
                    REQUIRE(std::find(found->second.begin(), found->second.end(), (*word)[1].str()) !=
                            found->second.end());
                }
            }
        }
    }
    CHECK(seen.size() >= 8);
}
