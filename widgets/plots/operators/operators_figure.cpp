#include "widgets/plots/operators/operators_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kDotReach = 10;    // px around a dot's centre that count as hitting it
constexpr double kLeast = 3;        // radius of a dot that takes no time, px
constexpr double kLargestDot = 11;  // of one that takes the whole step
constexpr std::size_t kLargestDotLabels = 8;
constexpr double kKeepOff = 40;          // weight of a leader line, so that labels avoid it
constexpr double kLabelledShare = 0.01;  // fraction of the step from which an operator is named

QString too_much(const MemoryUse& memory) {
    return tr("Does not fit, %1 of %2: no times")
        .arg(shown(memory.peak, Quantity::bytes), shown(memory.capacity, Quantity::bytes));
}

// Returns the line from a dot's edge to the nearest point of its name.
QLineF leader_of(const QPointF& dot, double radius, const QRectF& name) {
    const QPointF to(std::clamp(dot.x(), name.left(), name.right()),
                     std::clamp(dot.y(), name.top(), name.bottom()));
    QLineF out(dot, to);
    if (out.length() > radius) out.setP1(out.pointAt(radius / out.length()));
    return out;
}

// Divides a line into short segments, because a label's cost is sampled at a few points of each segment.
QPolygonF in_segments(const QPolygonF& line) {
    constexpr double kSegment = 12;  // px
    QPolygonF out;
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QLineF whole(line[i - 1], line[i]);
        const int segments = std::max(1, static_cast<int>(whole.length() / kSegment));
        for (int k = 0; k <= segments; ++k) out.append(whole.pointAt(static_cast<double>(k) / segments));
    }
    return out;
}

bool crosses(const QLineF& line, const QRectF& box) {
    constexpr int kSamples = 24;
    for (int i = 0; i <= kSamples; ++i) {
        if (box.contains(line.pointAt(static_cast<double>(i) / kSamples))) return true;
    }
    return false;
}

}  // namespace

struct OperatorsFigure::Parts {
    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    OperatorsData data;
    std::vector<Ghost> ghosts;
    bool dimmed = false;
    std::optional<std::size_t> highlight;
    AxisZoom x_zoom;
    AxisZoom y_zoom;

    explicit Parts(QCustomPlot& target);

    QCPAxis& x() const { return *plot.xAxis; }
    QCPAxis& y() const { return *plot.yAxis; }
    QRectF frame() const { return frame_of(*plot.axisRect()); }

    void fit();
    void show_part();
    void lay_out();
    // Returns whether the row has a dot in the shown part of the axes.
    bool drawn(const OperatorRow& row) const;
    QPointF pixel(const OperatorRow& row) const;
    double radius(const OperatorRow& row) const;

    // The boxes of the text drawn so far; no leader line may cross them.
    using Boxes = std::vector<QRectF>;
    void paint_below(QCPPainter& painter) const;
    void paint_above(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter) const;
    QPolygonF roof(double peak, double bandwidth) const;
    void paint_roof_labels(QCPPainter& painter, LabelPlacer& room, Boxes& boxes) const;
    void paint_reached(QCPPainter& painter, LabelPlacer& room, Boxes& boxes) const;
    void paint_dots(QCPPainter& painter) const;
    void paint_names(QCPPainter& painter, LabelPlacer& room, Boxes& boxes) const;
    bool paint_group(QCPPainter& painter, LabelPlacer& room, Boxes& boxes, std::vector<QLineF>& leaders,
                     const std::vector<std::size_t>& group) const;
    QString full_name(const OperatorRow& row) const;
    void paint_moving(QCPPainter& painter, LabelPlacer& room, Boxes& boxes) const;
};

OperatorsFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    make_logarithmic(plot);
    new PaintedItem(plot, QStringLiteral("background"),
                    [this](QCPPainter& painter) { paint_below(painter); });
    new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint_above(painter); });
}

