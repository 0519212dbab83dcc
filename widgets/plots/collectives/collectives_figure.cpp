#include "widgets/plots/collectives/collectives_figure.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/chart/spread.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kPointMark = 3.5;     // radius, px
constexpr double kPointReach = 10;     // px around a point's centre that count as hitting it
constexpr int kBandwidthPoints = 160;  // points of a curve
constexpr double kGiga = 1e9;
constexpr double kToNames = 22;              // px from the frame to the curves' names
constexpr double kMostNames = 150;           // px, longer ones are elided
constexpr double kSmallestShown = 8 * 1024;  // bytes; smaller messages take the time of a launch

// "32 KiB", "4 GiB": binary units, in which powers of two are round.
QString size_text(double bytes) {
    static constexpr const char* kUnits[]{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < std::size(kUnits)) {
        bytes /= 1024;
        ++unit;
    }
    return QStringLiteral("%1 %2").arg(shown(bytes, Quantity::fraction), QLatin1String(kUnits[unit]));
}

}  // namespace

struct CollectivesFigure::Parts {
    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    CollectivesData data;
    AxisZoom x_zoom;
    AxisZoom y_zoom;

    explicit Parts(QCustomPlot& target);

    QCPAxis& x() const { return *plot.xAxis; }
    QCPAxis& y() const { return *plot.yAxis; }
    QRectF frame() const { return frame_of(*plot.axisRect()); }
    QPointF pixel(double bytes, double bandwidth) const {
        return {x().coordToPixel(bytes), y().coordToPixel(bandwidth)};
    }
    // The line is cut off at the frame, because SVG output is not clipped.
    template <typename Curve>
    QPolygonF line(double from, double to, Curve&& curve) const;
    QPolygonF fitted(const CollectiveSeries& series) const;

    // The name of a curve in the column at the right. It includes the operation if the tables differ in it.
    QString name_of_curve(std::size_t index) const;
    QFont name_font(std::size_t index) const { return index == data.shown ? fonts.small_bold : fonts.small; }
    static QString engine_name() { return tr("the engine"); }

    void fit();
    void show_part();
    void lay_out();
    void paint_below(QCPPainter& painter) const;
    void paint_above(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter) const;
    QRectF paint_words(QCPPainter& painter) const;
    void paint_names(QCPPainter& painter, const QPolygonF& engine, double bottom) const;
};

CollectivesFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    make_logarithmic(plot);
    new PaintedItem(plot, QStringLiteral("background"),
                    [this](QCPPainter& painter) { paint_below(painter); });
    new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint_above(painter); });
}

// The x range covers all tables, so that selecting another one does not move it. The y range covers what is
// drawn: the points of the selected table and the sigmoids of the others.
void CollectivesFigure::Parts::fit() {
    double left = 1e30;
    double right = 0;
    double bottom = 1e30;
    double top = 0;
    for (std::size_t i = 0; i < data.series.size(); ++i) {
        const CollectiveSeries& series = data.series[i];
        for (const CollectivePoint& point : series.measured.table.points) {
            if (!(point.bus_bandwidth > 0) || point.bytes < kSmallestShown) continue;
            left = std::min(left, point.bytes);
            right = std::max(right, point.bytes);
            top = std::max(top, point.bus_bandwidth);
            if (i == data.shown) bottom = std::min(bottom, point.bus_bandwidth);
            else if (series.fit.points > 0 && point.bytes >= kSmallestFitted)
                bottom = std::min(bottom, series.fit.curve.at(point.bytes));
        }
    }
    if (!(right > 0)) return;
    constexpr double kMostBelow = 1e4;  // relative to the highest; lower values matter little
    constexpr double kAir = 1.3;
    x_zoom.fit({left / 1.4, right * 1.4}, true);
    // The range does not end at whole decades, because most of them would be empty.
    y_zoom.fit(
        {std::max(bottom, top / kMostBelow) / kAir, std::pow(10, std::ceil(2 * std::log10(top * 1.05)) / 2)},
        true);
    show_part();
}

