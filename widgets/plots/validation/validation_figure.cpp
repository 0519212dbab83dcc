#include "widgets/plots/validation/validation_figure.h"

#include <QImage>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/drawing.h"
#include "widgets/plots/validation/validation_words.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kRunMark = 3.6;  // radius, px
constexpr double kRunReach = 9;   // px around a point's centre that count as hitting it
constexpr int kErrorTicks = 6;
constexpr double kRoomForCounts =
    430;  // px of axis from which the table of families shows their number of runs

bool logarithmic(ValidationQuantity quantity) {
    return quantity != ValidationQuantity::mfu && quantity != ValidationQuantity::memory;
}

QString name_of(ValidationQuantity quantity) {
    switch (quantity) {
        case ValidationQuantity::mfu: return tr("MFU, %");
        case ValidationQuantity::tokens_per_s_per_gpu: return tr("tokens/s/GPU");
        case ValidationQuantity::memory: return tr("peak memory, GiB");
        case ValidationQuantity::step_time: break;
    }
    return tr("step time, s");
}

// Returns the unit of the ticks.
double unit_of(ValidationQuantity quantity) { return quantity == ValidationQuantity::memory ? kGiB : 1; }

QString tick_text(double value, ValidationQuantity quantity) {
    if (quantity == ValidationQuantity::mfu) return shown(value * 100, Quantity::count);
    if (quantity == ValidationQuantity::tokens_per_s_per_gpu) return shown(value, Quantity::count);
    if (quantity == ValidationQuantity::memory) return shown(value / kGiB, Quantity::count);
    return tick_number(value);
}

// Returns a polygon with corners on a circle, the first at `start` quarter circles from the right. `inner` is
// the relative radius between the corners, which makes stars.
QPolygonF star(const QPointF& at, double radius, int corners, double start, double inner) {
    QPolygonF out;
    for (int i = 0; i < 2 * corners; ++i) {
        const double angle = (start / 2 + static_cast<double>(i) / corners) * std::numbers::pi;
        const double r = i % 2 == 0 ? radius : radius * inner;
        out.append(at + QPointF(r * std::cos(angle), r * std::sin(angle)));
    }
    return out;
}

// Draws the marker of a family. None is a diamond, which means a run of the current scenario.
void draw_mark(QPainter& painter, const QPointF& at, std::size_t style, const QColor& color) {
    QColor fill = color;
    fill.setAlphaF(0.35F);  // overlapping markers appear darker
    painter.setPen(QPen(color, 1.2, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(fill);
    constexpr double kTriangle = 1.35;  // as large to the eye as the circle
    constexpr double kFlat = 0.5;       // gives a triangle straight sides
    const double r = kRunMark;
    constexpr std::size_t kShapes = 9;
    switch (style % kShapes) {
        case 0: painter.drawEllipse(at, r, r); break;
        case 1: painter.drawRect(QRectF(at.x() - r * 0.9, at.y() - r * 0.9, r * 1.8, r * 1.8)); break;
        case 2: painter.drawPolygon(star(at, r * kTriangle, 3, -1, kFlat)); break;
        case 3: painter.drawPolygon(star(at, r * kTriangle, 3, 1, kFlat)); break;
        case 4: draw_cross(painter, at, r * 0.9, color); break;
        case 5: painter.drawPolygon(star(at, r * 1.5, 5, -1, 0.42)); break;
        case 6:
            painter.setPen(QPen(color, 1.6));
            painter.drawLine(at + QPointF(-r * 1.2, 0), at + QPointF(r * 1.2, 0));
            painter.drawLine(at + QPointF(0, -r * 1.2), at + QPointF(0, r * 1.2));
            break;
        case 7: painter.drawPolygon(star(at, r * kTriangle, 3, 0, kFlat)); break;
        default: painter.drawPolygon(star(at, r * kTriangle, 3, 2, kFlat)); break;
    }
}

}  // namespace

struct ValidationFigure::Parts {
    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    ValidationQuantity quantity = ValidationQuantity::mfu;
    ValidationData data;
    std::optional<ValidationPoint> own;
    std::vector<Ghost> ghosts;
    std::optional<std::size_t> highlight;
    AxisZoom x_zoom;
    AxisZoom y_zoom;
    // The marks of the runs as they were drawn last on screen, and the axes that they were drawn for. A drag
    // changes neither.
    mutable QImage marks;
    mutable std::array<double, 8> marks_axes{};

    explicit Parts(QCustomPlot& target);

    QCPAxis& x() const { return *plot.xAxis; }
    QCPAxis& y() const { return *plot.yAxis; }
    QRectF frame() const { return frame_of(*plot.axisRect()); }
    QColor color_of(const ValidationFamily& family) const {
        return family.own ? theme->text : theme->categories[family.style % theme->categories.size()];
    }

    void fit();
    void show_part();
    void lay_out();
    // Returns whether the user has zoomed to a part of the axes that does not show the point.
    bool left_out(const ValidationPoint& point) const;
    QPointF pixel(const ValidationPoint& point) const;
    [[nodiscard]] std::array<QPointF, 2> own_guides() const;  // the guides' ends on both axes
    bool beyond(const ValidationPoint& point) const;

    void paint_below(QCPPainter& painter) const;
    void paint_above(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter) const;
    QRectF paint_families(QCPPainter& painter) const;
    QRectF paint_summary(QCPPainter& painter) const;
    void paint_points(QCPPainter& painter) const;
    void draw_points(QPainter& painter) const;
    void paint_own(QCPPainter& painter, LabelPlacer& room) const;
    void paint_ghosts(QCPPainter& painter, LabelPlacer& room) const;
    void paint_band_label(QCPPainter& painter, LabelPlacer& room) const;
};

ValidationFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        use_manual_ticks(*axis);
        axis->setRange(0, 1);
    }
    new PaintedItem(plot, QStringLiteral("background"),
                    [this](QCPPainter& painter) { paint_below(painter); });
    new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint_above(painter); });
}

