// The slider of a parameter row with its painted track: what would happen along it, all else held.
//
// The track is made when the slider is painted, so that only what is on screen costs anything, and at most
// once a frame. While the slider itself is dragged its track stays: each value is reached from the scenario
// the drag began with.
#pragma once

#include <optional>

#include "explore/track.h"
#include "widgets/live_model.h"
#include "widgets/rows/parameter_slider.h"

namespace shardscope {

class TrackSlider : public ParameterSlider {
    Q_OBJECT
  public:
    TrackSlider(P id, LiveModel& model, QWidget* parent = nullptr);

    // As painted last; the plan is held at each point.
    [[nodiscard]] const Track& held() const { return held_; }
    // With what is automatic planned anew at each point; empty where nothing is, or until it arrives.
    [[nodiscard]] const std::optional<Track>& replanned() const { return replanned_; }
    // The re-planned track is that of an earlier scenario, or a first guess.
    [[nodiscard]] bool is_stale() const;

    void take_replanned(Track track, const Scenario& of, bool guess);
    [[nodiscard]] QString track_text() const override;

  protected:
    void paint_track(QPainter& painter, const QRectF& groove) override;

  private:
    void refresh(int columns);

    P id_;
    LiveModel& model_;
    int columns_ = 0;
    bool fresh_ = false;  // `held_` belongs to the present scenario, and the re-planned track is asked for
    Track held_;
    std::optional<Track> replanned_;
    Scenario replanned_of_;
    bool guess_ = false;
};

}  // namespace shardscope
