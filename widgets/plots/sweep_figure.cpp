#include "widgets/plots/sweep_figure.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/panels/drawing.h"
#include "widgets/plots/figure_parts.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/painted_item.h"

namespace shardscope {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kPadding = 8;
constexpr int kMostTicks = 5;
constexpr double kHalfStep = 0.5;  // between choices

QString tr(const char* text) { return QCoreApplication::translate("SweepFigure", text); }

Quantity quantity_of(Output id) { return output(id).quantity; }
double factor_of(Output id) { return plot_unit(quantity_of(id)).factor; }

QString with_unit(QString label, Quantity quantity) {
    const PlotUnit unit = plot_unit(quantity);
    const QString symbol = QString::fromStdString(unit.symbol);
    // "MFU, %", but "Tokens/s/GPU" and "Days" already say it.
    if (unit.symbol == "1" || label.compare(symbol, Qt::CaseInsensitive) == 0 || quantity == Quantity::rate)
        return label;
    return label + QStringLiteral(", ") + symbol;
}

bool is_memory(Output id) { return id == Output::peak_memory; }

}  // namespace

QString axis_title(Output id) { return with_unit(text_of(output(id).label), quantity_of(id)); }
QString axis_title(P id) { return with_unit(text_of(parameter(id).label), parameter(id).quantity); }

// Everything drawn is in the units of the axes: GiB, %, Gbit/s.
struct SweepFigure::Parts {
    struct Panel {
        QCPAxisRect* rect = nullptr;
        std::vector<QCPGraph*> graphs;  // one a series
        std::vector<QCPGraph*> ghosts;
        [[nodiscard]] QCPAxis& x() const { return *rect->axis(QCPAxis::atBottom); }
        [[nodiscard]] QCPAxis& y() const { return *rect->axis(QCPAxis::atLeft); }
    };

    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    SweepData data;
    std::vector<Ghost> ghosts;
    double strength = 1;
    std::vector<Panel> panels;

    explicit Parts(QCustomPlot& target);
    void make_panels();
    void style_panels();
    void fill(QCPGraph& graph, std::size_t panel, const std::vector<SweepPoint>& points, const QPen& pen,
              const QCPScatterStyle& mark) const;
    void fill_graphs();
    void fit_axes();
    void lay_out(const QSize& size);

    [[nodiscard]] bool apart() const { return stands_apart(data.x); }
    [[nodiscard]] bool log_x() const;
    [[nodiscard]] double axis_x(double value) const;
    [[nodiscard]] double axis_y(std::size_t panel, const SweepPoint& point) const {
        return point.value[panel] / factor_of(data.outputs[panel]);
    }
    [[nodiscard]] const SweepSeries* own_series() const;
    [[nodiscard]] std::vector<Stretch> unfit() const;
    [[nodiscard]] std::vector<Tick> ticks(std::vector<double>& center) const;
    [[nodiscard]] QPen pen_of(std::size_t series) const;
    [[nodiscard]] QPen pen_of(const Ghost& ghost) const;
    [[nodiscard]] QCPScatterStyle mark_of(std::size_t series) const;
    [[nodiscard]] QString name_of_member(double member, bool with_label) const;

    void paint_below(QCPPainter& painter) const;
    void paint_above(QCPPainter& painter) const;
    void paint_x_axis(QCPPainter& painter) const;
    void paint_panel(QCPPainter& painter, std::size_t panel) const;
    void paint_tags(QCPPainter& painter, std::size_t panel, LabelRoom& room) const;
};

SweepFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    new PaintedItem(plot, QStringLiteral("background"),
                    [this](QCPPainter& painter) { paint_below(painter); });
    new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint_above(painter); });
}

