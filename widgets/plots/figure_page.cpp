#include "widgets/plots/figure_page.h"

#include <qcustomplot.h>

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
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
    paint(painter, QRectF(0, 0, area.width() / scale, area.height() / scale));
    painter.restore();
}

namespace {

// Returns the pins that the figure shows.
std::vector<Pin> shown_pins(const PlotKind& kind, const FigureRequest& request) {
    std::vector<Pin> out = request.pins;
    std::erase_if(out, [&](const Pin& pin) {
        return !pin.answer.valid() || (kind.shows_pin && !kind.shows_pin(request, pin));
    });
    return out;
}

}  // namespace

QString page_title(const FigureRequest& request, const Answer& answer) {
    const PlotKind& kind = *plot_kind(request.plot);
    const QString title = kind.title ? kind.title(request) : tr(kind.label);
    return kind.general || request.in_report ? title : figure_title(title, answer);
}

namespace {

// The texts of a page, and where they stand.
struct PageTexts {
    QString title;
    QStringList below;          // from the top down: what the scenario is, the caption, the footer
    double margin = kMargin;    // at the sides
    QSizeF smallest{560, 420};  // the page is not laid out for less room than this
};

PageTexts texts_of(const FigureRequest& request, const Answer& answer) {
    const PlotKind& kind = *plot_kind(request.plot);
    QStringList words{kind.words(request, answer)};
    if (!request.in_report) words += pinned_words(shown_pins(kind, request));
    words.removeAll(QString());
    if (request.in_report) {
        // The report says the rest once, and its margins are those of the text. The memory bar and the step
        // have titles of their own.
        return {kind.make_tab ? page_title(request, answer) : QString(),
                {words.join(QLatin1Char(' ')), QString()},
                0,
                {300, 240}};
    }
    const bool of_scenario = !kind.general || (kind.shows_scenario && kind.shows_scenario(request, answer));
    return {page_title(request, answer),
            {of_scenario ? setting_sentence(answer) : QString(), words.join(QLatin1Char(' ')),
             kind.footer ? kind.footer() : footer_words(answer)}};
}

// The texts at their places. The page is laid out `reduced` times as large as it is printed.
struct PageLayout {
    struct Line {
        double base;
        QString text;
        QFont font;
        bool muted = false;
    };
    double reduced = 1;
    double top = 0;                  // of the figure
    double under = 0;                // height of the texts below the figure, with the margin
    std::vector<Line> above, below;  // those below are measured from the page's lower edge
};

// `size` is the printed size of the texts below the figure relative to the usual one.
PageLayout lay_out(const PageTexts& texts, double width, double reduced, double size) {
    constexpr double kFewestPixels = 7 * 96.0 / 72;  // 7 pt
    PageLayout out;
    out.reduced = reduced;
    const double room = width * reduced - 2 * texts.margin;
    const QFont title_font = scaled_font(page_font(), kTitle, true);
    QFont footer_font = page_font();
    QFont caption_font = FigureFonts(page_font()).small;
    // A font's size is a whole number of pixels.
    footer_font.setPixelSize(static_cast<int>(std::ceil(kFewestPixels * reduced * size)));
    caption_font.setPixelSize(std::max(caption_font.pixelSize(), footer_font.pixelSize()));
    const QFontMetricsF title(title_font);
    double top = kMargin;
    const QStringList titles =
        texts.title.isEmpty() ? QStringList() : wrapped_lines(texts.title, title_font, room);
    for (const QString& line : titles) {
        out.above.push_back({std::round(top + title.ascent()), line, title_font});
        top += title.height();
    }
    out.top = std::round(top + kMargin / 2);
    // The texts below the figure are laid out from the last one upwards.
    double bottom = kMargin;
    for (auto text = texts.below.crbegin(); text != texts.below.crend(); ++text) {
        if (text->isEmpty()) continue;
        const bool footer = text == texts.below.crbegin();
        const QFont& font = footer ? footer_font : caption_font;
        const QFontMetricsF metrics(font);
        const QStringList lines = wrapped_lines(*text, font, room);
        for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
            out.below.push_back({bottom + metrics.descent(), *line, font, footer});
            bottom += metrics.height();
        }
        if (footer) bottom += 6;
    }
    out.under = bottom + kMargin / 2;
    return out;
}

// Returns the layout of a page of a given size. On a small page the text would leave no room for the figure,
// so it is laid out at a larger size and scaled down; where this is not enough, the text is smaller than
// usual.
PageLayout lay_out(const PageTexts& texts, const QSizeF& page) {
    constexpr double kLeast = 0.4;  // of the page, for the figure
    constexpr double kSmaller = 0.95;
    const double reduced =
        std::max({1.0, texts.smallest.width() / page.width(), texts.smallest.height() / page.height()});
    PageLayout out = lay_out(texts, page.width(), reduced, 1);
    for (double size = 1; size * reduced > 1 && page.height() * reduced * (1 - kLeast) < out.top + out.under;
         size *= kSmaller)
        out = lay_out(texts, page.width(), reduced, size);
    return out;
}

// The layout of a page whose height follows from the texts.
PageLayout lay_out(const PageTexts& texts, double width) {
    constexpr double kNarrowest = 400;
    return lay_out(texts, width, std::max(1.0, kNarrowest / width), 1);
}

}  // namespace

int height_of_page(const FigureRequest& request, const Answer& answer) {
    const double width = request.size.width();
    const PageLayout layout = lay_out(texts_of(request, answer), width);
    constexpr double kShare = 0.6;
    const double figure =
        std::max(plot_kind(request.plot)->least_height, std::round(kShare * width * layout.reduced));
    return static_cast<int>(std::ceil((layout.top + figure + layout.under) / layout.reduced));
}

void paint_page(QCPPainter& painter, const FigureRequest& request, const Answer& answer) {
    const PlotKind& kind = *plot_kind(request.plot);
    const Theme& theme = Theme::print();
    const PageTexts texts = texts_of(request, answer);
    const PageLayout layout =
        request.own_height ? lay_out(texts, QSizeF(request.size)) : lay_out(texts, request.size.width());
    painter.scale(1 / layout.reduced, 1 / layout.reduced);
    const QRectF page(QPointF(0, 0), QSizeF(request.size) * layout.reduced);
    painter.setFont(page_font());  // an SVG names the painter's font even where there is no text
    painter.fillRect(page, theme.pane);
    const auto draw = [&](const PageLayout::Line& line, double base) {
        draw_text(painter, {texts.margin, std::round(base)}, line.text, line.font,
                  line.muted ? theme.muted : theme.text);
    };
    for (const PageLayout::Line& line : layout.above) draw(line, line.base);
    for (const PageLayout::Line& line : layout.below) draw(line, page.bottom() - line.base);
    kind.paint(painter,
               QRectF(texts.margin, layout.top, page.width() - 2 * texts.margin,
                      std::floor(page.bottom() - layout.under - layout.top)),
               request, answer);
}

}  // namespace shardscope
