// A sweep's drawing: one parameter along x, up to three outputs in panels one below the other that share it.
// A second parameter makes a family of lines with direct labels.
#pragma once

#include <QFont>
#include <QPointF>
#include <QSize>
#include <QString>
#include <memory>

#include "widgets/plots/plot_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class SweepFigure {
  public:
    // `plot` must outlive the figure and show nothing else.
    explicit SweepFigure(QCustomPlot& plot);
    ~SweepFigure();
    SweepFigure(const SweepFigure&) = delete;
    SweepFigure& operator=(const SweepFigure&) = delete;

    void set_style(const Theme& theme, const QFont& font);
    // Panels and graphs are made again only when their number changes; the axes stay as they are, see
    // `refit`.
    void set_data(SweepData data);
    // Ranges and margins for what is shown now, for a plot of `size`. Percent axes are always 0 to 100.
    void refit(const QSize& size);

    [[nodiscard]] const SweepData& data() const;
    // The current dot of a panel in axis coordinates, in the units of the axes; y is NaN when there is none.
    [[nodiscard]] QPointF current_dot(std::size_t panel) const;
    [[nodiscard]] QString description() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// "MFU, %": the title of an output's or a parameter's axis.
QString axis_title(Output id);
QString axis_title(P id);

}  // namespace shardscope
