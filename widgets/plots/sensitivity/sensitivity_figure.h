// Draws the Sensitivity plot on any painter: a sorted bar for every input, with a dashed tick where the bar
// of a pinned scenario ends, and beside the bars the five elasticities and the levers. For memory a dashed
// line shows the usable capacity.
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "widgets/chart/figure_parts.h"
#include "widgets/plots/sensitivity/sensitivity_data.h"
#include "widgets/theme/theme.h"

class QPainter;

namespace shardscope {

class SensitivityFigure {
  public:
    void set_style(const Theme& theme, const QFont& font);
    void set_data(SensitivityData data);
    void set_strength(double strength) { strength_ = strength; }
    // Selects a bar for the keyboard; -1: none. The next drawing scrolls it into view.
    void select(int bar) { selected_ = bar; }

    [[nodiscard]] const SensitivityData& data() const { return data_; }
    [[nodiscard]] int selected() const { return selected_; }
    [[nodiscard]] int bars() const { return static_cast<int>(data_.ranked().bars.size()); }
    [[nodiscard]] std::optional<P> input_of(int bar) const;
    // These refer to the last drawing.
    [[nodiscard]] int bar_at(const QPointF& at) const;  // -1: none
    [[nodiscard]] QRectF row_of(int bar) const;         // empty when it is not in view
    [[nodiscard]] bool over_lists(const QPointF& at) const { return lists_.contains(at); }
    // Returns the position of the dashed line of usable memory in px; nullopt if it is not drawn.
    [[nodiscard]] std::optional<double> limit_x() const;

    void paint(QPainter& painter, const QRectF& area);
    [[nodiscard]] QString description() const;

  private:
    void paint_bars(QPainter& painter, const QRectF& area);
    // Paint what is above the bars, and return where it ends.
    double paint_heading(QPainter& painter, const QRectF& area) const;
    double paint_pins(QPainter& painter, const QRectF& area, double top) const;
    void find_range();
    void paint_ticks(QPainter& painter, const QRectF& area) const;
    void paint_limit(QPainter& painter, const QRectF& area) const;
    [[nodiscard]] QRectF strip_of(const QRectF& row) const;
    void paint_strips(QPainter& painter, const QRectF& row, const SensitivityBar& bar) const;
    void paint_words(QPainter& painter, const QRectF& row, const SensitivityBar& bar) const;
    void paint_bar(QPainter& painter, const QRectF& strip, const SensitivityBar& bar) const;
    void paint_end(QPainter& painter, const QRectF& strip, const SensitivityEnd& end, bool more,
                   const QColor& color) const;
    [[nodiscard]] std::vector<double> own_limits(const SensitivityBar& bar) const;  // px
    void paint_own_limits(QPainter& painter, const QRectF& row, const SensitivityBar& bar) const;
    void clear_limits(QPainter& painter, const QRectF& words, const SensitivityBar& bar) const;

    // The text at the end of a bar.
    struct EndWords {
        QString text;
        QColor color;
        double length = 0;   // from zero to the end, px
        bool first = false;  // preferred to the text of a longer bar
    };
    [[nodiscard]] std::optional<EndWords> words_of(const SensitivityEnd& end, double way, bool more) const;
    // The end of a pin's bar for the same input.
    struct PinEnd {
        char letter = 'B';
        double x = 0;
    };
    void name_ends(QPainter& painter, const QRectF& row, const SensitivityBar& bar,
                   const std::vector<PinEnd>& pins, LabelPlacer& room) const;
    [[nodiscard]] std::vector<PinEnd> pin_ends(P id) const;
    void reserve_bars(const QRectF& row, const SensitivityBar& bar, LabelPlacer& room) const;
    void name_pin_ends(QPainter& painter, const QRectF& row, const std::vector<PinEnd>& ends,
                       LabelPlacer& room) const;

    // Returns the position of the tip of a bar or its arrow.
    [[nodiscard]] double tip_of(const SensitivityEnd& end, bool more) const;
    [[nodiscard]] const SensitivityBar* held_bar(P id) const;
    [[nodiscard]] QColor color_of(P id) const;
    [[nodiscard]] double x_of(double change) const;
    // Returns the usable memory as a relative change of the peak memory; nullopt if it is outside the axis.
    [[nodiscard]] std::optional<double> limit() const;
    [[nodiscard]] double left_margin() const;
    [[nodiscard]] double right_margin() const;

    const Theme* theme_ = &Theme::light();
    FigureFonts fonts_{QFont()};
    SensitivityData data_;
    double strength_ = 1;
    int selected_ = -1;
    int first_ = 0;  // the bar at the top
    std::vector<QRectF> rows_;
    QRectF lists_;                // the elasticities and levers
    QRectF field_;                // where the bars are
    double low_ = -1, high_ = 1;  // its ends, relative changes
};

}  // namespace shardscope
