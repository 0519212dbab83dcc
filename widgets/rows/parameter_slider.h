// The slider of a parameter row: a groove wide enough to be painted on, over the values a parameter may take.
//
// It keeps the value itself as a double in SI units; the integer positions of QAbstractSlider are only steps
// along the groove, so a value between two positions (typed, or from a preset) is shown where it is and never
// rounded.
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

    // The parameter is a row of the table. Not called during a drag: the groove must not move under the
    // pointer.
    void setDomain(const Domain& domain, bool logarithmic, const Parameter& parameter);
    // Shows a value without emitting; ignored while the slider is held down. Hides the base class's integer
    // setter, which moves to a position as a gesture of its own (accessibility tools use it).
    void setValue(double value);

    [[nodiscard]] double current() const { return value_; }
    [[nodiscard]] const SliderScale& scale() const { return scale_; }
    [[nodiscard]] QString valueText() const;  // "400 Gbit/s"

    // What the groove shows, in words; empty where it is plain.
    [[nodiscard]] virtual QString track_text() const { return {}; }

    [[nodiscard]] QRectF groove() const;
    // Where a value stands in this widget: the middle of the handle that shows it.
    [[nodiscard]] QPointF pointOf(double value) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  Q_SIGNALS:
    // A gesture: pressed, dragged any number of times, released. A key is a gesture of one step.
    void pressed();
    void dragged(double value);
    void released();

  protected:
    // The groove below the handle: plain, unless a painted track replaces it.
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
    void let_go();

    const Parameter* parameter_ = nullptr;
    Domain domain_;
    bool logarithmic_ = false;
    SliderScale scale_;
    double value_ = 0;
    double grab_ = 0;       // pointer minus handle, px
    bool syncing_ = false;  // our own changes of the position
};

}  // namespace shardscope
