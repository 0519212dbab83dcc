#include "widgets/drawing.h"

#include <QApplication>
#include <QCache>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope {

QString shown(double value, Quantity quantity, bool with_unit) {
    return QString::fromStdString(format(value, quantity, with_unit));
}

QString percent(double share) { return shown(share, Quantity::percent); }

double round_step(double range, int most) {
    if (!(range > 0) || !std::isfinite(range)) return 1;
    const double least = range / most;
    const double decade = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * decade >= least * (1 - 1e-9)) return factor * decade;
    }
    return 10 * decade;
}

double round_top(double value, int most_ticks) {
    const double half = round_step(value, most_ticks) / 2;
    return half * std::max(1.0, std::ceil(value / half - 1e-9));
}

QColor pin_color(const Theme& theme, char letter) {
    return theme.pins[static_cast<std::size_t>(letter - 'B') % theme.pins.size()];
}

// Qt divides a transparent fill of 96 or more rows of pixels among threads, and also each long line that is
// drawn with an opacity. The window would wait for these threads, which start late while a search in the
// background uses all processors. So the finished picture is covered in strips of fewer rows.
void dim(QPainter& painter, const QRectF& area, const Theme& theme, double strength) {
    if (strength >= 1) return;
    constexpr double kRows = 64;
    QColor veil = theme.pane;
    veil.setAlphaF(static_cast<float>(1 - strength));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double height = std::max(1.0, std::floor(kRows / painter.device()->devicePixelRatio()));
    for (double top = area.top(); top < area.bottom(); top += height)
        painter.fillRect(QRectF(area.left(), top, area.width(), std::min(height, area.bottom() - top)), veil);
    painter.restore();
}

void hatch_over(QPainter& painter, const QRectF& area, const Theme& theme, const QColor& color, double pitch,
                double width) {
    Theme lines = theme;
    lines.hatch_ground = Qt::transparent;
    lines.hatch_line = color;
    fill_hatch(painter, area, lines, pitch, width);
}

namespace {

const QLocale& grouped_numbers() {
    static const QLocale locale(QLocale::English, QLocale::UnitedStates);
    return locale;
}

}  // namespace

QString tick_number(double value, int digits) { return grouped_numbers().toString(value, 'g', digits); }

QString exact_time(double seconds) {
    const QString digits = grouped_numbers().toString(std::fabs(seconds) * 1e3, 'f', 3);
    return (seconds < 0 ? QStringLiteral("−") : QString()) + digits + QStringLiteral(" ms");
}

QString signed_number(double value, int decimals) {
    const QLocale& grouped = grouped_numbers();
    const QString digits = grouped.toString(std::fabs(value), 'f', decimals);
    if (grouped.toDouble(digits) == 0) return QStringLiteral("±0");
    return (value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + digits;
}

QString relative(double ratio) {
    if (!(ratio > 0) || !std::isfinite(ratio)) return {};
    if (ratio >= 10) return QStringLiteral("×") + QString::number(ratio, 'f', 0);
    return signed_number((ratio - 1) * 100, 0) + QStringLiteral(" %");
}

QString unbroken(QString text) { return text.replace(QStringLiteral(" %"), QStringLiteral("\u00a0%")); }

double text_width(const QFont& font, const QString& text) {
    // Widths are cached because the same few hundred words are measured in every frame, and shaping a word
    // takes far longer than a look-up. Each thread has its own cache because figures are drawn in several.
    constexpr int kCacheSize = 2000;
    thread_local QCache<std::pair<QFont, QString>, double> known(kCacheSize);
    const std::pair key(font, text);
    if (const double* width = known[key]) return *width;
    const double width = QFontMetricsF(font).horizontalAdvance(text);
    known.insert(key, new double(width));
    return width;
}

QStringList wrapped_lines(const QString& text, const QFont& font, double width) {
    QStringList lines;
    QString line;
    const QFontMetricsF metrics(font);
    const QStringList words = text.split(QLatin1Char(' '));
    for (const QString& word : words) {
        const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
        if (!line.isEmpty() && metrics.horizontalAdvance(longer) > width) {
            lines.append(line);
            line = word;
        } else {
            line = longer;
        }
    }
    lines.append(line);
    return lines;
}

QWidget* shown_tool_tip() {
    for (QWidget* window : QApplication::topLevelWidgets()) {
        if (window->isVisible() && window->windowType() == Qt::ToolTip) return window;
    }
    return nullptr;
}

}  // namespace shardscope
