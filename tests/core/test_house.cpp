// The house itself: imports point downwards only.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

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

}  // namespace

TEST_CASE("house: the engine knows neither Qt nor what lies above it", "[house]") {
    CHECK(offending("core", {"<Q", "<q", "\"widgets/", "\"app/"}).empty());
}

TEST_CASE("house: widgets do not know the application", "[house]") {
    CHECK(offending("widgets", {"\"app/"}).empty());
}
