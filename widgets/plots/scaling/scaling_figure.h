// Draws the scaling plot: MFU (or a rate, or days) over the GPU count on a QCustomPlot. The live plot and the
// exports use this same code.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <memory>
#include <vector>

#include "widgets/chart/plot_ruler.h"
#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/plot_options.h"
#include "widgets/plots/scaling/scaling_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

Output output_of(ScalingY y);

class ScalingFigure : public ZoomableFigure {
  public:
    // A pinned scenario, drawn as a dashed curve with its letter.
    struct Ghost {
        char letter = 'B';
        ScalingData data;
    };

    // Creates the graphs once; `plot` must outlive the figure and show nothing else.
    explicit ScalingFigure(QCustomPlot& plot);
    ~ScalingFigure() override;

    void set_style(const Theme& theme, const QFont& font);
    void set_options(const ScalingOptions& options);
    void set_ghosts(std::vector<Ghost> ghosts);
    // The axes stay as they are, see `refit`.
    void set_data(ScalingData data);
    // Dims the last valid picture while an input is not valid.
    void set_dimmed(bool dimmed);
    // Fits the axis ranges and margins to the current data. The MFU starts at 0 and ends at most at 100 %. A
    // zoom stays.
    void refit();

    [[nodiscard]] const ScalingData& data() const;
    [[nodiscard]] const ScalingOptions& options() const;
    // The current dot in axis coordinates (GPUs and the plotted value); y is NaN when it does not fit.
    [[nodiscard]] QPointF current_dot() const;
    [[nodiscard]] AxisRange x_range() const;
    [[nodiscard]] AxisRange y_range() const;

    // Positions are in pixels of the plot and are valid after the first drawing.
    [[nodiscard]] double gpus_at(double pixel) const;
    [[nodiscard]] double pixel_of(double gpus) const;
    [[nodiscard]] bool inside(const QPointF& pixel) const;
    [[nodiscard]] const MeasuredPoint* measured_at(const QPointF& pixel) const;

    // Returns the nearest point of the curves for a pixel, and what they show there, for the ruler.
    [[nodiscard]] std::optional<QPointF> ruler_place(const QPointF& pixel) const;
    [[nodiscard]] std::optional<RulerStop> ruler_stop(const QPointF& place) const;

    [[nodiscard]] QPointF zoom_center() const override;
    [[nodiscard]] bool shows_scenario() const override;

    // Returns one or two sentences for screen readers.
    [[nodiscard]] QString description() const;

  protected:
    [[nodiscard]] std::vector<Frame> frames() const override;
    void apply_zoom() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shardscope
