// Draws the validation plot: predicted over measured values on a QCustomPlot, the diagonal and the band
// around it, with families by colour and marker. The live plot and the exports use this same code.
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/validation/validation_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class ValidationFigure : public ZoomableFigure {
  public:
    // `plot` must outlive the figure and show nothing else.
    explicit ValidationFigure(QCustomPlot& plot);
    ~ValidationFigure() override;

    void set_style(const Theme& theme, const QFont& font);
    void set_quantity(ValidationQuantity quantity);
    void set_data(ValidationData data);
    // The axes stay as they are, see `refit`.
    void set_own(const std::optional<ValidationPoint>& own);
    // Measured runs of pinned scenarios.
    struct Ghost {
        char letter = 'B';
        ValidationPoint point;
    };
    void set_ghosts(std::vector<Ghost> ghosts);
    void set_highlight(std::optional<std::size_t> point);
    // Fits the axis ranges, unless the user has zoomed in, and the margins to the current data.
    void refit();

    [[nodiscard]] const ValidationData& data() const;
    [[nodiscard]] const std::optional<ValidationPoint>& own() const;
    [[nodiscard]] const std::vector<Ghost>& ghosts() const;
    [[nodiscard]] ValidationQuantity quantity() const;
    [[nodiscard]] std::optional<std::size_t> highlight() const;
    [[nodiscard]] AxisRange range() const;  // of the horizontal axis

    // Positions are in pixels of the plot and are valid after the first drawing. A point beyond the axes is
    // at their edge.
    [[nodiscard]] QPointF pixel_of(const ValidationPoint& point) const;
    // Returns the nearest point within the pointer's reach.
    [[nodiscard]] std::optional<std::size_t> point_at(const QPointF& pixel) const;
    [[nodiscard]] bool own_at(const QPointF& pixel) const;

    // Returns a description for screen readers.
    [[nodiscard]] QString description() const;

    [[nodiscard]] QPointF zoom_center() const override;
    [[nodiscard]] bool shows_scenario() const override;

  protected:
    [[nodiscard]] std::vector<Frame> frames() const override;
    void apply_zoom() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shardscope
