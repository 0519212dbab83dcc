// Draws the operators plot, a roofline: the x axis is the arithmetic intensity (FLOPs per byte of device
// memory), the y axis is the achieved FLOP/s. No dot can be above the roof of memory bandwidth and peak
// arithmetic. Source of the form: Williams, Waterman and Patterson 2009, CACM 52(4).
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/operators/operators_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class OperatorsFigure : public ZoomableFigure {
  public:
    // `plot` must outlive the figure and show nothing else.
    explicit OperatorsFigure(QCustomPlot& plot);
    ~OperatorsFigure() override;

    void set_style(const Theme& theme, const QFont& font);
    // The axes stay as they are, see `refit`.
    void set_data(OperatorsData data);
    // The roofline of a pinned scenario's GPU.
    struct Ghost {
        char letter = 'B';
        double reached_peak = 0;
        double reached_bandwidth = 0;
    };
    void set_ghosts(std::vector<Ghost> ghosts);
    // Dims the figure, which is an older picture, while an input is not valid.
    void set_dimmed(bool dimmed);
    void set_highlight(std::optional<std::size_t> row);
    // Fits the axis ranges, unless the user has zoomed in, and the margins to the current data.
    void refit();

    [[nodiscard]] const OperatorsData& data() const;
    [[nodiscard]] const std::vector<Ghost>& ghosts() const;
    [[nodiscard]] std::optional<std::size_t> highlight() const;
    // Returns a position in pixels of the plot, valid after the first drawing and only for rows that are
    // drawn.
    [[nodiscard]] QPointF pixel_of(std::size_t row) const;
    // Returns the nearest operator within the pointer's reach.
    [[nodiscard]] std::optional<std::size_t> row_at(const QPointF& pixel) const;

    // Returns a description for screen readers.
    [[nodiscard]] QString description() const;

    [[nodiscard]] QPointF zoom_center() const override;
    [[nodiscard]] bool shows_scenario() const override { return true; }  // it has many dots

  protected:
    [[nodiscard]] std::vector<Frame> frames() const override;
    void apply_zoom() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Lists the name, shape, sizes and times of one operator, one per line.
QString operator_words(const OperatorsData& data, std::size_t index);
// Returns the text of an export's caption.
QString operators_caption(const OperatorsData& data);

}  // namespace shardscope
