#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/timeline/timeline_parts.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kMostTimeTicks = 9;
constexpr double kMemoryTick = 40;  // px per tick

}  // namespace

void TimelineFigure::Parts::paint(QCPPainter& painter) const {
    if (!data.line.stages.empty()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        if (data.has_time()) {
            paint_key(painter);
            paint_lanes(painter);
            paint_memory(painter);
            paint_axis(painter);
            paint_ends(painter);
        } else {
            paint_no_time(painter);
        }
    }
    if (dimmed) dim(painter, plot.rect(), *theme, kInvalidStrength);
}

std::vector<std::pair<QColor, QString>> TimelineFigure::Parts::key() const {
    std::vector<std::pair<QColor, QString>> out;
    const StageTimeline& stage = data.line.stages[data.line.slowest];
    std::array<bool, kActivities> there{};
    for (const Interval& interval : stage.compute) there[static_cast<std::size_t>(interval.activity)] = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Activity::bubble); ++i) {
        const auto activity = static_cast<Activity>(i);
        if (!there[i]) continue;
        const QColor colour = color_of({0, 0, activity}, *theme);
        const QString name = text_of(label_of(activity));
        // Activities of one colour share an entry.
        const auto same = std::ranges::find(out, colour, &std::pair<QColor, QString>::first);
        if (same != out.end()) same->second += QStringLiteral(", ") + name;
        else out.emplace_back(colour, name);
    }
    const auto any = [&](bool exposed) {
        return std::ranges::any_of(stage.communication,
                                   [&](const Interval& interval) { return interval.exposed == exposed; });
    };
    if (any(true)) out.emplace_back(theme->communication, tr("communication"));
    if (any(false)) out.emplace_back(theme->communication_hidden, tr("overlapped with compute"));
    if (there[static_cast<std::size_t>(Activity::bubble)]) out.emplace_back(theme->pane, tr("bubble"));
    return out;
}