// Both axes have the same range, so that the diagonal goes from corner to corner.
void ValidationFigure::Parts::fit() {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    const auto include = [&](const ValidationPoint& point) {
        for (const double value : {point.measured(quantity), point.predicted(quantity)}) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    };
    for (const ValidationPoint& point : data.points) include(point);
    const bool log = logarithmic(quantity);
    const double unit = unit_of(quantity);
    // A point with an impossible value (MFU above 100 %) is shown at the edge and does not compress the
    // range.
    const auto include_possible = [&](const ValidationPoint& point) {
        const bool possible = std::max(point.measured(quantity), point.predicted(quantity)) <= 1;
        if (possible || quantity != ValidationQuantity::mfu) include(point);
    };
    if (own) include_possible(*own);
    for (const Ghost& pinned : ghosts) include_possible(pinned.point);
    if (high == 0) return;
    constexpr double kMargin = 1.25;
    const double top = std::min(quantity == ValidationQuantity::mfu ? 1.0 : high / unit * 2,
                                round_top(high / unit, kErrorTicks));
    const AxisRange whole = log ? AxisRange{low / kMargin, high * kMargin} : AxisRange{0, unit * top};
    x_zoom.fit(whole, log);
    y_zoom.fit(whole, log);
    show_part();
}

void ValidationFigure::Parts::show_part() {
    const bool log = logarithmic(quantity);
    const double unit = unit_of(quantity);
    const auto show = [&](QCPAxis& axis, const AxisZoom& zoom) {
        const auto [low, high] = zoom.range();
        axis.setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        axis.setRange(low, high);
        auto ticker = axis.ticker().staticCast<QCPAxisTickerText>();
        ticker->clear();
        const std::vector<double> ticks = log ? enough_ticks(log_ticks(low, high, 10), low, high)
                                              : linear_ticks(low / unit, high / unit, kErrorTicks);
        const double factor = log ? 1 : unit;
        for (const double value : ticks) ticker->addTick(factor * value, tick_text(factor * value, quantity));
    };
    show(x(), x_zoom);
    show(y(), y_zoom);
    lay_out();
}

bool ValidationFigure::Parts::left_out(const ValidationPoint& point) const {
    return (x_zoom.zoomed() && !x_zoom.contains(point.measured(quantity))) ||
           (y_zoom.zoomed() && !y_zoom.contains(point.predicted(quantity)));
}

void ValidationFigure::Parts::lay_out() {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    const double left = widest_tick(y(), fonts.small) + kTickLength + 4 + kFigureMargin;
    const auto ticks = y().ticker().staticCast<QCPAxisTickerText>()->ticks();
    const QString last = ticks.isEmpty() ? QString() : ticks.last();
    const double right = small.horizontalAdvance(last) / 2 + kFigureMargin;
    const double top = bold.height() + 10;
    const double bottom = kTickLength + 4 + small.height() + 4 + bold.height() + 6;
    set_margins(plot, left, top, right, bottom);
}

