// The Sensitivity plot's drawing, on any painter: a bar for every input, sorted, and beside them the five
// elasticities and the levers.
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "widgets/plots/figure_parts.h"
#include "widgets/plots/sensitivity_data.h"
#include "widgets/theme/theme.h"

class QPainter;

namespace shardscope {

class SensitivityFigure {
  public:
    void set_style(const Theme& theme, const QFont& font);
    void set_data(SensitivityData data);
    void set_strength(double strength) { strength_ = strength; }
    // Marks a bar for the keyboard; -1: none. It comes into view with the next drawing.
    void select(int bar) { selected_ = bar; }

    [[nodiscard]] const SensitivityData& data() const { return data_; }
    [[nodiscard]] int selected() const { return selected_; }
    [[nodiscard]] int bars() const { return static_cast<int>(data_.ranked().bars.size()); }
    [[nodiscard]] std::optional<P> input_of(int bar) const;
    // Of the last drawing.
    [[nodiscard]] int bar_at(const QPointF& at) const;  // -1: none
    [[nodiscard]] QRectF row_of(int bar) const;         // empty when it is not in view

    void paint(QPainter& painter, const QRectF& area);
    [[nodiscard]] QString description() const;

  private:
    void paint_bars(QPainter& painter, const QRectF& area);
    void paint_row(QPainter& painter, const QRectF& row, const SensitivityBar& bar) const;
    void name_ends(QPainter& painter, const QRectF& strip, const SensitivityBar& bar,
                   const SensitivityBar* held) const;
    void paint_end(QPainter& painter, const QRectF& strip, const SensitivityEnd& end, bool more,
                   const QColor& color) const;
    // Where an end's bar, or its arrow, ends.
    [[nodiscard]] double tip_of(const SensitivityEnd& end, bool more) const;
    void paint_shares(QPainter& painter, const QRectF& area) const;
    void paint_levers(QPainter& painter, const QRectF& area) const;
    [[nodiscard]] const SensitivityBar* held_bar(P id) const;
    [[nodiscard]] QColor color_of(P id) const;
    [[nodiscard]] double x_of(double change) const;

    const Theme* theme_ = &Theme::light();
    FigureFonts fonts_{QFont()};
    SensitivityData data_;
    double strength_ = 1;
    int selected_ = -1;
    int first_ = 0;  // the bar at the top
    std::vector<QRectF> rows_;
    QRectF field_;                // where the bars are
    double low_ = -1, high_ = 1;  // its ends, changes of the output
};

// "½ × and 2 ×"
QString change_text(Change change);
QString sensitivity_words(const SensitivityData& data);

}  // namespace shardscope
