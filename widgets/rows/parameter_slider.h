// The slider of a parameter row. Its groove spans the possible values of the parameter and is high enough to
// be painted on.
//
// It stores the value as a double in SI units. The integer positions of QAbstractSlider are only steps along
// the groove, so a value between two positions (typed, or from a preset) is shown exactly and never rounded.
//
// A drag stops at known values within 3 px of the pointer, and elsewhere at the roundest value of a pixel.
// While Shift is held the pointer moves the value a tenth as far, and a magnified part of the scale is shown.
// While Alt is held, values are neither known nor round. Arrow keys and the wheel take round steps, which
// lead back to the value where they began; with Shift they are fine. Page keys double or halve the value.
#pragma once

#include <QAbstractSlider>
#include <QRectF>
#include <optional>
#include <vector>

#include "estimate/estimate.h"
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
    // Sets the values at which a drag stops, in rising order.
    void setKnownValues(std::vector<double> values) { known_ = std::move(values); }
    // A prominent slider has a high groove, labels at some of its ticks, and the mark of the wall on its
    // handle. Without `labelled` the labels are left out.
    void setProminent(bool labelled);
    static int prominent_height(bool labelled, const QFont& font);  // in px

    [[nodiscard]] double current() const { return value_; }
    [[nodiscard]] const SliderScale& scale() const { return scale_; }
    [[nodiscard]] QString valueText() const;  // "400 Gbit/s"

    // Describes in words what the groove shows; empty if the groove is plain.
    [[nodiscard]] virtual QString track_text() const { return {}; }

    // Returns the wall of the current scenario; nothing if the handle shows none.
    [[nodiscard]] virtual std::optional<Wall> wall() const { return std::nullopt; }
    // Returns a value of this parameter as text without its unit and without trailing zeros.
    [[nodiscard]] QString textOf(double value) const;

    // Return whether the current drag is a fine one, and the stretch of the groove that is then magnified
    // (0 … 1).
    [[nodiscard]] bool is_fine() const { return fine_.has_value(); }
    struct Stretch {
        double from = 0;
        double to = 1;
    };
    [[nodiscard]] Stretch magnified() const;

    [[nodiscard]] QRectF groove() const;
    // Returns the point of a value in this widget, which is the centre of the handle at this value, except
    // near the ends, where the handle stays on the groove.
    [[nodiscard]] QPointF pointOf(double value) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

    // Ends a drag, as if the mouse button were released here.
    void endDrag();

  Q_SIGNALS:
    // A gesture emits pressed, any number of dragged, and released. A key press is a gesture of one step.
    void pressed();
    void dragged(double value);
    void released();
    void fineChanged();  // a fine drag began, moved or ended

  protected:
    // Returns the valid value nearest to `value`, for values between the stops of a list.
    [[nodiscard]] virtual double nearest(double value) const { return value; }

    // Paints the groove below the handle: plain, unless a subclass paints a track.
    virtual void paint_track(QPainter& painter, const QRectF& groove);

    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;
    void sliderChange(SliderChange change) override;

  private:
    void paint_ticks(QPainter& painter) const;  // below the groove
    void paint_tick_labels(QPainter& painter) const;
    void paint_handle(QPainter& painter) const;
    [[nodiscard]] double zoom() const;  // 1 at the design's font size
    [[nodiscard]] QRectF handle() const;
    void rescale();
    void take(double value);
    void step(bool up, bool fine);
    [[nodiscard]] double next_valid(double next) const;
    void page(bool up);
    void drag_to(double x, Qt::KeyboardModifiers modifiers);
    [[nodiscard]] double dragged_value(double place, Qt::KeyboardModifiers modifiers) const;

    const Parameter* parameter_ = nullptr;
    Domain domain_;
    bool logarithmic_ = false;
    SliderScale scale_;
    double value_ = 0;
    std::vector<double> known_;
    // The value where stepping by keys began, and the last value of these steps. Steps lead back to the
    // first.
    double steps_from_ = 0;
    double steps_to_ = 0;
    bool prominent_ = false;
    bool labelled_ = false;
    // Where a fine drag began: the pointer in px, the place along the groove, and the start of the magnified
    // part.
    struct Fine {
        double x = 0;
        double place = 0;
        double from = 0;
    };
    std::optional<Fine> fine_;
    double last_x_ = 0;     // of the pointer
    double grab_ = 0;       // pointer minus handle, px
    bool syncing_ = false;  // the program itself is changing the position
};

}  // namespace shardscope