// The axes cover whole decades, so that a small change does not move them. They include both roofs, the ridge
// point between them, and all dots.
void OperatorsFigure::Parts::fit() {
    if (!(data.reached_peak > 0) || !(data.reached_bandwidth > 0)) return;
    const double ridge = data.reached_peak / data.reached_bandwidth;
    double left = ridge / 10;
    double right = ridge * 4;
    double bottom = data.reached_peak / 20;
    double top = data.peak;
    for (const Ghost& ghost : ghosts) top = std::max(top, ghost.reached_peak);
    for (const OperatorRow& row : data.table.rows) {
        if (!data.drawn(row)) continue;
        left = std::min(left, row.intensity() / 1.3);
        right = std::max(right, row.intensity() * 1.6);
        bottom = std::min(bottom, data.achieved(row) / 1.5);
    }
    const auto half_decade = [](double value, bool up) {
        const double halves = 2 * std::log10(value);
        return std::pow(10, (up ? std::ceil(halves - 1e-9) : std::floor(halves + 1e-9)) / 2);
    };
    x_zoom.fit({half_decade(left, false), half_decade(right, true)}, true);
    y_zoom.fit({half_decade(bottom, false), half_decade(top * 1.2, true)}, true);
    show_part();
}

void OperatorsFigure::Parts::show_part() {
    const auto show = [](QCPAxis& axis, const AxisZoom& zoom, double unit) {
        const auto [low, high] = zoom.range();
        axis.setRange(low, high);
        auto ticker = axis.ticker().staticCast<QCPAxisTickerText>();
        ticker->clear();
        for (const double value : enough_ticks(log_ticks(low, high, 10), low, high))
            ticker->addTick(value, shown(value / unit, Quantity::count));
    };
    constexpr double kTera = 1e12;
    show(x(), x_zoom, 1);
    show(y(), y_zoom, kTera);
    lay_out();
}

bool OperatorsFigure::Parts::drawn(const OperatorRow& row) const {
    const auto shows = [](const AxisZoom& zoom, double value) {
        return !zoom.zoomed() || zoom.contains(value);
    };
    return data.drawn(row) && shows(x_zoom, row.intensity()) && shows(y_zoom, data.achieved(row));
}

void OperatorsFigure::Parts::lay_out() {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    const double left = widest_tick(y(), fonts.small) + kTickLength + 4 + kFigureMargin;
    const double top = bold.height() + 10;
    const double bottom = kTickLength + 4 + small.height() + 2 + bold.height() + 4;
    set_margins(plot, left, top, 2 * kFigureMargin, bottom);
}

QPointF OperatorsFigure::Parts::pixel(const OperatorRow& row) const {
    const auto on = [](const QCPAxis& axis, double value) {
        return axis.coordToPixel(std::clamp(value, axis.range().lower, axis.range().upper));
    };
    return {on(x(), row.intensity()), on(y(), data.achieved(row))};
}

// A dot's area grows with the operator's time.
double OperatorsFigure::Parts::radius(const OperatorRow& row) const {
    return kLeast + (kLargestDot - kLeast) * std::sqrt(std::clamp(data.share(row.step), 0.0, 1.0));
}

// ---- painting --------------------------------------------------------------------------------------------

// Returns the part of a roof that is in the frame: the slope, the flat part, or both.
QPolygonF OperatorsFigure::Parts::roof(double peak, double bandwidth) const {
    const double low = x().range().lower;
    const double high = x().range().upper;
    const double floor = y().range().lower;
    const double ceiling = y().range().upper;
    // Its ends, its corner, and where the slope crosses the lower and the upper edge of the frame.
    std::array<double, 5> along{low, floor / bandwidth, ceiling / bandwidth, peak / bandwidth, high};
    std::ranges::sort(along);
    constexpr double kRounding = 1e-9;
    QPolygonF out;
    for (const double value : along) {
        const double top = std::min(peak, bandwidth * value);
        const bool inside = value >= low && value <= high && top >= floor * (1 - kRounding) &&
                            top <= ceiling * (1 + kRounding);
        if (inside) out.append({x().coordToPixel(value), y().coordToPixel(top)});
    }
    return out;
}