void SweepFigure::Parts::make_panels() {
    const bool same =
        panels.size() == data.outputs.size() && std::ranges::all_of(panels, [&](const Panel& p) {
            return p.graphs.size() == data.series.size() && p.ghosts.size() == ghosts.size();
        });
    if (same) return;
    plot.clearGraphs();
    plot.plotLayout()->clear();
    plot.plotLayout()->setRowSpacing(0);
    panels.clear();
    for (std::size_t i = 0; i < data.outputs.size(); ++i) {
        Panel panel;
        panel.rect = new QCPAxisRect(&plot, false);
        panel.rect->setAutoMargins(QCP::msNone);
        panel.rect->addAxes(QCPAxis::atBottom | QCPAxis::atLeft);
        plot.plotLayout()->addElement(static_cast<int>(i), 0, panel.rect);
        for (QCPAxis* axis : panel.rect->axes()) {
            axis->setLayer(QStringLiteral("axes"));
            axis->grid()->setLayer(QStringLiteral("grid"));
        }
        QCPAxis& x = panel.x();
        x.setTicks(false);
        x.setTickLabels(false);
        x.grid()->setVisible(false);
        QCPAxis& y = panel.y();
        y.setTicker(QSharedPointer<QCPAxisTickerText>::create());
        y.setSubTicks(false);
        y.setTickLength(0, static_cast<int>(kTickLength));
        y.setTickLabelPadding(4);
        y.grid()->setVisible(true);
        y.grid()->setZeroLinePen(Qt::NoPen);
        for (std::size_t k = 0; k < ghosts.size(); ++k) panel.ghosts.push_back(plot.addGraph(&x, &y));
        for (std::size_t k = 0; k < data.series.size(); ++k) panel.graphs.push_back(plot.addGraph(&x, &y));
        panels.push_back(std::move(panel));
    }
    style_panels();
}

void SweepFigure::Parts::style_panels() {
    plot.setBackground(QBrush(theme->pane));
    for (const Panel& panel : panels) {
        for (QCPAxis* axis : panel.rect->axes()) {
            axis->setBasePen(QPen(theme->border, 1));
            axis->setTickPen(QPen(theme->border, 1));
            axis->setTickLabelFont(fonts.small);
            axis->setTickLabelColor(theme->muted);
        }
        panel.y().grid()->setPen(QPen(theme->grid, 1));
        for (std::size_t k = 0; k < panel.graphs.size(); ++k) panel.graphs[k]->setPen(pen_of(k));
    }
}

bool SweepFigure::Parts::log_x() const {
    if (data.series.empty() || apart() || !parameter(data.x).logarithmic) return false;
    return std::ranges::all_of(data.series.front().points,
                               [](const SweepPoint& point) { return point.x > 0; });
}

// Choices stand side by side in the order they are swept in.
double SweepFigure::Parts::axis_x(double value) const {
    if (!apart()) return value / plot_unit(parameter(data.x).quantity).factor;
    const auto& points = data.series.front().points;
    const auto found = std::ranges::find(points, value, &SweepPoint::x);
    return found == points.end() ? kNone : static_cast<double>(found - points.begin());
}

const SweepSeries* SweepFigure::Parts::own_series() const {
    const auto found = std::ranges::find_if(data.series, &SweepSeries::current);
    return found == data.series.end() ? nullptr : &*found;
}

std::vector<Stretch> SweepFigure::Parts::unfit() const {
    std::vector<double> x;
    std::vector<bool> fits;
    // Of the scenario's own line; of a family without it, where none fits.
    const SweepSeries* own = own_series();
    for (std::size_t i = 0; !data.series.empty() && i < data.series.front().points.size(); ++i) {
        const auto fits_here = [i](const SweepSeries& series) {
            return !series.points[i].valid || series.points[i].fits();
        };
        x.push_back(axis_x(data.series.front().points[i].x));
        fits.push_back(own ? fits_here(*own) : std::ranges::any_of(data.series, fits_here));
    }
    std::vector<Stretch> out = unfit_stretches(x, fits);
    if (!apart()) return out;
    // Choices have no values in between: each takes its own half step to both sides.
    out.clear();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (fits[i]) continue;
        if (!out.empty() && out.back().to == x[i] - kHalfStep) out.back().to = x[i] + kHalfStep;
        else out.push_back({x[i] - kHalfStep, x[i] + kHalfStep});
    }
    return out;
}

