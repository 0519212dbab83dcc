// A problem with an input, in the same form for files, the command line and the window.
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

// Returns all problems on one line, for a table cell.
std::string texts_of(const Problems& problems);

}  // namespace shardscope
