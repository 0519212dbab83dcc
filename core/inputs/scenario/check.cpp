// Finds values out of their ranges, combinations that break a constraint, and values that have no meaning for
// the model. `check` returns the problems, `is_valid` only whether there are any, for inner loops.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "scenario/constraint.h"
#include "scenario/domain.h"
#include "scenario/problem_text.h"
#include "scenario/scenario.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Returns whether the scenario sets a parameter that has no meaning for its list of operators. A sequence
// length of one and switches that are off are accepted.
bool is_meaningless(P id, const Scenario& scenario, const Settings& s) {
    if (!s.listed() || !scenario.given[index(id)] || applies_to(id, s)) return false;
    return parameter(id).group == Group::model ||
           (id == P::sequence_length && scenario.value[index(id)] != 1) ||
           (parameter(id).quantity == Quantity::flag && s.on(id));
}

// Returns whether the value is derived from others and is checked by a constraint, whose message can name the
// cause.
bool checked_by_constraint(P id, const Settings& s) {
    if (id == P::peak_flops) return std::isnan(s[id]);  // the constraint on the precision checks it
    if (s.origin(id) != Origin::derived) return false;
    return id == P::accumulation || id == P::global_batch || id == P::heads || id == P::kv_heads ||
           id == P::head_size;
}

// Whole numbers beyond 2^53 have no neighbours that a double could hold.
bool is_whole(double value) {
    constexpr double kLargestWhole = 9007199254740992;  // 2^53
    return std::fabs(value) >= kLargestWhole ||
           static_cast<double>(static_cast<std::int64_t>(value)) == value;
}

bool is_in_range(const Parameter& row, double value) {
    // Nearly every value leaves here.
    if (value >= row.minimum && value <= row.maximum && !row.named_only && std::isfinite(value) &&
        (!row.whole || is_whole(value)))
        return true;
    if (std::isnan(value)) return row.optional || row.prominence == Prominence::file;
    return is_named(row, value);
}

// Calls `report(id, make_problem)` once for each value out of its range.
template <typename Report>
void values_in_range(const Settings& s, Report&& report) {
    const std::span<const Parameter, kParameters> rows = parameters();
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const double value = s[id];
        const Parameter& row = rows[i];
        if (is_in_range(row, value) || checked_by_constraint(id, s)) continue;
        if (std::isnan(value)) {
            report(id, [&] {
                return Problem{pointer_to(id), translate("{1} is missing", {label_of(id)}),
                               translate("no preset gives it"), translate("set {1}", {row.key})};
            });
        } else if (row.named_only) {
            report(id, [&] {
                return Problem{pointer_to(id), value_description(id, s), translate("there is no such choice"),
                               translate("use one of {1}", {joined(row.names, ", ", &Named::name)})};
            });
        } else if (!std::isfinite(value) || value < row.minimum || value > row.maximum) {
            report(id, [&] {
                const std::string least = format(id, row.minimum);
                const std::string most = format(id, row.maximum);
                return Problem{
                    pointer_to(id), value_description(id, s),
                    value < row.minimum ? translate("must be at least {1}", {least})
                                        : translate("must be at most {1}", {most}),
                    units_of(row.quantity).empty()
                        ? translate("use a value from {1} to {2}", {least, most})
                        : translate("use a value from {1} to {2}; a number without a unit is in SI units",
                                    {least, most})};
            });
        } else if (row.whole && value != std::floor(value)) {
            report(id, [&] {
                return Problem{pointer_to(id), value_description(id, s), translate("must be a whole number"),
                               suggest_multiples(value, 1)};
            });
        }
    }
}

// Reports problems that the settings do not show: values that have no meaning for the model, and parameters
// that cannot be automatic.
template <typename Report>
void check_scenario(const Scenario& scenario, const Settings& settings, Report&& report) {
    if (!settings.listed() && scenario.automatic.none() && !scenario.given[index(P::image_size)]) return;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (is_meaningless(id, scenario, settings)) {
            report(id, [&] {
                return Problem{pointer_to(id), translate("{1} is given", {label_of(id)}),
                               translate("the model is a list of operators"), translate("leave it out")};
            });
        } else if (id == P::image_size && scenario.given[i] && !applies_to(id, settings)) {
            report(id, [&] {
                return Problem{pointer_to(id), translate("{1} is given", {label_of(id)}),
                               translate("no feature map of the model depends on the image size"),
                               translate("leave it out")};
            });
        }
        if (scenario.automatic[i] && !parameter(id).of_plan()) {
            report(id, [&] {
                return Problem{"/training/auto", translate("“{1}” cannot be automatic", {label_of(id)}),
                               translate("it is not part of the training plan"), translate("leave it out")};
            });
        }
    }
}

// Calls `report(constraint)` for each broken constraint that is checked.
template <typename Report>
void broken_constraints(const Settings& s, Report&& report) {
    auto last_level = Constraint::Level::batch;  // the last level that is checked
    for (const std::span<const Constraint> list : constraint_lists()) {
        for (const Constraint& constraint : list) {
            if (constraint.level > last_level || constraint.holds(s)) continue;
            if (constraint.blocks) last_level = std::min(last_level, constraint.level);
            report(constraint);
        }
    }
}

// Returns whether every value is in its own range. Inner loops check settings that differ in few values, so
// that only the differences from the last settings that passed are compared with their ranges.
bool all_in_range(const Settings& s) {
    static thread_local std::optional<Settings> passed;
    const auto in_range = [&](P id) { return is_in_range(parameter(id), s[id]); };
    bool out = true;
    if (passed) {
        out = s.all_differences(*passed, in_range);
    } else {
        for (std::size_t i = 0; i < kParameters && out; ++i) out = in_range(static_cast<P>(i));
    }
    if (out) passed = s;
    return out;
}

}  // namespace

Problems check(const Scenario& scenario, const Settings& settings) {
    Problems problems;
    const auto collect = [&](P, auto&& make_problem) { problems.push_back(make_problem()); };
    values_in_range(settings, collect);
    if (problems.empty()) {
        broken_constraints(settings, [&](const Constraint& constraint) {
            problems.push_back(constraint.problem(settings));
        });
    }
    check_scenario(scenario, settings, collect);
    return problems;
}

namespace {

// Returns whether settings differ from valid ones only in values that no constraint reads and that are in
// their ranges.
bool is_valid_like(const Settings& valid, const Settings& s) {
    // A list of operators may have been freed, and another may have the same address.
    if (valid.listed() || s.listed()) return false;
    // The only parameters of which a constraint reads the origin.
    for (const P id : {P::global_batch, P::heads, P::head_size}) {
        if (valid.origin(id) != s.origin(id)) return false;
    }
    return s.all_differences(valid, [&](P id) {
        return !is_constrained(id) && std::isfinite(s[id]) && is_in_range(parameter(id), s[id]);
    });
}

}  // namespace

bool is_valid(const Settings& settings) {
    // Inner loops check settings that differ from the last valid ones in few values, most of them rates.
    static thread_local std::optional<Settings> last;
    if (last && is_valid_like(*last, settings)) return true;
    bool valid = true;
    if (!all_in_range(settings)) values_in_range(settings, [&](P, auto&&) { valid = false; });
    valid = valid && std::ranges::all_of(constraint_lists(), [&](const std::span<const Constraint> list) {
                return all_hold(list, settings);
            });
    if (valid) last = settings;
    return valid;
}

bool is_valid(const Scenario& scenario, const Settings& settings) {
    bool valid = is_valid(settings);
    if (valid) check_scenario(scenario, settings, [&](P, auto&&) { valid = false; });
    return valid;
}

}  // namespace shardscope
