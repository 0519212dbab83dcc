#include <algorithm>
#include <cmath>
#include <limits>

#include "containers/no_value.h"
#include "widgets/drawing.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/sweep/sweep_parts.h"
#include "widgets/plots/sweep/sweep_words.h"
#include "widgets/text.h"

namespace shardscope {
void SweepFigure::Parts::paint_below(QCPPainter& painter) const {
    if (empty()) return;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::vector<AxisRange> stretches = unfit(b);
        for (const Panel& panel : blocks[b].panels) {
            const QRectF area = frame_of(*panel.rect);
            for (const AxisRange& stretch : stretches) {
                const double left = std::max(area.left(), panel.x().coordToPixel(stretch.from));
                const double right = std::min(area.right(), panel.x().coordToPixel(stretch.to));
                if (right > left)
                    draw_unfit(painter, QRectF(left, area.top(), right - left, area.height()), *theme);
            }
        }
    }
}

void SweepFigure::Parts::paint_above(QCPPainter& painter) const {
    if (empty()) return;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (std::size_t p = 0; p < blocks[b].panels.size(); ++p) paint_panel(painter, b, p);
        paint_titles(painter, b);
        paint_x_axis(painter, b);
    }
    // The axis is named once, below the middle of all panels.
    QRectF all;
    for (const Block& block : blocks) all |= frame_of(*block.panels.back().rect);
    const QFontMetricsF bold(fonts.bold);
    const QString title = axis_title(data);
    const double base =
        all.bottom() + 4 + kStrip + kTickLength + 2 + QFontMetricsF(fonts.small).height() + 4 + bold.ascent();
    draw_text(painter, {std::round(all.center().x() - bold.horizontalAdvance(title) / 2), std::round(base)},
              title, fonts.bold, theme->text);
    dim(painter, plot.rect(), *theme, strength);
}

// Returns the intervals in which the scenario's own line does not fit or, in a family without it, no line
// fits.
std::vector<AxisRange> SweepFigure::Parts::unfit(std::size_t block) const {
    const SweepData& shown = shown_in(block);
    std::vector<double> x;
    std::vector<bool> fits;
    const SweepSeries* own = own_series(shown);
    for (std::size_t i = 0; !shown.series.empty() && i < shown.series.front().points.size(); ++i) {
        const auto fits_here = [i](const SweepSeries& series) {
            return !series.points[i].valid || series.points[i].fits();
        };
        const double at = axis_x((own ? *own : shown.series.front()).points[i].along);
        if (std::isnan(at)) continue;
        x.push_back(at);
        fits.push_back(own ? fits_here(*own) : std::ranges::any_of(shown.series, fits_here));
    }
    if (!apart()) return unfit_ranges(x, fits);
    // There are no values between discrete values, so each covers half a step to both sides.
    std::vector<AxisRange> out;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (fits[i]) continue;
        if (!out.empty() && out.back().to == x[i] - kHalfStep) out.back().to = x[i] + kHalfStep;
        else out.push_back({x[i] - kHalfStep, x[i] + kHalfStep});
    }
    return out;
}

// ---- text around the frames ------------------------------------------------------------------------------

QRectF SweepFigure::Parts::title_row(std::size_t block) const {
    const QRectF area = frame_of(*blocks[block].panels.front().rect);
    const double above = QFontMetricsF(fonts.bold).height() + kAxisTitleGap + title_height;
    return {area.left(), area.top() - above + 3, area.width(), title_height - 4.0};
}

void SweepFigure::Parts::paint_titles(QCPPainter& painter, std::size_t b) const {
    const Block& block = blocks[b];
    const SweepData& shown = shown_in(b);
    for (std::size_t p = 0; block.left && p < block.panels.size(); ++p) {
        const double base = std::round(frame_of(*block.panels[p].rect).top() - kAxisTitleGap);
        draw_text(painter, {4, base}, axis_title(data.outputs[p]), fonts.bold, theme->text);
    }
    if (beside) {
        draw_panel_title(painter, title_row(b), block.letter, name_of(b), *theme, fonts);
    }
    // The treatment of the plan is stated again only for a panel that differs from the first.
    if (shown.plan == CurvePlan::as_set || (b > 0 && shown.plan == data.plan)) return;
    const QRectF area = frame_of(*block.panels.front().rect);
    const QString words = sweep_plan_words(shown.plan);
    const QFontMetricsF small(fonts.small);
    const double room = block.left
                            ? area.right() - 12 - text_width(fonts.bold, axis_title(data.outputs.front()))
                            : area.width();
    const QString text = small.elidedText(words, Qt::ElideRight, room);
    draw_text(
        painter,
        {std::round(area.right() - small.horizontalAdvance(text)), std::round(area.top() - kAxisTitleGap)},
        text, fonts.small, theme->muted);
}