bool ValidationFigure::Parts::beyond(const ValidationPoint& point) const {
    return !x().range().contains(point.measured(quantity)) ||
           !y().range().contains(point.predicted(quantity));
}

QPointF ValidationFigure::Parts::pixel(const ValidationPoint& point) const {
    const auto on = [](const QCPAxis& axis, double value) {
        return axis.coordToPixel(std::clamp(value, axis.range().lower, axis.range().upper));
    };
    return {on(x(), point.measured(quantity)), on(y(), point.predicted(quantity))};
}

std::array<QPointF, 2> ValidationFigure::Parts::own_guides() const {
    const QPointF at = pixel(*own);
    return {QPointF(at.x(), frame().bottom()), QPointF(frame().left(), at.y())};
}

// ---- painting --------------------------------------------------------------------------------------------

void ValidationFigure::Parts::paint_below(QCPPainter& painter) const {
    const QRectF area = frame();
    const double low = x().range().lower;
    const double high = x().range().upper;
    const auto at = [&](double value, double factor) {
        return QPointF(x().coordToPixel(value), y().coordToPixel(value * factor));
    };
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(band_color(*theme));
    const QPolygonF band{QList<QPointF>{at(low, 1 - kValidationBand), at(high, 1 - kValidationBand),
                                        at(high, 1 + kValidationBand), at(low, 1 + kValidationBand)}};
    painter.drawPolygon(band.intersected(QPolygonF(area)));
    // The diagonal, as far as both axes show it.
    const double from = std::max(low, y().range().lower);
    const double to = std::min(high, y().range().upper);
    painter.setPen(line_pen(theme->muted, 1));
    if (from < to) painter.drawLine(at(from, 1), at(to, 1));
}

void ValidationFigure::Parts::paint_above(QCPPainter& painter) const {
    paint_titles(painter);
    const QRectF area = frame();
    if (data.points.empty()) {
        if (!data.filter.empty()) {
            const QString text = tr("No run has all of these words.");
            const double width = QFontMetricsF(fonts.small).horizontalAdvance(text);
            draw_text(painter, area.center() - QPointF(width / 2, 0), text, fonts.small, theme->muted);
        }
        return;
    }
    const bool shows_own = own && !left_out(*own);
    if (shows_own) {
        // The guides distinguish the user's own run from all others; they are below the text in the corners.
        painter.setPen(line_pen(theme->text, 1, {1, 2}));
        for (const QPointF& end : own_guides()) painter.drawLine(pixel(*own), end);
    }
    paint_points(painter);
    LabelPlacer room(area.adjusted(2, 2, -2, -2));
    room.take(paint_families(painter));
    room.take(paint_summary(painter));
    for (const ValidationPoint& point : data.points) {
        if (left_out(point)) continue;
        const QPointF at = pixel(point);
        room.avoid(QPolygonF({at - QPointF(kRunMark, 0), at + QPointF(kRunMark, 0)}));
    }
    // The user's own run is labelled first, because it must not be without a label.
    if (shows_own) paint_own(painter, room);
    paint_ghosts(painter, room);
    paint_band_label(painter, room);
}

// The label is below the band's lower edge, where there are few points.
void ValidationFigure::Parts::paint_band_label(QCPPainter& painter, LabelPlacer& room) const {
    const LabelLines lines{{validation_band_text(), fonts.small, theme->muted}};
    const QSizeF size = size_of(lines);
    const QRectF area = frame();
    QList<QPointF> corners;
    for (const double share : {0.88, 0.82, 0.76, 0.7, 0.3, 0.24, 0.18}) {
        const double left = area.left() + share * area.width();
        corners.append({left, y().coordToPixel(x().pixelToCoord(left) * (1 - kValidationBand)) + 2});
    }
    if (const auto box = room.place(size, corners, 0))
        draw_label(painter, *box, lines, Qt::AlignRight, theme->pane);
}

