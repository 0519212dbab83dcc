#include "widgets/plots/figure_page.h"

#include <qcustomplot.h>

#include <QFontMetricsF>

#include "widgets/panels/memory_bar.h"
#include "widgets/panels/waterfall.h"
#include "widgets/plots/figure_parts.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/scaling_figure.h"
#include "widgets/plots/sweep_figure.h"
#include "widgets/plots/validation_figure.h"

namespace shardscope {
namespace {

constexpr double kMargin = 16;

QString tr(const char* text) { return QCoreApplication::translate("FigurePage", text); }

// One font for all figures, in pixels and without hinting, so that the bytes depend on no machine's settings.
QFont page_font() {
    QFont font(QStringLiteral("DejaVu Sans"));
    constexpr int kPixels = 12;
    font.setPixelSize(kPixels);
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setStyleStrategy(
        QFont::PreferNoShaping);  // no “fi” ligature: text in a PDF must be found by a search
    return font;
}

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

void paint_plot(QCPPainter& painter, const QRectF& area, QCustomPlot& plot) {
    painter.save();
    painter.translate(area.topLeft());
    plot.toPainter(&painter, static_cast<int>(area.width()), static_cast<int>(area.height()));
    painter.restore();
}

ValidationQuantity quantity_of(const FigureRequest& request) {
    if (request.outputs.empty()) return ValidationQuantity::mfu;
    return validation_quantity(request.outputs.front()).value_or(ValidationQuantity::mfu);
}

// Whether the figure is about more than the scenario.
bool is_general(const FigureRequest& request) { return request.plot == "validation"; }

// Paints the figure and returns its part of the caption; with `painter` null only the latter.
QString figure(QCPPainter* painter, const QRectF& area, const FigureRequest& request, const Answer& answer) {
    const Theme& theme = Theme::print();
    if (request.plot == "scaling") {
        ScalingData data = scaling_data(answer, request.hypothetical);
        QString words = scaling_words(data);
        if (!painter) return words;
        QCustomPlot plot;
        ScalingFigure scaling(plot);
        scaling.set_data(std::move(data));
        scaling.set_style(theme, page_font());
        scaling.refit();
        paint_plot(*painter, area, plot);
        return words;
    }
    if (request.plot == "sweep") {
        SweepData data = sweep_data(answer, request.axes, request.outputs, request.hypothetical);
        QString words = sweep_words(data);
        if (!painter) return words;
        QCustomPlot plot;
        SweepFigure sweep(plot);
        sweep.set_style(theme, page_font());
        sweep.set_data(std::move(data));
        sweep.refit(area.size().toSize());
        paint_plot(*painter, area, plot);
        return words;
    }
    if (request.plot == "validation") {
        ValidationData data = validation_data(*answer.scenario.catalogue);
        const auto own = own_point(answer);
        QString words = validation_words(data, own);
        if (!painter) return words;
        QCustomPlot plot;
        ValidationFigure validation(plot);
        validation.set_style(theme, page_font());
        validation.set_own(own);
        validation.set_data(std::move(data));
        validation.set_quantity(quantity_of(request));
        paint_plot(*painter, area, plot);
        return words;
    }
    // The window's own panels, enlarged: they are made for a narrow column.
    const bool memory = request.plot == "memory";
    if (painter) {
        const QSizeF natural = memory ? QSizeF(360, 330) : QSizeF(480, 270);
        constexpr double kMostEnlarged = 1.4;
        const double fits = std::min(area.width() / natural.width(), area.height() / natural.height());
        const double scale = std::clamp(fits, 1.0, kMostEnlarged);
        const QRectF box(0, 0, std::min(natural.width(), area.width() / scale), area.height() / scale);
        painter->save();
        painter->translate(area.topLeft());
        painter->scale(scale, scale);
        if (memory) paint_memory_bar(*painter, box, theme, memory_bar_data(answer), page_font());
        else
            paint_waterfall(*painter, box, theme, waterfall_data(answer, {}, request.hypothetical),
                            page_font());
        painter->restore();
    }
    return memory ? memory_words(answer) : waterfall_words(answer, request.hypothetical);
}

}  // namespace

QString page_title(const FigureRequest& request, const Answer& answer) {
    if (is_general(request)) return tr("Predicted against measured: public training runs");
    QString name = tr("Scaling");
    if (request.plot == "memory") name = tr("Memory");
    if (request.plot == "waterfall") name = tr("Step");
    if (request.plot == "sweep") {
        const P id = request.axes.empty() ? P::sequence_length : request.axes.front().id;
        name = tr("Sweep over %1")
                   .arg(QString::fromUtf8(parameter(id).label.data(),
                                          static_cast<qsizetype>(parameter(id).label.size())));
    }
    return figure_title(name, answer);
}

void paint_page(QCPPainter& painter, const FigureRequest& request, const Answer& answer) {
    const Theme& theme = Theme::print();
    const FigureFonts fonts(page_font());
    const QFont title_font = scaled_font(page_font(), kTitle, true);
    const QFont footer_font = scaled_font(page_font(), 0.75);
    // Below this the words would leave the figure no room: a smaller page is this one, reduced.
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

    // From the foot upwards: what is left is the figure's.
    double bottom = page.bottom() - kMargin;
    const auto lines_up = [&](const QString& text, const QFont& font, const QColor& color) {
        const QFontMetricsF metrics(font);
        const QStringList lines = wrapped(text, font, width);
        for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
            draw_text(painter, {kMargin, std::round(bottom - metrics.descent())}, *line, font, color);
            bottom -= metrics.height();
        }
    };
    lines_up(is_general(request) ? validation_footer_words() : footer_words(answer), footer_font,
             theme.muted);
    bottom -= 6;
    const QString own = figure(nullptr, {}, request, answer);
    lines_up(own, fonts.small, theme.text);
    if (!is_general(request) || own_point(answer)) lines_up(setting_words(answer), fonts.small, theme.text);
    bottom -= kMargin / 2;
    figure(&painter, QRectF(kMargin, std::round(top), width, std::floor(bottom - top)), request, answer);
}

}  // namespace shardscope
