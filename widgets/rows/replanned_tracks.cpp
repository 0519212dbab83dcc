#include "widgets/rows/replanned_tracks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "system/jobs.h"
#include "widgets/rows/track_slider.h"

namespace shardscope {
namespace {

constexpr qint64 kMinimumRun = 150;  // ms that a request may run before a newer one stops it

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
    wanted_.insert_or_assign(slider, Wanted{slider, id, scale, grain});
    // The requests of all sliders in a frame are collected.
    if (!soon_.isActive()) soon_.start(0);
}

void ReplannedTracks::ask_soon() {
    if (wanted_.empty()) return;
    // A running guess or fast exact computation may finish first, because its result is newer than the tracks
    // on screen. A slow exact computation for an outdated scenario is stopped at once.
    if (background_.pending() && (guessing_ || !slow_) && asked_.elapsed() < kMinimumRun) {
        soon_.start(static_cast<int>(kMinimumRun - asked_.elapsed()));
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
            // background_threads() leaves one processor to the window.
            parallel_for(wanted.size(), background_threads(), [&](std::size_t i) {
                if (stop.stop_requested()) return;
                TrackGrain grain = wanted[i].grain;
                grain.few_plans = guess;
                made[i] = track(scenario, wanted[i].id, wanted[i].scale, grain, stop);
            });
            return made;
        },
        [this, scenario, wanted, guess](Made made) {
            if (!guess) slow_ = asked_.elapsed() > kMinimumRun;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                if (wanted[i].slider) wanted[i].slider->set_replanned(std::move(made[i]), scenario, guess);
            }
            if (!wanted_.empty()) {
                soon_.start(0);
            } else if (guess) {
                ask(wanted, scenario, false);
            }
        });
}

}  // namespace shardscope
