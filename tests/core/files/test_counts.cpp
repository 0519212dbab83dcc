// Tests the limits on the size of files, at the limit and one beyond it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "evidence/runs.h"
#include "files/scenario_file.h"
#include "files/session_file.h"
#include "presets/json_values.h"
#include "studies/study.h"
#include "support/check_scenario.h"
#include "support/folder.h"

using namespace shardscope;
using namespace shardscope::testing;
using nlohmann::json;

namespace {

bool has_problem(const Problems& problems, const std::string& words) {
    for (const Problem& problem : problems) {
        if (problem.text().find(words) != std::string::npos) return true;
    }
    return false;
}

json repeated_entry(std::size_t count, const json& entry) {
    json out = json::array();
    for (std::size_t i = 0; i < count; ++i) out.push_back(entry);
    return out;
}

}  // namespace

TEST_CASE("counts: JSON may have 64 levels and 1,000,000 values", "[files][limits]") {
    const auto problems_of = [](const std::string& text) {
        Problems problems;
        parse_json(text, problems);
        return problems;
    };
    CHECK(problems_of(std::string(64, '[') + std::string(64, ']')).empty());
    CHECK(has_problem(problems_of(std::string(65, '[') + std::string(65, ']')), "nested too deeply"));
    // The list itself counts as a value, like its numbers.
    const auto numbers = [](std::size_t count) {
        std::string out = "[0";
        for (std::size_t i = 1; i < count; ++i) out += ",0";
        return out + "]";
    };
    CHECK(problems_of(numbers(999'999)).empty());
    CHECK(has_problem(problems_of(numbers(1'000'000)), "more than 1,000,000 values"));
    // Commas and brackets inside strings do not count.
    CHECK(problems_of("[\"" + std::string(2'000'000, ',') + "\"]").empty());
    CHECK(problems_of("[\"" + std::string(2'000'000, '[') + "\"]").empty());
}

TEST_CASE("counts: JSON Lines may have 100,000 lines", "[files][limits]") {
    const auto lines = [](std::size_t count) {
        std::string out;
        for (std::size_t i = 0; i < count; ++i) out += "{}\n\n";
        return out;
    };
    Problems problems;
    CHECK(split_documents(lines(100'000), problems).size() == 100'000);
    CHECK(problems.empty());
    CHECK(split_documents(lines(100'001), problems).empty());
    CHECK(has_problem(problems, "more than 100,000 lines of JSON"));
}

TEST_CASE("counts: a model may have 1,000 blocks of 1,000 operators", "[files][limits]") {
    const json norm{{"name", "norm"}, {"kind", "norm"}, {"rows", 4}, {"width", 8}};
    const auto problems_of = [&](std::size_t blocks, std::size_t operators) {
        const json block{{"name", "block"}, {"operators", repeated_entry(operators, norm)}};
        Problems problems;
        read_scenario(json{{"model", {{"operators", repeated_entry(blocks, block)}}}}.dump(), shipped_only(),
                      "", problems);
        return problems;
    };
    CHECK(problems_of(1000, 1).empty());
    CHECK(problems_of(1, 1000).empty());
    CHECK(has_problem(problems_of(1001, 1), "it must have 1 to 1000"));
    CHECK(has_problem(problems_of(1, 1001), "it must have 1 to 1000"));
}

TEST_CASE("counts: a session may have seven scenarios", "[files][limits]") {
    const auto problems_of = [](std::size_t count) {
        Problems problems;
        const json file{{"format", "shardscope-session"},
                        {"version", 1},
                        {"scenarios", repeated_entry(count, json::object())}};
        read_session(file.dump(), shipped_only(), "", problems);
        return problems;
    };
    CHECK(problems_of(7).empty());
    CHECK(has_problem(problems_of(8), "up to six pins"));
}

TEST_CASE("counts: a claim's grid may have 10,000 points", "[files][limits]") {
    const std::string text = read_file(SHARDSCOPE_SOURCE_DIR "/presets/studies/fsdp-grid-search.json");
    const auto problems_of = [&](std::size_t values) {
        json file = json::parse(text);
        file["claims"][0]["along"]["memory"] = json::array();
        for (std::size_t i = 0; i < values; ++i)
            file["claims"][0]["along"]["memory"].push_back(1e10 + 1e6 * static_cast<double>(i));
        Problems problems;
        read_study(file.dump(), shipped_only(), "", problems);
        return problems;
    };
    CHECK(problems_of(1).empty());
    CHECK(has_problem(problems_of(10'001), "use at most 10,000"));
}

TEST_CASE("counts: a view's lists may have 1,000 names", "[files][limits]") {
    for (const auto& [field, name] : {std::pair{"outputs", "mfu"}, std::pair{"switched", "strong"}}) {
        for (const std::size_t count : {1000U, 1001U}) {
            json file{{"name", "many"}};
            file["view"][field] = repeated_entry(count, name);
            Problems problems;
            read_scenario(file.dump(), shipped_only(), "", problems);
            CHECK(problems.empty() == (count == 1000U));
            CHECK(has_problem(problems, "up to 1,000") == (count > 1000U));
        }
    }
}

TEST_CASE("counts: a table of runs may have 10,000 rows and 1,000 columns", "[files][limits]") {
    const std::string table = read_file(SHARDSCOPE_SOURCE_DIR "/tests/fuzz/corpus/runs/runs.csv");
    const std::size_t header = table.find('\n') + 1;
    const std::string row = table.substr(header, table.find('\n', header) + 1 - header);
    std::string rows = table.substr(0, header);
    for (int i = 0; i < 9'999; ++i) rows += row;
    Problems problems;
    CHECK(read_runs(rows, problems).size() == 9'999);  // 10,000 with the header
    CHECK_FALSE(has_problem(problems, "more than 10,000 rows"));
    problems.clear();
    CHECK(read_runs(rows + row, problems).empty());
    CHECK(has_problem(problems, "more than 10,000 rows"));
    // The table may have 1,000 columns.
    const std::size_t columns =
        static_cast<std::size_t>(std::count(table.begin(), table.begin() + static_cast<long>(header), ',')) +
        1;
    for (const std::size_t more : {1000 - columns, 1001 - columns}) {
        problems.clear();
        read_runs(table.substr(0, header - 1) + std::string(more, ',') + "\n" + row, problems);
        CHECK(has_problem(problems, "more than 1,000 columns") == (columns + more > 1000));
    }
}
