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
constexpr double kLane = 30;      // height of the strip of what has no rate, two rows of marks
constexpr double kRow = 14;       // px between marks that would lie over each other
constexpr double kEdgeStep = 22;  // the same of those that point out of the frame
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
            tr("Squares: one step away from the best, in the colour of what they lose to, hollow in the "
               "margin; crosses and arrows: such that do not fit.");
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
    double lane = 0;  // px below the rates

    explicit Parts(QCustomPlot& target);

    [[nodiscard]] QCPAxis& x() const { return *plot.xAxis; }
    [[nodiscard]] QCPAxis& y() const { return *plot.yAxis; }
    [[nodiscard]] QRectF frame() const { return frame_of(*plot.axisRect()); }
    // With the lane of what has no rate.
    [[nodiscard]] QRectF whole() const { return frame().adjusted(0, 0, 0, lane); }
    [[nodiscard]] double axis_y(double value) const { return value / plot_unit(output(id).quantity).factor; }

    void style();
    void fill();
    void fit();
    void lay_out();

    // Where a value at some memory is drawn: what has no value stands in the lane, what is beyond the frame
    // at its edge.
    [[nodiscard]] QPointF place(double peak, double value) const;
    [[nodiscard]] bool beyond(double peak) const { return gib(peak) > x().range().upper; }
    // Marks without a value beside each other where they would meet.
    [[nodiscard]] std::vector<QPointF> places() const;
    // The current plan and the pins; at the edge of the lane each a step further in, the current one first.
    [[nodiscard]] QPointF own_place() const { return place(current->peak, current->of(id)); }
    [[nodiscard]] QPointF ghost_place(std::size_t index) const;
    [[nodiscard]] bool at_lane_edge(const PlanDot& dot) const {
        return lane > 0 && beyond(dot.peak) && std::isnan(dot.of(id));
    }
    [[nodiscard]] std::optional<std::size_t> best_point() const;
    [[nodiscard]] bool current_is_best() const;

    // What the person's own plans are called, and where: found before any other label.
    struct OwnLabels {
        LabelLines lines;
        std::optional<QRectF> current;
        std::vector<std::optional<QRectF>> tags;
    };

    void paint_below(QCPPainter& painter) const;
    void paint_above(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter) const;
    void paint_plans(QCPPainter& painter, LabelRoom& room) const;
    void paint_neighbour(QCPPainter& painter, const Neighbour& n, const QPointF& at, bool beyond_frame) const;
    [[nodiscard]] OwnLabels place_own(LabelRoom& room) const;
    void paint_dots(QCPPainter& painter, const OwnLabels& own) const;
    void paint_lane(QCPPainter& painter, LabelRoom& room) const;
    void paint_key(QCPPainter& painter) const;
    void paint_on_ground(QCPPainter& painter, const QRectF& box, const LabelLines& lines) const;
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
    // What does not fit has no rate: it stands below the rates. The axis goes with it.
    lane = hypothetical ? 0 : kLane;
    x().setOffset(static_cast<int>(lane));
    const double bottom =
        lane + kTickLength + 4 + small.height() + 4 + bold.height() + 2 + small.height() + 4;
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
    const double height = std::isnan(at)     ? (lane > 0 ? area.bottom() + lane / 2 : foot)
                          : at > range.upper ? top
                          : at < range.lower ? foot
                                             : y().coordToPixel(at);
    return {beyond(peak) ? right : x().coordToPixel(gib(peak)), height};
}

QPointF PlansFigure::Parts::ghost_place(std::size_t index) const {
    QPointF out = place(ghosts[index].peak, ghosts[index].of(id));
    if (!at_lane_edge(ghosts[index])) return out;
    if (current && at_lane_edge(*current)) out.rx() -= kEdgeStep;
    for (std::size_t i = 0; i < index; ++i) {
        if (at_lane_edge(ghosts[i])) out.rx() -= kEdgeStep;
    }
    return out;
}

std::vector<QPointF> PlansFigure::Parts::places() const {
    std::vector<QPointF> out;
    std::vector<QPointF> in_lane;
    const auto free = [&](const QPointF& at) {
        return std::ranges::none_of(in_lane, [&](const QPointF& other) {
            return std::fabs(other.x() - at.x()) < kRow && std::fabs(other.y() - at.y()) < kRow;
        });
    };
    double edge = 0;  // taken by the person's own plans
    if (current && at_lane_edge(*current)) edge += kEdgeStep;
    for (const PlanDot& ghost : ghosts) edge += at_lane_edge(ghost) ? kEdgeStep : 0;
    for (const PlanPoint& point : data->points) {
        const double value = data->value(id, point, hypothetical);
        QPointF at = place(point.peak, value);
        if (std::isnan(value)) {
            if (beyond(point.peak)) at.rx() -= edge;
            at.ry() += kRow / 2;
            // Up, and where that is taken too, aside.
            const QPointF first = at;
            for (int step = 0; !free(at) && at.x() > frame().left() + kRow; ++step) {
                const int aside = (step + 1) / 2;
                at = first - QPointF(kRow * aside, step % 2 == 0 ? kRow : 0.0);
            }
            in_lane.push_back(at);
        }
        out.push_back(at);
    }
    return out;
}

