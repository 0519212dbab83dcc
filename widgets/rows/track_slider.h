// The slider of a parameter row with its painted track: what would happen along it, all else held.
//
// Tracks are made when one of them is painted, so that only what is on screen costs anything, and at most
// once a frame. While the slider itself is dragged its track stays: each value is reached from the scenario
// the drag began with.
#pragma once

#include <optional>
#include <vector>

#include "explore/track.h"
#include "widgets/live_model.h"
#include "widgets/rows/parameter_slider.h"

namespace shardscope {

class TrackSlider : public ParameterSlider {
    Q_OBJECT
  public:
    TrackSlider(P id, LiveModel& model, QWidget* parent = nullptr);
    ~TrackSlider() override;

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
    static std::vector<TrackSlider*>& all();  // those there are
    [[nodiscard]] int columns() const;
    [[nodiscard]] TrackGrain grain(int stride) const;
    // `held_` belongs to the present scenario, and the re-planned track is asked for; what is disabled shows
    // none.
    [[nodiscard]] bool is_fresh() const { return !isEnabled() || made_for_ == columns(); }
    void refresh();

    P id_;
    LiveModel& model_;
    Track held_;
    int made_for_ = 0;  // columns; none: outdated
    std::optional<Track> replanned_;
    Scenario replanned_of_;
    bool guess_ = false;
};

}  // namespace shardscope