void ValidationFigure::Parts::paint_titles(QCPPainter& painter) const {
    const QRectF area = frame();
    const QFontMetricsF metrics(fonts.bold);
    draw_text(painter, {4, std::round(area.top() - 10)}, tr("Predicted %1").arg(name_of(quantity)),
              fonts.bold, theme->text);
    const QString title = tr("Measured %1").arg(name_of(quantity));
    const double bottom = area.bottom() + kTickLength + 4 + QFontMetricsF(fonts.small).height() + 4;
    draw_text(painter,
              {std::round(area.center().x() - metrics.horizontalAdvance(title) / 2),
               std::round(bottom + metrics.ascent())},
              title, fonts.bold, theme->text);
}

// Lists marker, name, number of runs and mean error of each family in the corner above the diagonal.
QRectF ValidationFigure::Parts::paint_families(QCPPainter& painter) const {
    const QRectF area = frame();
    const QFontMetricsF metrics(fonts.small);
    constexpr double kGap = 12;
    constexpr double kMarkRoom = 16;
    constexpr double kEdge = 8;
    struct Row {
        QString name, runs, error;
    };
    const double left = area.left() + kEdge;
    double top = area.top() + kEdge;
    const bool roomy = area.width() >= kRoomForCounts;
    std::vector<const ValidationFamily*> listed;
    std::vector<Row> rows;
    double runs_right = 0;
    double right = 0;
    // The user's own families come first; of the others the largest are listed.
    const auto list = [&](std::size_t most) {
        listed.clear();
        for (const bool own_ones : {true, false}) {
            for (const ValidationFamily& family : data.families) {
                if (family.own == own_ones && listed.size() < most) listed.push_back(&family);
            }
        }
        rows = {{QString(), tr("runs"), tr("mean error")}};
        for (const ValidationFamily* family : listed) {
            rows.push_back({family_label(family->name), QString::number(family->summary.n),
                            shown(family->summary.mean_abs_error, Quantity::percent)});
        }
        if (const std::size_t others = data.families.size() - listed.size(); others > 0)
            rows.push_back({tr("and %1 more").arg(others), {}, {}});
        double name = 0;
        double runs = 0;
        double error = 0;
        for (const Row& row : rows) {
            name = std::max(name, metrics.horizontalAdvance(row.name));
            runs = std::max(runs, metrics.horizontalAdvance(row.runs));
            error = std::max(error, metrics.horizontalAdvance(row.error));
        }
        runs_right = left + kMarkRoom + name + (roomy ? kGap + runs : 0);
        right = runs_right + kGap + error;
    };
    constexpr double kMostHeight = 0.45;  // of the plot
    const auto families_in = [&](double height) {
        constexpr double kFewest = 3;
        return static_cast<std::size_t>(std::max(kFewest, std::floor(height / metrics.height()) - 2));
    };
    list(families_in(kMostHeight * area.height()));
    // The list is shortened to the families that have room above the marks of the runs.
    double marks_top = area.bottom();
    for (const ValidationPoint& point : data.points) {
        if (left_out(point)) continue;
        const QPointF at = pixel(point);
        if (at.x() - kRunMark < right) marks_top = std::min(marks_top, at.y() - kRunMark);
    }
    if (const std::size_t most = families_in(marks_top - top); most < listed.size()) list(most);
    const QRectF box(left, top, right - left, static_cast<double>(rows.size()) * metrics.height());
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        const double base = std::round(top + metrics.ascent());
        const QColor& ink = i == 0 ? theme->muted : theme->text;
        if (i > 0 && i <= listed.size()) {
            const ValidationFamily& family = *listed[i - 1];
            draw_mark(painter, {left + kRunMark + 2, base - metrics.capHeight() / 2}, family.style,
                      color_of(family));
        }
        draw_text(painter, {left + kMarkRoom, base}, row.name, fonts.small, ink, theme->pane);
        if (roomy)
            draw_text(painter, {runs_right - metrics.horizontalAdvance(row.runs), base}, row.runs,
                      fonts.small, ink, theme->pane);
        draw_text(painter, {right - metrics.horizontalAdvance(row.error), base}, row.error, fonts.small, ink,
                  theme->pane);
        top += metrics.height();
    }
    return box;
}

