#include "widgets/rows/replanned_tracks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "system/jobs.h"
#include "widgets/rows/track_slider.h"

namespace shardscope {
namespace {

constexpr qint64 kPatience = 150;  // ms a question may run before a newer one ends it

}  // namespace

ReplannedTracks& ReplannedTracks::of(LiveModel& model) {
    auto* found = model.findChild<ReplannedTracks*>(QString(), Qt::FindDirectChildrenOnly);
    return found ? *found : *new ReplannedTracks(model);
}

ReplannedTracks::ReplannedTracks(LiveModel& model) : QObject(&model), model_(model) {
    soon_.setSingleShot(true);
    connect(&soon_, &QTimer::timeout, this, &ReplannedTracks::ask_soon);
}

void ReplannedTracks::want(TrackSlider* slider, P id, const SliderScale& scale, TrackGrain grain) {
    wanted_[slider] = {slider, id, scale, grain};
    // All sliders of a frame ask together.
    if (!soon_.isActive()) soon_.start(0);
}

void ReplannedTracks::ask_soon() {
    if (wanted_.empty()) return;
    // Exact tracks of what has changed since are of no use; a guess is better than an older one.
    if (background_.pending() && (guessing_ || !slow_) && asked_.elapsed() < kPatience) {
        soon_.start(static_cast<int>(kPatience - asked_.elapsed()));
        return;
    }
    std::vector<Wanted> wanted;
    for (auto& [slider, one] : wanted_) wanted.push_back(std::move(one));
    wanted_.clear();
    ask(std::move(wanted), model_.answer().scenario, slow_);
}

void ReplannedTracks::ask(std::vector<Wanted> wanted, const Scenario& scenario, bool guess) {
    guessing_ = guess;
    asked_.start();
    using Made = std::vector<Track>;
    background_.ask(
        [scenario, wanted, guess](const std::stop_token& stop) {
            Made made(wanted.size());
            // One processor stays with the window.
            parallel_for(wanted.size(), background_threads(), [&](std::size_t i) {
                if (stop.stop_requested()) return;
                TrackGrain grain = wanted[i].grain;
                grain.few_plans = guess;
                made[i] = track(scenario, wanted[i].id, wanted[i].scale, grain, stop);
            });
            return made;
        },
        [this, scenario, wanted, guess](Made made) {
            if (!guess) slow_ = asked_.elapsed() > kPatience;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                if (wanted[i].slider) wanted[i].slider->take_replanned(std::move(made[i]), scenario, guess);
            }
            if (!wanted_.empty()) {
                soon_.start(0);
            } else if (guess) {
                ask(wanted, scenario, false);
            }
        });
}

}  // namespace shardscope