void CollectivesFigure::Parts::show_part() {
    const auto show = [](QCPAxis& axis, const AxisZoom& zoom, double base, auto&& text) {
        const auto [low, high] = zoom.range();
        axis.setRange(low, high);
        auto ticker = axis.ticker().staticCast<QCPAxisTickerText>();
        ticker->clear();
        for (const double value : enough_ticks(log_ticks(low, high, base), low, high))
            ticker->addTick(value, text(value));
    };
    show(x(), x_zoom, 32, size_text);
    show(y(), y_zoom, 10, [](double value) { return shown(value / kGiga, Quantity::fraction); });
    lay_out();
}

void CollectivesFigure::Parts::lay_out() {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    const double left = widest_tick(y(), fonts.small) + kTickLength + 4 + kFigureMargin;
    // The names of the curves are to the right of the curves.
    double names = small.horizontalAdvance(engine_name());
    for (std::size_t i = 0; i < data.series.size(); ++i)
        names = std::max(names, QFontMetricsF(name_font(i)).horizontalAdvance(name_of_curve(i)));
    const double right = kToNames + std::min(names, kMostNames) + kFigureMargin;
    const double top = bold.height() + 10;
    const double bottom = kTickLength + 4 + small.height() + 4 + bold.height() + 6;
    set_margins(plot, left, top, right, bottom);
}

template <typename Curve>
QPolygonF CollectivesFigure::Parts::line(double from, double to, Curve&& curve) const {
    QPolygonF out;
    from = std::max(from, x().range().lower);
    to = std::min(to, x().range().upper);
    if (!(to > from)) return out;
    for (int i = 0; i <= kBandwidthPoints; ++i) {
        const double bytes = from * std::pow(to / from, static_cast<double>(i) / kBandwidthPoints);
        const double value = curve(bytes);
        if (value >= y().range().lower && value <= y().range().upper) out.append(pixel(bytes, value));
    }
    return out;
}

// Returns the sigmoid over the fitted message sizes only.
QPolygonF CollectivesFigure::Parts::fitted(const CollectiveSeries& series) const {
    const auto& points = series.measured.table.points;
    if (series.fit.points == 0) return {};
    const auto [least, most] = std::ranges::minmax_element(points, {}, &CollectivePoint::bytes);
    return line(std::max(least->bytes, kSmallestFitted), most->bytes,
                [&](double bytes) { return series.fit.curve.at(bytes); });
}

// ---- painting --------------------------------------------------------------------------------------------

void CollectivesFigure::Parts::paint_below(QCPPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < data.series.size(); ++i) {
        if (i == data.shown) continue;
        painter.setPen(line_pen(theme->border, 1));
        painter.drawPolyline(fitted(data.series[i]));
    }
}

void CollectivesFigure::Parts::paint_above(QCPPainter& painter) const {
    paint_titles(painter);
    if (data.series.empty()) return;
    const CollectiveSeries& series = data.current();
    const QRectF area = frame();
    LabelPlacer room(area.adjusted(2, 2, -2, -2));
    const QPolygonF curve = fitted(series);
    const QPolygonF engine = line(x().range().lower, x().range().upper,
                                  [&](double bytes) { return data.engine(series.measured.table, bytes); });
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(line_pen(theme->text, 1.6, {6, 4}));
    painter.drawPolyline(engine);
    painter.setPen(line_pen(theme->communication, 2.2));
    painter.drawPolyline(curve);
    const QRectF words = paint_words(painter);
    room.take(words);
    for (const CollectivePoint& point : series.measured.table.points) {
        if (!y().range().contains(point.bus_bandwidth) || !x().range().contains(point.bytes)) continue;
        const QPointF at = pixel(point.bytes, point.bus_bandwidth);
        draw_ring(painter, at, kPointMark, theme->pane, theme->communication);
        room.take({at.x() - kPointMark, at.y() - kPointMark, 2 * kPointMark, 2 * kPointMark});
    }
    room.avoid(curve);
    room.avoid(engine);
    const auto label = [&](const QPolygonF& along, const QString& text, const QColor& color,
                           const QFont& font) {
        const LabelLines lines{{text, font, color}};
        const QSizeF size = size_of(lines);
        QList<QPointF> corners;
        for (const double share : {0.5, 0.35, 0.65, 0.2, 0.8, 0.95}) {
            if (along.isEmpty()) return;
            const QPointF at = along[static_cast<qsizetype>(share * static_cast<double>(along.size() - 1))];
            corners.append(QPointF(at.x() - size.width() - 8, at.y() - size.height() - 3));
            corners.append(QPointF(at.x() + 10, at.y() + 4));
        }
        if (const auto box = room.place(size, corners, 30))
            draw_label(painter, *box, lines, Qt::AlignLeft, theme->pane);
    };
    label(curve, tr("sigmoid"), theme->text, fonts.small_bold);
    paint_names(painter, engine, words.top());
}

