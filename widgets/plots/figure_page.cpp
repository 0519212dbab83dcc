#include "widgets/plots/figure_page.h"

#include <qcustomplot.h>

#include <QFontMetricsF>

#include "widgets/plots/figure_parts.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kMargin = 16;

}  // namespace

QFont page_font() {
    QFont font(QStringLiteral("DejaVu Sans"));
    constexpr int kPixels = 12;
    font.setPixelSize(kPixels);
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setStyleStrategy(
        QFont::PreferNoShaping);  // no “fi” ligature: text in a PDF must be found by a search
    return font;
}

void paint_plot(QCPPainter& painter, const QRectF& area, QCustomPlot& plot) {
    painter.save();
    painter.translate(area.topLeft());
    plot.toPainter(&painter, static_cast<int>(area.width()), static_cast<int>(area.height()));
    painter.restore();
}

void paint_panel(QCPPainter& painter, const QRectF& area, const QSizeF& natural,
                 const std::function<void(QPainter&, const QRectF&)>& paint) {
    constexpr double kMostEnlarged = 1.4;
    const double fits = std::min(area.width() / natural.width(), area.height() / natural.height());
    const double scale = std::clamp(fits, 1.0, kMostEnlarged);
    painter.save();
    painter.translate(area.topLeft());
    painter.scale(scale, scale);
    paint(painter, QRectF(0, 0, std::min(natural.width(), area.width() / scale), area.height() / scale));
    painter.restore();
}

namespace {

QStringList wrapped(const QString& text, const QFont& font, double width) {
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

}  // namespace

QString page_title(const FigureRequest& request, const Answer& answer) {
    const PlotKind& kind = *plot_kind(request.plot);
    const QString title = kind.title ? kind.title(request) : tr(kind.label);
    return kind.general ? title : figure_title(title, answer);
}

void paint_page(QCPPainter& painter, const FigureRequest& request, const Answer& answer) {
    const PlotKind& kind = *plot_kind(request.plot);
    const Theme& theme = Theme::print();
    const FigureFonts fonts(page_font());
    const QFont title_font = scaled_font(page_font(), kTitle, true);
    const QFont footer_font = scaled_font(page_font(), 0.75);
    // On a smaller page the text would leave no room for the figure, so it is laid out at this size and
    // scaled down.
    const QSizeF smallest(560, 420);
    const double reduced =
        std::max({1.0, smallest.width() / request.size.width(), smallest.height() / request.size.height()});
    painter.scale(1 / reduced, 1 / reduced);
    const QRectF page(QPointF(0, 0), QSizeF(request.size) * reduced);
    const double width = page.width() - 2 * kMargin;
    painter.setFont(page_font());  // an SVG names the painter's font even where there is no text
    painter.fillRect(page, theme.pane);

    const QFontMetricsF title(title_font);
    const QStringList titles = wrapped(page_title(request, answer), title_font, width);
    double top = kMargin;
    for (const QString& line : titles) {
        draw_text(painter, {kMargin, std::round(top + title.ascent())}, line, title_font, theme.text);
        top += title.height();
    }
    top += kMargin / 2;

    // Draw the footer and the caption from the bottom upwards; the figure gets the remaining area.
    double bottom = page.bottom() - kMargin;
    const auto lines_up = [&](const QString& text, const QFont& font, const QColor& color) {
        const QFontMetricsF metrics(font);
        const QStringList lines = wrapped(text, font, width);
        for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
            draw_text(painter, {kMargin, std::round(bottom - metrics.descent())}, *line, font, color);
            bottom -= metrics.height();
        }
    };
    lines_up(kind.general ? validation_footer_words() : footer_words(answer), footer_font, theme.muted);
    bottom -= 6;
    QStringList words{kind.words(request, answer)};
    std::vector<Pin> pins = request.pins;
    std::erase_if(pins, [&](const Pin& pin) {
        return !pin.answer.valid() || (kind.shows_pin && !kind.shows_pin(request, pin));
    });
    words += pinned_words(pins);
    words.removeAll(QString());
    lines_up(words.join(QLatin1Char(' ')), fonts.small, theme.text);
    if (!kind.general || own_point(answer, measurement_in(request.view)))
        lines_up(setting_sentence(answer), fonts.small, theme.text);
    bottom -= kMargin / 2;
    kind.paint(painter, QRectF(kMargin, std::round(top), width, std::floor(bottom - top)), request, answer);
}

}  // namespace shardscope
