// A sweep's drawing: one parameter along x, up to three outputs in panels one below the other that share it.
// A second parameter makes a family of lines with direct labels.
#pragma once

#include <QFont>
#include <QPointF>
#include <QSize>
#include <QString>
#include <memory>
#include <vector>

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

    // A pinned scenario: its own line along the same input.
    struct Ghost {
        char letter = 'B';
        SweepData data;
    };

    void set_style(const Theme& theme, const QFont& font);
    // Panels and graphs are made again only when their number changes; the axes stay as they are, see
    // `refit`.
    void set_data(SweepData data);
    // The scenario's own point alone: its curve is still being worked out.
    void set_current(const SweepPoint& current);
    void set_ghosts(std::vector<Ghost> ghosts);
    // How strongly it is drawn: 1, less while it is stale or an input is not valid.
    void set_strength(double strength);
    // Ranges and margins for what is shown now, for a plot of `size`. Percent axes are always 0 to 100.
    void refit(const QSize& size);

    [[nodiscard]] const SweepData& data() const;
    // The current dot of a panel in axis coordinates, in the units of the axes; y is NaN when there is none.
    [[nodiscard]] QPointF current_dot(std::size_t panel) const;
    [[nodiscard]] QString description() const;

    // In pixels of the plot, valid after the first drawing.
    [[nodiscard]] bool inside(const QPointF& pixel) const;
    [[nodiscard]] double x_at(double pixel) const;  // the input's value; of choices the nearest
    [[nodiscard]] double pixel_of(double x) const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// "MFU, %": the title of an output's or a parameter's axis.
QString axis_title(Output id);
QString axis_title(P id);

}  // namespace shardscope