std::vector<Tick> SweepFigure::Parts::ticks(std::size_t block, std::vector<double>& center) const {
    const QCPAxis& x = blocks[block].panels.back().x();
    const SweepData& shown_data = shown_in(block);
    std::vector<Tick> out;
    const double now = axis_x(shown_data.current.along);
    if (apart()) {
        for (std::size_t i = 0; i < stops.size(); ++i) {
            const double at = static_cast<double>(i);
            out.push_back({at, QString::fromStdString(format(data.x, stops[i])), at == now});
        }
    } else {
        const double low = x.range().lower;
        const double high = x.range().upper;
        const bool doubles = !data.against && parameter(data.x).whole;
        std::vector<double> values = !log_x()  ? linear_ticks(low, high, 8)
                                     : doubles ? log_ticks(low, high, 2)
                                               : decade_ticks(low, high);
        values = enough_ticks(std::move(values), low, high, doubles);
        if (now >= low && now <= high && std::ranges::find(values, now) == values.end())
            values.insert(std::ranges::lower_bound(values, now), now);
        // The current value may be any number, so it is written with the usual number of digits, in the unit
        // of the axis.
        const Quantity quantity = along_quantity();
        const auto text = [&](double value) {
            if (quantity == Quantity::big_count) return QString::fromStdString(format(value, quantity));
            if (value != now || !data.against) return shown(value, Quantity::count);
            const Shown own = shardscope::show(shown_data.current.along, quantity);
            return own.unit == translate(plot_unit(quantity).symbol) || own.unit.empty()
                       ? QString::fromStdString(own.number)
                       : shown(value, Quantity::fraction);
        };
        for (const double value : values) out.push_back({value, text(value), value == now});
    }
    std::erase_if(out, [&](const Tick& tick) { return !x.range().contains(tick.value); });
    for (const Tick& tick : out) center.push_back(x.coordToPixel(tick.value));
    return out;
}

void SweepFigure::Parts::paint_strip(QCPPainter& painter, std::size_t b) const {
    const SweepSeries* own = own_series(shown_in(b));
    if (!own) return;
    const QCPAxis& x = blocks[b].panels.back().x();
    const QRectF area = frame_of(*blocks[b].panels.back().rect);
    std::vector<WallSample> samples;
    for (const SweepPoint& point : own->points) {
        if (const double at = axis_x(point.along); point.valid && !std::isnan(at))
            samples.push_back({at, point.fits(), point.wall});
    }
    // A curve that goes backwards has several points at the same x, so no single wall binds there.
    if (!std::ranges::is_sorted(samples, {}, &WallSample::x)) std::ranges::reverse(samples);
    if (!std::ranges::is_sorted(samples, {}, &WallSample::x)) return;
    std::vector<WallSegment> segments;
    if (apart()) {
        for (const WallSample& one : samples) {
            segments.push_back(
                {x.coordToPixel(one.x - kHalfStep), x.coordToPixel(one.x + kHalfStep), one.wall});
        }
    } else {
        for (const WallRange& stretch : wall_ranges(samples))
            segments.push_back({x.coordToPixel(stretch.from), x.coordToPixel(stretch.to), stretch.wall});
    }
    draw_wall_strip(painter, QRectF(area.left(), area.bottom() + 4, area.width(), kStrip), segments, *theme,
                    fonts, blocks[b].left);
}

void SweepFigure::Parts::paint_x_axis(QCPPainter& painter, std::size_t b) const {
    paint_strip(painter, b);
    std::vector<double> centers;
    const std::vector<Tick> all = ticks(b, centers);
    // Side by side the same labels are kept in all panels, as far as possible.
    const auto current = std::ranges::find_if(all, &Tick::current);
    const std::size_t anchor =
        beside || current == all.end() ? 0 : static_cast<std::size_t>(current - all.begin());
    const QRectF area = frame_of(*blocks[b].panels.back().rect);
    draw_x_ticks(painter, area.bottom() + 4 + kStrip, all, centers, anchor, *theme, fonts);
}

// ---- inside the frames -----------------------------------------------------------------------------------

