// The slider of a parameter row: a groove wide enough to be painted on, over the values a parameter may take.
//
// It keeps the value itself as a double in SI units; the integer positions of QAbstractSlider are only steps
// along the groove, so a value between two positions (typed, or from a preset) is shown where it is and never
// rounded.
#pragma once

#include <QAbstractSlider>
#include <QRectF>
#include <vector>

#include "parameters/parameter.h"
#include "scenario/settings.h"

namespace shardscope {

// Positions 0 … last() and the values they stand for: one position a stop where the domain is a list, else
// 400 steps from low to high. A value beyond the ends extends them.
class SliderScale {
  public:
    SliderScale() = default;
    SliderScale(const Domain& domain, bool logarithmic, const Parameter& parameter, double value);

    [[nodiscard]] int last() const { return last_; }
    [[nodiscard]] bool is_list() const { return !stops_.empty(); }
    // Each value has a cell of the groove to itself (choices) instead of a point on it.
    [[nodiscard]] bool has_cells() const { return cells_; }
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    [[nodiscard]] double at(int position) const;
    // The roundest value within `tolerance` of a place along the groove: a power of two, or few digits in the
    // unit it is shown in.
    [[nodiscard]] double roundest(double where, double tolerance) const;
    // Where the value lies along the groove, 0 … 1.
    [[nodiscard]] double fraction(double value) const;
    [[nodiscard]] int position(double value) const { return position_at(fraction(value)); }
    [[nodiscard]] int position_at(double fraction) const;

  private:
    std::vector<double> stops_;
    double low_ = 0;
    double high_ = 1;
    double step_ = 0;
    double unit_ = 1;
    bool logarithmic_ = false;
    bool whole_ = false;
    bool cells_ = false;
    int last_ = 1;
};

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
    // The groove below the handle. A painted track (what would happen along it) replaces this.
    virtual void paintTrack(QPainter& painter, const QRectF& groove);

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
    [[nodiscard]] double zoom() const;  // 1 at the design's font size
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
