// The options of written launch settings, as pairs of a name and a value.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace shardscope::testing {

using Written = std::vector<std::pair<std::string, std::string>>;

inline Written options_of_script(const std::string& text) {
    // A hybrid model has a program of its own.
    const std::size_t program = text.find("    pretrain_");
    std::istringstream words(text.substr(text.find(".py", program) + 3));
    Written out;
    std::string word;
    while (words >> word) {
        if (word == "\\" || word == "\"$@\"") continue;
        if (word.starts_with("--")) out.emplace_back(word, "");
        else out.back().second += out.back().second.empty() ? word : " " + word;
    }
    return out;
}

inline Written options_of_json(const std::string& text) {
    Written out;
    const std::function<void(const nlohmann::json&, const std::string&)> walk =
        [&](const nlohmann::json& object, const std::string& path) {
            for (const auto& [key, value] : object.items()) {
                if (value.is_object()) walk(value, path + key + ".");
                else
                    out.emplace_back(path + key, value.is_string() ? value.get<std::string>() : value.dump());
            }
        };
    walk(nlohmann::json::parse(text), "");
    return out;
}

// Reads a YAML file with one level of sections.
inline Written options_of_yaml(const std::string& text) {
    Written out;
    std::istringstream lines(text);
    std::string line, section;
    while (std::getline(lines, line)) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t colon = line.find(':');
        REQUIRE(colon != std::string::npos);
        const bool inside = line[0] == ' ';
        const std::string key = line.substr(inside ? 2 : 0, colon - (inside ? 2 : 0));
        if (colon + 1 == line.size()) section = key + ".";
        else out.emplace_back((inside ? section : "") + key, line.substr(colon + 2));
    }
    return out;
}

// Returns the fields that a Python function sets.
inline Written options_of_python(const std::string& text) {
    Written out;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        const std::string_view kSet = line.starts_with("    cfg.") ? "    cfg." : "    config.";
        if (!line.starts_with(kSet)) continue;
        const std::size_t equals = line.find(" = ");
        REQUIRE(equals != std::string::npos);
        out.emplace_back(line.substr(kSet.size(), equals - kSet.size()), line.substr(equals + 3));
    }
    return out;
}

// Returns the overrides of a Primus experiment.
inline Written options_of_primus(const std::string& text) {
    Written out;
    const std::size_t begin = text.find("    overrides:\n");
    REQUIRE(begin != std::string::npos);
    std::istringstream lines(text.substr(text.find('\n', begin) + 1));
    std::string line;
    while (std::getline(lines, line)) {
        REQUIRE(line.starts_with("      "));
        const std::size_t colon = line.find(": ");
        REQUIRE(colon != std::string::npos);
        out.emplace_back(line.substr(6, colon - 6), line.substr(colon + 2));
    }
    return out;
}

// Returns the options by their names, each of which is written once.
inline std::map<std::string, std::string> each_once(const Written& options) {
    std::map<std::string, std::string> out;
    for (const auto& [key, value] : options) {
        INFO(key);
        REQUIRE(out.emplace(key, value).second);
    }
    return out;
}

}  // namespace shardscope::testing