void SweepFigure::Parts::paint_panel(QCPPainter& painter, std::size_t b, std::size_t p) const {
    const Theme& t = *theme;
    const Block& block = blocks[b];
    const Panel& panel = block.panels[p];
    const SweepData& shown_data = shown_in(b);
    const QCPAxis& x = panel.x();
    const QCPAxis& y = panel.y();
    const QRectF area = frame_of(*panel.rect);
    const Output id = data.outputs[p];

    LabelPlacer room(area.adjusted(2, 2, -2, -2));
    std::vector<QPolygonF> lines;
    for (const QCPCurve* curve : panel.lines) {
        QPolygonF line;
        for (const QCPCurveData& point : *curve->data()) {
            line.append(std::isnan(point.value) ? QPointF(x.coordToPixel(point.key), kNoValue)
                                                : drawn_at(x, y, point.key, point.value, painter));
        }
        room.avoid(line);
        lines.push_back(std::move(line));
    }
    if (is_memory(id)) paint_capacity(painter, b, p, room);

    // Draws the current value: a guide through all panels, and a dot if there is a value.
    const double now = axis_x(shown_data.current.along);
    const double value = axis_y(p, shown_data.current);
    const QColor color = scenario_color(t, block.letter);
    const bool in_range = x.range().contains(now);
    const bool has_dot = in_range && y.range().contains(value);
    const QPointF dot = drawn_at(x, y, now, has_dot ? value : y.range().lower, painter);
    const std::vector<AxisRange> hatching = unfit(b);
    constexpr double kDot = 4.5;
    if (in_range) {
        const double at = std::floor(dot.x()) + 0.5;
        painter.setPen(line_pen(color, 1, {1, 2}));
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        room.avoid(QPolygonF({QPointF(at, area.top()), QPointF(at, area.bottom())}), 0.5);
    }
    if (has_dot) {
        room.take(QRectF(dot.x() - 8, dot.y() - 8, 16, 16));
        QString text =
            QStringLiteral("%1 %2")
                .arg(QLatin1Char(block.letter))
                .arg(QString::fromStdString(format(shown_data.current.value[p], output(id).quantity)));
        if (shown_data.hypothetical && !shown_data.current.fits() && output(id).requires_fit)
            text += tr(", hypothetical");
        const LabelLines label{{text, fonts.small_bold, t.text}};
        // The label is beside the guide rather than across it, and off the dashed line of the capacity.
        const QSizeF size = size_of(label);
        constexpr double kOff = 6;
        const double above = dot.y() - kOff - 4 - size.height();
        const double below = dot.y() + kOff + 4;
        const double left = dot.x() - kOff - size.width();
        QList<QPointF> corners{
            {dot.x() + kOff, above}, {left, above}, {dot.x() + kOff, below}, {left, below}};
        corners += around(dot, size, 10);
        // The label of a point that fits avoids the hatched areas.
        const auto hatched = [&](const QRectF& box) {
            double sum = 0;
            if (!shown_data.current.fits()) return sum;
            for (const AxisRange& stretch : hatching) {
                sum += std::max(0.0, std::min(box.right(), x.coordToPixel(stretch.to)) -
                                         std::max(box.left(), x.coordToPixel(stretch.from)));
            }
            return sum;
        };
        const auto box = room.place(size, corners, std::numeric_limits<double>::infinity(), hatched);
        if (box) draw_label(painter, *box, label, Qt::AlignHCenter, t.pane);
    }
    if (output(id).requires_fit && !marks()) paint_ends(painter, b, p);
    if (shown_data.family) paint_members(painter, b, p, lines, room);
    paint_tags(painter, panel, room);
    for (const AxisRange& stretch : hatching) {
        const double left = std::max(area.left(), x.coordToPixel(stretch.from));
        const double right = std::min(area.right(), x.coordToPixel(stretch.to));
        if (right <= left) continue;
        draw_area_words(painter, QRectF(left, area.top(), right - left, area.height()),
                        {tr("does not fit"), fonts.small_bold, t.text}, t.hatch_ground, room);
    }
    if (has_dot) draw_ring(painter, dot, kDot, t.pane, color);
}