std::optional<std::size_t> PlansFigure::Parts::best_point() const {
    const auto found = std::ranges::find(data->points, PlanMark::best, &PlanPoint::mark);
    if (found == data->points.end()) return std::nullopt;
    return static_cast<std::size_t>(found - data->points.begin());
}

bool PlansFigure::Parts::current_is_best() const {
    const auto best = best_point();
    return current && best && current->plan == data->points[*best].plan;
}

// ---- painting --------------------------------------------------------------------------------------------

void PlansFigure::Parts::paint_below(QCPPainter& painter) const {
    if (!data) return;
    const QRectF area = frame();
    const auto at = [&](double bytes) { return std::round(x().coordToPixel(gib(bytes))); };
    const double risky = at(data->capacity - data->margin);
    const double unfit = at(data->capacity + data->margin);
    draw_unfit(painter, QRectF(QPointF(unfit, area.top()), whole().bottomRight()), *theme);
    hatch_over(painter, QRectF(QPointF(risky, area.top()), QPointF(unfit, area.bottom())), *theme,
               theme->risk, 5, 1.6);
    if (lane > 0) {
        painter.setPen(QPen(theme->border, 1));
        painter.drawLine(area.bottomLeft(), area.bottomRight());
        painter.drawLine(area.bottomLeft(), whole().bottomLeft());
    }
    // Below all words.
    const double capacity = at(data->capacity);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(line_pen(theme->text, 1.5, {4, 3}));
    painter.drawLine(QPointF(capacity, area.top() - 2), QPointF(capacity, whole().bottom()));
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
    const double bottom = whole().bottom() + kTickLength + 4 + small.height() + 4;
    draw_text(painter,
              {std::round(area.center().x() - bold.horizontalAdvance(title) / 2),
               std::round(bottom + bold.ascent())},
              title, fonts.bold, theme->text);
    if (!data) return;
    const double capacity = std::round(x().coordToPixel(gib(data->capacity)));
    const QString usable = tr("usable %1").arg(shown(data->capacity, Quantity::bytes));
    const double width = text_width(fonts.small_bold, usable);
    draw_text(painter,
              {std::round(std::min(capacity - width / 2, area.right() - width)), std::round(area.top() - 5)},
              usable, fonts.small_bold, theme->text);
    paint_key(painter);
}

