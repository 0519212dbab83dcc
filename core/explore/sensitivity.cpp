#include "explore/sensitivity.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

bool is_input(P id) {
    const Parameter& row = parameter(id);
    return !row.named_only && row.prominence != Prominence::file;
}

std::optional<SensitivityEnd> end_at(const Scenario& scenario, P id, double now, double factor, Output output,
                                     Answer& scratch) {
    const Settings settings = resolve(scenario);
    const double x = nearest_valid(id, now * factor, settings);
    // The step to the nearest valid value may be none, or lead the other way.
    if (factor < 1 ? x >= now : x <= now) return std::nullopt;
    if (!answer_into(edited(scenario, id, x), scratch) || scratch.settings[id] != x) return std::nullopt;
    SensitivityEnd end;
    end.x = x;
    end.fits = scratch.estimate.fits();
    end.value = value_of(output, scratch);
    end.as_if = value_of(output, scratch, true);
    return end;
}

}  // namespace

std::array<double, 2> factors(Change change) {
    constexpr double kTenth = 0.1;
    return change == Change::half_and_double ? std::array{0.5, 2.0} : std::array{1 - kTenth, 1 + kTenth};
}

Sensitivity sensitivity(const Scenario& scenario, Output output, Change change, const std::stop_token& stop) {
    Sensitivity out;
    out.output = output;
    out.change = change;
    Answer scratch;
    if (!answer_into(scenario, scratch)) return out;
    // Edits start from the plan as it was found, as they do in the window.
    const Scenario base = scratch.scenario;
    const Settings settings = scratch.settings;
    out.now = value_of(output, scratch, true);
    const auto [less, more] = factors(change);
    for (std::size_t i = 0; i < kParameters && !stop.stop_requested(); ++i) {
        const P id = static_cast<P>(i);
        const double now = settings[id];
        // Zero has no multiples, and what is unknown none either.
        if (!is_input(id) || !(now > 0)) continue;
        SensitivityBar bar{id, now, end_at(base, id, now, less, output, scratch),
                           end_at(base, id, now, more, output, scratch), 0};
        bool breaks = false;
        for (const auto& end : {bar.less, bar.more}) {
            if (!end) continue;
            bar.effect = std::max(bar.effect, std::fabs(end->as_if / out.now - 1));
            breaks = breaks || !end->fits;
        }
        if (bar.effect >= kNoEffect || breaks) out.bars.push_back(bar);
        else ++out.without_effect;
    }
    std::ranges::stable_sort(out.bars, std::greater<>(), &SensitivityBar::effect);
    return out;
}

}  // namespace shardscope