// Draws the usable memory across a memory panel, and that of pins on other GPUs.
void SweepFigure::Parts::paint_capacity(QCPPainter& painter, std::size_t b, std::size_t p,
                                        LabelPlacer& room) const {
    const QRectF area = frame_of(*blocks[b].panels[p].rect);
    const double capacity = shown_in(b).capacity;
    // Draws the line of one limit and returns its place; NaN where the user has zoomed in elsewhere.
    const auto draw_limit = [&](double bytes, const QPen& pen) {
        const double value = bytes / plot_unit(output(data.outputs[p]).quantity).factor;
        const double at = std::round(blocks[b].panels[p].y().coordToPixel(value)) + 0.5;
        if (at < area.top() || at > area.bottom() + 1) return kNoValue;
        const QLineF line(area.left(), at, area.right(), at);
        painter.setPen(pen);
        painter.drawLine(line);
        room.avoid(QPolygonF({line.p1(), line.p2()}));
        return at;
    };
    const QFontMetricsF metrics(fonts.small_bold);
    const double at = draw_limit(capacity, line_pen(theme->text, 1.5, {5, 3}));
    const QString words = usable_words();
    if (!beside) {
        // The labels are outside the frame.
        LabelPlacer margin(QRectF(area.right(), area.top() - metrics.height(), kFigureMargin + tag_room(), 0)
                               .adjusted(0, 0, 0, area.height() + 2 * metrics.height()));
        const auto write = [&](double y, const QString& text) {
            if (std::isnan(y)) return;
            const LabelLines label{{text, fonts.small_bold, theme->text}};
            const QSizeF size = size_of(label);
            QList<QPointF> corners;
            for (const double off : {0.0, -0.5, 0.5, -1.0, 1.0})
                corners.append({area.right() + 6, std::round(y + (off - 0.5) * size.height())});
            if (const auto box = margin.place(size, corners)) draw_label(painter, *box, label, Qt::AlignLeft);
        };
        write(at, words);
        for (const PinLimit& pinned : pinned_limits())
            write(draw_limit(pinned.value,
                             line_pen(pin_color(*theme, pinned.letter), 1.2, pin_dash(pinned.letter))),
                  limit_words(pinned));
        return;
    }
    if (std::isnan(at)) return;
    // Side by side there is no room outside the frame, so the label is inside.
    const LabelLines label{{words, fonts.small_bold, theme->text}};
    const QSizeF size = size_of(label);
    constexpr double kGap = 2;
    const double left = area.left() + 4;
    const double right = area.right() - 4 - size.width();
    const auto box = room.place(size, {{left, at - kGap - size.height()},
                                       {right, at - kGap - size.height()},
                                       {left, at + kGap},
                                       {right, at + kGap}});
    if (box) draw_label(painter, *box, label, Qt::AlignLeft, theme->pane);
}

// Draws a cross at the end of a curve, where it does not fit any more.
void SweepFigure::Parts::paint_ends(QCPPainter& painter, std::size_t b, std::size_t p) const {
    const Panel& panel = blocks[b].panels[p];
    for (const SweepSeries& series : shown_in(b).series) {
        const QColor color = series.current ? scenario_color(*theme, blocks[b].letter) : theme->muted;
        const auto& points = series.points;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (std::isnan(points[i].value[p])) continue;
            const bool ends =
                (i > 0 && points[i - 1].valid && std::isnan(points[i - 1].value[p])) ||
                (i + 1 < points.size() && points[i + 1].valid && std::isnan(points[i + 1].value[p]));
            if (!ends) continue;
            const double at = axis_x(points[i].along);
            if (std::isnan(at)) continue;
            const QPointF end = drawn_at(panel.x(), panel.y(), at, axis_y(p, points[i]), painter);
            if (in_frame(panel, end)) draw_cross(painter, end, 3.5, color);
        }
    }
}

// Writes the value of each member of a family at the right end of its curve, or where there is room.
void SweepFigure::Parts::paint_members(QCPPainter& painter, std::size_t b, std::size_t p,
                                       const std::vector<QPolygonF>& lines, LabelPlacer& room) const {
    const SweepData& shown_data = shown_in(b);
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const bool own = shown_data.series[k].current;
        QPolygonF there;
        for (const QPointF& point : lines[k]) {
            if (in_frame(blocks[b].panels[p], point)) there.append(point);
        }
        if (there.isEmpty()) continue;
        const QString text =
            name_of_member(shown_data, shown_data.series[k].member, b == 0 && (own || (p == 0 && !beside)));
        const LabelLines label{
            {text, own ? fonts.small_bold : fonts.small, own ? theme->text : theme->muted}};
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
        if (box) draw_label(painter, *box, label, Qt::AlignLeft, theme->pane);
    }
}

QString SweepFigure::Parts::name_of_member(const SweepData& shown_data, double member,
                                           bool with_label) const {
    const QString value = QString::fromStdString(format(*shown_data.family, member));
    return with_label ? text_of(label_of(*shown_data.family)) + QLatin1Char(' ') + value : value;
}

// Writes the letter of each pinned scenario on its line over the current scenario's panel.
void SweepFigure::Parts::paint_tags(QCPPainter& painter, const Panel& panel, LabelPlacer& room) const {
    for (std::size_t k = 0; k < panel.ghosts.size(); ++k) {
        QPolygonF there;
        for (const QCPCurveData& point : *panel.ghosts[k]->data()) {
            if (std::isnan(point.value)) continue;
            const QPointF at = drawn_at(panel.x(), panel.y(), point.key, point.value, painter);
            if (in_frame(panel, at)) there.append(at);
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
        draw_tag(painter, room.place_or_cover({kTag, kTag}, corners), letter, pin_color(*theme, letter),
                 fonts.small_bold);
    }
}

}  // namespace shardscope
