#include "widgets/plots/plans_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "widgets/panels/drawing.h"
#include "widgets/plots/figure_parts.h"
#include "widgets/plots/painted_item.h"
#include "widgets/plots/sweep_figure.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostTicks = 6;
constexpr double kReach = 9;      // px from a mark's middle that still mean it
constexpr double kNeighbour = 4;  // half a square's side, px
constexpr double kEdge = 1.8;     // radius of a frontier's dot
constexpr double kBest = 8;       // radius of the ring
constexpr double kDot = 4.5;      // radius of the current plan
constexpr double kLane = 15;      // px between marks that would lie over each other
constexpr double kStale = 0.6;

double gib(double bytes) { return bytes / plot_unit(Quantity::bytes).factor; }

// The one that is to be seen above all others, and found first.
int rank(PlanMark mark) { return static_cast<int>(mark); }

QString short_title(const Neighbour& n) {
    return text_of(label_of(n.id)) + QLatin1Char(' ') + QString::fromStdString(format(n.id, n.to));
}

}  // namespace

QColor loss_color(const Neighbour& neighbour, const Theme& theme) {
    if (neighbour.over > 0 || neighbour.parts.empty()) return theme.muted;
    return theme.of(neighbour.parts.front().term);
}

QString plans_count_words(const PlanReport& report) {
    return tr("%1 of %2 plans fit")
        .arg(shown(report.feasible, Quantity::count), shown(report.space, Quantity::count));
}

QString plans_words(const PlansData& data, bool hypothetical) {
    QStringList out{plans_count_words(data.report) + QLatin1Char('.')};
    if (const Answer* best = data.best()) {
        out += tr("Ring: the best plan, %1. Line: the best plan for every amount of memory. Small dots: the "
                  "best plan for every way to cut the model.")
                   .arg(QString::fromStdString(short_plan(best->settings)));
        out +=
            tr("Squares: one step away from the best, in the colour of what they lose to; crosses and "
               "arrows: such that do not fit.");
    }
    out += tr("A: the plan of the scenario.");
    out += tr("Hatched: does not fit in %1; orange: the margin within which it may or may not.")
               .arg(shown(data.capacity, Quantity::bytes));
    if (hypothetical) out += tr("HYPOTHETICAL: rates as if memory sufficed.");
    return out.join(QLatin1Char(' '));
}

struct PlansFigure::Parts {
    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    SharedPlans data;
    Output id = Output::mfu;
    bool hypothetical = false;
    std::optional<PlanDot> current;
    std::vector<PlanDot> ghosts;
    bool searching = false;
    double strength = 1;
    std::optional<std::size_t> highlight;
    QCPGraph* cloud;
    QCPGraph* frontier;

    explicit Parts(QCustomPlot& target);

    [[nodiscard]] QCPAxis& x() const { return *plot.xAxis; }
    [[nodiscard]] QCPAxis& y() const { return *plot.yAxis; }
    [[nodiscard]] QRectF frame() const { return frame_of(*plot.axisRect()); }
    [[nodiscard]] double axis_y(double value) const { return value / plot_unit(output(id).quantity).factor; }

    void style();
    void fill();
    void fit();
    void lay_out();

    // Where a value at some memory is drawn: what has no value stands at the foot, what is beyond the frame
    // at its edge.
    [[nodiscard]] QPointF place(double peak, double value) const;
    [[nodiscard]] bool beyond(double peak) const { return gib(peak) > x().range().upper; }
    // Marks without a value, one above the other where they would meet.
    [[nodiscard]] std::vector<QPointF> places() const;

    void paint_below(QCPPainter& painter) const;
    void paint_above(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter) const;
    void paint_plans(QCPPainter& painter, LabelRoom& room) const;
    void paint_neighbour(QCPPainter& painter, const Neighbour& n, const QPointF& at, bool beyond_frame) const;
    void paint_dots(QCPPainter& painter, LabelRoom& room) const;
    void paint_labels(QCPPainter& painter, LabelRoom& room, const std::vector<QPointF>& at) const;
    void paint_words(QCPPainter& painter, const QString& words) const;
    [[nodiscard]] QString value_words(double value) const {
        return QString::fromStdString(format(value, output(id).quantity));
    }
};

PlansFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    plot.axisRect()->setAutoMargins(QCP::msNone);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setTicker(QSharedPointer<QCPAxisTickerText>::create());
        axis->setSubTicks(false);
        axis->setTickLength(0, static_cast<int>(kTickLength));
        axis->setTickLabelPadding(4);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->setRange(0, 1);
    }
    x().grid()->setVisible(false);
    cloud = plot.addGraph();
    cloud->setLineStyle(QCPGraph::lsNone);
    cloud->setAntialiasedScatters(false);
    frontier = plot.addGraph();
    frontier->setLineStyle(QCPGraph::lsStepLeft);
    new PaintedItem(plot, QStringLiteral("background"),
                    [this](QCPPainter& painter) { paint_below(painter); });
    new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint_above(painter); });
}

void PlansFigure::Parts::style() {
    plot.setBackground(QBrush(theme->pane));
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) style_axis(*axis, *theme, fonts);
    // Opaque, so that thousands over each other stay in the background.
    constexpr double kCloud = 2;
    constexpr float kShare = 0.45F;
    const auto mix = [](float ground, float ink) { return ground + kShare * (ink - ground); };
    const QColor pale = QColor::fromRgbF(mix(theme->pane.redF(), theme->muted.redF()),
                                         mix(theme->pane.greenF(), theme->muted.greenF()),
                                         mix(theme->pane.blueF(), theme->muted.blueF()));
    cloud->setScatterStyle({QCPScatterStyle::ssDisc, QPen(pale, 1), pale, kCloud});
    frontier->setPen(line_pen(theme->text, 1.6));
    frontier->setScatterStyle({QCPScatterStyle::ssDisc, QPen(theme->text, 1), theme->text, 2 * kEdge});
}

void PlansFigure::Parts::fill() {
    QList<double> cloud_x;
    QList<double> cloud_y;
    QList<double> edge_x;
    QList<double> edge_y;
    if (data) {
        const QCPRange range = y().range();
        for (const PlanPoint& point : data->points) {
            if (point.mark != PlanMark::cut) continue;
            const double value = axis_y(data->value(id, point, hypothetical));
            if (!range.contains(value)) continue;
            cloud_x.append(gib(point.peak));
            cloud_y.append(value);
        }
        for (const Candidate& edge : data->report.frontier) {
            const double value = axis_y(data->value(id, edge));
            if (!range.contains(value)) continue;
            edge_x.append(gib(edge.peak));
            edge_y.append(value);
        }
    }
    cloud->setData(cloud_x, cloud_y, true);
    frontier->setData(edge_x, edge_y, true);
}

