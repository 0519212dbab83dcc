#include "widgets/chart/panel_grid.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <limits>

#include "text/pin_letters.h"
#include "widgets/drawing.h"

namespace shardscope {
namespace {

constexpr double kTitleGap = 6;  // between letter and name

}  // namespace

PanelGrid panel_grid(int panels, int frames, const QSizeF& size, const QSizeF& around) {
    constexpr double kAspect = 1.3;  // width ÷ height
    constexpr double kNarrow = 60;   // px
    constexpr double kTooSmall = 8;  // weight of a too small frame relative to one of another shape
    PanelGrid best;
    double least = std::numeric_limits<double>::infinity();
    for (int columns = 1; columns <= panels; ++columns) {
        const int rows = (panels + columns - 1) / columns;
        const double width = std::max(1.0, size.width() / columns - around.width());
        const double height = std::max(1.0, (size.height() / rows - around.height()) / frames);
        const double empty = static_cast<double>(columns * rows - panels) / panels;
        const double small =
            std::log(std::max(1.0, kNarrow / width)) + std::log(std::max(1.0, kLowFrame / height));
        const double off = std::fabs(std::log(width / height / kAspect)) + empty + kTooSmall * small;
        if (off >= least) continue;
        least = off;
        best = {columns, rows};
    }
    return best;
}

int lines_of_panel_title(const QString& name, double width, const FigureFonts& fonts) {
    return kTag + kTitleGap + text_width(fonts.small_bold, name) <= width ? 1 : 2;
}

double height_of_panel_title(int lines, const FigureFonts& fonts) {
    constexpr double kBelow = 4;
    return kTag + (lines - 1) * std::ceil(QFontMetricsF(fonts.small_bold).height()) + kBelow;
}

void draw_panel_title(QPainter& painter, const QRectF& row, char letter, const QString& name,
                      const Theme& theme, const FigureFonts& fonts) {
    const QRectF tag(std::round(row.left()), std::round(row.top()), kTag, kTag);
    draw_tag(painter, tag, letter, scenario_color(theme, letter), fonts.small_bold);
    const QFontMetricsF metrics(fonts.small_bold);
    const double left = tag.right() + kTitleGap;
    const double room = row.right() - left;
    const double height = std::ceil(metrics.height());
    double base = std::round(tag.center().y() + (metrics.ascent() - metrics.descent()) / 2);
    QString rest = name;
    if (row.height() >= kTag + height && text_width(fonts.small_bold, name) > room) {
        // The first line gets as many words as there is room for, the second line the others. A break after a
        // comma is preferred.
        qsizetype words = -1;
        bool comma = false;
        for (qsizetype at = name.indexOf(QLatin1Char(' ')); at > 0;
             at = name.indexOf(QLatin1Char(' '), at + 1)) {
            const bool here =
                name[at - 1] == QLatin1Char(',') && text_width(fonts.small_bold, name.mid(at + 1)) <= room;
            if (text_width(fonts.small_bold, name.left(at)) > room || (comma && !here)) continue;
            words = at;
            comma = here;
        }
        if (words >= 0) {
            draw_text(painter, {left, base}, name.left(words), fonts.small_bold, theme.text);
            rest = name.mid(words + 1);
            base += height;
        }
    }
    draw_text(painter, {left, base}, metrics.elidedText(rest, Qt::ElideRight, room), fonts.small_bold,
              theme.text);
}

QColor scenario_color(const Theme& theme, char letter) {
    return letter < kFirstPin ? theme.text : pin_color(theme, letter);
}

}  // namespace shardscope
