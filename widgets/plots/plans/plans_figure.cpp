#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/drawing.h"
#include "widgets/plots/plans/plans_parts.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kPlanTicks = 6;
constexpr double kPlanReach = 9;      // px around a mark's centre that count as hitting it
constexpr double kFrontierDot = 1.8;  // radius of a dot of the frontier
constexpr double kLane = 30;          // height of the strip for plans without a rate, two rows of marks
constexpr double kMarkRow = 14;       // px between marks that would otherwise overlap
constexpr double kEdgeStep = 22;      // the same for marks that point out of the frame

// The mark with the highest rank is drawn above the others and is found first.
int rank(PlanMark mark) { return static_cast<int>(mark); }

}  // namespace

QColor loss_color(const Neighbour& neighbour, const Theme& theme) {
    if (neighbour.over > 0 || neighbour.parts.empty()) return theme.muted;
    return theme.of(neighbour.parts.front().term);
}

QString plans_count_words(const PlanReport& report) {
    return tr("%1 of %2 plans fit")
        .arg(shown(report.feasible, Quantity::count), shown(report.space, Quantity::count));
}

QString plans_caption(const PlansData& data, bool hypothetical) {
    QStringList out{plans_count_words(data.report) + QLatin1Char('.')};
    if (const Answer* best = data.best()) {
        out += tr("Ring: the best plan, %1. Line: the best plan for every amount of memory. Small dots: the "
                  "best plan for every partition of the model.")
                   .arg(QString::fromStdString(short_plan(best->settings)));
        out +=
            tr("Squares: plans one step from the best, coloured by why they lose, hollow within the margin; "
               "crosses and arrows: plans that do not fit.");
    }
    out += tr("A: the plan of the scenario.");
    out += tr("Hatched: does not fit in %1; orange: the margin within which it may or may not fit.")
               .arg(shown(data.limits.capacity, Quantity::bytes));
    if (hypothetical) out += tr("HYPOTHETICAL: rates as if memory sufficed.");
    return out.join(QLatin1Char(' '));
}

PlansFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        use_manual_ticks(*axis);
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
    style_plot(plot, *theme, fonts);
    // The dots are opaque, so that thousands of overlapping dots stay in the background.
    constexpr double kCloud = 2;
    constexpr float kShare = 0.45F;
    const auto mix = [](float ground, float ink) { return ground + kShare * (ink - ground); };
    const QColor pale = QColor::fromRgbF(mix(theme->pane.redF(), theme->muted.redF()),
                                         mix(theme->pane.greenF(), theme->muted.greenF()),
                                         mix(theme->pane.blueF(), theme->muted.blueF()));
    cloud->setScatterStyle({QCPScatterStyle::ssDisc, QPen(pale, 1), pale, kCloud});
    frontier->setPen(line_pen(theme->text, 1.6));
    frontier->setScatterStyle({QCPScatterStyle::ssDisc, QPen(theme->text, 1), theme->text, 2 * kFrontierDot});
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
    double capacity = data ? gib(data->limits.capacity) : 0;
    double most = 0;  // of the plans that are inside the frame
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    // The hatched part is between a quarter and two fifths of the width.
    constexpr double kLeast = 1.3;
    constexpr double kMost = 1.65;
    const auto include = [&](double peak, double value) {
        if (gib(peak) < kMost * capacity) most = std::max(most, gib(peak));
        const double at = axis_y(value);
        if (!std::isfinite(at)) return;
        low = std::min(low, at);
        high = std::max(high, at);
    };
    if (data) {
        for (const PlanPoint& point : data->points) include(point.peak, data->value(id, point, hypothetical));
    }
    if (current) {
        if (capacity == 0) capacity = gib(current->peak);
        include(current->peak, current->of(id));
    }
    for (const PlanDot& ghost : ghosts) include(ghost.peak, ghost.of(id));
    constexpr double kAir = 1.06;
    x_zoom.fit({0, std::clamp(kAir * most, kLeast * capacity, kMost * capacity)});
    const bool log = less_is_better(id) && high > 0;
    y().setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (log) {
        constexpr double kMostDecades = 100;  // plans far worse than the best matter little
        y_zoom.fit({low / 1.3, std::min(high, kMostDecades * low) * 1.3}, true);
    } else {
        const bool percent = output(id).quantity == Quantity::percent;
        const double limit = percent ? 100 : std::numeric_limits<double>::infinity();
        y_zoom.fit({0, high > 0 ? std::min(limit, round_top(high, kPlanTicks)) : percent ? 100 : 1});
    }
    show_part();
}

void PlansFigure::Parts::show_part() {
    const auto show = [](QCPAxis& axis, const AxisZoom& zoom, int most) {
        const auto [low, high] = zoom.range();
        axis.setRange(low, high);
        auto ticker = axis.ticker().staticCast<QCPAxisTickerText>();
        ticker->clear();
        const bool log = axis.scaleType() == QCPAxis::stLogarithmic;
        for (const double value :
             log ? enough_ticks(decade_ticks(low, high), low, high) : linear_ticks(low, high, most))
            ticker->addTick(value, shown(value, Quantity::count));
    };
    show(x(), x_zoom, kPlanTicks + 2);
    show(y(), y_zoom, kPlanTicks);
    fill();
    lay_out();
}