void PlansFigure::Parts::fit() {
    double capacity = data ? gib(data->capacity) : 0;
    double most = 0;  // of what is near enough to be shown at its memory
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    // The hatched part takes between a quarter and two fifths of the width.
    constexpr double kLeast = 1.3;
    constexpr double kMost = 1.65;
    const auto hold = [&](double peak, double value) {
        if (gib(peak) < kMost * capacity) most = std::max(most, gib(peak));
        const double at = axis_y(value);
        if (!std::isfinite(at)) return;
        low = std::min(low, at);
        high = std::max(high, at);
    };
    if (data) {
        for (const PlanPoint& point : data->points) hold(point.peak, data->value(id, point, hypothetical));
    }
    if (current) {
        if (capacity == 0) capacity = gib(current->peak);
        hold(current->peak, current->of(id));
    }
    for (const PlanDot& ghost : ghosts) hold(ghost.peak, ghost.of(id));
    constexpr double kAir = 1.06;
    x().setRange(0, std::clamp(kAir * most, kLeast * capacity, kMost * capacity));
    const bool log = less_is_better(id) && high > 0;
    y().setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (log) {
        constexpr double kMostDecades = 100;  // what is far worse than the best matters little
        y().setRange(low / 1.3, std::min(high, kMostDecades * low) * 1.3);
    } else if (output(id).quantity == Quantity::percent) {
        y().setRange(0, 100);
    } else {
        y().setRange(0, high > 0 ? round_top(high, kMostTicks) : 1);
    }

    auto ticker = x().ticker().staticCast<QCPAxisTickerText>();
    ticker->clear();
    for (const double value : linear_ticks(0, x().range().upper, kMostTicks + 2))
        ticker->addTick(value, shown(value, Quantity::count));
    ticker = y().ticker().staticCast<QCPAxisTickerText>();
    ticker->clear();
    const double bottom = y().range().lower;
    const double top = y().range().upper;
    if (!log) {
        for (const double value : linear_ticks(bottom, top, kMostTicks))
            ticker->addTick(value, shown(value, Quantity::count));
    } else {
        for (const double decade : log_ticks(bottom / 10, top, 10)) {
            for (const double factor : {1.0, 2.0, 5.0}) {
                if (decade * factor >= bottom && decade * factor <= top)
                    ticker->addTick(decade * factor, shown(decade * factor, Quantity::count));
            }
        }
    }
    fill();
    lay_out();
}

void PlansFigure::Parts::lay_out() {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    double widest = small.horizontalAdvance(QStringLiteral("100"));
    const auto ticks = y().ticker().staticCast<QCPAxisTickerText>()->ticks();
    for (const QString& text : ticks) widest = std::max(widest, small.horizontalAdvance(text));
    constexpr double kPadding = 8;
    const double left = widest + kTickLength + 4 + kPadding;
    // The capacity's name stands above the frame, below the title.
    const double top = bold.height() + 10 + small.height();
    const double bottom = kTickLength + 4 + small.height() + 4 + bold.height() + 6;
    const auto whole = [](double px) { return static_cast<int>(std::ceil(px)); };
    plot.axisRect()->setMargins(QMargins(whole(left), whole(top), whole(2 * kPadding), whole(bottom)));
}

// ---- places ----------------------------------------------------------------------------------------------

QPointF PlansFigure::Parts::place(double peak, double value) const {
    constexpr double kInside = 12;  // px: what is beyond the frame points out of it from here
    const QRectF area = frame();
    const double right = area.right() - kInside;
    const double at = axis_y(value);
    const double top = area.top() + kInside;
    const double foot = area.bottom() - kInside;
    const QCPRange range = y().range();
    const double height = std::isnan(at)     ? foot
                          : at > range.upper ? top
                          : at < range.lower ? foot
                                             : y().coordToPixel(at);
    return {beyond(peak) ? right : x().coordToPixel(gib(peak)), height};
}

std::vector<QPointF> PlansFigure::Parts::places() const {
    std::vector<QPointF> out;
    std::vector<QPointF> at_foot;
    for (const PlanPoint& point : data->points) {
        const double value = data->value(id, point, hypothetical);
        QPointF at = place(point.peak, value);
        if (std::isnan(value)) {
            const auto taken = [&](const QPointF& other) {
                return std::fabs(other.x() - at.x()) < kLane && std::fabs(other.y() - at.y()) < kLane;
            };
            while (std::ranges::any_of(at_foot, taken) && at.y() > frame().top() + kLane) at.ry() -= kLane;
            at_foot.push_back(at);
        }
        out.push_back(at);
    }
    return out;
}

// ---- painting --------------------------------------------------------------------------------------------

void PlansFigure::Parts::paint_below(QCPPainter& painter) const {
    if (!data) return;
    const QRectF area = frame();
    const auto at = [&](double bytes) { return std::round(x().coordToPixel(gib(bytes))); };
    const double risky = at(data->capacity - data->margin);
    const double unfit = at(data->capacity + data->margin);
    draw_unfit(painter, QRectF(QPointF(unfit, area.top()), area.bottomRight()), *theme);
    hatch_over(painter, QRectF(QPointF(risky, area.top()), QPointF(unfit, area.bottom())), *theme,
               theme->risk, 5, 1.6);
}