void OperatorsFigure::Parts::paint_below(QCPPainter& painter) const {
    if (!(data.peak > 0)) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(line_pen(theme->muted, 1.2, {1, 3}));
    painter.drawPolyline(roof(data.peak, data.bandwidth));
    for (const Ghost& ghost : ghosts) {
        painter.setPen(line_pen(pin_color(*theme, ghost.letter), 2, pin_dash(ghost.letter)));
        painter.drawPolyline(roof(ghost.reached_peak, ghost.reached_bandwidth));
    }
    painter.setPen(line_pen(theme->text, 1.8));
    painter.drawPolyline(roof(data.reached_peak, data.reached_bandwidth));
}

void OperatorsFigure::Parts::paint_above(QCPPainter& painter) const {
    paint_titles(painter);
    if (!(data.peak > 0)) return;
    const QRectF area = frame();
    LabelPlacer room(area.adjusted(2, 2, -2, -2));
    room.avoid(in_segments(roof(data.peak, data.bandwidth)));
    room.avoid(in_segments(roof(data.reached_peak, data.reached_bandwidth)));
    for (const Ghost& ghost : ghosts)
        room.avoid(in_segments(roof(ghost.reached_peak, ghost.reached_bandwidth)), 0.7);
    if (!data.timed) {
        const LabelLines lines{{too_much(data.memory), fonts.small_bold, theme->text}};
        const QSizeF size = size_of(lines);
        const QRectF box(QPointF(area.right() - size.width() - 8, area.bottom() - size.height() - 8), size);
        const QRectF block(box.left() - 22, box.top(), 16, box.height());
        draw_unfit(painter, block, *theme);
        draw_label(painter, box, lines, Qt::AlignRight, theme->pane);
        room.take(box.united(block));
    } else {
        paint_dots(painter);
        for (const OperatorRow& row : data.table.rows) {
            if (!drawn(row)) continue;
            const QPointF at = pixel(row);
            const double r = radius(row);
            room.take({at.x() - r, at.y() - r, 2 * r, 2 * r});
        }
    }
    Boxes boxes;
    for (const Ghost& ghost : ghosts) {
        const QPolygonF line = roof(ghost.reached_peak, ghost.reached_bandwidth);
        if (line.isEmpty()) continue;
        const QPointF end = line.last();
        QList<QPointF> corners;
        for (int place = 1; place <= static_cast<int>(kMostPins); ++place) {
            const double left = -place * (kTag + 4);
            corners << end + QPointF(left, 3) << end + QPointF(left, -kTag - 3);
        }
        const QRectF box = room.place_or_cover({kTag, kTag}, corners);
        boxes.push_back(box);
        draw_tag(painter, box, ghost.letter, pin_color(*theme, ghost.letter), fonts.small_bold);
    }
    paint_roof_labels(painter, room, boxes);
    if (data.timed) {
        paint_moving(painter, room, boxes);
        paint_names(painter, room, boxes);
    }
    if (dimmed) dim(painter, area, *theme, kInvalidStrength);
}

void OperatorsFigure::Parts::paint_titles(QCPPainter& painter) const {
    const QRectF area = frame();
    draw_text(painter, {4, std::round(area.top() - 8)}, tr("TFLOP/s, forward"), fonts.bold, theme->text);
    const QFontMetricsF metrics(fonts.bold);
    const QString title = tr("FLOPs per byte of device memory");
    const double bottom = area.bottom() + kTickLength + 4 + QFontMetricsF(fonts.small).height() + 2;
    draw_text(painter,
              {std::round(area.center().x() - metrics.horizontalAdvance(title) / 2),
               std::round(bottom + metrics.ascent())},
              title, fonts.bold, theme->text);
}

