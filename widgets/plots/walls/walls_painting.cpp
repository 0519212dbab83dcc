#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/plots/sweep/sweep_figure.h"
#include "widgets/plots/walls/walls_fill.h"
#include "widgets/plots/walls/walls_parts.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kColorBar = 7;  // px high
constexpr double kRing = 7;
constexpr double kPercent = 0.01;
const QColor kLightLine(Qt::white);
const QColor kCasing(0, 0, 0);

std::size_t anchor_of(const std::vector<Tick>& ticks) {
    const auto current = std::ranges::find_if(ticks, &Tick::current);
    return current == ticks.end() ? 0 : static_cast<std::size_t>(current - ticks.begin());
}

}  // namespace

void WallsFigure::Parts::paint(QCPPainter& painter) {
    if (data.empty()) return;
    const WallsPanes where = panes();
    if (where.map.width() < 20 || where.map.height() < 20) return;
    paint_ground(painter, where.map);
    painter.save();
    paint_lines(painter, where.map);
    painter.restore();
    // A map that no longer belongs to the scenario is paler, and so are the ends of its lines outside of it.
    constexpr double kBeyond = 2;  // px
    if (stale) dim(painter, where.map.adjusted(-kBeyond, -kBeyond, kBeyond, kBeyond), *theme, kStaleStrength);
    paint_axes(painter, where);
    paint_profiles(painter, where);
    paint_scale(painter, where);
    if (on_map(point)) paint_arms(painter, where);
    paint_words(painter, where.map);
    if (on_map(point)) paint_ring(painter, where);
    if (dimmed) dim(painter, plot.rect(), *theme, kInvalidStrength);
    if (focused) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme->accent, 2));
        painter.drawRect(QRectF(plot.viewport()).adjusted(1, 1, -1, -1));
    }
}

void WallsFigure::Parts::paint_ground(QCPPainter& painter, const QRectF& frame) {
    const bool vectorized = painter.modes().testFlag(QCPPainter::pmVectorized);
    const double scale = vectorized ? 2 : plot.bufferDevicePixelRatio();
    const QSize pixels = (frame.size() * scale).toSize();
    if (image.size() != pixels) image = walls_image(data, part(), pixels, *theme);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(frame, image);
    if (hatch_frame != frame) {
        constexpr double kPitch = 5;
        hatch = walls_hatch(data, part(), frame, kPitch);
        hatch_frame = frame;
    }
    constexpr double kWidth = 1.4;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme->hatch_line, kWidth, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(hatch);
}

void WallsFigure::Parts::stroke(QCPPainter& painter, const QRectF& frame, const QList<QPolygonF>& lines,
                                const QPen& pen) const {
    if (lines.isEmpty()) return;
    QPainterPath path;
    for (const QPolygonF& line : lines) path.addPolygon(at(frame, line));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    painter.drawPath(path);
}

void WallsFigure::Parts::paint_lines(QCPPainter& painter, const QRectF& frame) const {
    // Lines of the whole map leave the frame when the user has zoomed in.
    if (zoomed()) painter.setClipRect(frame);
    painter.setRenderHint(QPainter::Antialiasing);
    // Round corners of lines of one pixel cannot be seen, and cost time.
    const auto round_pen = [](const QColor& color, double width) {
        return QPen(color, width, Qt::SolidLine, Qt::FlatCap, width > 1 ? Qt::RoundJoin : Qt::BevelJoin);
    };
    const auto faint = [](QColor color, float alpha) {
        color.setAlphaF(alpha);
        return color;
    };
    QList<QPolygonF> contours;
    for (const WallsData::Contour& contour : data.contours) contours += contour.lines;
    // A shadow instead of a casing, because many lines of one pixel's width are drawn forty times as fast.
    painter.translate(0.7, 0.7);
    stroke(painter, frame, contours, round_pen(faint(kCasing, 0.3F), 1));
    painter.translate(-0.7, -0.7);
    stroke(painter, frame, contours, round_pen(faint(kLightLine, 0.9F), 1));
    stroke(painter, frame, data.exists_edges, round_pen(theme->border, 1));
    const QList<QPolygonF> edges = data.edges + data.memory_edges;
    stroke(painter, frame, edges, round_pen(kCasing, 3.6));
    stroke(painter, frame, edges, round_pen(kLightLine, 1.8));
    stroke(painter, frame, data.threshold, line_pen(kCasing, 2.8, {2.8, 4.2}));
    stroke(painter, frame, data.threshold, line_pen(kLightLine, 1.6, {2.8, 4.2}));
    for (const Ghost& ghost : ghosts) {
        const QList<QPolygonF> walls = ghost.data.edges + ghost.data.memory_edges;
        stroke(painter, frame, walls, round_pen(faint(kCasing, 0.6F), 3.2));
        stroke(painter, frame, walls, line_pen(pin_color(*theme, ghost.letter), 2, pin_dash(ghost.letter)));
    }
}