void TimelineFigure::Parts::paint_key(QCPPainter& painter) const {
    const double side = std::round(QFontMetricsF(fonts.small).capHeight());
    for (const KeyEntry& entry : placed) {
        const double base = key_base(entry.row);
        if (!entry.colour.isValid()) {
            draw_text(painter, {entry.left, base}, entry.text, entry.plain ? fonts.small : fonts.small_bold,
                      entry.plain ? theme->muted : theme->text);
            continue;
        }
        const QRectF box(entry.left, base - side, side, side);
        painter.fillRect(box, entry.colour);
        painter.setPen(QPen(entry.colour == theme->pane ? theme->border : entry.colour.darker(115), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
        draw_text(painter, {entry.left + side + 4, base}, entry.text, fonts.small, theme->text);
    }
}

void TimelineFigure::Parts::paint_lanes(QCPPainter& painter) const {
    const QFontMetricsF small(fonts.small);
    const double right = frame().left() - 8;
    const auto write = [&](const QString& text, double middle, const QFont& font, const QColor& ink) {
        draw_text(painter,
                  {std::round(right - QFontMetricsF(font).horizontalAdvance(text)),
                   std::round(middle + small.capHeight() / 2)},
                  text, font, ink);
    };
    for (std::size_t i = 0; i < data.line.stages.size(); ++i) {
        const StageTimeline& stage = data.line.stages[i];
        const QRectF compute = lane(i, false);
        const QRectF communication = lane(i, true);
        const LaneView here = view();
        const bool crowded = is_crowded(stage.compute, here);
        paint_lane(painter, compute, stage.compute, crowded, here);
        paint_lane(painter, communication, stage.communication, crowded, here);
        if (!has_pipeline()) {
            write(tr("computing"), compute.center().y(), fonts.small, theme->text);
            write(communication_label(), communication.center().y(), fonts.small, theme->text);
        } else {
            const bool slowest = i == data.line.slowest;
            write(label(i), compute.center().y(), slowest ? fonts.small_bold : fonts.small, theme->text);
            if (slowest && communication.bottom() - compute.center().y() > 1.6 * small.height())
                write(tr("slowest"), compute.center().y() + small.height(), fonts.small, theme->muted);
        }
        if (follows_gap(i)) {
            const int missing = stage.position - data.line.stages[i - 1].position - 1;
            const QString text = tr("… %1 more stages like these").arg(missing);
            draw_text(painter,
                      {std::round(compute.center().x() - small.horizontalAdvance(text) / 2),
                       std::round(compute.top() - small.descent() - 3)},
                      text, fonts.small, theme->muted);
        }
    }
}

void TimelineFigure::Parts::paint_memory(QCPPainter& painter) const {
    const QRectF area = memory_area();
    const QFontMetricsF small(fonts.small);
    const double unit = plot_unit(Quantity::bytes).factor;
    tint_below_curve(painter, data.line.stages[data.line.fullest].memory, curve_view(area));
    for (const double value :
         linear_ticks(0, memory_top / unit, std::max(3, static_cast<int>(area.height() / kMemoryTick)))) {
        const double y = std::round(curve_view(area).y_of(value * unit));
        painter.setPen(QPen(theme->grid, 1));
        if (value > 0) painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        const QString text = tick_number(value);
        draw_text(painter,
                  {area.left() - 8 - small.horizontalAdvance(text), std::round(y + small.capHeight() / 2)},
                  text, fonts.small, theme->muted);
    }
    const double capacity = std::round(curve_view(area).y_of(data.memory.capacity));
    const double risky = curve_view(area).y_of(data.memory.most_that_fits());
    constexpr double kPitch = 5;
    hatch_over(painter, QRectF(area.left(), capacity, area.width(), std::max(2.0, risky - capacity)), *theme,
               theme->risk, kPitch, 1);
    for (std::size_t i = 0; i < data.line.stages.size(); ++i) {
        if (i != data.line.fullest)
            paint_memory_curve(painter, data.line.stages[i].memory, false, curve_view(area));
    }
    paint_memory_curve(painter, data.line.stages[data.line.fullest].memory, true, curve_view(area));
    painter.setPen(line_pen(theme->text, 1.5, {4, 3}));
    painter.drawLine(QPointF(area.left(), capacity), QPointF(area.right(), capacity));
    paint_limits_of_pins(painter);

    const QString title = tr("Memory, %1").arg(QString::fromStdString(plot_unit(Quantity::bytes).symbol));
    const double base = std::round(area.top() - small.descent() - 3);
    draw_text(painter, {4, base}, title, fonts.small_bold, theme->text);
    const QString usable = tr("usable %1").arg(shown(data.memory.capacity, Quantity::bytes));
    const QString peak = has_pipeline() ? tr("stage %1, the fullest: %2 at most")
                                              .arg(data.line.stages[data.line.fullest].position + 1)
                                              .arg(shown(data.memory.peak, Quantity::bytes))
                                        : tr("%1 at most").arg(shown(data.memory.peak, Quantity::bytes));
    draw_text(painter, {area.right() - small.horizontalAdvance(usable), base}, usable, fonts.small,
              theme->text);
    const double left = 4 + QFontMetricsF(fonts.small_bold).horizontalAdvance(title) + 14;
    if (left + small.horizontalAdvance(peak) < area.right() - small.horizontalAdvance(usable) - 14)
        draw_text(painter, {left, base}, peak, fonts.small, theme->muted);
}

// Draws the usable memory of pins on other GPUs, with labels that keep off the lines.
void TimelineFigure::Parts::paint_limits_of_pins(QCPPainter& painter) const {
    const QRectF area = memory_area();
    const CurveView view = curve_view(area);
    LabelPlacer room(area);
    const auto across = [&](double bytes) {
        const double at = std::round(view.y_of(bytes)) + 0.5;
        return QLineF(area.left(), at, area.right(), at);
    };
    const auto avoid = [&](const QLineF& line) { room.avoid(QPolygonF({line.p1(), line.p2()})); };
    avoid(across(data.memory.capacity));
    const std::vector<PinLimit> limits = pinned_limits();
    for (const PinLimit& pinned : limits) {
        const QLineF line = across(pinned.value);
        painter.setPen(line_pen(pin_color(*theme, pinned.letter), 1.2, pin_dash(pinned.letter)));
        painter.drawLine(line);
        avoid(line);
    }
    for (const PinLimit& pinned : limits) {
        const LabelLines label{{pinned.letters + QLatin1Char(' ') + shown(pinned.value, Quantity::bytes),
                                fonts.small_bold, theme->text}};
        const QSizeF size = size_of(label);
        constexpr double kOff = 2;
        constexpr double kEdge = 4;
        const double y = across(pinned.value).y1();
        QList<QPointF> corners;
        for (const double left : {area.right() - kEdge - size.width(), area.left() + kEdge,
                                  area.center().x() - size.width() / 2}) {
            for (const double top : {y - kOff - size.height(), y + kOff}) corners.append({left, top});
        }
        if (const auto box = room.place(size, corners))
            draw_label(painter, *box, label, Qt::AlignLeft, theme->pane);
    }
}

void TimelineFigure::Parts::paint_axis(QCPPainter& painter) const {
    const QRectF all = frame();
    painter.setPen(QPen(theme->border, 1));
    for (const QRectF& part : {lanes(), memory_area()})
        painter.drawLine(QPointF(part.left(), part.top()), QPointF(part.left(), part.bottom()));
    painter.drawLine(QPointF(all.left(), all.bottom()), QPointF(all.right(), all.bottom()));
    const QCPRange range = x().range();
    const TimeUnit unit = this->unit();
    std::vector<Tick> ticks;
    std::vector<double> centers;
    const auto put = [&](double seconds, const QString& text, bool current) {
        ticks.push_back({seconds, text, current});
        centers.push_back(at(seconds));
    };
    const double end = data.line.end;
    const QString end_text = in_unit(end);
    bool ended = false;
    const std::vector<double> round =
        linear_ticks(range.lower / unit.seconds, range.upper / unit.seconds, kMostTimeTicks);
    for (const double value : round) {
        const double seconds = value * unit.seconds;
        if (!ended && seconds >= end && end >= range.lower) {
            put(end, end_text, true);
            ended = true;
            if (seconds == end) continue;
        }
        put(seconds, tick_number(value), false);
    }
    if (!ended && end >= range.lower && end <= range.upper) put(end, end_text, true);
    draw_x_ticks(painter, all.bottom(), ticks, centers, 0, *theme, fonts);
    const QString title = tr("Time in the step, %1").arg(QString::fromUtf8(unit.symbol));
    const QFontMetricsF metrics(fonts.bold);
    const double bottom = all.bottom() + kTickLength + 4 + QFontMetricsF(fonts.small).height() + 4;
    draw_text(painter,
              {std::round(all.center().x() - metrics.horizontalAdvance(title) / 2),
               std::round(bottom + metrics.ascent())},
              title, fonts.bold, theme->text);
}

void TimelineFigure::Parts::paint_ends(QCPPainter& painter) const {
    const QRectF all = frame();
    const QCPRange range = x().range();
    const auto mark = [&](double seconds, const QPen& pen) {
        if (!range.contains(seconds)) return false;
        const double pixel = std::round(at(seconds));
        painter.setPen(pen);
        // There is text between the two.
        for (const QRectF& part : {lanes(), memory_area()})
            painter.drawLine(QPointF(pixel, part.top()), QPointF(pixel, part.bottom()));
        return true;
    };
    mark(data.line.end, QPen(theme->text, 1));
    // The letters of ghosts that end together are one above the other.
    constexpr double kApart = 2;
    std::vector<QRectF> taken;
    for (const Ghost& ghost : ghosts) {
        const QColor colour = pin_color(*theme, ghost.letter);
        if (is_far(ghost) || !mark(ghost.end, line_pen(colour, 2, pin_dash(ghost.letter)))) continue;
        QRectF tag(std::round(std::min(at(ghost.end) - kTag / 2, all.right() - kTag)),
                   std::round(lanes().bottom() - kTag), kTag, kTag);
        const auto meets = [&](const QRectF& other) {
            return tag.adjusted(-kApart, -kApart, kApart, kApart).intersects(other);
        };
        while (std::ranges::any_of(taken, meets)) tag.translate(0, -(kTag + kApart));
        taken.push_back(tag);
        draw_tag(painter, tag, ghost.letter, colour, fonts.small_bold);
    }
    if (range.contains(data.line.end)) paint_far_pins(painter, taken);
}

// Draws the steps of far pins as broken bars that end at the right edge, with letter and value, above the
// letters that are there already.
void TimelineFigure::Parts::paint_far_pins(QCPPainter& painter, std::vector<QRectF>& taken) const {
    constexpr double kBar = 30;  // px
    constexpr double kPad = 4;
    const QFontMetricsF metrics(fonts.small_bold);
    for (const Ghost& ghost : ghosts) {
        if (!is_far(ghost)) continue;
        const QColor colour = pin_color(*theme, ghost.letter);
        const QString value = in_unit(ghost.end) + QLatin1Char(' ') + QString::fromUtf8(unit().symbol);
        const double width = kTag + kPad + metrics.horizontalAdvance(value) + kPad + kBar;
        QRectF box(std::round(frame().right() - width), std::round(lanes().bottom() - kTag), width, kTag);
        const auto meets = [&](const QRectF& other) { return box.adjusted(0, -2, 0, 2).intersects(other); };
        while (std::ranges::any_of(taken, meets)) box.translate(0, -(kTag + 2));
        taken.push_back(box);
        painter.fillRect(box.adjusted(-1, -1, 0, 1), theme->pane);
        draw_tag(painter, {box.topLeft(), QSizeF(kTag, kTag)}, ghost.letter, colour, fonts.small_bold);
        draw_text(painter,
                  {box.left() + kTag + kPad,
                   std::round(box.center().y() + (metrics.ascent() - metrics.descent()) / 2)},
                  value, fonts.small_bold, theme->text);
        draw_broken_bar(painter, QRectF(box.right() - kBar, box.center().y() - 3, kBar, 6), colour,
                        theme->pane);
    }
}

void TimelineFigure::Parts::paint_no_time(QCPPainter& painter) const {
    const QRectF all = frame();
    draw_unfit(painter, all, *theme);
    const LabelLines lines{
        {tr("does not fit"), fonts.bold, theme->text},
        {tr("%1 of %2 in one GPU")
             .arg(shown(data.memory.peak, Quantity::bytes), shown(data.memory.capacity, Quantity::bytes)),
         fonts.small, theme->text},
        {tr("There is no step to draw."), fonts.small, theme->text}};
    const QSizeF size = size_of(lines);
    const QRectF box(all.center() - QPointF(size.width() / 2, size.height() / 2), size);
    painter.fillRect(box.adjusted(-8, -5, 8, 5), theme->pane);
    draw_label(painter, box, lines, Qt::AlignHCenter);
}

}  // namespace shardscope
