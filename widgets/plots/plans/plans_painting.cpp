#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/plots/plans/plans_parts.h"
#include "widgets/plots/sweep/sweep_figure.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kNeighbour = 4;     // half a square's side, px
constexpr double kBest = 8;          // radius of the ring
constexpr double kCurrentDot = 4.5;  // radius of the current plan

QString short_title(const Neighbour& n) {
    return text_of(label_of(n.id)) + QLatin1Char(' ') + QString::fromStdString(format(n.id, n.to));
}

}  // namespace

void PlansFigure::Parts::paint_below(QCPPainter& painter) const {
    if (!data) return;
    painter.save();
    clip(painter);
    const QRectF area = frame();
    const auto at = [&](double bytes) { return std::round(x().coordToPixel(gib(bytes))); };
    const double risky = at(data->limits.most_that_fits());
    const double unfit = at(data->limits.most_at_risk());
    draw_unfit(painter, QRectF(QPointF(unfit, area.top()), whole().bottomRight()), *theme);
    hatch_over(painter, QRectF(QPointF(risky, area.top()), QPointF(unfit, area.bottom())), *theme,
               theme->risk, 5, 1.6);
    if (lane > 0) {
        painter.setPen(QPen(theme->border, 1));
        painter.drawLine(area.bottomLeft(), area.bottomRight());
        painter.drawLine(area.bottomLeft(), whole().bottomLeft());
    }
    // The line is below all text.
    const double capacity = at(data->limits.capacity);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(line_pen(theme->text, 1.5, {4, 3}));
    painter.drawLine(QPointF(capacity, area.top() - 2), QPointF(capacity, whole().bottom()));
    painter.restore();
}

void PlansFigure::Parts::paint_titles(QCPPainter& painter) const {
    const QRectF area = frame();
    const QFontMetricsF bold(fonts.bold);
    const QFontMetricsF small(fonts.small);
    const double base = std::round(bold.ascent() + 4);
    const QString y_title = axis_title(id);
    draw_text(painter, {4, base}, y_title, fonts.bold, theme->text);
    QString words = stale;
    if (words.isEmpty() && data) words = plans_count_words(data->report);
    draw_text(painter, {std::round(area.right() - small.horizontalAdvance(words)), base}, words, fonts.small,
              theme->muted);
    const QString title =
        tr("Peak memory of a GPU, %1").arg(QString::fromStdString(plot_unit(Quantity::bytes).symbol));
    const double bottom = whole().bottom() + kTickLength + 4 + small.height() + 4;
    draw_text(painter,
              {std::round(area.center().x() - bold.horizontalAdvance(title) / 2),
               std::round(bottom + bold.ascent())},
              title, fonts.bold, theme->text);
    if (!data) return;
    paint_key(painter);
    if (!x().range().contains(gib(data->limits.capacity))) return;
    const double capacity = std::round(x().coordToPixel(gib(data->limits.capacity)));
    const QString usable = tr("usable %1").arg(shown(data->limits.capacity, Quantity::bytes));
    const double width = text_width(fonts.small_bold, usable);
    draw_text(painter,
              {std::round(std::min(capacity - width / 2, area.right() - width)), std::round(area.top() - 5)},
              usable, fonts.small_bold, theme->text);
}

// Explains the marks below the axis, because there is no caption on screen.
void PlansFigure::Parts::paint_key(QCPPainter& painter) const {
    constexpr double kMark = 9;  // px, a mark's side
    constexpr double kGap = 5;
    constexpr double kBetween = 16;
    const QFontMetricsF small(fonts.small);
    const QRectF area = frame();
    enum Mark { square, cross, hatch };
    const double hatched = 2 * kMark;  // wide enough to be recognized as a hatch
    const std::array<std::pair<Mark, QString>, 3> all{
        std::pair{square, tr("one step from the best, coloured by its loss")},
        std::pair{cross, tr("does not fit")}, std::pair{hatch, tr("may not fit")}};
    double width = -kBetween;
    std::size_t count = 0;
    const double room = area.right() - 4;
    for (const auto& entry : all) {
        const double mark = entry.first == hatch ? hatched : kMark;
        const double next = width + kBetween + mark + kGap + small.horizontalAdvance(entry.second);
        if (next > room) break;
        width = next;
        ++count;
    }
    const double base = whole().bottom() + kTickLength + 4 + small.height() + 4 +
                        QFontMetricsF(fonts.bold).height() + 2 + small.ascent();
    double left = std::round(std::max(4.0, std::min(area.center().x() - width / 2, area.right() - width)));
    for (std::size_t i = 0; i < count; ++i) {
        const QRectF box(left, std::round(base - small.capHeight() / 2 - kMark / 2),
                         all[i].first == hatch ? hatched : kMark, kMark);
        painter.setRenderHint(QPainter::Antialiasing);
        switch (all[i].first) {
            case square:
                painter.setPen(QPen(theme->text, 1));
                painter.setBrush(theme->communication);
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
                break;
            case cross: draw_cross(painter, box.center(), kNeighbour - 0.5, theme->text); break;
            case hatch: hatch_over(painter, box, *theme, theme->risk, 5, 1.6); break;
        }
        left += box.width() + kGap;
        draw_text(painter, {left, std::round(base)}, all[i].second, fonts.small, theme->muted);
        left += small.horizontalAdvance(all[i].second) + kBetween;
    }
}