void OperatorsFigure::Parts::paint_roof_labels(QCPPainter& painter, LabelPlacer& room, Boxes& boxes) const {
    const QRectF area = frame();
    const auto place = [&](const QString& text, const QColor& color, const QList<QPointF>& anchors,
                           bool above) {
        const LabelLines lines{{text, fonts.small, color}};
        const QSizeF size = size_of(lines);
        QList<QPointF> corners;
        for (const QPointF& anchor : anchors)
            corners.append({anchor.x() - size.width(), anchor.y() + (above ? -size.height() - 2 : 3)});
        const auto box = room.place(size, corners);
        if (!box) return;
        boxes.push_back(*box);
        draw_label(painter, *box, lines, Qt::AlignRight, theme->pane);
    };
    const auto along_top = [&](double peak) {
        const double level = y().coordToPixel(std::min(peak, y().range().upper));
        QList<QPointF> out;
        for (const double inset : {6.0, 60.0, 120.0}) out.append({area.right() - inset, level});
        return out;
    };
    if (y().range().contains(data.peak))
        place(tr("peak %1").arg(shown(data.peak, Quantity::flop_rate)), theme->muted, along_top(data.peak),
              true);
    paint_reached(painter, room, boxes);
    // Left of the slope, at several heights.
    QList<QPointF> beside;
    for (const double share : {0.45, 0.6, 0.3, 0.75, 0.2, 0.52, 0.37, 0.68, 0.82, 0.12, 0.9}) {
        const double pixel = area.bottom() - share * area.height();
        const double value = y().pixelToCoord(pixel) / data.bandwidth;
        beside.append({x().coordToPixel(std::max(value, x().range().lower)) - 6, pixel});
    }
    place(tr("memory reaches %1").arg(shown(data.reached_bandwidth, Quantity::memory_bandwidth)), theme->text,
          beside, true);
}

// Labels the sustained roof below its right end, or to the left of its left end. If dots occupy the former
// and the plot is too narrow for the latter, the label is above the plot.
void OperatorsFigure::Parts::paint_reached(QCPPainter& painter, LabelPlacer& room, Boxes& boxes) const {
    const QRectF area = frame();
    const LabelLines lines{{tr("matrices reach %1").arg(shown(data.reached_peak, Quantity::flop_rate)),
                            fonts.small, theme->text}};
    const QSizeF size = size_of(lines);
    const QPolygonF line = roof(data.reached_peak, data.reached_bandwidth);
    // A part of the plot may show only the slope, or nothing of the roof.
    if (line.isEmpty() || !y().range().contains(data.reached_peak)) return;
    const double level = line.last().y();
    QList<QPointF> corners;
    for (const double inset : {6.0, 60.0, 120.0})
        corners.append({area.right() - inset - size.width(), level + 3});
    // Left of the data sheet's slope, at the height of the sustained roof.
    const double sheet = x().coordToPixel(data.reached_peak / data.bandwidth);
    corners.append({sheet - 10 - size.width(), level - size.height() / 2});
    constexpr double kLargestDotCrossed = 20;  // px
    if (const auto box = room.place(size, corners, kLargestDotCrossed)) {
        draw_label(painter, *box, lines, Qt::AlignRight, theme->pane);
        boxes.push_back(*box);
        return;
    }
    constexpr double kSample = 18;  // px
    const QFontMetricsF metrics(fonts.small);
    const double base = std::round(area.top() - 8);
    const double left = std::round(area.right() - size.width());
    const double middle = base - std::round(metrics.xHeight() / 2);
    painter.setPen(line_pen(theme->text, 1.8));
    painter.drawLine(QPointF(left - 6 - kSample, middle), QPointF(left - 6, middle));
    draw_text(painter, {left, base}, lines.front().text, fonts.small, theme->text);
}

