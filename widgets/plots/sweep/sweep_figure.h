// Draws a sweep: one parameter along x, and up to three outputs in panels one below the other that share the
// x axis. A second parameter makes a family of lines with direct labels. The x axis can also show an output
// instead of the parameter. Pinned scenarios are ghosts, or have panels beside those of the current scenario
// with the same axes.
#pragma once

#include <QFont>
#include <QPointF>
#include <QSize>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/chart/plot_ruler.h"
#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/sweep/sweep_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class SweepFigure : public ZoomableFigure {
  public:
    // `plot` must outlive the figure and show nothing else.
    explicit SweepFigure(QCustomPlot& plot);
    ~SweepFigure() override;

    // A pinned scenario: its own curves along the same input.
    struct Ghost {
        char letter = 'B';
        QString name;
        SweepData data;
    };

    void set_style(const Theme& theme, const QFont& font);
    // Panels and graphs are re-created only when their number changes. The axes stay as they are, see
    // `refit`.
    void set_data(SweepData data);
    // Updates only the scenario's own point, while its curve is still being computed.
    void set_current(const SweepPoint& current);
    void set_ghosts(std::vector<Ghost> ghosts);
    // Draws the ghosts in separate panels; `name` is the title of the current scenario's panels.
    void set_side_by_side(bool on, const QString& name);
    // Sets how strongly the figure is drawn: 1, or less while it is stale or an input is not valid.
    void set_strength(double strength);
    // Fits the axis ranges and margins to the current data, for a plot of `size`. Percent axes start at
    // 0 and end at most at 100.
    void refit(const QSize& size);

    [[nodiscard]] const SweepData& data() const;
    // The current dot of a panel in axis coordinates, in the units of the axes; y is NaN when there is none.
    [[nodiscard]] QPointF current_dot(std::size_t panel) const;
    [[nodiscard]] QString description() const;

    // Positions are in pixels of the plot and are valid after the first drawing. They are in the current
    // scenario's panels.
    [[nodiscard]] bool inside(const QPointF& pixel) const;
    // Returns the input's value at a pixel, for choices the nearest one. If the x axis shows an output, it is
    // the value of the curve's point above or below the pixel, the nearer one if there are several.
    [[nodiscard]] double input_at(const QPointF& pixel) const;
    [[nodiscard]] double pixel_of(double x) const;
    [[nodiscard]] double guide() const;  // x of the line through the current dot
    // Return where the ruler stands for a pixel, and what is there.
    [[nodiscard]] std::optional<QPointF> ruler_place(const QPointF& pixel) const;
    [[nodiscard]] std::optional<RulerStop> ruler_stop(const QPointF& place) const;
    // Returns the letter of the pinned scenario whose title is at this pixel; 0: none.
    [[nodiscard]] char title_at(const QPointF& pixel) const;

    [[nodiscard]] QPointF zoom_center() const override;
    [[nodiscard]] bool shows_scenario() const override;

  protected:
    [[nodiscard]] std::vector<Frame> frames() const override;
    void apply_zoom() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// "MFU, %": the title of an output's or a parameter's axis, and of the horizontal axis of a sweep.
QString axis_title(Output id);
QString axis_title(P id);
QString axis_title(const SweepData& data);

}  // namespace shardscope
