// Tests the structure of the source tree: includes only point to lower layers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string first_forbidden_include(const std::string& folder, const std::vector<std::string>& forbidden) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(SHARDSCOPE_SOURCE_DIR) + "/" + folder)) {
        const auto ending = entry.path().extension();
        if (ending != ".h" && ending != ".cpp" && ending != ".inc") continue;
        std::ifstream file(entry.path());
        std::string line;
        while (std::getline(file, line)) {
            if (!line.starts_with("#include")) continue;
            for (const std::string& word : forbidden) {
                if (line.find(word) != std::string::npos) return entry.path().string() + ": " + line;
            }
        }
    }
    return {};
}

// Returns the source files that contain the text.
std::vector<std::string> sources_with(const std::string& word) {
    std::vector<std::string> out;
    const std::string root = std::string(SHARDSCOPE_SOURCE_DIR) + "/";
    for (const char* folder : {"core", "widgets", "app"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root + folder)) {
            const auto ending = entry.path().extension();
            if (ending != ".h" && ending != ".cpp" && ending != ".inc") continue;
            std::ifstream file(entry.path());
            const std::string text{std::istreambuf_iterator<char>(file), {}};
            if (text.find(word) != std::string::npos)
                out.push_back(entry.path().string().substr(root.size()));
        }
    }
    std::ranges::sort(out);
    return out;
}

// Returns the folders that include headers of each other, directly or through other folders; `prefix` is the
// beginning of the includes below `root`.
std::vector<std::string> folders_in_cycles(const std::string& root, const std::string& prefix) {
    namespace fs = std::filesystem;
    std::map<std::string, std::set<std::string>> includes;
    const fs::path base = std::string(SHARDSCOPE_SOURCE_DIR) + "/" + root;
    for (const auto& entry : fs::recursive_directory_iterator(base)) {
        if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
        const std::string folder = fs::relative(entry.path(), base).parent_path().string();
        std::ifstream file(entry.path());
        std::string line;
        const std::string begin = "#include \"" + prefix;
        while (std::getline(file, line)) {
            if (!line.starts_with(begin)) continue;
            const std::string included = line.substr(begin.size(), line.rfind('"') - begin.size());
            if (!fs::exists(base / included)) continue;
            const std::string other = fs::path(included).parent_path().string();
            if (other != folder) includes[folder].insert(other);
        }
    }
    // Adds every folder that can be reached through other folders, until nothing changes.
    for (bool grown = true; grown;) {
        grown = false;
        for (auto& [folder, others] : includes) {
            for (const std::string& other : std::set<std::string>(others)) {
                const auto further = includes.find(other);
                if (further == includes.end()) continue;
                for (const std::string& one : std::set<std::string>(further->second))
                    grown = others.insert(one).second || grown;
            }
        }
    }
    std::vector<std::string> out;
    for (const auto& [folder, others] : includes) {
        if (others.contains(folder)) out.push_back(root + "/" + folder);
    }
    return out;
}

}  // namespace

TEST_CASE("structure: no two folders include headers of each other", "[structure]") {
    CHECK(folders_in_cycles("widgets", "widgets/").empty());
    for (const char* layer : {"base", "inputs", "engine", "analysis", "io"})
        CHECK(folders_in_cycles(std::string("core/") + layer, "").empty());
}

TEST_CASE("structure: every equation names a file that contains its label", "[structure]") {
    const std::string core = std::string(SHARDSCOPE_SOURCE_DIR) + "/core/";
    std::ifstream equations(core + "EQUATIONS.md");
    const std::regex row(R"(^\| (E\d+(?:, E\d+)*) \|[^|]*\|.*\| `([^`]*)` \|[^|]*\|$)");
    std::set<std::string> named;
    std::string line;
    while (std::getline(equations, line)) {
        if (!line.starts_with("| E")) continue;
        INFO(line);
        std::smatch parts;
        REQUIRE(std::regex_match(line, parts, row));
        std::ifstream file(core + parts[2].str());
        REQUIRE(file);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        std::istringstream labels(parts[1].str());
        for (std::string label; std::getline(labels >> std::ws, label, ',');) {
            named.insert(label);
            CHECK(std::regex_search(text, std::regex("\\b" + label + "\\b")));
        }
    }
    // All of E1 to E35 are named.
    CHECK(named.size() == 35);
}

TEST_CASE("structure: the engine includes neither Qt nor a higher layer", "[structure]") {
    CHECK(first_forbidden_include("core", {"<Q", "<q", "\"widgets/", "\"app/"}).empty());
}

TEST_CASE("structure: an effect knows neither settings nor a compiled scenario", "[structure]") {
    CHECK(first_forbidden_include("core/engine/effects",
                                  {"\"parameters/settings.h", "\"scenario/", "\"compile/"})
              .empty());
}

TEST_CASE("structure: widgets do not include the application", "[structure]") {
    CHECK(first_forbidden_include("widgets", {"\"app/"}).empty());
}

TEST_CASE("structure: charts and themes know no scenario", "[structure]") {
    for (const char* folder : {"widgets/chart", "widgets/theme"})
        CHECK(first_forbidden_include(folder, {"\"scenario/", "\"files/", "\"planner/", "\"widgets/pin.h",
                                               "\"widgets/live_model.h"})
                  .empty());
}

TEST_CASE("structure: folders of widgets include only those before them", "[structure]") {
    const std::vector<std::string> order{"theme", "chart", "rows", "plots", "panels", "report"};
    std::vector<std::string> found;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(SHARDSCOPE_SOURCE_DIR) / "widgets"))
        if (entry.is_directory()) found.push_back(entry.path().filename().string());
    CHECK(std::set(found.begin(), found.end()) == std::set(order.begin(), order.end()));
    std::vector<std::string> higher{"\"widgets/" + order.back() + "/"};
    for (auto folder = order.rbegin() + 1; folder != order.rend(); ++folder) {
        CHECK(first_forbidden_include("widgets/" + *folder, higher).empty());
        higher.push_back("\"widgets/" + *folder + "/");
    }
}

TEST_CASE("structure: text is encoded for an output in one place", "[structure]") {
    using Files = std::vector<std::string>;
    CHECK(sources_with("toHtmlEscaped") == Files{"widgets/encode.cpp"});
    CHECK(sources_with(".dump(") == Files{"core/base/text/encode.cpp"});
    CHECK(sources_with("->dump(").empty());
    CHECK(sources_with("mightBeRichText") == Files{"widgets/encode.cpp"});
    // The manual page and the completions are files that are printed unchanged.
    CHECK(sources_with("std::printf(") == Files{"app/commands/manual.cpp", "app/tools/screenshots.cpp"});
    CHECK(sources_with("std::cout").empty());
}

TEST_CASE("structure: files are read and written in one place", "[structure]") {
    for (const char* folder : {"core", "widgets", "app"})
        CHECK(first_forbidden_include(folder, {"<fstream>", "<QSaveFile>"}).empty());
}

TEST_CASE("structure: one file includes CLI11, which takes long to compile", "[structure]") {
    CHECK(sources_with("<CLI/CLI.hpp>") == std::vector<std::string>{"app/commands/command_line.cpp"});
}