void OperatorsFigure::Parts::paint_dots(QCPPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    // The largest dots are drawn first, so that the others are visible above them.
    std::vector<const OperatorRow*> order;
    for (const OperatorRow& row : data.table.rows) {
        if (drawn(row)) order.push_back(&row);
    }
    std::ranges::stable_sort(order,
                             [](const OperatorRow* a, const OperatorRow* b) { return a->step > b->step; });
    for (const OperatorRow* row : order) {
        QColor fill = theme->of(row->term);
        painter.setPen(QPen(fill, 1.2));
        fill.setAlphaF(0.55F);
        painter.setBrush(fill);
        painter.drawEllipse(pixel(*row), radius(*row), radius(*row));
    }
    if (highlight && *highlight < data.table.rows.size() && drawn(data.table.rows[*highlight])) {
        const OperatorRow& row = data.table.rows[*highlight];
        draw_ring(painter, pixel(row), radius(row) + 4, Qt::transparent, theme->text);
    }
}

// Operators that only move memory have no position on the axes, so their fraction of the step is stated as
// text.
void OperatorsFigure::Parts::paint_moving(QCPPainter& painter, LabelPlacer& room, Boxes& boxes) const {
    const double share = data.moving_share();
    if (!(share > 0)) return;
    const LabelLines lines{
        {tr("memory-only operators: %1 of the step").arg(percent(share)), fonts.small, theme->muted}};
    const QSizeF size = size_of(lines);
    const QRectF area = frame();
    const double bottom = area.bottom() - size.height() - 6;
    const auto box = room.place(size, {{area.right() - size.width() - 6, bottom}, {area.left() + 6, bottom}});
    if (!box) return;
    boxes.push_back(*box);
    draw_label(painter, *box, lines, Qt::AlignRight, theme->pane);
}

// Returns the operator's name, preceded by its block if several blocks have an operator of that name.
QString OperatorsFigure::Parts::full_name(const OperatorRow& row) const {
    const bool unique = std::ranges::count(data.table.rows, row.name, &OperatorRow::name) == 1;
    return (unique ? QString() : text_of(row.block) + QStringLiteral(": ")) + text_of(row.name);
}

// Names the operators that take most of the step, and the highlighted one. The names of overlapping dots form
// one text block, because beside single dots they could not be told apart.
void OperatorsFigure::Parts::paint_names(QCPPainter& painter, LabelPlacer& room, Boxes& boxes) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < data.table.rows.size(); ++i) {
        if (drawn(data.table.rows[i])) order.push_back(i);
    }
    const auto weight = [&](std::size_t i) {
        return i == highlight ? 2.0 : data.share(data.table.rows[i].step);
    };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    if (order.size() > kLargestDotLabels) order.resize(kLargestDotLabels);
    std::erase_if(order, [&](std::size_t i) { return weight(i) < kLabelledShare; });
    std::vector<QLineF> leaders;
    while (!order.empty()) {
        const OperatorRow& first = data.table.rows[order.front()];
        const auto in_group = [&](std::size_t i) {
            const OperatorRow& row = data.table.rows[i];
            return QLineF(pixel(row), pixel(first)).length() < radius(row) + radius(first);
        };
        std::vector<std::size_t> group;
        std::ranges::copy_if(order, std::back_inserter(group), in_group);
        std::erase_if(order, in_group);
        // If there is no room for all names of a group, the least important ones are left out.
        while (!group.empty() && !paint_group(painter, room, boxes, leaders, group)) group.pop_back();
    }
}

