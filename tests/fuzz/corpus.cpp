#include "fuzz/corpus.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "fuzz/fuzz.h"

namespace shardscope::fuzz {

void promise(bool kept, const char* what) {
    if (!kept) throw std::logic_error(std::string("broken promise: ") + what);
}

bool runs_slow_checks(std::string_view, unsigned) { return true; }

void replay_corpus() {
    namespace fs = std::filesystem;
    REQUIRE(!targets().empty());
    for (const Target& target : targets()) {
        INFO(target.name);
        const fs::path folder = fs::path(SHARDSCOPE_SOURCE_DIR) / "tests/fuzz/corpus" / target.name;
        REQUIRE(fs::is_directory(folder));
        std::vector<fs::path> files(fs::directory_iterator(folder), {});
        std::ranges::sort(files);
        REQUIRE(!files.empty());
        for (const fs::path& file : files) {
            INFO(file.string());
            std::ifstream stream(file, std::ios::binary);
            const std::string text(std::istreambuf_iterator<char>(stream), {});
            CHECK_NOTHROW(target.run(text));
        }
    }
}

}  // namespace shardscope::fuzz