// What the marks mean, below the axis: on screen there is no caption.
void PlansFigure::Parts::paint_key(QCPPainter& painter) const {
    constexpr double kMark = 9;  // px, a mark's side
    constexpr double kGap = 5;
    constexpr double kBetween = 16;
    const QFontMetricsF small(fonts.small);
    const QRectF area = frame();
    enum Mark { square, cross, hatch };
    const double hatched = 2 * kMark;  // wide enough to be seen as one
    const std::array<std::pair<Mark, QString>, 3> all{
        std::pair{square, tr("one step away, coloured by its loss")}, std::pair{cross, tr("does not fit")},
        std::pair{hatch, tr("may not fit")}};
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
    if (data) {
        LabelRoom room(whole().adjusted(3, 3, -3, -3));
        const double risky = x().coordToPixel(gib(data->capacity - data->margin));
        const double unfit = x().coordToPixel(gib(data->capacity + data->margin));
        paint_plans(painter, room);
        // The person's own plans lose their names to nobody, and may be named on the margin's hatch.
        own = place_own(room);
        room.take(QRectF(QPointF(risky, area.top()), QPointF(unfit, area.bottom())));
        paint_labels(painter, room, places());
        paint_lane(painter, room);
        draw_area_words(painter, QRectF(QPointF(unfit, area.top()), area.bottomRight()),
                        {tr("does not fit"), fonts.bold, theme->text}, theme->hatch_ground, room);
        paint_dots(painter, own);
        if (!data->best()) paint_words(painter, QString::fromStdString(data->report.reason));
        else if (std::isnan(data->at_best(id)))
            paint_words(painter, tr("There is no price per GPU hour: set one, or compare by something else"));
    }
    const double strongly = searching && data ? std::min(strength, kStale) : strength;
    if (strongly < 1) {
        QColor veil = theme->pane;
        veil.setAlphaF(static_cast<float>(1 - strongly));
        painter.fillRect(whole(), veil);
        // The present plan follows at once, whatever the others do.
        if (data && strength == 1) paint_dots(painter, own);
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
        // To one without a rate a line would say one.
        if (std::isnan(data->value(id, data->points[i], hypothetical))) continue;
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
    const bool risky = n.answer.estimate.verdict == Verdict::risky;
    if (n.over > 0 && !risky) {
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
    // In the margin it has a rate, but nothing it lost to.
    painter.setBrush(n.over > 0 ? theme->pane : loss_color(n, *theme));
    painter.drawRect(QRectF(at - QPointF(kNeighbour, kNeighbour), QSizeF(2 * kNeighbour, 2 * kNeighbour)));
}

PlansFigure::Parts::OwnLabels PlansFigure::Parts::place_own(LabelRoom& room) const {
    OwnLabels out;
    const auto mark = [](const QPointF& at) { return QRectF(at - QPointF(6, 6), QSizeF(12, 12)); };
    if (current) room.take(mark(own_place()));
    for (std::size_t i = 0; i < ghosts.size(); ++i) room.take(mark(ghost_place(i)));
    if (current && !current_is_best()) {
        const double value = current->of(id);
        // Without a rate its memory, which the edge would hide.
        const QString words = std::isnan(value) ? shown(current->peak, Quantity::bytes) : value_words(value);
        out.lines = {{tr("A %1").arg(words), fonts.small_bold, theme->text}};
        const QSizeF size = size_of(out.lines);
        const QPointF at = own_place();
        QList<QPointF> corners = around(at, size, kDot + 4);
        const QList<QPointF> right{corners[2], corners[4], corners[6]};
        // Near the edge above it, drawn in and off the marks of the lane; on and beyond the margin's hatch
        // first of all towards the right, where the best plan's name is not.
        const double inside = std::min(corners[0].x(), room.area().right() - 3 - size.width());
        const double above = corners[0].y();
        for (const double up : {24.0, 16.0, 8.0, 0.0}) corners.prepend({inside, above - up});
        if (at.x() > x().coordToPixel(gib(data->capacity - data->margin))) corners = right + corners;
        out.current = room.place(size, corners);
    }
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
        QList<QPointF> corners = around(ghost_place(i), {kTag, kTag}, kDot + 3);
        corners.append(around(ghost_place(i), {kTag, kTag}, kDot + 3 + kTag));
        out.tags.push_back(room.place({kTag, kTag}, corners));
    }
    return out;
}

// The current plan and the pins.
void PlansFigure::Parts::paint_dots(QCPPainter& painter, const OwnLabels& own) const {
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
        const QColor color = pin_color(*theme, ghosts[i].letter);
        draw_ring(painter, ghost_place(i), kDot, theme->pane, color);
        if (own.tags[i]) draw_tag(painter, *own.tags[i], ghosts[i].letter, color, fonts.small_bold);
    }
    if (!current) return;
    const QPointF at = own_place();
    draw_ring(painter, at, kDot, theme->pane, theme->text);
    if (beyond(current->peak)) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme->text);
        const std::array<QPointF, 3> corners{at + QPointF(12, 0), at + QPointF(7, -4), at + QPointF(7, 4)};
        painter.drawPolygon(corners.data(), static_cast<int>(corners.size()));
    }
    if (own.current) paint_on_ground(painter, *own.current, own.lines);
}

// On the dots of thousands of plans or on a hatch a halo alone is not enough to be read on.
void PlansFigure::Parts::paint_on_ground(QCPPainter& painter, const QRectF& box,
                                         const LabelLines& lines) const {
    const double unfit = x().coordToPixel(gib(data->capacity + data->margin));
    painter.setPen(Qt::NoPen);
    painter.setBrush(box.left() > unfit && !hypothetical ? theme->hatch_ground : theme->pane);
    painter.drawRoundedRect(box.adjusted(-2, 0, 2, 0), 2, 2);
    draw_label(painter, box, lines, Qt::AlignLeft);
}

// Says what stands below the rates.
void PlansFigure::Parts::paint_lane(QCPPainter& painter, LabelRoom& room) const {
    if (lane <= 0 || !data->best() || std::isnan(data->at_best(id))) return;
    const LabelLines lines{{tr("does not fit: no rate"), fonts.small, theme->muted}};
    const QSizeF size = size_of(lines);
    const double right = x().coordToPixel(gib(data->capacity - data->margin)) - 6;
    const QPointF corner(right - size.width(), frame().bottom() + (lane - size.height()) / 2);
    if (const auto box = room.place(size, {corner, {frame().left() + 6, corner.y()}}))
        draw_label(painter, *box, lines, Qt::AlignRight, theme->pane);
}

void PlansFigure::Parts::paint_labels(QCPPainter& painter, LabelRoom& room,
                                      const std::vector<QPointF>& at) const {
    if (const auto best = best_point()) {
        const double value = data->value(id, data->points[*best], hypothetical);
        const QString name = current_is_best() ? tr("A, the best plan: %1") : tr("best plan %1");
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
    // Of the neighbours those that find room: all of them stand in the list.
    for (std::size_t i = 0; i < at.size(); ++i) {
        const Neighbour* n = data->neighbour_of(data->points[i]);
        if (!n || n->over > 0) continue;
        const LabelLines lines{{short_title(*n), fonts.small, theme->muted}};
        const QSizeF size = size_of(lines);
        constexpr double kMostCrossed = 12;  // px of the frontier
        if (const auto box = room.place(size, around(at[i], size, kNeighbour + 3).mid(0, 8), kMostCrossed))
            paint_on_ground(painter, *box, lines);
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
    if (!p.data || !p.whole().contains(pixel)) return std::nullopt;
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
    return p.current ? p.own_place() : QPointF(kNone, kNone);
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
