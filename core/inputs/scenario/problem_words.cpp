#include "scenario/problem_words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenario/domain.h"
#include "text/said.h"

namespace shardscope {

std::string pointer_to(P id) {
    std::string out = "/" + std::string(parameter(id).key);
    std::ranges::replace(out, '.', '/');
    return out;
}

std::string value_in_words(P id, const Settings& s) {
    const bool is_fraction = parameter(id).whole && s[id] != std::floor(s[id]);
    return said("{1} is {2}", {field_of(id), is_fraction ? exact(s[id]) : format(id, s[id])});
}

Problem wrong_value(P id, const Settings& s, std::string why, std::string what_to_do) {
    return {pointer_to(id), value_in_words(id, s), std::move(why), std::move(what_to_do)};
}

std::string use_nearest(P id, const Settings& s) {
    return said("use {1}", {format(id, nearest_valid(id, s[id], s))});
}

std::string use_neighbours(double value, double step) {
    const double below = std::floor(value / step) * step;
    const std::string larger = count_text(below + step);
    return below > 0 ? said("use {1} or {2}", {count_text(below), larger}) : said("use {1}", {larger});
}

std::string use_neighbours_or(double value, double step, const std::string& instead) {
    const double below = std::floor(value / step) * step;
    const std::string larger = count_text(below + step);
    return below > 0 ? said("use {1} or {2} of them, or {3}", {count_text(below), larger, instead})
                     : said("use {1} of them, or {2}", {larger, instead});
}

std::string count_text(double value) { return format(value, Quantity::count); }

}  // namespace shardscope
