// The magnified part of a slider's scale, which is shown over its row during a fine drag (Shift): the label,
// the value, the MFU with its change at the next value, and a tenth of the track at ten times its size.
#pragma once

#include <QWidget>

#include "explore/track.h"

namespace shardscope {

class TrackSlider;

class TrackLens : public QWidget {
    Q_OBJECT
  public:
    // The lens is a child of the slider's window, so that it may cover neighbouring rows.
    explicit TrackLens(TrackSlider& slider);

    // Shows the present part of the scale above the groove, or hides the lens if the drag is not fine.
    void refresh(const QString& label);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] QRectF groove() const;

    TrackSlider& slider_;
    QString label_;
    QString slope_;
    Track track_;
};

}  // namespace shardscope