// Summarizes all runs as text in the corner below the diagonal.
QRectF ValidationFigure::Parts::paint_summary(QCPPainter& painter) const {
    const auto percent = [](double value) { return shown(value, Quantity::percent); };
    const auto line = [&](const QString& text) { return LabelLine{text, fonts.small, theme->text}; };
    const LabelLines lines{
        {tr("%1 runs, mean error %2")
             .arg(shown(data.all.n, Quantity::count), percent(data.all.mean_abs_error)),
         fonts.small_bold, theme->text},
        line(tr("median %1, 9 of 10 within %2")
                 .arg(percent(data.all.median_abs_error), percent(data.all.p90_abs_error))),
        line(tr("%1 within %2").arg(percent(data.inside(quantity)), validation_band_text()))};
    const QSizeF size = size_of(lines);
    const QRectF area = frame();
    constexpr double kEdge = 8;
    const QRectF box(QPointF(area.right() - kEdge - size.width(), area.bottom() - kEdge - size.height()),
                     size);
    draw_label(painter, box, lines, Qt::AlignRight, theme->pane);
    return box;
}

void ValidationFigure::Parts::paint_points(QCPPainter& painter) const {
    const bool on_screen = painter.modes() == QCPPainter::pmDefault && painter.worldTransform().isIdentity();
    if (on_screen) {
        const QRectF area = frame();
        const std::array axes{area.left(),       area.top(),        area.right(),      area.bottom(),
                              x().range().lower, x().range().upper, y().range().lower, y().range().upper};
        const double scale = painter.device()->devicePixelRatioF();
        const QSize pixels = (QSizeF(plot.size()) * scale).toSize();
        if (marks.size() != pixels || marks_axes != axes) {
            marks = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
            marks.setDevicePixelRatio(scale);
            marks.fill(Qt::transparent);
            QPainter onto_marks(&marks);
            draw_points(onto_marks);
            marks_axes = axes;
        }
        painter.drawImage(QPointF(0, 0), marks);
    } else {
        draw_points(painter);
    }
    if (highlight && !left_out(data.points[*highlight])) {
        painter.setRenderHint(QPainter::Antialiasing);
        draw_ring(painter, pixel(data.points[*highlight]), 8, Qt::transparent, theme->text);
    }
}

void ValidationFigure::Parts::draw_points(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    // The largest family is drawn first, so that the others are visible above it.
    for (std::size_t family = 0; family < data.families.size(); ++family) {
        const QColor color = color_of(data.families[family]);
        for (const ValidationPoint& point : data.points) {
            if (point.family == family && !left_out(point))
                draw_mark(painter, pixel(point), data.families[family].style, color);
        }
    }
}

void ValidationFigure::Parts::paint_own(QCPPainter& painter, LabelPlacer& room) const {
    const QPointF at = pixel(*own);
    const auto text = [&](double value) { return measured_text(value, quantity); };
    LabelLines lines{{tr("my run: %1").arg(error_words(own->error)), fonts.small_bold, theme->text},
                     {tr("measured %1").arg(text(own->measured(quantity))), fonts.small, theme->text}};
    if (beyond(*own)) lines.append({tr("beyond this axis"), fonts.small, theme->text});
    for (const QPointF& end : own_guides()) room.avoid(QPolygonF({at, end}), 0.5);
    draw_user_run(painter, at, *theme);
    constexpr double kGap = 12;
    room.take(QRectF(at.x() - kGap / 2, at.y() - kGap / 2, kGap, kGap));
    const QSizeF size = size_of(lines);
    QList<QPointF> corners = around(at, size, kGap);
    for (const double farther : {2.5, 5.0, 8.0}) corners.append(around(at, size, farther * kGap));
    const auto box = room.place(size, corners);
    if (!box) return;
    // On the band, the halo has its colour.
    const double ratio = y().pixelToCoord(box->center().y()) / x().pixelToCoord(box->center().x());
    const bool in_band = std::fabs(ratio - 1) <= kValidationBand;
    draw_label(painter, *box, lines, Qt::AlignHCenter, in_band ? band_color(*theme) : theme->pane);
}

void ValidationFigure::Parts::paint_ghosts(QCPPainter& painter, LabelPlacer& room) const {
    constexpr double kRadius = 5;
    for (const Ghost& pinned : ghosts) {
        if (left_out(pinned.point)) continue;
        const QPointF at = pixel(pinned.point);
        const QColor color = pin_color(*theme, pinned.letter);
        draw_diamond(painter, at, kRadius, color, theme->pane);
        const QSizeF size(kTag, kTag);
        draw_tag(painter, room.place_or_cover(size, around(at, size, kRadius + 3)), pinned.letter, color,
                 fonts.small_bold);
    }
}