QString CollectivesFigure::Parts::name_of_curve(std::size_t index) const {
    const CollectiveSeries& series = data.series[index];
    const bool alike = std::ranges::all_of(data.series, [&](const CollectiveSeries& other) {
        return other.measured.table.operation == series.measured.table.operation;
    });
    const QString name = QString::fromStdString(alike ? series.where() : series.title());
    return QFontMetricsF(name_font(index)).elidedText(name, Qt::ElideMiddle, kMostNames);
}

// Writes each name at the height where its curve ends, far enough from the others, with a line to that end.
// The names are at the right, because at the left all curves run together.
void CollectivesFigure::Parts::paint_names(QCPPainter& painter, const QPolygonF& engine,
                                           double bottom) const {
    struct Name {
        QPointF end;
        QString text;
        QFont font;
        QColor color;
        QColor leader;
    };
    std::vector<Name> names;
    for (std::size_t i = 0; i < data.series.size(); ++i) {
        const QPolygonF line = fitted(data.series[i]);
        if (line.isEmpty()) continue;
        const bool own = i == data.shown;
        names.push_back({line.last(), name_of_curve(i), name_font(i), own ? theme->text : theme->muted,
                         own ? theme->communication : theme->border});
    }
    if (!engine.isEmpty())
        names.push_back({engine.last(), engine_name(), fonts.small, theme->text, theme->text});
    std::ranges::stable_sort(names, {}, [](const Name& name) { return name.end.y(); });
    const QRectF area = frame();
    const QFontMetricsF metrics(fonts.small);
    std::vector<double> middle;
    middle.reserve(names.size());
    for (const Name& name : names) middle.push_back(name.end.y());
    const double line = metrics.height() + 1;
    spread_apart(middle, area.top() + line / 2, bottom - line / 2, line);
    painter.setRenderHint(QPainter::Antialiasing);
    constexpr double kFlat = 6;  // px of a leader before and after its slope
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double left = area.right() + kToNames;
        painter.setPen(line_pen(names[i].leader, 1));
        const std::array<QPointF, 4> leader{names[i].end, QPointF(area.right() + kFlat / 2, names[i].end.y()),
                                            QPointF(left - kFlat, middle[i]), QPointF(left - 3, middle[i])};
        painter.drawPolyline(leader.data(), static_cast<int>(leader.size()));
        draw_text(painter, {left, std::round(middle[i] + metrics.capHeight() / 2)}, names[i].text,
                  names[i].font, names[i].color);
    }
}

void CollectivesFigure::Parts::paint_titles(QCPPainter& painter) const {
    const QRectF area = frame();
    draw_text(painter, {4, std::round(area.top() - 9)}, tr("Bus bandwidth, GB/s"), fonts.bold, theme->text);
    const QFontMetricsF metrics(fonts.bold);
    const QString title = tr("Message size");
    const double bottom = area.bottom() + kTickLength + 4 + QFontMetricsF(fonts.small).height() + 4;
    draw_text(painter,
              {std::round(area.center().x() - metrics.horizontalAdvance(title) / 2),
               std::round(bottom + metrics.ascent())},
              title, fonts.bold, theme->text);
}

