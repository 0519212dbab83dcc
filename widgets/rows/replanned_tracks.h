// Tracks whose automatic parameters are planned anew at each point: made in the background for the sliders
// that ask for one, since planning may take long.
//
// All rows of a window share one such maker. Where planning is slow a first guess, the best of a few plans,
// comes ahead of the exact tracks; a question for it runs a while before a newer one ends it, so that tracks
// follow during a drag too and not only after it.
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
    // The model's; made on first use and gone with the model.
    static ReplannedTracks& of(LiveModel& model);

    // Asks for a slider's track; it is handed over with `take_replanned`.
    void want(TrackSlider* slider, P id, const SliderScale& scale, TrackGrain grain);
    // Tracks are still to come.
    [[nodiscard]] bool pending() const { return !wanted_.empty() || background_.pending(); }

  private:
    explicit ReplannedTracks(LiveModel& model);
    void ask_soon();

    struct Wanted {
        QPointer<TrackSlider> slider;
        P id = P::count;
        SliderScale scale;
        TrackGrain grain;
    };
    void ask(std::vector<Wanted> wanted, const Scenario& scenario, bool guess);

    LiveModel& model_;
    std::map<TrackSlider*, Wanted> wanted_;
    QTimer soon_;
    QElapsedTimer asked_;    // when the present question was
    bool guessing_ = false;  // it is for a first guess
    bool slow_ = true;       // exact tracks take so long that a guess is worth while
    Background background_;
};

}  // namespace shardscope