void PlansFigure::Parts::paint_titles(QCPPainter& painter) const {
    const QRectF area = frame();
    const QFontMetricsF bold(fonts.bold);
    const QFontMetricsF small(fonts.small);
    const double base = std::round(bold.ascent() + 4);
    const QString y_title = axis_title(id);
    draw_text(painter, {4, base}, y_title, fonts.bold, theme->text);
    QString words;
    if (searching) words = tr("searching the plans…");
    else if (data) words = plans_count_words(data->report);
    draw_text(painter, {std::round(area.right() - small.horizontalAdvance(words)), base}, words, fonts.small,
              theme->muted);
    const QString title =
        tr("Peak memory of a GPU, %1").arg(QString::fromStdString(plot_unit(Quantity::bytes).symbol));
    const double bottom = area.bottom() + kTickLength + 4 + small.height() + 4;
    draw_text(painter,
              {std::round(area.center().x() - bold.horizontalAdvance(title) / 2),
               std::round(bottom + bold.ascent())},
              title, fonts.bold, theme->text);
    if (!data) return;
    const double capacity = std::round(x().coordToPixel(gib(data->capacity)));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(line_pen(theme->text, 1.5, {4, 3}));
    painter.drawLine(QPointF(capacity, area.top() - 2), QPointF(capacity, area.bottom()));
    const QString usable = tr("usable %1").arg(shown(data->capacity, Quantity::bytes));
    const double width = text_width(fonts.small_bold, usable);
    draw_text(painter,
              {std::round(std::min(capacity - width / 2, area.right() - width)), std::round(area.top() - 5)},
              usable, fonts.small_bold, theme->text);
}

void PlansFigure::Parts::paint_above(QCPPainter& painter) const {
    const QRectF area = frame();
    if (data) {
        LabelRoom room(area.adjusted(3, 3, -3, -3));
        const double risky = x().coordToPixel(gib(data->capacity - data->margin));
        const double unfit = x().coordToPixel(gib(data->capacity + data->margin));
        room.take(QRectF(QPointF(risky, area.top()), QPointF(unfit, area.bottom())));
        paint_plans(painter, room);
        paint_dots(painter, room);
        paint_labels(painter, room, places());
        draw_area_words(painter, QRectF(QPointF(unfit, area.top()), area.bottomRight()),
                        {tr("does not fit"), fonts.bold, theme->text}, theme->hatch_ground, room);
        if (!data->best()) paint_words(painter, QString::fromStdString(data->report.reason));
        else if (std::isnan(data->at_best(id)))
            paint_words(painter, tr("There is no price per GPU hour: set one, or compare by something else"));
    }
    const double strongly = searching && data ? std::min(strength, kStale) : strength;
    if (strongly < 1) {
        QColor veil = theme->pane;
        veil.setAlphaF(static_cast<float>(1 - strongly));
        painter.fillRect(area, veil);
        // The present plan follows at once, whatever the others do.
        LabelRoom room(area.adjusted(3, 3, -3, -3));
        if (data && strength == 1) paint_dots(painter, room);
    }
    paint_titles(painter);
}

void PlansFigure::Parts::paint_plans(QCPPainter& painter, LabelRoom& room) const {
    const std::vector<QPointF> at = places();
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF line;
    for (const Candidate& edge : data->report.frontier) {
        const QPointF here = place(edge.peak, data->value(id, edge));
        if (!line.isEmpty()) line.append({here.x(), line.last().y()});
        line.append(here);
    }
    // On from the last step: more memory buys nothing.
    if (!line.isEmpty()) {
        const double limit = x().coordToPixel(gib(data->capacity - data->margin));
        painter.setPen(line_pen(theme->text, 1.6));
        painter.drawLine(line.last(), QPointF(std::max(limit, line.last().x()), line.last().y()));
    }
    room.avoid(line, 2);
    std::optional<QPointF> best;
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (data->points[i].mark == PlanMark::best) best = at[i];
    }
    if (!best) return;
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (data->points[i].mark != PlanMark::neighbour) continue;
        painter.setPen(
            line_pen(theme->muted, 0.8, data->points[i].fits() ? QList<double>{} : QList<double>{2, 3}));
        painter.drawLine(*best, at[i]);
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
    if (n.over > 0) {
        // On the hatch, so that it stays legible.
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
    painter.setBrush(loss_color(n, *theme));
    painter.drawRect(QRectF(at - QPointF(kNeighbour, kNeighbour), QSizeF(2 * kNeighbour, 2 * kNeighbour)));
}

