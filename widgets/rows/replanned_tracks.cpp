#include "widgets/rows/replanned_tracks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "explore/jobs.h"
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
    connect(&soon_, &QTimer::timeout, this, &ReplannedTracks::ask);
}

void ReplannedTracks::want(TrackSlider* slider, P id, const SliderScale& scale, TrackGrain grain) {
    wanted_[slider] = {slider, id, scale, grain};
    // All sliders of a frame ask together.
    if (!soon_.isActive()) soon_.start(0);
}

void ReplannedTracks::ask() {
    if (wanted_.empty()) return;
    if (background_.pending() && asked_.elapsed() < kPatience) {
        soon_.start(static_cast<int>(kPatience - asked_.elapsed()));
        return;
    }
    std::vector<Wanted> wanted;
    for (auto& [slider, one] : wanted_) wanted.push_back(std::move(one));
    wanted_.clear();
    asked_.start();
    background_.ask(
        [scenario = model_.answer().scenario, wanted](const std::stop_token& stop) {
            std::vector<std::pair<QPointer<TrackSlider>, Track>> tracks(wanted.size());
            // One processor stays with the window.
            parallel_for(wanted.size(), std::max(1U, usable_threads() - 1), [&](std::size_t i) {
                if (stop.stop_requested()) return;
                const Wanted& one = wanted[i];
                tracks[i] = {one.slider, track(scenario, one.id, one.scale, one.grain, stop)};
            });
            return tracks;
        },
        [this, of = model_.answer().scenario](std::vector<std::pair<QPointer<TrackSlider>, Track>> tracks) {
            for (auto& [slider, track] : tracks) {
                if (slider) slider->take_replanned(std::move(track), of);
            }
            if (!wanted_.empty()) soon_.start(0);
        });
}

}  // namespace shardscope
