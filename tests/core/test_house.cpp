// The house itself: imports point downwards only.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
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

}  // namespace

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
