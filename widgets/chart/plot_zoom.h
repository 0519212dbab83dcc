// Zooming into a plot. A figure that can be zoomed names its frames and the axes of each; wheel, drag and
// keys are the same in all of them.
#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>
#include <vector>

#include "widgets/chart/axis_range.h"

namespace shardscope {

// The shown part of an axis: all of it, or what the user has zoomed to.
class AxisZoom {
  public:
    // `closest` is the fraction of the axis that the deepest zoom shows.
    explicit AxisZoom(double closest = 0.02) : closest_(closest) {}

    // Sets the range of the whole axis. What the user has zoomed to stays, unless the scale is another one.
    void fit(const AxisRange& whole, bool logarithmic = false);
    // Zooms in by `factor`, or out if it is below 1. `share` is the place that stays where it is: 0 is the
    // lower end of the shown part, 1 the upper one.
    void zoom(double factor, double share);
    // Shows a part that is higher by this share of the shown part; it ends at the end of the axis.
    void move(double share);
    void show_all() { part_.reset(); }

    [[nodiscard]] bool zoomed() const { return part_.has_value(); }
    [[nodiscard]] AxisRange range() const;
    [[nodiscard]] bool contains(double value) const;

  private:
    void show(double from, double size);
    [[nodiscard]] AxisRange whole() const { return {to_scale(whole_.from), to_scale(whole_.to)}; }
    [[nodiscard]] double to_scale(double value) const;

    double closest_;
    AxisRange whole_{0, 1};
    bool logarithmic_ = false;
    std::optional<AxisRange> part_;  // on the scale of the axis: logarithms, if it is logarithmic
};

class ZoomableFigure {
  public:
    ZoomableFigure() = default;
    virtual ~ZoomableFigure() = default;
    ZoomableFigure(const ZoomableFigure&) = delete;
    ZoomableFigure& operator=(const ZoomableFigure&) = delete;

    [[nodiscard]] bool zoomed() const;
    // Zooms in by `factor` around a pixel of a frame.
    void zoom(double factor, const QPointF& pixel);
    // Moves the picture by some pixels; `at` is in the frame that is moved.
    void move_by(const QPointF& pixels, const QPointF& at);
    void show_all();

    // Returns the pixel around which the keys zoom: that of the scenario.
    [[nodiscard]] virtual QPointF zoom_center() const = 0;
    // Returns whether the scenario is in the shown part.
    [[nodiscard]] virtual bool shows_scenario() const = 0;

  protected:
    struct Frame {
        QRectF area;  // px
        AxisZoom* x;
        AxisZoom* y;  // nullptr: the axis is not zoomed
    };
    [[nodiscard]] virtual std::vector<Frame> frames() const = 0;
    // Draws the axes as their zooms say.
    virtual void apply_zoom() = 0;

  private:
    [[nodiscard]] std::optional<Frame> frame_at(const QPointF& pixel) const;
};

}  // namespace shardscope