// The current plan and the pins.
void PlansFigure::Parts::paint_dots(QCPPainter& painter, LabelRoom& room) const {
    for (const PlanDot& ghost : ghosts) {
        const QColor color = pin_color(*theme, ghost.letter);
        const QPointF at = place(ghost.peak, ghost.of(id));
        draw_ring(painter, at, kDot, theme->pane, color);
        room.take(QRectF(at - QPointF(6, 6), QSizeF(12, 12)));
        if (const auto box = room.place({kTag, kTag}, around(at, {kTag, kTag}, kDot + 3)))
            draw_tag(painter, *box, ghost.letter, color, fonts.small_bold);
    }
    if (!current) return;
    const QPointF at = place(current->peak, current->of(id));
    draw_ring(painter, at, kDot, theme->pane, theme->text);
    if (beyond(current->peak)) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme->text);
        const std::array<QPointF, 3> corners{at + QPointF(12, 0), at + QPointF(7, -4), at + QPointF(7, 4)};
        painter.drawPolygon(corners.data(), static_cast<int>(corners.size()));
    }
    room.take(QRectF(at - QPointF(6, 6), QSizeF(12, 12)));
}

void PlansFigure::Parts::paint_labels(QCPPainter& painter, LabelRoom& room,
                                      const std::vector<QPointF>& at) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (data->points[i].mark == PlanMark::best) best = i;
    }
    const bool at_best = current && best && current->plan == data->points[*best].plan;
    if (best) {
        const double value = data->value(id, data->points[*best], hypothetical);
        const QString name = at_best ? tr("A, the best plan: %1") : tr("best plan %1");
        LabelLines lines{{name.arg(value_words(value)), fonts.small_bold, theme->text}};
        const QString plan = QString::fromStdString(short_plan(data->best()->settings));
        // Between the axis and what does not fit.
        const double left = frame().left() + 6;
        const double limit = x().coordToPixel(gib(data->capacity - data->margin)) - 4;
        if (left + text_width(fonts.small, plan) < limit) lines.append({plan, fonts.small, theme->text});
        const QSizeF size = size_of(lines);
        const double corner = std::max(left, std::min(at[*best].x() + kBest, limit) - size.width());
        QList<QPointF> corners;
        for (const double gap : {kBest + 4, kBest + 18, kBest + 32})
            corners.append({corner, at[*best].y() - gap - size.height()});
        for (const double gap : {kBest + 4, kBest + 18, kBest + 32})
            corners.append({corner, at[*best].y() + gap});
        if (const auto box = room.place(size, corners))
            draw_label(painter, *box, lines, Qt::AlignRight, theme->pane);
    }
    if (current && !at_best) {
        const double value = current->of(id);
        const QString words = std::isnan(value) ? QStringLiteral("A") : tr("A %1").arg(value_words(value));
        const LabelLines lines{{words, fonts.small_bold, theme->text}};
        const QSizeF size = size_of(lines);
        if (const auto box = room.place(size, around(place(current->peak, value), size, kDot + 4)))
            draw_label(painter, *box, lines, Qt::AlignLeft,
                       current->fits || hypothetical ? theme->pane : theme->hatch_ground);
    }
    // Of the neighbours those that find room: all of them stand in the list.
    for (std::size_t i = 0; i < at.size(); ++i) {
        const Neighbour* n = data->neighbour_of(data->points[i]);
        if (!n || n->over > 0) continue;
        const LabelLines lines{{short_title(*n), fonts.small, theme->muted}};
        const QSizeF size = size_of(lines);
        constexpr double kMostCrossed = 12;  // px of the frontier
        if (const auto box = room.place(size, around(at[i], size, kNeighbour + 3).mid(0, 8), kMostCrossed))
            draw_label(painter, *box, lines, Qt::AlignLeft, theme->pane);
    }
}

