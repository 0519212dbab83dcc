// Draws the collectives plot: bandwidth over message size, both on logarithmic axes. The selected table is
// drawn with its points, its fitted sigmoid and the engine's curve; all other tables are thin curves behind
// it.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/collectives/collectives_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class CollectivesFigure : public ZoomableFigure {
  public:
    // `plot` must outlive the figure and show nothing else.
    explicit CollectivesFigure(QCustomPlot& plot);
    ~CollectivesFigure() override;

    void set_style(const Theme& theme, const QFont& font);
    // The axes stay as they are, see `refit`.
    void set_data(CollectivesData data);
    // Fits the axis ranges, unless the user has zoomed in, and the margins to the current data.
    void refit();

    [[nodiscard]] const CollectivesData& data() const;
    // Returns the position of a point of the selected table in pixels of the plot, valid after the first
    // drawing.
    [[nodiscard]] QPointF pixel_of(std::size_t point) const;
    // Returns the nearest point of the selected table within the pointer's reach.
    [[nodiscard]] std::optional<std::size_t> point_at(const QPointF& pixel) const;

    [[nodiscard]] QPointF zoom_center() const override;
    [[nodiscard]] bool shows_scenario() const override { return true; }  // it has no place of its own

  protected:
    [[nodiscard]] std::vector<Frame> frames() const override;
    void apply_zoom() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// "Bₘₐₓ 369 GB/s, k 0.68, half of it at 88 MiB (x₀ 26.5)"
QString fit_words(const BandwidthFit& fit);
// "rms log error 0.10, median error 5.1 %, R² 0.998, 18 points"
QString fit_error_words(const BandwidthFit& fit);
// Returns the text of an export's caption, which is also the description for screen readers.
QString collectives_caption(const CollectivesData& data);

}  // namespace shardscope
