// A plan search on paper: the report as JSON (one line) and as text, and its shares, so that many processes
// search one space: a share is JSON Lines, one plan that fits a line, the first with what the search was.
#pragma once

#include <string>
#include <vector>

#include "explore/plan_grid.h"
#include "explore/plan_report.h"

namespace shardscope {

std::string plan_json(const PlanReport& report);  // without the newline
std::string plan_text(const PlanReport& report);

// The same of a grid search.
std::string grid_json(const GridReport& report);
std::string grid_text(const GridReport& report);

// Contiguous blocks of a numbered whole, 1 ≤ part ≤ parts.
struct Shard {
    std::size_t part = 1;
    std::size_t parts = 1;
    // Of `total` things: the first of this part's, and the first of the next one's.
    [[nodiscard]] std::size_t begin(std::size_t total) const { return (part - 1) * total / parts; }
    [[nodiscard]] std::size_t end(std::size_t total) const { return part * total / parts; }
};
// "2/8".
bool parse_shard(const std::string& text, Shard& shard, Problems& problems);

// The plans of this share that fit. A share without any is one line that says so.
std::string shard_lines(const PlanQuestion& question, const Shard& shard, unsigned threads);
// All shares of one search as its report, which equals the one of the undivided search. Shares of different
// searches, missing or repeated ones are problems, named by `names`.
PlanReport merge_shards(const std::vector<std::string>& shares, const std::vector<std::string>& names,
                        Catalogue& catalogue, Problems& problems);

}  // namespace shardscope