QPen SweepFigure::Parts::pen_of(std::size_t series) const {
    if (data.series[series].current) return line_pen(theme->text, 2.2);
    const std::array<QList<double>, 5> dashes{QList<double>{6, 3}, QList<double>{1.5, 3},
                                              QList<double>{8, 3, 2, 3}, QList<double>{3, 3},
                                              QList<double>{12, 4}};
    return line_pen(theme->muted, 1.3, dashes[series % dashes.size()]);
}

QPen SweepFigure::Parts::pen_of(const Ghost& ghost) const {
    return line_pen(pin_color(*theme, ghost.letter), 2, pin_dash(ghost.letter));
}

QCPScatterStyle SweepFigure::Parts::mark_of(std::size_t series) const {
    constexpr std::array kShapes{QCPScatterStyle::ssSquare, QCPScatterStyle::ssTriangle,
                                 QCPScatterStyle::ssDiamond, QCPScatterStyle::ssTriangleInverted,
                                 QCPScatterStyle::ssCircle};
    constexpr double kSize = 7;
    if (data.series[series].current) return {QCPScatterStyle::ssDisc, theme->text, theme->text, kSize};
    return {kShapes[series % kShapes.size()], QPen(theme->muted, 1.3), QBrush(theme->pane), kSize};
}

QString SweepFigure::Parts::name_of_member(double member, bool with_label) const {
    const QString value = QString::fromStdString(format(data.family, member));
    return with_label ? text_of(parameter(data.family).label) + QLatin1Char(' ') + value : value;
}

// ---- filling ---------------------------------------------------------------------------------------------

void SweepFigure::Parts::fill(QCPGraph& graph, std::size_t panel, const std::vector<SweepPoint>& points,
                              const QPen& pen, const QCPScatterStyle& mark) const {
    const QCPRange range = panels[panel].y().range();
    QList<double> x;
    QList<double> y;
    for (const SweepPoint& point : points) {
        x.append(axis_x(point.x));
        y.append(axis_y(panel, point));
    }
    if (apart()) {
        for (double& value : y) value = range.contains(value) ? value : kNone;
    } else {
        cut_to_range(x, y, range.lower, range.upper, log_x(), false);
    }
    graph.setData(x, y, true);
    graph.setPen(pen);
    graph.setLineStyle(apart() ? QCPGraph::lsNone : QCPGraph::lsLine);
    graph.setScatterStyle(apart() ? mark : QCPScatterStyle());
}

void SweepFigure::Parts::fill_graphs() {
    for (std::size_t p = 0; p < panels.size(); ++p) {
        for (std::size_t k = 0; k < data.series.size(); ++k)
            fill(*panels[p].graphs[k], p, data.series[k].points, pen_of(k), mark_of(k));
        for (std::size_t k = 0; k < ghosts.size(); ++k) {
            const QPen pen = pen_of(ghosts[k]);
            constexpr double kMark = 9;
            fill(*panels[p].ghosts[k], p, ghosts[k].data.series.front().points, pen,
                 {QCPScatterStyle::ssCircle, QPen(pen.color(), 1.5), Qt::NoBrush, kMark});
        }
    }
}

void SweepFigure::Parts::fit_axes() {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const SweepSeries& series : data.series) {
        for (const SweepPoint& point : series.points) {
            low = std::min(low, axis_x(point.x));
            high = std::max(high, axis_x(point.x));
        }
    }
    if (!(low < high)) {
        low -= 1;
        high += 1;
    }
    if (apart()) {
        low -= kHalfStep;
        high += kHalfStep;
    }
    for (std::size_t p = 0; p < panels.size(); ++p) {
        panels[p].x().setScaleType(log_x() ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        panels[p].x().setRange(low, high);
        const Output id = data.outputs[p];
        double bottom = 0;
        double top = 0;
        const auto hold = [&](const SweepSeries& series) {
            for (const SweepPoint& point : series.points) {
                const double value = axis_y(p, point);
                if (!std::isfinite(value)) continue;
                top = std::max(top, value);
                bottom = std::min(bottom, value);
            }
        };
        for (const SweepSeries& series : data.series) hold(series);
        for (const Ghost& ghost : ghosts) hold(ghost.data.series.front());
        if (is_memory(id)) {
            // What is far beyond the capacity matters less than where it is passed.
            const double capacity = data.capacity / factor_of(id);
            const double now = axis_y(p, data.current);
            top = std::min(top, std::max(2 * capacity, std::isnan(now) ? 0 : 1.15 * now));
            top = std::max(top, 1.1 * capacity);
        }
        if (quantity_of(id) == Quantity::percent && top <= 100 && bottom >= 0) top = 100;
        else top = top > 0 ? round_top(top, kMostTicks) : 1;
        if (bottom < 0) bottom = -round_top(-bottom, kMostTicks);
        panels[p].y().setRange(bottom, top);
        auto ticker = panels[p].y().ticker().staticCast<QCPAxisTickerText>();
        ticker->clear();
        for (const double value : linear_ticks(bottom, top, kMostTicks))
            ticker->addTick(value, shown(value, Quantity::count));
    }
}

