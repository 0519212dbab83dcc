// The slider of a parameter row. Its groove spans the possible values of the parameter and is high enough to
// be painted on.
//
// It stores the value as a double in SI units. The integer positions of QAbstractSlider are only steps along
// the groove, so a value between two positions (typed, or from a preset) is shown exactly and never rounded.
#pragma once

#include <QAbstractSlider>
#include <QRectF>

#include "scenario/domain.h"
#include "scenario/slider_scale.h"

namespace shardscope {

class ParameterSlider : public QAbstractSlider {
    Q_OBJECT
  public:
    explicit ParameterSlider(QWidget* parent = nullptr);

    // Sets the values of the groove; `parameter` is a row of the table. This must not be called during a
    // drag, because the groove must not move under the pointer.
    void setDomain(const Domain& domain, bool logarithmic, const Parameter& parameter);
    // Shows a value without emitting a signal; ignored while the slider is pressed. It hides the integer
    // setter of the base class, which accessibility tools use and which counts as a separate gesture.
    void setValue(double value);

    [[nodiscard]] double current() const { return value_; }
    [[nodiscard]] const SliderScale& scale() const { return scale_; }
    [[nodiscard]] QString valueText() const;  // "400 Gbit/s"

    // Describes in words what the groove shows; empty if the groove is plain.
    [[nodiscard]] virtual QString track_text() const { return {}; }

    [[nodiscard]] QRectF groove() const;
    // Returns the point of a value in this widget, which is the centre of the handle at this value.
    [[nodiscard]] QPointF pointOf(double value) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  Q_SIGNALS:
    // A gesture emits pressed, any number of dragged, and released. A key press is a gesture of one step.
    void pressed();
    void dragged(double value);
    void released();

  protected:
    // Paints the groove below the handle: plain, unless a subclass paints a track.
    virtual void paint_track(QPainter& painter, const QRectF& groove);

    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;
    void sliderChange(SliderChange change) override;

  private:
    void paint_ticks(QPainter& painter) const;  // below the groove
    [[nodiscard]] double zoom() const;          // 1 at the design's font size
    [[nodiscard]] QRectF handle() const;
    void rescale();
    void take(double value);
    void step(int positions);
    void drag_to(double x);
    void end_drag();

    const Parameter* parameter_ = nullptr;
    Domain domain_;
    bool logarithmic_ = false;
    SliderScale scale_;
    double value_ = 0;
    double grab_ = 0;       // pointer minus handle, px
    bool syncing_ = false;  // the program itself is changing the position
};

}  // namespace shardscope