void WallsFigure::Parts::paint_words(QCPPainter& painter, const QRectF& frame) {
    // The regions' names avoid the rings. Labels that move with the crosshair are placed afterwards, or the
    // names would move away from them.
    QList<QRectF> taken;
    const auto ring_box = [&](const WallsPoint& where) {
        const double reach = kRing + 3;
        return QRectF(at(frame, where) - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach));
    };
    for (const Ghost& ghost : ghosts) {
        if (on_map(ghost.point)) taken.append(ring_box(ghost.point));
    }
    if (on_map(point)) taken.append(ring_box(point));

    LabelPlacer room(frame.adjusted(2, 2, -2, -2));
    for (const QRectF& box : taken) room.take(box);
    // Pins' tags are placed first, because they belong to a fixed position.
    for (const Ghost& ghost : ghosts) {
        // A pin beside the map has its tag at the edge.
        if (!on_map(ghost.point) && zoomed()) continue;
        const QPointF exact = at(frame, ghost.point);
        const QPointF center(std::clamp(exact.x(), frame.left(), frame.right()),
                             std::clamp(exact.y(), frame.top(), frame.bottom()));
        const QColor color = pin_color(*theme, ghost.letter);
        if (on_map(ghost.point)) {
            draw_ring(painter, center, kRing - 2, Qt::transparent, kCasing);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setBrush(Qt::NoBrush);
            painter.setPen(line_pen(color, 2, {4, 2}));
            painter.drawEllipse(center, kRing - 1, kRing - 1);
        }
        const QString text =
            QStringLiteral("%1 %2")
                .arg(QLatin1Char(ghost.letter))
                .arg(ghost.point.cell.fits() ? percent(ghost.point.cell.mfu) : tr("does not fit"));
        const QSizeF size = size_of_point_tag(text, fonts.small_bold);
        const QRectF box = room.place_or_cover(size, around(center, size, kRing + 5));
        draw_point_tag(painter, box, text, color, Theme::light().text, fonts.small_bold);
        taken.append(box);
    }
    region_tags = walls_tags(data, part(), frame, fonts.small, taken);
    for (const WallsTag& tag : region_tags) {
        draw_walls_tag(painter, tag, *theme, fonts.small);
        room.take(tag.box);
    }
    own_tag = {};
    if (on_map(point)) {
        const double mfu = data.shown_mfu(point.cell);
        QString text = std::isnan(mfu) ? tr("A does not fit") : tr("A %1").arg(percent(mfu));
        if (!std::isnan(mfu) && !point.cell.fits()) text += tr(", hypothetical");
        const QSizeF size = size_of_point_tag(text, fonts.small_bold);
        const QPointF on = at(frame, point);
        // The tag is off both arms, and farther out if pins' tags occupy the positions around the ring: they
        // do not move with the crosshair.
        constexpr double kOff = kRing + 7;
        constexpr double kFarther = 20;
        QList<QPointF> corners;
        for (const double up : {0.0, kFarther, 2 * kFarther, 3 * kFarther}) {
            const double above = on.y() - kOff - up - size.height();
            const double below = on.y() + kOff + up;
            for (const double aside : {0.0, kFarther, 3 * kFarther}) {
                const double right = on.x() + kOff + aside;
                const double left = on.x() - kOff - aside - size.width();
                corners.append({QPointF(right, above), {left, above}, {right, below}, {left, below}});
            }
        }
        const auto box = room.place(size, corners);
        own_tag = box.value_or(QRectF());
        if (box) draw_point_tag(painter, *box, text, theme->text, theme->pane, fonts.small_bold);
    }
    // The name of a line is on the line if it is long enough, near its middle and off the arms.
    if (on_map(point)) {
        const QPointF on = at(frame, point);
        room.avoid({QPointF(frame.left(), on.y()), QPointF(frame.right(), on.y())});
        room.avoid({QPointF(on.x(), frame.top()), QPointF(on.x(), frame.bottom())});
    }
    const auto name = [&](const QList<QPolygonF>& lines, const QString& text, const QColor& ground,
                          const QColor& ink, const QFont& font) {
        const auto longest =
            std::ranges::max_element(lines, {}, [](const QPolygonF& line) { return line.size(); });
        if (longest == lines.end()) return;
        const QPolygonF line = at(frame, *longest);
        const QSizeF size = size_of({{text, font, ink}});
        if (std::max(line.boundingRect().width(), line.boundingRect().height()) < size.width()) return;
        QList<QPointF> corners;
        for (const double share : {0.5, 0.38, 0.62, 0.25, 0.75, 0.15, 0.85, 0.31, 0.69, 0.08, 0.92}) {
            const QPointF on = line[static_cast<qsizetype>(share * static_cast<double>(line.size() - 1))];
            corners.append(on - QPointF(size.width() / 2, size.height() / 2));
        }
        const auto box = room.place(size, corners);
        if (!box) return;
        draw_plate(painter, box->adjusted(-3, 0, 3, 0), ground);
        draw_label(painter, *box, {{text, font, ink}}, Qt::AlignHCenter);
    };
    // The plate is so opaque that the lines below it do not strike the text through.
    QColor plate = kCasing;
    plate.setAlphaF(0.85F);
    name(data.threshold, tr("ideal threshold"), plate, kLightLine, fonts.small);
    for (const WallsData::Contour& contour : data.contours)
        name(contour.lines, tr("%1 %").arg(std::lround(contour.mfu / kPercent)), plate, kLightLine,
             fonts.small);
    for (const Ghost& ghost : ghosts)
        name(ghost.data.edges.isEmpty() ? ghost.data.memory_edges : ghost.data.edges,
             tr("%1: wall changes").arg(QLatin1Char(ghost.letter)), pin_color(*theme, ghost.letter),
             Theme::light().text, fonts.small_bold);
}