void SweepFigure::Parts::lay_out(const QSize& size) {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    double left = small.horizontalAdvance(tr("wall"));
    for (const Panel& panel : panels) {
        const auto labels = panel.y().ticker().staticCast<QCPAxisTickerText>()->ticks();
        for (const QString& text : labels) left = std::max(left, small.horizontalAdvance(text));
    }
    left += kTickLength + 4 + kPadding;
    // A label of the capacity or the last tick stands beyond the frame.
    double right = kPadding + small.horizontalAdvance(QStringLiteral("16,384")) / 2;
    if (std::ranges::any_of(data.outputs, is_memory)) {
        right = std::max(right,
                         kPadding + 6 +
                             text_width(fonts.small_bold,
                                        tr("usable %1").arg(shown(data.capacity, Quantity::bytes, false))));
    }
    const double top = bold.height() + 10;
    const double last = 4 + kStrip + kTickLength + 2 + small.height() + 4 + bold.height() + 6;
    const double between = 10;
    // The panels' frames get equal heights, though the last one carries the x axis.
    const auto count = static_cast<double>(panels.size());
    const double inner = (size.height() - count * top - (count - 1) * between - last) / count;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const double bottom = i + 1 == panels.size() ? last : between;
        panels[i].rect->setMargins(
            QMargins(static_cast<int>(std::ceil(left)), static_cast<int>(std::ceil(top)),
                     static_cast<int>(std::ceil(right)), static_cast<int>(std::ceil(bottom))));
        plot.plotLayout()->setRowStretchFactor(static_cast<int>(i), std::max(1.0, inner + top + bottom));
    }
}

// ---- painting --------------------------------------------------------------------------------------------

void SweepFigure::Parts::paint_below(QCPPainter& painter) const {
    for (const Panel& panel : panels) {
        const QRectF area = frame_of(*panel.rect);
        for (const Stretch& stretch : unfit()) {
            const double left = std::max(area.left(), panel.x().coordToPixel(stretch.from));
            const double right = std::min(area.right(), panel.x().coordToPixel(stretch.to));
            if (right > left)
                draw_unfit(painter, QRectF(left, area.top(), right - left, area.height()), *theme);
        }
    }
}

void SweepFigure::Parts::paint_above(QCPPainter& painter) const {
    if (panels.empty()) return;
    for (std::size_t p = 0; p < panels.size(); ++p) paint_panel(painter, p);
    paint_x_axis(painter);
    if (strength < 1) {
        QColor veil = theme->pane;
        veil.setAlphaF(static_cast<float>(1 - strength));
        painter.fillRect(plot.rect(), veil);
    }
    if (data.plan == SweepPlan::as_set) return;
    const QString words = sweep_plan_words(data.plan);
    const QRectF area = frame_of(*panels.front().rect);
    draw_text(painter,
              {std::round(area.right() - text_width(fonts.small, words)), std::round(area.top() - 10)}, words,
              fonts.small, theme->muted);
}