void PlansFigure::Parts::paint_above(QCPPainter& painter) const {
    const QRectF area = frame();
    OwnLabels own;
    painter.save();
    clip(painter);
    if (data) {
        LabelPlacer room(whole().adjusted(3, 3, -3, -3));
        const double risky = x().coordToPixel(gib(data->limits.most_that_fits()));
        const double unfit = x().coordToPixel(gib(data->limits.most_at_risk()));
        const std::vector<QPointF> at = places();
        paint_plans(painter, room, at);
        // The labels of the current plan and the pins have priority over all others, and may be on the
        // margin's hatch.
        own = place_own(room);
        room.take(QRectF(QPointF(risky, area.top()), QPointF(unfit, area.bottom())));
        paint_labels(painter, room, at);
        paint_lane(painter, room);
        draw_area_words(painter, QRectF(QPointF(unfit, area.top()), area.bottomRight()),
                        {tr("does not fit"), fonts.bold, theme->text}, theme->hatch_ground, room);
        paint_dots(painter, own);
        if (!data->best()) paint_words(painter, QString::fromStdString(data->report.reason));
        else if (std::isnan(data->at_best(id)))
            paint_words(painter, tr("There is no price per GPU hour: set one, or compare by something else"));
    }
    const double strongly = !stale.isEmpty() && data ? std::min(strength, kStaleStrength) : strength;
    dim(painter, whole(), *theme, strongly);
    // The current plan is updated at once and is not dimmed with the others.
    if (strongly < 1 && data && strength == 1) paint_dots(painter, own);
    painter.restore();
    paint_titles(painter);
}

void PlansFigure::Parts::paint_plans(QCPPainter& painter, LabelPlacer& room,
                                     const std::vector<QPointF>& at) const {
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF line;
    for (const Candidate& edge : data->report.frontier) {
        const QPointF here = place(edge.peak, data->value(id, edge));
        if (!line.isEmpty()) line.append({here.x(), line.last().y()});
        line.append(here);
    }
    // The line continues after the last step, because more memory gives no better plan.
    if (!line.isEmpty()) {
        const double limit = x().coordToPixel(gib(data->limits.most_that_fits()));
        const QPointF end(std::max(limit, line.last().x()), line.last().y());
        painter.setPen(line_pen(theme->text, 1.6));
        painter.drawLine(line.last(), end);
        line.append(end);
    }
    // A label is rather far from its mark than on this line, which its background would interrupt.
    constexpr double kFrontier = 4;
    room.avoid(line, kFrontier);
    std::optional<QPointF> best;
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (data->points[i].mark == PlanMark::best) best = at[i];
    }
    if (!best) return;
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (data->points[i].mark != PlanMark::neighbour) continue;
        // A line to a plan without a rate would suggest one.
        if (std::isnan(data->value(id, data->points[i], hypothetical))) continue;
        painter.setPen(
            line_pen(theme->muted, 0.8, data->points[i].fits() ? QList<double>{} : QList<double>{2, 3}));
        painter.drawLine(*best, at[i]);
        constexpr double kThin = 0.5;
        room.avoid(QPolygonF({*best, at[i]}), kThin);
    }
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (data->points[i].mark != PlanMark::neighbour) continue;
        paint_neighbour(painter, *data->neighbour_of(data->points[i]), at[i], beyond(data->points[i].peak));
        room.take(QRectF(at[i] - QPointF(6, 6), QSizeF(12, 12)));
    }
    draw_ring(painter, *best, kBest, theme->pane, theme->text);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme->text);
    painter.drawEllipse(*best, 2.5, 2.5);
    room.take(QRectF(*best - QPointF(10, 10), QSizeF(20, 20)));
    if (highlight && *highlight < at.size()) {
        const bool on_best = data->points[*highlight].mark == PlanMark::best;
        draw_ring(painter, at[*highlight], on_best ? kBest + 4 : kBest, Qt::transparent, theme->accent);
    }
}