bool OperatorsFigure::Parts::paint_group(QCPPainter& painter, LabelPlacer& room, Boxes& boxes,
                                         std::vector<QLineF>& leaders,
                                         const std::vector<std::size_t>& group) const {
    LabelLines lines;
    QRectF dots;
    for (const std::size_t i : group) {
        const OperatorRow& row = data.table.rows[i];
        lines.append({full_name(row) + QLatin1Char(' ') + percent(data.share(row.step)),
                      i == highlight ? fonts.small_bold : fonts.small, theme->text});
        const double r = radius(row);
        dots |= QRectF(pixel(row) - QPointF(r, r), QSizeF(2 * r, 2 * r));
    }
    const QSizeF size = size_of(lines);
    const auto beside = [&](double gap) {
        // Above, below, right, left, then diagonally.
        const double left = dots.left() - gap - size.width();
        const double right = dots.right() + gap;
        const double above = dots.top() - gap - size.height();
        const double below = dots.bottom() + gap;
        const double x = dots.center().x() - size.width() / 2;
        const double y = dots.center().y() - size.height() / 2;
        return QList<QPointF>{{x, above},     {x, below},    {right, y},     {left, y},
                              {right, above}, {left, above}, {right, below}, {left, below}};
    };
    constexpr double kClear = 12;  // px of a roof that a name may cover if there are other positions
    constexpr double kLargestDotCrossed = 40;
    auto box = room.place(size, beside(2), kClear);
    if (!box) {
        // A name farther away needs a leader line to its dot, which must not cross other text or another
        // leader line.
        const OperatorRow& first = data.table.rows[group.front()];
        QList<QPointF> corners;
        for (const double gap : {10.0, 20.0, 32.0, 44.0}) {
            const QList<QPointF> ring = beside(gap);
            for (const QPointF& corner : ring) {
                const QLineF leader = leader_of(pixel(first), radius(first), QRectF(corner, size));
                const bool free =
                    std::ranges::none_of(boxes, [&](const QRectF& word) { return crosses(leader, word); }) &&
                    std::ranges::none_of(leaders, [&](const QLineF& other) {
                        return other.intersects(leader) == QLineF::BoundedIntersection;
                    });
                if (free) corners.append(corner);
            }
        }
        box = room.place(size, corners, kClear);
        if (box) {
            leaders.push_back(leader_of(pixel(first), radius(first), *box));
            room.avoid(in_segments({leaders.back().p1(), leaders.back().p2()}), kKeepOff);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(line_pen(theme->muted, 1));
            painter.drawLine(leaders.back());
        }
    }
    if (!box) {
        const bool pointed_to = highlight && std::ranges::find(group, *highlight) != group.end();
        box = room.place(size, beside(2), pointed_to ? 1e9 : kLargestDotCrossed);
    }
    if (!box) return false;
    draw_label(painter, *box, lines, Qt::AlignHCenter, theme->pane);
    boxes.push_back(*box);
    return true;
}

// ---- the figure ------------------------------------------------------------------------------------------

OperatorsFigure::OperatorsFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
OperatorsFigure::~OperatorsFigure() = default;

void OperatorsFigure::set_style(const Theme& theme, const QFont& font) {
    Parts& p = *parts_;
    p.theme = &theme;
    p.fonts = FigureFonts(font);
    style_plot(p.plot, theme, p.fonts);
    p.lay_out();
}

void OperatorsFigure::set_data(OperatorsData data) {
    parts_->data = std::move(data);
    if (parts_->highlight && *parts_->highlight >= parts_->data.table.rows.size()) parts_->highlight.reset();
}
void OperatorsFigure::set_ghosts(std::vector<Ghost> ghosts) { parts_->ghosts = std::move(ghosts); }
const std::vector<OperatorsFigure::Ghost>& OperatorsFigure::ghosts() const { return parts_->ghosts; }
void OperatorsFigure::set_dimmed(bool dimmed) { parts_->dimmed = dimmed; }
void OperatorsFigure::set_highlight(std::optional<std::size_t> row) { parts_->highlight = row; }
void OperatorsFigure::refit() { parts_->fit(); }