// Writes the name of the table, its fitted constants and their error in the corner below all curves and their
// names.
QRectF CollectivesFigure::Parts::paint_words(QCPPainter& painter) const {
    const CollectiveSeries& series = data.current();
    LabelLines lines{{QString::fromStdString(series.title()), fonts.small_bold, theme->text}};
    if (series.fit.points > 0) {
        lines.append({fit_words(series.fit), fonts.small, theme->text});
        lines.append({fit_error_words(series.fit), fonts.small, theme->muted});
    } else {
        lines.append({tr("too few sizes from 128 KiB on for a fit"), fonts.small, theme->muted});
    }
    lines.append({tr("dashed: the engine for this scenario’s fabric"), fonts.small, theme->text});
    const QRectF area = frame();
    const double right = plot.axisRect()->outerRect().right() - 8;
    // The curves rise at the left of the frame, so longer lines are broken.
    constexpr double kClear = 0.6;  // of the width
    for (qsizetype i = lines.size() - 1; i >= 0; --i) {
        const LabelLine line = lines[i];
        if (text_width(line.font, line.text) <= kClear * (right - area.left())) continue;
        const QStringList parts = in_two_lines(line.text).split(QLatin1Char('\n'));
        lines[i].text = parts.front();
        if (parts.size() > 1) lines.insert(i + 1, {parts.back(), line.font, line.color});
    }
    const QSizeF size = size_of(lines);
    const QRectF box(QPointF(right - size.width(), area.bottom() - 8 - size.height()), size);
    draw_label(painter, box, lines, Qt::AlignRight, theme->pane);
    return box.adjusted(-4, -2, 4, 2);
}

// ---- the figure ------------------------------------------------------------------------------------------

CollectivesFigure::CollectivesFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
CollectivesFigure::~CollectivesFigure() = default;

void CollectivesFigure::set_style(const Theme& theme, const QFont& font) {
    Parts& p = *parts_;
    p.theme = &theme;
    p.fonts = FigureFonts(font);
    style_plot(p.plot, theme, p.fonts);
    p.lay_out();
}

void CollectivesFigure::set_data(CollectivesData data) { parts_->data = std::move(data); }
void CollectivesFigure::refit() { parts_->fit(); }
const CollectivesData& CollectivesFigure::data() const { return parts_->data; }

std::vector<ZoomableFigure::Frame> CollectivesFigure::frames() const {
    if (parts_->data.series.empty()) return {};
    return {{parts_->frame(), &parts_->x_zoom, &parts_->y_zoom}};
}

void CollectivesFigure::apply_zoom() { parts_->show_part(); }
QPointF CollectivesFigure::zoom_center() const { return parts_->frame().center(); }

QPointF CollectivesFigure::pixel_of(std::size_t point) const {
    const CollectivePoint& at = parts_->data.current().measured.table.points[point];
    return parts_->pixel(at.bytes, at.bus_bandwidth);
}

std::optional<std::size_t> CollectivesFigure::point_at(const QPointF& pixel) const {
    std::optional<std::size_t> found;
    if (parts_->data.series.empty()) return found;
    double nearest = kPointReach;
    for (std::size_t i = 0; i < parts_->data.current().measured.table.points.size(); ++i) {
        const QPointF away = pixel_of(i) - pixel;
        const double distance = std::hypot(away.x(), away.y());
        if (distance > nearest) continue;
        nearest = distance;
        found = i;
    }
    return found;
}

QString fit_words(const BandwidthFit& fit) {
    return tr("Bₘₐₓ %1, k %2, half of it at %3 (x₀ %4)")
        .arg(shown(fit.curve.most, Quantity::link_bandwidth), QString::number(fit.curve.sharpness, 'f', 2),
             size_text(std::exp2(fit.curve.half)), QString::number(fit.curve.half, 'f', 1));
}

QString fit_error_words(const BandwidthFit& fit) {
    return tr("rms log error %1, median error %2, R² %3, %4 points")
        .arg(QString::number(fit.rms_log_error, 'f', 2), shown(fit.median_error, Quantity::percent),
             QString::number(fit.r_squared, 'f', 3), QString::number(fit.points));
}

QString collectives_caption(const CollectivesData& data) {
    if (data.series.empty()) return {};
    const CollectiveSeries& series = data.current();
    QStringList out{
        tr("Rings: %1, measured (%2).")
            .arg(QString::fromStdString(series.title()), QString::fromStdString(series.measured.source))};
    if (series.fit.points > 0) {
        out += tr("Solid: the sigmoid Bₘₐₓ ÷ (1 + exp(−k·(log₂ size − x₀))) fitted to those from 128 KiB "
                  "on, %1; "
                  "%2.")
                   .arg(fit_words(series.fit), fit_error_words(series.fit));
    }
    out +=
        tr("Dashed: the engine’s own curve for that operation on this scenario’s fabric. Thin: the other "
           "tables.");
    return out.join(QLatin1Char(' '));
}

}  // namespace shardscope