std::vector<Tick> SweepFigure::Parts::ticks(std::vector<double>& center) const {
    const QCPAxis& x = panels.back().x();
    const Parameter& row = parameter(data.x);
    std::vector<Tick> out;
    const double now = axis_x(data.current.x);
    if (apart()) {
        for (const SweepPoint& point : data.series.front().points) {
            out.push_back(
                {axis_x(point.x), QString::fromStdString(format(data.x, point.x)), axis_x(point.x) == now});
        }
    } else {
        const double low = x.range().lower;
        const double high = x.range().upper;
        std::vector<double> values;
        if (!log_x()) values = linear_ticks(low, high, 8);
        else if (row.whole) values = log_ticks(low, high, 2);
        else {
            // 1, 2 and 5 times the powers of ten: 100, 200, 400 Gbit/s are too many for wide ranges.
            for (const double decade : log_ticks(low / 10, high, 10)) {
                for (const double factor : {1.0, 2.0, 5.0}) {
                    if (decade * factor >= low && decade * factor <= high) values.push_back(decade * factor);
                }
            }
        }
        if (now >= low && now <= high && std::ranges::find(values, now) == values.end()) {
            values.insert(std::ranges::lower_bound(values, now), now);
        }
        for (const double value : values) out.push_back({value, shown(value, Quantity::count), value == now});
    }
    for (const Tick& tick : out) center.push_back(x.coordToPixel(tick.value));
    return out;
}

void SweepFigure::Parts::paint_x_axis(QCPPainter& painter) const {
    const QCPAxis& x = panels.back().x();
    const QRectF area = frame_of(*panels.back().rect);
    if (const SweepSeries* own = own_series()) {
        std::vector<WallSample> samples;
        for (const SweepPoint& point : own->points) {
            if (point.valid) samples.push_back({axis_x(point.x), point.fits(), point.wall});
        }
        std::vector<WallPiece> pieces;
        if (apart()) {
            for (const WallSample& one : samples) {
                pieces.push_back(
                    {x.coordToPixel(one.x - kHalfStep), x.coordToPixel(one.x + kHalfStep), one.wall});
            }
        } else {
            for (const WallStretch& stretch : wall_stretches(samples)) {
                pieces.push_back({x.coordToPixel(stretch.from), x.coordToPixel(stretch.to), stretch.wall});
            }
        }
        draw_wall_strip(painter, QRectF(area.left(), area.bottom() + 4, area.width(), kStrip), pieces, *theme,
                        fonts);
    }
    std::vector<double> centers;
    const std::vector<Tick> all = ticks(centers);
    const auto current = std::ranges::find_if(all, &Tick::current);
    const std::size_t anchor = current == all.end() ? 0 : static_cast<std::size_t>(current - all.begin());
    const double top = area.bottom() + 4 + kStrip;
    draw_x_ticks(painter, top, all, centers, anchor, *theme, fonts);
    const QString title = axis_title(data.x);
    const QFontMetricsF bold(fonts.bold);
    const double base = top + kTickLength + 2 + QFontMetricsF(fonts.small).height() + 4 + bold.ascent();
    draw_text(painter, {std::round(area.center().x() - bold.horizontalAdvance(title) / 2), std::round(base)},
              title, fonts.bold, theme->text);
}

