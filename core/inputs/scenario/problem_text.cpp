#include "scenario/problem_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenario/domain.h"
#include "text/translate.h"

namespace shardscope {

std::string pointer_to(P id) {
    std::string out = "/" + std::string(parameter(id).key);
    std::ranges::replace(out, '.', '/');
    return out;
}

std::string value_description(P id, const Settings& s) {
    const bool is_fraction = parameter(id).whole && s[id] != std::floor(s[id]);
    return translate("{1} is {2}", {label_of(id), is_fraction ? exact(s[id]) : format(id, s[id])});
}

Problem value_problem(P id, const Settings& s, std::string why, std::string what_to_do) {
    return {pointer_to(id), value_description(id, s), std::move(why), std::move(what_to_do)};
}

std::string suggest_nearest(P id, const Settings& s) {
    return translate("use {1}", {format(id, nearest_valid(id, s[id], s))});
}

std::string suggest_multiples(double value, double step) {
    const double below = std::floor(value / step) * step;
    const std::string larger = count_text(below + step);
    return below > 0 ? translate("use {1} or {2}", {count_text(below), larger})
                     : translate("use {1}", {larger});
}

std::string suggest_multiples_or(double value, double step, const std::string& instead) {
    const double below = std::floor(value / step) * step;
    const std::string larger = count_text(below + step);
    return below > 0 ? translate("use {1} or {2} of them, or {3}", {count_text(below), larger, instead})
                     : translate("use {1} of them, or {2}", {larger, instead});
}

std::string count_text(double value) { return format(value, Quantity::count); }

}  // namespace shardscope
