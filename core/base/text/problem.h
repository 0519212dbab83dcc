// What is wrong with an input, said once for every door (file, command line, window).
#pragma once

#include <string>
#include <vector>

namespace shardscope {

// Shown as `FILE[:LINE]:/json/pointer: what (why); suggestion`.
struct Problem {
    std::string where;       // JSON pointer ("/training/micro_batch"), or empty for the whole input
    std::string what;        // "micro_batch is −2"
    std::string why;         // "must be at least 1"; may be empty
    std::string suggestion;  // "use 1"; may be empty
    int line = 0;            // 1-based line of the file where known, else 0

    [[nodiscard]] std::string text(const std::string& file = {}) const;
};

using Problems = std::vector<Problem>;

// All of them in one line, for a cell of a table.
std::string texts_of(const Problems& problems);

}  // namespace shardscope
