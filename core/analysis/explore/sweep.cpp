#include "explore/sweep.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evidence/likely_range.h"
#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

void add(Axis& axis, double value) {
    if (axis.values.empty() || axis.values.back() != value) axis.values.push_back(value);
}

}  // namespace

Axis make_axis(const Scenario& scenario, P id, double from, double to, int steps, bool logarithmic) {
    Axis axis{id, {}};
    const Settings settings = settings_for_edit(scenario, id);
    for (int i = 0; i < steps; ++i) {
        const double t = steps > 1 ? static_cast<double>(i) / (steps - 1) : 0;
        double value = logarithmic ? from * std::pow(to / from, t) : from + (to - from) * t;
        if (i == 0) value = from;
        if (i + 1 == steps && steps > 1) value = to;
        add(axis, nearest_valid(id, value, settings));
    }
    return axis;
}

bool is_discrete(P id) {
    return parameter(id).named_only || std::ranges::find(kDegrees, id) != kDegrees.end();
}

Axis default_axis(const Scenario& scenario, P id, int steps) {
    const Settings settings = settings_for_edit(scenario, id);
    const Domain range = domain(id, settings);
    if (!range.stops.empty() && range.stops.size() <= static_cast<std::size_t>(steps))
        return {id, range.stops};
    return make_axis(scenario, id, range.low, range.high, steps, parameter(id).logarithmic && range.low > 0);
}

std::optional<Axis> parse_axis(const Scenario& scenario, const std::string& text, Problems& problems) {
    const auto fail = [&](const std::string& what, const std::string& suggestion) {
        problems.push_back({"", "--axis " + text + ": " + what, "", suggestion});
        return std::nullopt;
    };
    const std::string how = translate("write KEY=FROM:TO:STEPS[:log] or KEY=a,b,c");
    const auto equals = text.find('=');
    if (equals == std::string::npos) return fail(translate("has no ="), how);
    const std::string key = trim(text.substr(0, equals));
    const std::optional<P> found = find_parameter(key);
    if (!found) {
        std::vector<std::string> known;
        for (const Parameter& row : parameters()) known.emplace_back(row.key);
        for (std::size_t i = 0; i < kParameters; ++i) known.emplace_back(field_of(static_cast<P>(i)));
        return fail(translate("there is no parameter “{1}”", {key}),
                    suggestion(key, known, translate("list them with `shardscope parameters`")));
    }
    const P id = *found;
    const std::string range = text.substr(equals + 1);
    const auto number = [&](const std::string& word, double& out) {
        const Parsed parsed = parse(id, word);
        if (!parsed.ok) {
            fail(parsed.problem, parsed.suggestion);
            return false;
        }
        out = parsed.value;
        return true;
    };
    Axis axis{id, {}};
    const std::vector<std::string> parts = split(range, ':');
    if (parts.size() == 1) {
        const Settings settings = settings_for_edit(scenario, id);
        for (const std::string& word : split(range, ',')) {
            double value = 0;
            if (!number(word, value)) return std::nullopt;
            add(axis, nearest_valid(id, value, settings));
        }
        return axis;
    }
    if (parts.size() < 3 || parts.size() > 4 || (parts.size() == 4 && parts[3] != "log")) {
        return fail(translate("cannot be read"), how);
    }
    double from = 0;
    double to = 0;
    if (!number(parts[0], from) || !number(parts[1], to)) return std::nullopt;
    const Parsed steps = parse(parts[2], Quantity::count);
    constexpr double kMost = 1e6;
    if (!steps.ok || steps.value < 1 || steps.value > kMost || steps.value != std::floor(steps.value)) {
        return fail(translate("STEPS is “{1}”", {parts[2]}),
                    translate("use a whole number from 1 to 1,000,000"));
    }
    const bool logarithmic = parts.size() == 4;
    if (logarithmic && (from <= 0 || to <= 0))
        return fail(translate("a logarithmic axis needs ends above zero"), translate("drop :log"));
    return make_axis(scenario, id, from, to, static_cast<int>(steps.value), logarithmic);
}

std::size_t combinations(const std::vector<Axis>& axes) {
    std::size_t count = 1;
    for (const Axis& axis : axes) count *= axis.values.size();
    return count;
}

std::vector<std::size_t> indices_of(const std::vector<Axis>& axes, std::size_t combination) {
    std::vector<std::size_t> at(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        at[i] = combination % axes[i].values.size();
        combination /= axes[i].values.size();
    }
    return at;
}

bool answer_point(const Scenario& scenario, const std::vector<Axis>& axes, const std::vector<std::size_t>& at,
                  Answer& out) {
    Scenario point = scenario;
    for (std::size_t i = 0; i < axes.size(); ++i) point = assigned(point, axes[i].id, axes[i].values[at[i]]);
    return answer_into(point, out);
}

std::string reason_of(const Answer& point) {
    if (point.impossible) return impossible_problem(point).text();
    return texts_of(check(point.scenario, point.settings));
}

CurvePoint curve_point(double x, const Answer& answer, bool valid) {
    CurvePoint point;
    point.x = x;
    point.valid = valid;
    if (!valid) return point;
    const Estimate& e = answer.estimate;
    point.verdict = e.verdict;
    point.wall = e.wall;
    point.mfu = e.mfu;
    point.tokens_per_s = e.tokens_per_s;
    point.tokens_per_s_per_gpu = e.tokens_per_s_per_gpu;
    const LikelyRange likely = likely_range(answer);
    point.band_low = likely.low;
    point.band_high = likely.high;
    point.peak_memory = e.memory.peak;
    const MemoryTerms& terms = e.memory.terms();
    point.sharded_memory = std::accumulate(terms.begin(), terms.begin() + kModelStateTerms, 0.0);
    point.ideal_mfu = e.ideal.mfu;
    point.ideal_tokens_per_s_per_gpu = e.ideal.tokens_per_s;
    point.run_tokens = e.run.tokens_at_full_goodput();
    return point;
}

Curve curve(const Scenario& scenario, const Axis& axis, const std::stop_token& stop) {
    Curve out;
    out.reserve(axis.values.size());
    Answer scratch;
    for (const double value : axis.values) {
        if (stop.stop_requested()) break;
        const bool valid = answer_into(edited(scenario, axis.id, value), scratch);
        out.push_back(curve_point(value, scratch, valid));
    }
    return out;
}

}  // namespace shardscope
