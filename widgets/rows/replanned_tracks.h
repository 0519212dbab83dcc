// Computes tracks whose automatic parameters are re-planned at each point. It works in the background for the
// sliders that request such a track, since planning may take long.
//
// All rows of a window share one object. Where planning is slow, a first guess (the best of a few plans)
// arrives before the exact tracks. A request for a guess runs for a minimum time before a newer request stops
// it, so that tracks are also updated during a drag.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <map>
#include <vector>

#include "explore/track.h"
#include "widgets/background.h"
#include "widgets/live_model.h"

namespace shardscope {

class TrackSlider;

class ReplannedTracks : public QObject {
    Q_OBJECT
  public:
    // Returns the object of this model, which is created on first use and destroyed with the model.
    static ReplannedTracks& of(LiveModel& model);

    // Requests the track of a slider, which is delivered by TrackSlider::set_replanned.
    void want(TrackSlider* slider, P id, const SliderScale& scale, TrackGrain grain);
    // Returns whether requested tracks have not been delivered yet.
    [[nodiscard]] bool pending() const { return !wanted_.empty() || background_.pending(); }

  private:
    explicit ReplannedTracks(LiveModel& model);
    void ask_soon();

    struct Wanted {
        QPointer<TrackSlider> slider;
        P id;
        SliderScale scale;
        TrackGrain grain;
    };
    void ask(std::vector<Wanted> wanted, const Scenario& scenario, bool guess);

    LiveModel& model_;
    std::map<TrackSlider*, Wanted> wanted_;
    QTimer soon_;
    QElapsedTimer asked_;    // time since the current request
    bool guessing_ = false;  // the current request is for a first guess
    bool slow_ = true;       // exact tracks take so long that a guess is worthwhile
    Background background_;
};

}  // namespace shardscope