void PlansFigure::Parts::paint_neighbour(QCPPainter& painter, const Neighbour& n, const QPointF& at,
                                         bool beyond_frame) const {
    const bool risky = n.answer.estimate.verdict == Verdict::risky;
    if (n.over > 0 && !risky) {
        // The background keeps the mark legible on the hatch.
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme->hatch_ground);
        painter.drawEllipse(at, kNeighbour + 3, kNeighbour + 3);
        if (!beyond_frame) {
            draw_cross(painter, at, kNeighbour - 0.5, theme->text);
            return;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme->text);
        const std::array<QPointF, 3> corners{at + QPointF(kNeighbour + 1, 0),
                                             at + QPointF(-kNeighbour + 1, -kNeighbour),
                                             at + QPointF(-kNeighbour + 1, kNeighbour)};
        painter.drawPolygon(corners.data(), static_cast<int>(corners.size()));
        return;
    }
    painter.setPen(QPen(theme->text, 1));
    // A plan in the margin has a rate, but it loses to no step term.
    painter.setBrush(n.over > 0 ? theme->pane : loss_color(n, *theme));
    painter.drawRect(QRectF(at - QPointF(kNeighbour, kNeighbour), QSizeF(2 * kNeighbour, 2 * kNeighbour)));
}

PlansFigure::Parts::OwnLabels PlansFigure::Parts::place_own(LabelPlacer& room) const {
    OwnLabels out;
    const auto mark = [](const QPointF& at) { return QRectF(at - QPointF(6, 6), QSizeF(12, 12)); };
    if (current) room.take(mark(own_place()));
    for (std::size_t i = 0; i < ghosts.size(); ++i) room.take(mark(ghost_place(i)));
    if (current && !current_is_best()) {
        const double value = current->of(id);
        // Without a rate the label is its memory, because a mark at the edge does not show it.
        const QString words = std::isnan(value) ? shown(current->peak, Quantity::bytes) : value_words(value);
        out.lines = {{tr("A %1").arg(words), fonts.small_bold, theme->text}};
        const QSizeF size = size_of(out.lines);
        const QPointF at = own_place();
        QList<QPointF> corners = around(at, size, kCurrentDot + 4);
        const QList<QPointF> right{corners[2], corners[4], corners[6]};
        // Near the edge, the label is above the mark, moved inwards and off the marks of the lane. On and
        // beyond the margin's hatch, positions at the right come first, because the best plan's label is at
        // the left.
        const double inside = std::min(corners[0].x(), room.area().right() - 3 - size.width());
        const double above = corners[0].y();
        for (const double up : {24.0, 16.0, 8.0, 0.0}) corners.prepend({inside, above - up});
        if (at.x() > x().coordToPixel(gib(data->limits.most_that_fits()))) corners = right + corners;
        // Beside near pins the label has room only farther away. The last corners of `around` are three times
        // as far.
        constexpr qsizetype kTouching = 8;
        for (const double farther : {8.0, 16.0, 24.0})
            corners += around(at, size, kCurrentDot + 4 + farther).first(kTouching);
        out.current = room.place(size, corners, std::numeric_limits<double>::infinity(),
                                 [&](const QRectF& box) { return 1.5 * distance_to(box, at); });
    }
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
        QList<QPointF> corners = around(ghost_place(i), {kTag, kTag}, kCurrentDot + 3);
        corners.append(around(ghost_place(i), {kTag, kTag}, kCurrentDot + 3 + kTag));
        out.tags.push_back(room.place_or_cover({kTag, kTag}, corners));
    }
    return out;
}

// Draws the current plan and the pins.
void PlansFigure::Parts::paint_dots(QCPPainter& painter, const OwnLabels& own) const {
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
        const QColor color = pin_color(*theme, ghosts[i].letter);
        draw_ring(painter, ghost_place(i), kCurrentDot, theme->pane, color);
        draw_tag(painter, own.tags[i], ghosts[i].letter, color, fonts.small_bold);
    }
    if (!current) return;
    const QPointF at = own_place();
    draw_ring(painter, at, kCurrentDot, theme->pane, theme->text);
    if (beyond(current->peak)) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme->text);
        const std::array<QPointF, 3> corners{at + QPointF(12, 0), at + QPointF(7, -4), at + QPointF(7, 4)};
        painter.drawPolygon(corners.data(), static_cast<int>(corners.size()));
    }
    if (own.current) paint_on_ground(painter, *own.current, own.lines);
}

