// Fuzzes typed values: a parameter's, KEY=VALUE; an axis of a sweep; a target to solve for; a share of a
// search; a quoted MFU, VALUE=CONVENTION.
#include <cmath>
#include <nlohmann/json.hpp>

#include "explain/conventions.h"
#include "explore/solve.h"
#include "explore/sweep.h"
#include "files/plan_file.h"
#include "fuzz/fuzz.h"
#include "presets/json_values.h"
#include "scenario/domain.h"

using namespace shardscope;

namespace {

void check_value(P id, std::string_view text) {
    for (const bool bare_unit_is_shown : {false, true}) {
        const Parsed parsed = parse(id, text, bare_unit_is_shown);
        fuzz::promise(parsed.ok == parsed.problem.empty(), "a value or what is wrong with it");
        if (!parsed.ok) continue;
        fuzz::promise(!format(id, parsed.value).empty(), "a value has a text");
        Problems problems;
        const double again = read_value(id, write_value(id, parsed.value), "", problems);
        fuzz::promise(problems.empty() && (again == parsed.value || std::isnan(parsed.value)),
                      "a written value reads back equal");
        const double valid = nearest_valid(id, parsed.value, resolve(Scenario::first_launch()));
        fuzz::promise(!std::isinf(valid), "the nearest valid value is a number");
    }
}

void check_quoted(const std::string& value, const std::string& convention) {
    static const Answer kAnswer = answer(Scenario::first_launch());
    Problems problems;
    const QuotedValue quoted = parse_quoted_value(value, convention, problems);
    fuzz::check_problems(problems);
    if (!problems.empty()) return;
    const double tokens = tokens_per_s(kAnswer, quoted);
    fuzz::promise(quoted.convention != nullptr && (tokens > 0 || std::isnan(tokens)) && !std::isinf(tokens),
                  "a quoted value is a speed, or does not apply");
}

void run(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::optional<P> id = find_parameter(text.substr(0, equals));
    if (id && equals != std::string_view::npos) check_value(*id, text.substr(equals + 1));

    if (equals != std::string_view::npos)
        check_quoted(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));

    Problems problems;
    const std::optional<Axis> axis = parse_axis(Scenario::first_launch(), std::string(text), problems);
    fuzz::check_problems(problems);
    fuzz::promise(axis.has_value() == problems.empty(), "an axis or a problem");
    if (axis) {
        fuzz::promise(!axis->values.empty(), "an axis has values");
        for (const double value : axis->values) fuzz::promise(!std::isinf(value), "an axis holds numbers");
    }

    Problems unmet;
    const Target target = parse_target(std::string(text), unmet);
    fuzz::check_problems(unmet);
    if (unmet.empty()) fuzz::promise(!std::isnan(target.value), "a target is a number");

    Problems none;
    Shard shard;
    if (parse_shard(std::string(text), shard, none))
        fuzz::promise(shard.part >= 1 && shard.part <= shard.parts, "a share is one of its parts");
    else fuzz::promise(!none.empty(), "a share or a problem");
}

const fuzz::Registration kRegistered({"value", run});

}  // namespace
