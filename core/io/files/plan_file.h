// Writes the report of a plan search as JSON (one line) and as text, and writes and merges the shards of a
// search that many processes run together. A shard is JSON Lines with one plan that fits per line; its first
// line also describes the search.
#pragma once

#include <string>
#include <vector>

#include "explore/plan_grid.h"
#include "explore/plan_report.h"

namespace shardscope {

std::string plan_json(const PlanReport& report);  // without a newline at the end
std::string plan_text(const PlanReport& report);

// Return the report of a grid search in the same two forms.
std::string grid_json(const GridReport& report);
std::string grid_text(const GridReport& report);

// One of `parts` contiguous blocks of a numbered list, 1 ≤ part ≤ parts.
struct Shard {
    std::size_t part = 1;
    std::size_t parts = 1;
    // Return the index of the first of `total` items in this block and of the first one after it.
    [[nodiscard]] std::size_t begin(std::size_t total) const { return (part - 1) * total / parts; }
    [[nodiscard]] std::size_t end(std::size_t total) const { return part * total / parts; }
};
// Parses "2/8". Returns false and adds a problem if the text has another form.
bool parse_shard(const std::string& text, Shard& shard, Problems& problems);

// Returns the plans of this shard that fit. A shard without any is one line that only describes the search.
std::string shard_lines(const PlanQuestion& question, const Shard& shard, unsigned threads);
// Merges all shards of one search into its report, which equals that of the undivided search. Shards of
// different searches, missing shards and repeated shards are problems; `names` are the shards' names in them.
PlanReport merge_shards(const std::vector<std::string>& shards, const std::vector<std::string>& names,
                        Catalogue& catalogue, Problems& problems);

}  // namespace shardscope