// Draws a label on a plain background, because on thousands of dots or on a hatch a halo alone does not make
// it legible.
void PlansFigure::Parts::paint_on_ground(QCPPainter& painter, const QRectF& box,
                                         const LabelLines& lines) const {
    const double unfit = x().coordToPixel(gib(data->limits.most_at_risk()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(box.left() > unfit && !hypothetical ? theme->hatch_ground : theme->pane);
    painter.drawRoundedRect(box.adjusted(-2, 0, 2, 0), 2, 2);
    draw_label(painter, box, lines, Qt::AlignLeft);
}

// Labels the lane below the rates.
void PlansFigure::Parts::paint_lane(QCPPainter& painter, LabelPlacer& room) const {
    if (lane <= 0 || !data->best() || std::isnan(data->at_best(id))) return;
    const LabelLines lines{{tr("does not fit: no rate"), fonts.small, theme->muted}};
    const QSizeF size = size_of(lines);
    const double right = x().coordToPixel(gib(data->limits.most_that_fits())) - 6;
    const QPointF corner(right - size.width(), frame().bottom() + (lane - size.height()) / 2);
    if (const auto box = room.place(size, {corner, {frame().left() + 6, corner.y()}}))
        draw_label(painter, *box, lines, Qt::AlignRight, theme->pane);
}

void PlansFigure::Parts::paint_labels(QCPPainter& painter, LabelPlacer& room,
                                      const std::vector<QPointF>& at) const {
    if (const auto best = best_point()) {
        const double value = data->value(id, data->points[*best], hypothetical);
        const QString name = current_is_best() ? tr("A, the best plan: %1") : tr("best plan %1");
        LabelLines lines{{name.arg(value_words(value)), fonts.small_bold, theme->text}};
        const QString plan = QString::fromStdString(short_plan(data->best()->settings));
        // The label is between the axis and the area that does not fit.
        const double left = frame().left() + 6;
        const double limit = x().coordToPixel(gib(data->limits.most_that_fits())) - 4;
        if (left + text_width(fonts.small, plan) < limit) lines.append({plan, fonts.small, theme->text});
        const QSizeF size = size_of(lines);
        const double corner = std::max(left, std::min(at[*best].x() + kBest, limit) - size.width());
        QList<QPointF> corners;
        for (const double gap : {kBest + 4, kBest + 18, kBest + 32})
            corners.append({corner, at[*best].y() - gap - size.height()});
        for (const double gap : {kBest + 4, kBest + 18, kBest + 32})
            corners.append({corner, at[*best].y() + gap});
        for (const QPointF& beside : around(at[*best], size, kBest + 4))
            corners.append({std::clamp(beside.x(), left, std::max(left, limit - size.width())), beside.y()});
        const auto near = [&](const QRectF& label) { return 1.5 * distance_to(label, at[*best]); };
        if (const auto box = room.place(size, corners, std::numeric_limits<double>::infinity(), near))
            draw_label(painter, *box, lines, Qt::AlignRight, theme->pane);
    }
    // Only the neighbours with enough space are labelled; the list contains them all.
    for (std::size_t i = 0; i < at.size(); ++i) {
        const Neighbour* n = data->neighbour_of(data->points[i]);
        if (!n || n->over > 0) continue;
        const LabelLines lines{{short_title(*n), fonts.small, theme->muted}};
        const QSizeF size = size_of(lines);
        constexpr double kMostCrossed = 2;  // so that no background interrupts a line
        if (const auto box = room.place(size, around(at[i], size, kNeighbour + 3).mid(0, 8), kMostCrossed))
            paint_on_ground(painter, *box, lines);
    }
}

// Writes why there are no plans.
void PlansFigure::Parts::paint_words(QCPPainter& painter, const QString& words) const {
    const QRectF area = frame();
    const double right = std::min(area.right(), x().coordToPixel(gib(data->limits.most_that_fits())));
    constexpr double kPadding = 24;
    QRectF box(area.left() + kPadding, area.top(), right - area.left() - 2 * kPadding, area.height());
    painter.setFont(fonts.body);
    painter.setPen(theme->text);
    QString sentence = words;
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, sentence);
}

}  // namespace shardscope
