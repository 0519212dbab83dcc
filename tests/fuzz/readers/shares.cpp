// Fuzzes shares of a plan search: merged shares give a report that can be printed. Shares are separated by a
// form feed.
#include <nlohmann/json.hpp>

#include "files/plan_file.h"
#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"
#include "text/text.h"

using namespace shardscope;

namespace {

void run(std::string_view text) {
    const std::vector<std::string> shares = split(text, '\f');
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shares.size(); ++i) names.push_back("share " + std::to_string(i));
    Problems problems;
    const PlanReport report = merge_shards(shares, names, fuzz::catalogue(), problems);
    fuzz::check_problems(problems);
    if (!problems.empty()) return;
    fuzz::promise(nlohmann::json::accept(plan_json(report)), "a report is printed as JSON");
    fuzz::promise(!plan_text(report).empty(), "a report is printed as text");
}

const fuzz::Registration kRegistered({"shares", run, fuzz::mutate_lines});

}  // namespace