std::vector<ZoomableFigure::Frame> OperatorsFigure::frames() const {
    if (!(parts_->data.peak > 0)) return {};
    return {{parts_->frame(), &parts_->x_zoom, &parts_->y_zoom}};
}

void OperatorsFigure::apply_zoom() { parts_->show_part(); }
QPointF OperatorsFigure::zoom_center() const { return parts_->frame().center(); }

const OperatorsData& OperatorsFigure::data() const { return parts_->data; }
std::optional<std::size_t> OperatorsFigure::highlight() const { return parts_->highlight; }
QPointF OperatorsFigure::pixel_of(std::size_t row) const {
    return parts_->pixel(parts_->data.table.rows[row]);
}

std::optional<std::size_t> OperatorsFigure::row_at(const QPointF& pixel) const {
    std::optional<std::size_t> found;
    double nearest = kDotReach;
    const OperatorsData& data = parts_->data;
    for (std::size_t i = 0; i < data.table.rows.size(); ++i) {
        if (!parts_->drawn(data.table.rows[i])) continue;
        const QPointF away = parts_->pixel(data.table.rows[i]) - pixel;
        const double distance = std::hypot(away.x(), away.y());
        if (distance > nearest) continue;
        nearest = distance;
        found = i;
    }
    return found;
}

QString OperatorsFigure::description() const { return operators_caption(parts_->data); }

QString operator_words(const OperatorsData& data, std::size_t index) {
    const OperatorRow& row = data.table.rows[index];
    const auto time = [&](double seconds) {
        return data.timed ? shown(seconds, Quantity::seconds) : QStringLiteral("–");
    };
    QStringList out{tr("%1 of the %2, %3").arg(text_of(row.name), text_of(row.block), text_of(row.kind))};
    if (const std::string shape = shape_text(row); !shape.empty())
        out += tr("M × N × K: %1").arg(QString::fromStdString(shape));
    if (row.exchanges()) {
        out += tr("Exchanges %1").arg(shown(row.bytes, Quantity::bytes));
    } else {
        if (row.flops > 0)
            out +=
                tr("%1 FLOPs, %2 per byte")
                    .arg(shown(row.flops, Quantity::big_count), shown(row.intensity(), Quantity::fraction));
        out += tr("Weights %1, moves %2, keeps %3")
                   .arg(shown(row.weights, Quantity::big_count), shown(row.bytes, Quantity::bytes),
                        shown(row.saved, Quantity::bytes));
    }
    out += tr("Forward %1, backward %2, bound by %3")
               .arg(time(row.forward), time(row.backward), text_of(bound_label(row)));
    if (data.timed) {
        if (const double rate = data.achieved(row); rate > 0)
            out += tr("Reaches %1, %2 of the peak")
                       .arg(shown(rate, Quantity::flop_rate), percent(rate / data.peak));
        out += tr("%1 of the step").arg(percent(data.share(row.step)));
    }
    return out.join(QLatin1Char('\n'));
}

QString operators_caption(const OperatorsData& data) {
    if (data.table.empty()) return {};
    if (!data.timed) return too_much(data.memory) + QLatin1Char('.');
    QStringList out{tr("Dots: operators with matrix products, by FLOPs per byte and per second in the "
                       "forward pass; the larger a dot, the larger its share of the step."),
                    tr("Solid: sustained rates of matrices and memory; dotted: the data sheet.")};
    const OperatorRow* longest = &data.table.rows.front();
    for (const OperatorRow& row : data.table.rows) {
        if (row.step > longest->step) longest = &row;
    }
    out += tr("Operators take %1 of the step, those that only move memory %2; the longest is %3 with %4.")
               .arg(percent(data.share(data.table.model.step)), percent(data.moving_share()),
                    text_of(longest->name), percent(data.share(longest->step)));
    if (data.hypothetical) out += tr("HYPOTHETICAL: times as if memory sufficed.");
    return out.join(QLatin1Char(' '));
}

}  // namespace shardscope
