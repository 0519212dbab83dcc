// The house itself: imports point downwards only.
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

std::string offending(const std::string& folder, const std::vector<std::string>& forbidden) {
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

// The sources below the folders in which the word stands.
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

// Folders of which each includes headers of the others, directly or by way of further ones; `prefix` is what
// the includes below `root` begin with.
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
    // Every folder that can be reached is included by each that reaches it.
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

TEST_CASE("house: no folder includes headers of one that includes its own", "[house]") {
    CHECK(folders_in_cycles("widgets", "widgets/").empty());
    for (const char* layer : {"base", "inputs", "engine", "analysis", "io"})
        CHECK(folders_in_cycles(std::string("core/") + layer, "").empty());
}

TEST_CASE("house: every equation names a file that holds its label", "[house]") {
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
    // E1 to E30, each of them.
    CHECK(named.size() == 30);
}

TEST_CASE("house: the engine knows neither Qt nor what lies above it", "[house]") {
    CHECK(offending("core", {"<Q", "<q", "\"widgets/", "\"app/"}).empty());
}

TEST_CASE("house: widgets do not know the application", "[house]") {
    CHECK(offending("widgets", {"\"app/"}).empty());
}

TEST_CASE("house: text is encoded for an output at one place", "[house]") {
    using Files = std::vector<std::string>;
    CHECK(sources_with("toHtmlEscaped") == Files{"widgets/encode.cpp"});
    CHECK(sources_with(".dump(") == Files{"core/base/text/encode.cpp"});
    CHECK(sources_with("->dump(").empty());
    CHECK(sources_with("mightBeRichText") == Files{"widgets/encode.cpp"});
    // The manual page and the completions are files that are printed as they are.
    CHECK(sources_with("std::printf(") == Files{"app/commands/manual.cpp", "app/tools/screenshots.cpp"});
    CHECK(sources_with("std::cout").empty());
}

TEST_CASE("house: files are read and written in one place", "[house]") {
    for (const char* folder : {"core", "widgets", "app"})
        CHECK(offending(folder, {"<fstream>", "<QSaveFile>"}).empty());
}