// Instead of plans: why there are none.
void PlansFigure::Parts::paint_words(QCPPainter& painter, const QString& words) const {
    const QRectF area = frame();
    const double right = std::min(area.right(), x().coordToPixel(gib(data->capacity - data->margin)));
    constexpr double kPadding = 24;
    QRectF box(area.left() + kPadding, area.top(), right - area.left() - 2 * kPadding, area.height());
    painter.setFont(fonts.body);
    painter.setPen(theme->text);
    QString sentence = words;
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, sentence);
}

// ---- the figure ------------------------------------------------------------------------------------------

PlansFigure::PlansFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
PlansFigure::~PlansFigure() = default;

void PlansFigure::set_style(const Theme& theme, const QFont& font) {
    parts_->theme = &theme;
    parts_->fonts = FigureFonts(font);
    parts_->style();
    parts_->lay_out();
}

void PlansFigure::set_data(SharedPlans data) {
    parts_->data = std::move(data);
    parts_->highlight.reset();
    parts_->fill();
}

void PlansFigure::set_output(Output id) { parts_->id = id; }
void PlansFigure::set_hypothetical(bool on) { parts_->hypothetical = on; }
void PlansFigure::set_current(const std::optional<PlanDot>& dot) { parts_->current = dot; }
void PlansFigure::set_ghosts(std::vector<PlanDot> ghosts) { parts_->ghosts = std::move(ghosts); }
void PlansFigure::set_searching(bool on) { parts_->searching = on; }
void PlansFigure::set_strength(double strength) { parts_->strength = strength; }
void PlansFigure::set_highlight(std::optional<std::size_t> point) { parts_->highlight = point; }
void PlansFigure::refit() { parts_->fit(); }

const PlansData* PlansFigure::data() const { return parts_->data.get(); }
Output PlansFigure::output_shown() const { return parts_->id; }
std::optional<std::size_t> PlansFigure::highlight() const { return parts_->highlight; }

std::optional<std::size_t> PlansFigure::point_at(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (!p.data || !p.frame().contains(pixel)) return std::nullopt;
    const std::vector<QPointF> at = p.places();
    std::optional<std::size_t> found;
    double nearest = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const double distance = std::hypot(at[i].x() - pixel.x(), at[i].y() - pixel.y());
        if (distance > kReach) continue;
        const int mark = rank(p.data->points[i].mark);
        const int before = found ? rank(p.data->points[*found].mark) : -1;
        // Of two under the pointer the one that is drawn above.
        if (mark < before || (mark == before && distance >= nearest)) continue;
        found = i;
        nearest = distance;
    }
    return found;
}

QPointF PlansFigure::pixel_of(std::size_t point) const { return parts_->places()[point]; }

QPointF PlansFigure::current_pixel() const {
    const Parts& p = *parts_;
    return p.current ? p.place(p.current->peak, p.current->of(p.id)) : QPointF(kNone, kNone);
}

QString PlansFigure::description() const {
    const Parts& p = *parts_;
    if (!p.data) return tr("Searching the plans.");
    if (!p.data->best()) return QString::fromStdString(p.data->report.reason);
    return tr("%1. Best: %2, %3 of memory, %4 %5.")
        .arg(plans_count_words(p.data->report), QString::fromStdString(short_plan(p.data->best()->settings)),
             shown(p.data->best()->estimate.memory.peak, Quantity::bytes), text_of(label_of(p.id)),
             p.value_words(p.data->at_best(p.id)));
}

}  // namespace shardscope
