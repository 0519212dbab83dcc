// The lists beside the Sensitivity plot's bars: the five elasticities and the levers, with the plan held and,
// if requested, with re-planning.
#pragma once

#include <QRectF>

#include "widgets/chart/figure_parts.h"
#include "widgets/plots/sensitivity/sensitivity_data.h"
#include "widgets/theme/theme.h"

class QPainter;

namespace shardscope {

class SensitivityLists {
  public:
    SensitivityLists(const SensitivityData& data, const Theme& theme, const FigureFonts& fonts)
        : data_(data), theme_(theme), fonts_(fonts) {}

    // Returns the height of the elasticities, which is the larger one.
    [[nodiscard]] double height() const;
    [[nodiscard]] double width() const { return data_.replanned_levers ? 236 : 196; }
    void paint_shares(QPainter& painter, const QRectF& area) const;
    void paint_levers(QPainter& painter, const QRectF& area) const;

  private:
    // Paints the title and the column heads, and returns the baseline of the last of them.
    double paint_head(QPainter& painter, const QRectF& area, const QString& title, double column) const;
    // Paints values aligned to the right in columns of `column` px; `anew` is empty if there is one column.
    void paint_values(QPainter& painter, double right, double y, double column, const QString& held,
                      const QString& anew) const;
    [[nodiscard]] double values_width(double column) const;

    const SensitivityData& data_;
    const Theme& theme_;
    const FigureFonts& fonts_;
};

}  // namespace shardscope
