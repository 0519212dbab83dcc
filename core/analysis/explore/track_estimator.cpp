#include "explore/track_estimator.h"

#include <cmath>
#include <optional>

#include "parameters/matrix_format.h"
#include "planner/planner.h"
#include "scenario/domain.h"

namespace shardscope {
namespace {

// Texts have no effect on estimates, and copying them at each point would cost time.
Scenario without_texts(Scenario scenario) {
    scenario.name.clear();
    scenario.model_name.clear();
    return scenario;
}

}  // namespace

TrackEstimator::TrackEstimator(const Scenario& scenario, P id, const std::stop_token& stop)
    : base_(without_texts(scenario)),
      id_(id),
      settings_(resolve(base_)),
      for_edit_(settings_for_edit(base_, id)),
      range_(domain(id, for_edit_)),
      alone_(!may_change_others(id)),
      edit_(base_),
      stored_(index(id == P::peak_flops ? peak_of(settings_) : id)),
      stop_(stop) {
    edit_.automatic.reset(index(id));
    edit_.given.set(stored_);
}

TrackPoint TrackEstimator::present(double place) { return point(base_, settings_[id_], place); }

TrackPoint TrackEstimator::at(double value, double place) {
    if (value == settings_[id_]) return present(place);
    if (alone_) {
        edit_.value[stored_] = nearest_valid(id_, value, settings_);
        return point(edit_, value, place);
    }
    if (is_out_of_reach(value)) return {place, value};
    const Scenario next = edited(base_, id_, value);
    if (!is_base(next)) return point(next, value, place);
    // The edit changes nothing: the present value is the nearest one, or the edit cannot be made valid.
    const bool is_present = nearest_valid(id_, value, for_edit_) == settings_[id_];
    return is_present ? point(base_, value, place) : TrackPoint{place, value};
}

TrackPoint TrackEstimator::point(const Scenario& of, double value, double place) {
    if (of.automatic.none()) return judged(of, value, place);
    if (plans_.empty()) {
        // A search may be slow, so that it checks the stop token itself.
        const std::optional<Scenario> plan = planned(of, 1, stop_, latest_ ? &*latest_ : nullptr);
        if (!plan) return {place, value};
        const TrackPoint out = judged(locked(*plan), value, place);
        latest_ = plan_of(scratch_.settings);
        return out;
    }
    TrackPoint best{place, value};
    bool best_is_safe = false;
    for (const Plan& plan : plans_) {
        const TrackPoint met = judged(locked(with_plan(of, plan, of.automatic)), value, place);
        if (!met.fits) continue;
        // As in the planner, a plan that surely fits is preferred to one that may fit.
        const bool safe = scratch_.estimate.verdict == Verdict::fits;
        const bool better = safe == best_is_safe ? met.mfu > best.mfu : safe;
        if (best.fits && !better) continue;
        best = met;
        best_is_safe = safe;
    }
    return best;
}

TrackPoint TrackEstimator::judged(const Scenario& of, double value, double place) {
    TrackPoint out{place, value};
    if (!answer_into(of, scratch_) || !scratch_.estimate.fits()) return out;
    out.fits = true;
    out.wall = scratch_.estimate.wall;
    out.mfu = scratch_.estimate.mfu;
    out.risky = scratch_.estimate.verdict == Verdict::risky;
    return out;
}

void TrackEstimator::keep_plans_of(std::initializer_list<double> values) {
    plans_ = {plan_of(settings_)};
    for (const double value : values) {
        if (const std::optional<Scenario> plan = planned(edited(base_, id_, value), 1, stop_))
            plans_.push_back(plan_of(resolve(*plan)));
    }
}

bool TrackEstimator::is_out_of_reach(double value) const {
    constexpr double kRounding = 1e-9;
    const double low = range_.low * (1 - kRounding);
    const double high = range_.high * (1 + kRounding);
    if (std::isnan(value) || (value >= low && value <= high)) return false;
    // Values beyond the slider's ends may be possible, too.
    const double reached = nearest_valid(id_, value, for_edit_);
    return value < low ? reached >= low : reached <= high;
}

bool TrackEstimator::is_base(const Scenario& other) const {
    return other.given == base_.given && other.automatic == base_.automatic && other.value == base_.value;
}

}  // namespace shardscope