void SweepFigure::Parts::paint_panel(QCPPainter& painter, std::size_t p) const {
    const Theme& t = *theme;
    const Panel& panel = panels[p];
    const QCPAxis& x = panel.x();
    const QCPAxis& y = panel.y();
    const QRectF area = frame_of(*panel.rect);
    const Output id = data.outputs[p];
    draw_text(painter, {4, std::round(area.top() - 10)}, axis_title(id), fonts.bold, t.text);

    LabelRoom room(area.adjusted(2, 2, -2, -2));
    std::vector<QPolygonF> lines;
    for (const QCPGraph* graph : panel.graphs) {
        QPolygonF line;
        for (const QCPGraphData& point : *graph->data()) {
            line.append(std::isnan(point.value) ? QPointF(x.coordToPixel(point.key), kNone)
                                                : drawn_at(x, y, point.key, point.value, painter));
        }
        room.avoid(line);
        lines.push_back(std::move(line));
    }

    // Usable memory across a panel of memory.
    if (is_memory(id)) {
        const double at = std::round(y.coordToPixel(data.capacity / factor_of(id))) + 0.5;
        painter.setPen(line_pen(t.text, 1.5, {5, 3}));
        painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
        room.avoid(QPolygonF({QPointF(area.left(), at), QPointF(area.right(), at)}));
        const QFontMetricsF metrics(fonts.small_bold);
        draw_text(painter, {area.right() + 6, std::round(at + (metrics.ascent() - metrics.descent()) / 2)},
                  tr("usable %1").arg(shown(data.capacity, Quantity::bytes, false)), fonts.small_bold,
                  t.text);
    }

    // The current value: a guide through all panels, a dot where there is a value.
    const double now = axis_x(data.current.x);
    const double value = axis_y(p, data.current);
    const bool in_range = x.range().contains(now);
    const bool has_dot = in_range && y.range().contains(value);
    const QPointF dot = drawn_at(x, y, now, has_dot ? value : y.range().lower, painter);
    constexpr double kDot = 4.5;
    if (in_range) {
        const double at = std::floor(dot.x()) + 0.5;
        painter.setPen(line_pen(t.text, 1, {1, 2}));
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        room.avoid(QPolygonF({QPointF(at, area.top()), QPointF(at, area.bottom())}), 0.5);
    }
    if (has_dot) room.take(QRectF(dot.x() - 8, dot.y() - 8, 16, 16));
    if (has_dot) {
        QString text = tr("A %1").arg(QString::fromStdString(format(data.current.value[p], quantity_of(id))));
        if (data.hypothetical && !data.current.fits() && output(id).timed) text += tr(", hypothetical");
        const LabelLines label{{text, fonts.small_bold, t.text}};
        const auto box = room.place(size_of(label), around(dot, size_of(label), 10));
        if (box) draw_label(painter, *box, label, Qt::AlignHCenter, t.pane);
    }

    // A curve's ends at what does not fit, and its name at its right end.
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const bool own = data.series[k].current;
        const QColor color = own ? t.text : t.muted;
        const auto& points = data.series[k].points;
        for (std::size_t i = 0; output(id).timed && !apart() && i < points.size(); ++i) {
            if (std::isnan(points[i].value[p])) continue;
            const bool ends =
                (i > 0 && points[i - 1].valid && std::isnan(points[i - 1].value[p])) ||
                (i + 1 < points.size() && points[i + 1].valid && std::isnan(points[i + 1].value[p]));
            if (ends)
                draw_cross(painter, drawn_at(x, y, axis_x(points[i].x), axis_y(p, points[i]), painter), 3.5,
                           color);
        }
    }
    for (std::size_t k = 0; data.family != P::count && k < lines.size(); ++k) {
        const bool own = data.series[k].current;
        QPolygonF there;
        for (const QPointF& point : lines[k]) {
            if (!std::isnan(point.y())) there.append(point);
        }
        if (there.isEmpty()) continue;
        const LabelLines label{{name_of_member(data.series[k].member, p == 0 || own),
                                own ? fonts.small_bold : fonts.small, own ? t.text : t.muted}};
        const QSizeF size = size_of(label);
        QList<QPointF> corners;
        for (const double share : {1.0, 0.85, 0.7, 0.5, 0.3, 0.15}) {
            const QPointF at =
                there[static_cast<qsizetype>(std::lround(share * static_cast<double>(there.size() - 1)))];
            for (const double gap : {6.0, 14.0}) {
                corners.append({at.x() + gap, at.y() - size.height() / 2});
                corners.append({at.x() - size.width() / 2, at.y() - gap - size.height()});
                corners.append({at.x() - size.width(), at.y() - gap - size.height()});
                corners.append({at.x() - size.width() / 2, at.y() + gap});
                corners.append({at.x() - size.width(), at.y() + gap});
            }
        }
        const auto box = room.place(size, corners);
        if (box) draw_label(painter, *box, label, Qt::AlignLeft, t.pane);
    }
    paint_tags(painter, p, room);
    for (const Stretch& stretch : unfit()) {
        const double left = std::max(area.left(), x.coordToPixel(stretch.from));
        const double right = std::min(area.right(), x.coordToPixel(stretch.to));
        draw_area_words(painter, QRectF(left, area.top(), right - left, area.height()),
                        {tr("does not fit"), fonts.small_bold, t.text}, t.hatch_ground, room);
    }
    if (has_dot) draw_ring(painter, dot, kDot, t.pane, t.text);
}

