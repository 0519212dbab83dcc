#include "explore/track_estimator.h"

namespace shardscope {
namespace {

// Texts bear on nothing and cost a copy at each point.
Scenario without_texts(Scenario scenario) {
    scenario.name.clear();
    scenario.view.clear();
    return scenario;
}

}  // namespace

TrackEstimator::TrackEstimator(const Scenario& scenario, P id)
    : base_(without_texts(scenario)),
      id_(id),
      settings_(resolve(base_)),
      alone_(!others_may_follow(id)),
      edit_(base_),
      stored_(index(id == P::peak_flops ? peak_of(settings_.choice<Precision>(P::precision)) : id)) {
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
    const Scenario next = edited(base_, id_, value);
    if (is_base(next)) return {place, value};
    return point(next, value, place);
}

TrackPoint TrackEstimator::point(const Scenario& of, double value, double place) {
    TrackPoint out{place, value};
    if (!answer_into(of, scratch_) || !scratch_.estimate.fits()) return out;
    out.fits = true;
    out.wall = scratch_.estimate.wall;
    out.mfu = scratch_.estimate.mfu;
    return out;
}

bool TrackEstimator::is_base(const Scenario& other) const {
    return other.given == base_.given && other.automatic == base_.automatic && other.value == base_.value;
}

}  // namespace shardscope
