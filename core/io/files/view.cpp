#include "files/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "explore/sweep.h"
#include "files/scenario_file.h"
#include "text/pin_letters.h"

namespace shardscope {
namespace {

const std::vector<std::string> kViewSwitches{
#define SHARDSCOPE_SWITCH(name) name,
#include "files/plots.inc"
};

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

// Returns the pin as a scenario. Its problems have pointers from the top of the pin.
Scenario patched(const Scenario& scenario, const std::string& pin, Catalogue& catalogue, Problems& problems) {
    Scenario out = apply_patch(scenario, pin, catalogue, problems);
    // A scenario with automatic parameters need not be checked: the planner chooses valid values.
    if (problems.empty() && out.automatic.none()) problems = check(out, resolve(out));
    return out;
}

}  // namespace

std::span<const std::string> view_switches() { return kViewSwitches; }

bool View::is_switched(std::string_view name) const {
    return std::ranges::find(switched, name) != switched.end();
}

// Keeps the order of kViewSwitches, so that views with the same switches compare equal.
void View::set_switched(std::string_view name, bool on) {
    std::vector<std::string> next;
    for (const std::string& known : kViewSwitches) {
        if (known == name ? on : is_switched(known)) next.push_back(known);
    }
    switched = std::move(next);
}

std::optional<Axis> ranged_axis(const Scenario& scenario, P id, const std::string& range) {
    Problems unread;
    return parse_axis(scenario, std::string(parameter(id).key) + "=" + range, unread);
}

std::vector<Axis> axes_of(const View& view, const Scenario& scenario) {
    std::vector<Axis> out;
    for (const auto& [id, range] : {std::pair{view.x, &view.x_range}, std::pair{view.y, &view.y_range}}) {
        if (!id) break;
        constexpr int kSteps = 97;
        const auto ranged = range->empty() ? std::nullopt : ranged_axis(scenario, *id, *range);
        out.push_back(ranged ? *ranged : default_axis(scenario, *id, kSteps));
    }
    return out;
}

std::vector<Scenario> pins_of(const SavedView& view, const Scenario& scenario, Catalogue& catalogue,
                              Problems& problems) {
    std::vector<Scenario> out;
    for (std::size_t i = 0; i < view.pins.size(); ++i) {
        Problems own;
        out.push_back(patched(scenario, view.pins[i], catalogue, own));
        for (Problem& problem : own) {
            problem.where = "/view/pins/" + std::to_string(i) + problem.where;
            problems.push_back(std::move(problem));
        }
    }
    return out;
}

SavedView valid_view(const SavedView& view, const Scenario& scenario, Catalogue& catalogue) {
    SavedView out = view;
    const auto drop_unreadable = [&](std::optional<P> id, std::string& range) {
        if (!id || !ranged_axis(scenario, *id, range)) range.clear();
    };
    drop_unreadable(out.x, out.x_range);
    drop_unreadable(out.y, out.y_range);
    std::erase_if(out.pins, [&](const std::string& pin) {
        Problems problems;
        patched(scenario, pin, catalogue, problems);
        return !problems.empty();
    });
    if (out.pins.size() > kMostPins) out.pins.resize(kMostPins);
    if (out.measured && !(is_positive(out.measured->value) && is_positive(out.measured->gpus)))
        out.measured.reset();
    return out;
}

}  // namespace shardscope