void WallsFigure::Parts::paint_arms(QCPPainter& painter, const WallsPanes& where) const {
    const QRectF& frame = where.map;
    const QPointF center = at(frame, point);
    painter.setRenderHint(QPainter::Antialiasing);
    const double x = std::floor(center.x()) + 0.5;
    const double y = std::floor(center.y()) + 0.5;
    QColor casing = kCasing;
    casing.setAlphaF(0.55F);
    const QList<QLineF> arms{{x, frame.top(), x, frame.bottom()}, {frame.left(), y, frame.right(), y}};
    painter.setPen(QPen(casing, 3, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(arms);
    painter.setPen(QPen(kLightLine, 1, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(arms);
    const double mfu = data.shown_mfu(point.cell);
    if (std::isnan(mfu)) return;
    constexpr double kDot = 4;
    const double on_top = on_profile(where.top, 0, mfu, true).y();
    const double on_right = on_profile(where.right, 0, mfu, false).x();
    draw_ring(painter, {x, on_top}, kDot, theme->pane, theme->text);
    draw_ring(painter, {on_right, y}, kDot, theme->pane, theme->text);
}

void WallsFigure::Parts::paint_ring(QCPPainter& painter, const WallsPanes& where) const {
    const QPointF center = at(where.map, point);
    const QPointF on(std::floor(center.x()) + 0.5, std::floor(center.y()) + 0.5);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    constexpr double kCore = 1.6;
    for (const auto& [radius, color] : {std::pair(kRing + 1, kCasing), std::pair(kRing - 0.5, kLightLine),
                                        std::pair(kRing - 3, kCasing), std::pair(kCore, kLightLine)}) {
        painter.setBrush(color);
        painter.drawEllipse(on, radius, radius);
    }
}

void WallsFigure::Parts::paint_axes(QCPPainter& painter, const WallsPanes& where) const {
    const QRectF& frame = where.map;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme->border, 1));
    painter.drawRect(frame);

    const WallsTicks x = ticks_of(data.x, x_zoom, point.x);
    std::vector<double> centers;
    for (const double place : x.place)
        centers.push_back(frame.left() + share_of(x_zoom, place) * frame.width());
    draw_x_ticks(painter, frame.bottom() + 1, x.ticks, centers, anchor_of(x.ticks), *theme, fonts);
    const QFontMetricsF bold(fonts.bold);
    const QFontMetricsF small(fonts.small);
    const QString x_title = axis_title(data.x.id());
    draw_text(painter,
              {std::round(frame.center().x() - bold.horizontalAdvance(x_title) / 2),
               std::round(frame.bottom() + 1 + kTickLength + 2 + small.height() + 4 + bold.ascent())},
              x_title, fonts.bold, theme->text);

    const WallsTicks y = ticks_of(data.y, y_zoom, point.y);
    painter.setPen(QPen(theme->border, 1));
    // Write the current value first; other labels only where they do not overlap.
    std::vector<double> used;
    const auto put = [&](std::size_t i) {
        const double at = std::round(frame.bottom() - share_of(y_zoom, y.place[i]) * frame.height());
        painter.setPen(QPen(theme->border, 1));
        painter.drawLine(QPointF(frame.left() - kTickLength, at), QPointF(frame.left(), at));
        if (std::ranges::any_of(used, [&](double other) { return std::fabs(other - at) < small.height(); }))
            return;
        used.push_back(at);
        const QFont& font = y.ticks[i].current ? fonts.small_bold : fonts.small;
        draw_text(painter,
                  {std::round(frame.left() - kTickLength - 4 - text_width(font, y.ticks[i].text)),
                   std::round(at + (small.ascent() - small.descent()) / 2)},
                  y.ticks[i].text, font, y.ticks[i].current ? theme->text : theme->muted);
    };
    for (const bool current : {true, false}) {
        for (std::size_t i = 0; i < y.ticks.size(); ++i) {
            if (y.ticks[i].current == current) put(i);
        }
    }
    draw_text(painter, {4, std::round(frame.top() - 10)}, axis_title(data.y.id()), fonts.bold, theme->text);
}

// Returns the parts of a profile's line.
QList<QPolygonF> WallsFigure::Parts::lines_of(const QRectF& area, const WallsProfile& profile,
                                              bool along_x) const {
    const AxisZoom& zoom = along_x ? x_zoom : y_zoom;
    QList<QPolygonF> out;
    bool ended = true;
    for (std::size_t i = 0; i < profile.place.size(); ++i) {
        if (std::isnan(profile.mfu[i])) {
            ended = true;
            continue;
        }
        if (std::exchange(ended, false)) out.emplaceBack();
        out.back().append(on_profile(area, share_of(zoom, profile.place[i]), profile.mfu[i], along_x));
    }
    return out;
}

void WallsFigure::Parts::paint_profile(QCPPainter& painter, const QRectF& area, const QList<QPolygonF>& lines,
                                       const QPen& pen) const {
    painter.save();
    if (zoomed()) painter.setClipRect(area);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    for (const QPolygonF& line : lines) {
        if (line.size() > 1) painter.drawPolyline(line);
    }
    painter.restore();
}

void WallsFigure::Parts::paint_profiles(QCPPainter& painter, const WallsPanes& where) const {
    for (const bool along_x : {true, false}) {
        const QRectF& area = along_x ? where.top : where.right;
        const WallsProfile own = along_x ? profile_along_x(data, point) : profile_along_y(data, point);
        painter.setRenderHint(QPainter::Antialiasing, false);
        // Draw the grid, and over it the areas that do not fit.
        painter.setPen(QPen(theme->grid, 1));
        for (double level = tick_step(); level < top_mfu - kPercent; level += tick_step()) {
            const QPointF from = on_profile(area, 0, level, along_x);
            const QPointF to = on_profile(area, 1, level, along_x);
            painter.drawLine(QPointF(std::round(from.x()), std::round(from.y())),
                             QPointF(std::round(to.x()), std::round(to.y())));
        }
        QList<QRectF> unfit;
        for (const AxisRange& stretch : unfit_ranges(own.place, own.fits)) {
            const AxisZoom& zoom = along_x ? x_zoom : y_zoom;
            const double from = std::clamp(share_of(zoom, stretch.from), 0.0, 1.0);
            const double to = std::clamp(share_of(zoom, stretch.to), 0.0, 1.0);
            const QRectF box = along_x ? QRectF(area.left() + from * area.width(), area.top(),
                                                (to - from) * area.width(), area.height())
                                       : QRectF(area.left(), area.bottom() - to * area.height(), area.width(),
                                                (to - from) * area.height());
            if (box.width() < 1 || box.height() < 1) continue;
            fill_hatch(painter, box, *theme);
            unfit.append(box);
        }
        // The arms continue through the profiles to the value there, but not through text.
        if (on_map(point)) {
            const QPointF center = at(where.map, point);
            const double x = std::floor(center.x()) + 0.5;
            const double y = std::floor(center.y()) + 0.5;
            painter.setPen(line_pen(theme->text, 1, {1, 2}));
            painter.drawLine(along_x ? QLineF(x, area.top(), x, area.bottom())
                                     : QLineF(area.left(), y, area.right(), y));
        }
        // The words keep off the curves.
        LabelPlacer room(area);
        const QList<QPolygonF> own_lines = lines_of(area, own, along_x);
        for (const QPolygonF& line : own_lines) room.avoid(line);
        std::vector<QList<QPolygonF>> pinned(ghosts.size());
        for (std::size_t i = 0; i < ghosts.size(); ++i) {
            const Ghost& ghost = ghosts[i];
            if (ghost.data.empty()) continue;
            pinned[i] = lines_of(
                area,
                along_x ? profile_along_x(ghost.data, ghost.point) : profile_along_y(ghost.data, ghost.point),
                along_x);
            for (const QPolygonF& line : pinned[i]) room.avoid(line);
        }
        for (const QRectF& box : unfit)
            draw_area_words(painter, box, {tr("does not fit"), fonts.small, theme->text}, theme->hatch_ground,
                            room);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(theme->border, 1));
        painter.drawLine(area.bottomLeft(), area.bottomRight());
        painter.drawLine(area.topLeft(), area.bottomLeft());
        for (std::size_t i = 0; i < ghosts.size(); ++i)
            paint_profile(painter, area, pinned[i],
                          line_pen(pin_color(*theme, ghosts[i].letter), 1.6, pin_dash(ghosts[i].letter)));
        paint_profile(painter, area, own_lines, line_pen(theme->text, 2.2));
    }
    // Draw the top profile's scale.
    const QFontMetricsF small(fonts.small);
    for (double level = 0; level < top_mfu + kPercent; level += tick_step()) {
        const double y = std::round(on_profile(where.top, 0, level, true).y());
        painter.setPen(QPen(theme->border, 1));
        painter.drawLine(QPointF(where.top.left() - kTickLength, y), QPointF(where.top.left(), y));
        const QString text = QString::number(std::lround(level / kPercent));
        draw_text(painter,
                  {std::round(where.top.left() - kTickLength - 4 - small.horizontalAdvance(text)),
                   std::round(y + (small.ascent() - small.descent()) / 2)},
                  text, fonts.small, theme->muted);
    }
}

// Draws the colours over the right profile, along its scale, and what the map shows.
void WallsFigure::Parts::paint_scale(QCPPainter& painter, const WallsPanes& where) const {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    const QRectF bar(where.right.left(), where.right.top() - 3 - kColorBar, where.right.width(), kColorBar);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const int cells = static_cast<int>(bar.width());
    for (int i = 0; i < cells; ++i) {
        painter.fillRect(QRectF(bar.left() + i, bar.top(), 1, bar.height()),
                         mfu_color(top_mfu * (i + 0.5) / cells));
    }
    const double base = std::round(bar.top() - 3 - small.descent());
    for (double level = 0; level < top_mfu + kPercent; level += tick_step()) {
        const QString text = QString::number(std::lround(level / kPercent));
        const double x = on_profile(where.right, 0, level, false).x();
        const double width = small.horizontalAdvance(text);
        draw_text(painter, {std::round(std::min(x - width / 2, plot.viewport().width() - 2 - width)), base},
                  text, fonts.small, theme->muted);
    }
    double top = where.top.top() - 4;
    const auto line = [&](const QString& text, const QFont& font, const QColor& color) {
        const QFontMetricsF metrics(font);
        if (top + metrics.height() > base - small.ascent()) return;
        const double room = plot.viewport().width() - 2 - where.right.left();
        draw_text(painter, {where.right.left(), std::round(top + metrics.ascent())},
                  metrics.elidedText(text, Qt::ElideRight, room), font, color);
        top += metrics.height();
    };
    line(tr("MFU, %"), fonts.bold, theme->text);
    line(tr("along each arm"), fonts.small, theme->muted);
    // A gap, because this is not the end of the line above.
    constexpr double kApart = 6;
    top += kApart;
    line(data.planned ? tr("re-planned") : tr("plan held"), fonts.small, theme->muted);
    if (data.map.stride > 1) line(tr("every %1th point").arg(data.map.stride), fonts.small, theme->muted);
}

}  // namespace shardscope
