// What is wrong with a scenario, in words (`check`) or only whether something is (`is_valid`, for inner
// loops): values out of their ranges, combinations that break a constraint, and values that have no meaning
// for the model.
#include <algorithm>
#include <cmath>
#include <string>

#include "scenario/constraint.h"
#include "scenario/domain.h"
#include "scenario/problem_words.h"
#include "scenario/scenario.h"
#include "text/said.h"

namespace shardscope {
namespace {

// What a scenario says of a list of operators that it does not have. A degree of one is none.
bool says_nothing(P id, const Scenario& scenario, const Settings& s) {
    if (!s.listed() || !scenario.given[index(id)] || bears(id, s)) return false;
    return parameter(id).group == Group::model ||
           (id == P::sequence_length && scenario.value[index(id)] != 1) ||
           ((id == P::sequence_parallel || id == P::async_tensor_parallel) && s.on(id));
}

// Values that follow from others are judged with them, in `combinations`, where the message can name the
// cause.
bool judged_by_its_cause(P id, const Settings& s) {
    if (id == P::peak_flops) return std::isnan(s[id]);  // judged as a precision
    if (s.origin(id) != Origin::derived) return false;
    return id == P::accumulation || id == P::global_batch || id == P::heads || id == P::kv_heads ||
           id == P::head_size;
}

bool is_named(const Parameter& row, double value) {
    return std::ranges::find(row.names, value, &Named::value) != row.names.end();
}

bool may_be_missing(const Parameter& row) { return row.optional || row.prominence == Prominence::file; }

bool is_in_range(P id, double value) {
    const Parameter& row = parameter(id);
    if (std::isnan(value)) return may_be_missing(row);
    if (is_named(row, value)) return true;
    return !row.named_only && std::isfinite(value) && value >= row.minimum && value <= row.maximum &&
           (!row.whole || value == std::floor(value));
}

// `report(id, words)` is called once for each broken rule; `words` makes the Problem.
template <typename Report>
void values_in_range(const Settings& s, Report&& report) {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const double value = s[id];
        if (is_in_range(id, value) || judged_by_its_cause(id, s)) continue;
        const Parameter& row = parameter(id);
        if (std::isnan(value)) {
            report(id, [&] {
                return Problem{pointer_to(id), said("{1} is missing", {field_of(id)}),
                               said("no preset gives it"), said("set {1}", {row.key})};
            });
        } else if (row.named_only) {
            report(id, [&] {
                std::string names;
                for (const Named& entry : row.names)
                    names += std::string(names.empty() ? "" : ", ") + std::string(entry.name);
                return Problem{pointer_to(id), value_in_words(id, s), said("there is no such choice"),
                               said("use one of {1}", {names})};
            });
        } else if (!std::isfinite(value) || value < row.minimum || value > row.maximum) {
            report(id, [&] {
                const std::string least = format(id, row.minimum);
                const std::string most = format(id, row.maximum);
                return Problem{
                    pointer_to(id), value_in_words(id, s),
                    value < row.minimum ? said("must be at least {1}", {least})
                                        : said("must be at most {1}", {most}),
                    units_of(row.quantity).empty()
                        ? said("use a value from {1} to {2}", {least, most})
                        : said("use a value from {1} to {2}; a number without a unit is in SI units",
                               {least, most})};
            });
        } else if (row.whole && value != std::floor(value)) {
            report(id, [&] {
                return Problem{pointer_to(id), value_in_words(id, s), said("must be a whole number"),
                               use_neighbours(value, 1)};
            });
        }
    }
}

// What is wrong with a scenario that its settings do not show: values of a model that it does not have, and
// what cannot be automatic.
template <typename Report>
void beyond_settings(const Scenario& scenario, const Settings& settings, Report&& report) {
    if (!settings.listed() && scenario.automatic.none() && !scenario.given[index(P::image_size)]) return;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (says_nothing(id, scenario, settings)) {
            report(id, [&] {
                return Problem{pointer_to(id), said("{1} is given", {field_of(id)}),
                               said("the model is a list of operators"), said("leave it out")};
            });
        } else if (id == P::image_size && scenario.given[i] && !bears(id, settings)) {
            report(id, [&] {
                return Problem{pointer_to(id), said("{1} is given", {field_of(id)}),
                               said("no feature map of the model follows an image"), said("leave it out")};
            });
        }
        if (scenario.automatic[i] && !parameter(id).plan) {
            report(id, [&] {
                return Problem{"/training/auto", said("“{1}” cannot be automatic", {field_of(id)}),
                               said("it is no choice of the training plan"), said("leave it out")};
            });
        }
    }
}

// Calls `report(constraint)` for each that is broken and judged.
template <typename Report>
void broken_constraints(const Settings& s, Report&& report) {
    auto judged = Constraint::Level::batch;  // the last level that is judged
    for (const Constraint& constraint : constraints()) {
        if (constraint.level > judged || constraint.holds(s)) continue;
        judged = std::min(judged, constraint.level);
        report(constraint);
    }
}

}  // namespace

Problems check(const Scenario& scenario, const Settings& settings) {
    Problems problems;
    const auto collect = [&](P, auto&& words) { problems.push_back(words()); };
    values_in_range(settings, collect);
    if (problems.empty()) {
        broken_constraints(settings, [&](const Constraint& constraint) {
            problems.push_back(constraint.problem(settings));
        });
    }
    beyond_settings(scenario, settings, collect);
    return problems;
}

bool is_valid(const Scenario& scenario, const Settings& settings, const Settings* valid_before) {
    bool valid = true;
    const auto note = [&](P, auto&&) { valid = false; };
    const bool known = valid_before && settings.all_differences(*valid_before, [&](P id) {
        return is_in_range(id, settings[id]);
    });
    if (!known) values_in_range(settings, note);
    if (valid) valid = keeps_all(constraints(), settings);
    if (valid) beyond_settings(scenario, settings, note);
    return valid;
}

bool is_valid(const Settings& settings) {
    bool valid = true;
    values_in_range(settings, [&](P, auto&&) { valid = false; });
    return valid && keeps_all(constraints(), settings);
}

}  // namespace shardscope
