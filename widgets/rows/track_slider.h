// The slider of a parameter row with its painted track, which shows the result of each value while all other
// parameters stay fixed.
//
// Tracks are computed when one of them is painted, so that only visible tracks cost time, and at most once
// per frame. While a slider is dragged its track does not change, because each value applies to the scenario
// at the start of the drag.
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

    // The track as painted last, with the current plan at each point.
    [[nodiscard]] const Track& held() const { return held_; }
    // The track with the automatic parameters re-planned at each point. It is empty if no parameter is
    // automatic, or until it arrives.
    [[nodiscard]] const std::optional<Track>& replanned() const { return replanned_; }
    // Returns the distance of two estimates along a groove of this width, in px. It is larger for a wide
    // groove, because the window has many of them and each frame of a drag needs their tracks.
    static int stride_of(double width);
    // Returns whether the re-planned track belongs to an earlier scenario or is a first guess.
    [[nodiscard]] bool is_stale() const;

    void set_replanned(Track track, const Scenario& of, bool guess);
    [[nodiscard]] QString track_text() const override;

    // Returns the track of the magnified part of a fine drag, in this number of columns.
    [[nodiscard]] Track magnified_track(int columns) const;
    // Returns the change of MFU from the current value to the next round one, in words.
    [[nodiscard]] QString slope_text() const;

    [[nodiscard]] std::optional<Wall> wall() const override;

  protected:
    [[nodiscard]] double nearest(double value) const override;
    void paint_track(QPainter& painter, const QRectF& groove) override;

  private:
    static std::vector<TrackSlider*>& all();  // all existing sliders
    [[nodiscard]] int columns() const;
    [[nodiscard]] TrackGrain grain(int stride) const;
    // Returns whether `held_` belongs to the current scenario and the re-planned track has been requested. A
    // disabled slider shows no track and is always fresh.
    [[nodiscard]] bool is_fresh() const { return !isEnabled() || made_for_ == columns(); }
    void refresh();
    // Marks the values of the pins in the groove.
    void paint_pins(QPainter& painter, const QRectF& groove) const;

    P id_;
    LiveModel& model_;
    Track held_;
    int made_for_ = 0;  // number of columns; 0: outdated
    std::optional<Track> replanned_;
    Scenario replanned_of_;
    bool guess_ = false;
};

}  // namespace shardscope
