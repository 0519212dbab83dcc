// The operators plot's drawing: a roofline. Along x how many FLOPs an operator does with a byte of device
// memory, along y how many it does a second; no dot can lie above the roof of memory and arithmetic.
// Source of the form: Williams, Waterman and Patterson 2009, CACM 52(4).
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>
#include <memory>
#include <optional>

#include "widgets/plots/operators_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class OperatorsFigure {
  public:
    // `plot` must outlive the figure and show nothing else.
    explicit OperatorsFigure(QCustomPlot& plot);
    ~OperatorsFigure();
    OperatorsFigure(const OperatorsFigure&) = delete;
    OperatorsFigure& operator=(const OperatorsFigure&) = delete;

    void set_style(const Theme& theme, const QFont& font);
    // The axes stay as they are, see `refit`.
    void set_data(OperatorsData data);
    // The roof of a pinned scenario's GPU.
    struct Ghost {
        char letter = 'B';
        double reached_peak = 0;
        double reached_bandwidth = 0;
    };
    void set_ghosts(std::vector<Ghost> ghosts);
    // An older picture, while an input is not valid.
    void set_dimmed(bool dimmed);
    void set_highlight(std::optional<std::size_t> row);
    // Ranges and margins for what is shown now.
    void refit();

    [[nodiscard]] const OperatorsData& data() const;
    [[nodiscard]] const std::vector<Ghost>& ghosts() const;
    [[nodiscard]] std::optional<std::size_t> highlight() const;
    // In pixels of the plot, valid after the first drawing; only of rows that are drawn.
    [[nodiscard]] QPointF pixel_of(std::size_t row) const;
    // The nearest operator within reach of a hand.
    [[nodiscard]] std::optional<std::size_t> row_at(const QPointF& pixel) const;

    // For those who cannot see it.
    [[nodiscard]] QString description() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Name, shape, sizes and times of one operator, a line each.
QString operator_words(const OperatorsData& data, std::size_t index);
// What an export's caption says.
QString operators_words(const OperatorsData& data);

}  // namespace shardscope