// ---- the figure ------------------------------------------------------------------------------------------

ValidationFigure::ValidationFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
ValidationFigure::~ValidationFigure() = default;

void ValidationFigure::set_style(const Theme& theme, const QFont& font) {
    Parts& p = *parts_;
    p.theme = &theme;
    p.fonts = FigureFonts(font);
    p.marks = {};
    style_plot(p.plot, theme, p.fonts);
    p.lay_out();
}

void ValidationFigure::set_quantity(ValidationQuantity quantity) {
    parts_->quantity = quantity;
    parts_->marks = {};
    parts_->x_zoom.show_all();
    parts_->y_zoom.show_all();
    refit();
}

void ValidationFigure::set_data(ValidationData data) {
    parts_->data = std::move(data);
    parts_->highlight.reset();
    parts_->marks = {};
    refit();
}

void ValidationFigure::set_own(const std::optional<ValidationPoint>& own) { parts_->own = own; }
void ValidationFigure::set_ghosts(std::vector<Ghost> ghosts) { parts_->ghosts = std::move(ghosts); }
void ValidationFigure::set_highlight(std::optional<std::size_t> point) { parts_->highlight = point; }
void ValidationFigure::refit() { parts_->fit(); }

std::vector<ZoomableFigure::Frame> ValidationFigure::frames() const {
    if (parts_->data.points.empty()) return {};
    return {{parts_->frame(), &parts_->x_zoom, &parts_->y_zoom}};
}

void ValidationFigure::apply_zoom() { parts_->show_part(); }
QPointF ValidationFigure::zoom_center() const {
    return parts_->own ? parts_->pixel(*parts_->own) : parts_->frame().center();
}
bool ValidationFigure::shows_scenario() const { return !parts_->own || !parts_->left_out(*parts_->own); }

const ValidationData& ValidationFigure::data() const { return parts_->data; }
const std::optional<ValidationPoint>& ValidationFigure::own() const { return parts_->own; }
const std::vector<ValidationFigure::Ghost>& ValidationFigure::ghosts() const { return parts_->ghosts; }
ValidationQuantity ValidationFigure::quantity() const { return parts_->quantity; }
std::optional<std::size_t> ValidationFigure::highlight() const { return parts_->highlight; }
AxisRange ValidationFigure::range() const { return {parts_->x().range().lower, parts_->x().range().upper}; }
QPointF ValidationFigure::pixel_of(const ValidationPoint& point) const { return parts_->pixel(point); }

std::optional<std::size_t> ValidationFigure::point_at(const QPointF& pixel) const {
    std::optional<std::size_t> found;
    double nearest = kRunReach;
    for (std::size_t i = 0; i < parts_->data.points.size(); ++i) {
        if (parts_->left_out(parts_->data.points[i])) continue;
        const QPointF away = parts_->pixel(parts_->data.points[i]) - pixel;
        const double distance = std::hypot(away.x(), away.y());
        // If points have the same position, the last one is on top.
        if (distance <= nearest) {
            nearest = distance;
            found = i;
        }
    }
    return found;
}

bool ValidationFigure::own_at(const QPointF& pixel) const {
    if (!parts_->own || parts_->left_out(*parts_->own)) return false;
    const QPointF away = parts_->pixel(*parts_->own) - pixel;
    return std::hypot(away.x(), away.y()) <= kRunReach;
}

QString ValidationFigure::description() const {
    const Parts& p = *parts_;
    QString out = tr("Predicted against measured %1. ").arg(name_of(p.quantity)) + summary_words(p.data);
    for (const ValidationFamily& family : p.data.families) {
        out += QLatin1Char(' ') + tr("%1: %2 runs, mean error %3.")
                                      .arg(family_label(family.name))
                                      .arg(family.summary.n)
                                      .arg(shown(family.summary.mean_abs_error, Quantity::percent));
    }
    for (const Ghost& pinned : p.ghosts) {
        out += QLatin1Char(' ') +
               tr("Run of pin %1: %2.").arg(QLatin1Char(pinned.letter)).arg(error_words(pinned.point.error));
    }
    if (p.own) out += QLatin1Char(' ') + tr("My run: %1.").arg(error_words(p.own->error));
    return out;
}

}  // namespace shardscope