// Pinned scenarios: each one's letter on its line.
void SweepFigure::Parts::paint_tags(QCPPainter& painter, std::size_t p, LabelRoom& room) const {
    const Panel& panel = panels[p];
    for (std::size_t k = 0; k < ghosts.size(); ++k) {
        QPolygonF there;
        for (const QCPGraphData& point : *panel.ghosts[k]->data()) {
            if (!std::isnan(point.value))
                there.append(drawn_at(panel.x(), panel.y(), point.key, point.value, painter));
        }
        if (there.isEmpty()) continue;
        QList<QPointF> corners;
        for (const double share : {0.95, 0.8, 0.6, 0.4, 0.2, 0.05}) {
            const QPointF at =
                there[static_cast<qsizetype>(std::lround(share * static_cast<double>(there.size() - 1)))];
            corners.append({at.x() - kTag / 2, at.y() - kTag - 3});
            corners.append({at.x() - kTag / 2, at.y() + 3});
        }
        const char letter = ghosts[k].letter;
        if (const auto box = room.place({kTag, kTag}, corners))
            draw_tag(painter, *box, letter, pin_color(*theme, letter), fonts.small_bold);
    }
}

// ---- the figure ------------------------------------------------------------------------------------------

SweepFigure::SweepFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
SweepFigure::~SweepFigure() = default;

void SweepFigure::set_style(const Theme& theme, const QFont& font) {
    parts_->theme = &theme;
    parts_->fonts = FigureFonts(font);
    parts_->style_panels();
}

void SweepFigure::set_data(SweepData data) {
    parts_->data = std::move(data);
    parts_->make_panels();
    parts_->fill_graphs();
}

void SweepFigure::set_current(const SweepPoint& current) { parts_->data.current = current; }

void SweepFigure::set_ghosts(std::vector<Ghost> ghosts) {
    parts_->ghosts = std::move(ghosts);
    parts_->make_panels();
    parts_->fill_graphs();
}

void SweepFigure::set_strength(double strength) { parts_->strength = strength; }

bool SweepFigure::inside(const QPointF& pixel) const {
    return std::ranges::any_of(
        parts_->panels, [&](const Parts::Panel& panel) { return frame_of(*panel.rect).contains(pixel); });
}

double SweepFigure::x_at(double pixel) const {
    const Parts& p = *parts_;
    const double at = p.panels.front().x().pixelToCoord(pixel);
    if (!p.apart()) return at * plot_unit(parameter(p.data.x).quantity).factor;
    const auto& points = p.data.series.front().points;
    if (points.empty()) return p.data.current.x;
    const double last = static_cast<double>(points.size()) - 1;
    return points[static_cast<std::size_t>(std::clamp(std::round(at), 0.0, last))].x;
}

double SweepFigure::pixel_of(double x) const {
    return parts_->panels.front().x().coordToPixel(parts_->axis_x(x));
}

void SweepFigure::refit(const QSize& size) {
    if (parts_->data.series.empty()) return;
    parts_->fit_axes();
    parts_->fill_graphs();
    parts_->lay_out(size);
}

const SweepData& SweepFigure::data() const { return parts_->data; }

QPointF SweepFigure::current_dot(std::size_t panel) const {
    const Parts& p = *parts_;
    return {p.axis_x(p.data.current.x), p.axis_y(panel, p.data.current)};
}

QString SweepFigure::description() const {
    const Parts& p = *parts_;
    if (p.data.outputs.empty()) return {};
    QStringList values;
    for (std::size_t i = 0; i < p.data.outputs.size(); ++i) {
        const Output id = p.data.outputs[i];
        values.append(text_of(output(id).label) + QLatin1Char(' ') +
                      QString::fromStdString(format(p.data.current.value[i], quantity_of(id))));
    }
    return tr("Sweep over %1. At %2: %3.")
        .arg(text_of(parameter(p.data.x).label), QString::fromStdString(format(p.data.x, p.data.current.x)),
             values.join(QStringLiteral(", ")));
}

}  // namespace shardscope