void PlansFigure::Parts::lay_out() {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    const double left =
        std::max(widest_tick(y(), fonts.small), small.horizontalAdvance(QStringLiteral("100"))) +
        kTickLength + 4 + kFigureMargin;
    // The capacity's label is above the frame, below the title.
    const double top = bold.height() + 10 + small.height();
    // Plans that do not fit have no rate, so they are below the rates, and the axis is below them.
    lane = hypothetical ? 0 : kLane;
    x().setOffset(static_cast<int>(lane));
    const double bottom =
        lane + kTickLength + 4 + small.height() + 4 + bold.height() + 2 + small.height() + 4;
    set_margins(plot, left, top, 2 * kFigureMargin, bottom);
}

// ---- positions -------------------------------------------------------------------------------------------

QPointF PlansFigure::Parts::place(double peak, double value) const {
    constexpr double kInside = 12;  // px from the edge, for marks that point out of the frame
    const QRectF area = frame();
    const double right = area.right() - kInside;
    const double at = axis_y(value);
    const double top = area.top() + kInside;
    const double foot = area.bottom() - kInside;
    const QCPRange range = y().range();
    const double height = std::isnan(at)     ? (lane > 0 ? area.bottom() + lane / 2 : foot)
                          : zoomed()         ? y().coordToPixel(at)
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
            return std::fabs(other.x() - at.x()) < kMarkRow && std::fabs(other.y() - at.y()) < kMarkRow;
        });
    };
    double edge = 0;  // px that the current plan and the pins occupy
    if (current && at_lane_edge(*current)) edge += kEdgeStep;
    for (const PlanDot& ghost : ghosts) edge += at_lane_edge(ghost) ? kEdgeStep : 0;
    for (const PlanPoint& point : data->points) {
        const double value = data->value(id, point, hypothetical);
        QPointF at = place(point.peak, value);
        if (std::isnan(value)) {
            if (beyond(point.peak)) at.rx() -= edge;
            at.ry() += kMarkRow / 2;
            // Move the mark up and, if that position is occupied too, to the left.
            const QPointF first = at;
            for (int step = 0; !free(at) && at.x() > frame().left() + kMarkRow; ++step) {
                const int aside = (step + 1) / 2;
                at = first - QPointF(kMarkRow * aside, step % 2 == 0 ? kMarkRow : 0.0);
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

void PlansFigure::set_output(Output id) {
    if (id != parts_->id) parts_->y_zoom.show_all();
    parts_->id = id;
}
void PlansFigure::set_hypothetical(bool on) { parts_->hypothetical = on; }
void PlansFigure::set_current(const std::optional<PlanDot>& dot) { parts_->current = dot; }
void PlansFigure::set_ghosts(std::vector<PlanDot> ghosts) { parts_->ghosts = std::move(ghosts); }
void PlansFigure::set_stale(const QString& why) { parts_->stale = why; }
void PlansFigure::set_strength(double strength) { parts_->strength = strength; }
void PlansFigure::set_highlight(std::optional<std::size_t> point) { parts_->highlight = point; }
void PlansFigure::refit() { parts_->fit(); }

std::vector<ZoomableFigure::Frame> PlansFigure::frames() const {
    if (!parts_->data) return {};
    return {{parts_->frame(), &parts_->x_zoom, &parts_->y_zoom}};
}

void PlansFigure::apply_zoom() { parts_->show_part(); }

QPointF PlansFigure::zoom_center() const {
    const QRectF area = parts_->frame();
    const QPointF at = parts_->current ? parts_->own_place() : area.center();
    return {std::clamp(at.x(), area.left(), area.right() - 1),
            std::clamp(at.y(), area.top(), area.bottom() - 1)};
}

bool PlansFigure::shows_scenario() const {
    const Parts& p = *parts_;
    return !p.zoomed() || !p.current || p.whole().contains(p.own_place());
}

const PlansData* PlansFigure::data() const { return parts_->data.get(); }
std::optional<std::size_t> PlansFigure::highlight() const { return parts_->highlight; }

std::optional<std::size_t> PlansFigure::point_at(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (!p.data || !p.whole().contains(pixel)) return std::nullopt;
    const std::vector<QPointF> at = p.places();
    std::optional<std::size_t> found;
    double nearest = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const double distance = std::hypot(at[i].x() - pixel.x(), at[i].y() - pixel.y());
        if (distance > kPlanReach) continue;
        const int mark = rank(p.data->points[i].mark);
        const int before = found ? rank(p.data->points[*found].mark) : -1;
        // If two marks are under the pointer, the one that is drawn above counts.
        if (mark < before || (mark == before && distance >= nearest)) continue;
        found = i;
        nearest = distance;
    }
    return found;
}

QPointF PlansFigure::pixel_of(std::size_t point) const { return parts_->places()[point]; }

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
