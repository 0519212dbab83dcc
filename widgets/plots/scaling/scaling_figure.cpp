// The axes and curves of the scaling plot.
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/drawing.h"
#include "widgets/plots/scaling/scaling_parts.h"

namespace shardscope {
namespace {

bool logarithmic(ScalingY y) { return y == ScalingY::tokens_per_s || y == ScalingY::days; }

QString tick_text(double value, ScalingY y) {
    if (y == ScalingY::mfu) return shown(value * 100, Quantity::count);
    return shown(value, y == ScalingY::tokens_per_s ? Quantity::big_count : Quantity::count);
}

}  // namespace

Output output_of(ScalingY y) {
    switch (y) {
        case ScalingY::mfu: return Output::mfu;
        case ScalingY::tokens_per_s_per_gpu: return Output::tokens_per_s_per_gpu;
        case ScalingY::tokens_per_s: return Output::tokens_per_s;
        case ScalingY::days: return Output::training_days;
        case ScalingY::memory: return Output::peak_memory;
    }
    return Output::mfu;
}

ScalingFigure::Parts::Parts(QCustomPlot& target) : plot(target) {
    prepare(plot);
    x().setScaleType(QCPAxis::stLogarithmic);
    x().setTicks(false);
    x().setTickLabels(false);
    x().grid()->setVisible(false);
    x().setRange(1, kMostGpus);
    for (QCPAxis* axis : {plot.yAxis, plot.yAxis2}) {
        use_manual_ticks(*axis);
        axis->setRange(0, 1);
    }
    new PaintedItem(plot, QStringLiteral("background"),
                    [this](QCPPainter& painter) { paint_below(painter); });
    ideal = plot.addGraph();
    repaired = plot.addGraph();
    for (QCPGraph*& graph : ghost) graph = plot.addGraph();
    strong = plot.addGraph();
    weak = plot.addGraph();
    new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint_above(painter); });
}

// ---- filling ---------------------------------------------------------------------------------------------

void ScalingFigure::Parts::fill_graphs() {
    const auto fill = [&](QCPGraph* graph, const Curve& curve, bool shown, const auto& value) {
        graph->setVisible(shown);
        if (!shown) return;
        QVector<double> keys;
        QVector<double> values;
        for (const CurvePoint& point : curve) {
            keys.append(point.x);
            values.append(value(point));
        }
        // The memory of few GPUs may be far above the others'.
        if (memory()) cut_to_range(keys, values, y().range().lower, y().range().upper, true, false);
        graph->setData(keys, values, true);
    };
    const auto own = [&](const CurvePoint& point) { return data.y(point, options.y); };
    fill(weak, data.curves.weak, options.weak, own);
    fill(strong, data.curves.strong, options.strong, own);
    fill(repaired, data.repaired, memory(), own);
    for (std::size_t i = 0; i < kGhosts; ++i) {
        const bool there = i < ghosts.size();
        fill(ghost[i], there ? ghosts[i].data.curves.weak : Curve{}, there,
             [&](const CurvePoint& point) { return ghosts[i].data.y(point, options.y); });
        if (there)
            ghost[i]->setPen(line_pen(pin_color(*theme, ghosts[i].letter), 2, pin_dash(ghosts[i].letter)));
    }

    // The closed form may be far above all other curves.
    ideal->setVisible(options.ideal && !memory());
    QList<double> keys;
    QList<double> values;
    for (const CurvePoint& point : data.curves.weak) {
        keys.append(point.x);
        values.append(data.ideal_y(point, options.y));
    }
    cut_to_range(keys, values, y().range().lower, y().range().upper, true, logarithmic(options.y));
    ideal->setData(keys, values, true);
}

// Sets the ticks of both y axes for their ranges.
void ScalingFigure::Parts::label_axes() {
    const QCPRange range = y().range();
    const bool log = logarithmic(options.y);
    constexpr int kMost = 6;
    const auto put = [](QCPAxis& axis, const std::vector<double>& values, const auto& text) {
        auto ticker = axis.ticker().staticCast<QCPAxisTickerText>();
        ticker->clear();
        for (const double value : values) ticker->addTick(value, text(value));
    };
    const std::vector<double> ticks = enough_ticks(
        log ? log_ticks(range.lower, range.upper, 10) : linear_ticks(range.lower, range.upper, kMost),
        range.lower, range.upper);
    put(y(), ticks, [&](double value) { return tick_text(value, options.y); });
    plot.yAxis2->setVisible(second_axis());
    if (second_axis()) {
        plot.yAxis2->setRange(range.lower * data.full_rate, range.upper * data.full_rate);
        put(*plot.yAxis2, linear_ticks(range.lower * data.full_rate, range.upper * data.full_rate, kMost + 1),
            [](double value) { return tick_text(value, ScalingY::tokens_per_s_per_gpu); });
    }
}

void ScalingFigure::Parts::fit_y() {
    if (memory()) {
        // Both what fits and what is missing can be seen; the memory of few GPUs may be far above.
        const double limit = data.capacity / kGiB;
        double most = std::max(1.5 * limit, 1.2 * data.current.peak_memory / kGiB);
        for (const Ghost& pinned : ghosts) most = std::max(most, 1.2 * pinned.data.capacity / kGiB);
        if (data.repair_raises_limit()) most = std::max(most, 1.2 * data.repaired_capacity / kGiB);
        constexpr int kMost = 6;
        y_zoom.fit({0, round_top(most, kMost)});
        return;
    }
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    const auto include = [&](double value) {
        if (!(value > 0) || !std::isfinite(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    };
    const auto include_curves = [&](const ScalingData& shown) {
        for (const CurvePoint& point : shown.curves.weak) {
            if (std::isnan(shown.y(point, options.y))) continue;
            include(shown.y(point.band_low, point, options.y));
            include(shown.y(point.band_high, point, options.y));
        }
    };
    include_curves(data);
    for (const CurvePoint& point : data.curves.strong) include(data.y(point, options.y));
    for (const Ghost& pinned : ghosts) include_curves(pinned.data);
    if (options.measured) {
        for (const MeasuredPoint& run : data.measured) include(data.y(run, options.y));
    }
    if (high == 0) {
        // Nothing fits, so the range is the one that a usual MFU would give.
        constexpr double kUsual = 0.4;
        for (const double gpus : {x_whole().from, x_whole().to})
            include(data.y(kUsual * data.full_rate, gpus, options.y));
    }
    if (logarithmic(options.y)) {
        y_zoom.fit({std::pow(10, std::floor(std::log10(low))), std::pow(10, std::ceil(std::log10(high)))},
                   true);
    } else {
        constexpr int kMost = 6;
        const double most = options.y == ScalingY::mfu ? 1 : std::numeric_limits<double>::infinity();
        y_zoom.fit({0, std::min(most, round_top(high, kMost))});
    }
}

void ScalingFigure::Parts::show_part() {
    const AxisRange across = x_zoom.range();
    const AxisRange up = y_zoom.range();
    x().setRange(across.from, across.to);
    y().setScaleType(!memory() && logarithmic(options.y) ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    y().setRange(up.from, up.to);
    label_axes();
    fill_graphs();
    lay_out();
}

void ScalingFigure::Parts::lay_out() {
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    const double left = std::max(widest_tick(y(), fonts.small), small.horizontalAdvance(tr("wall"))) +
                        kTickLength + 4 + kFigureMargin;
    // Without a second axis the margin has room for half of the last tick's label.
    const double right = (second_axis() ? widest_tick(*plot.yAxis2, fonts.small) + kTickLength + 4
                                        : small.horizontalAdvance(QStringLiteral("16,384")) / 2) +
                         kFigureMargin;
    const double top = bold.height() + 10;
    const double bottom = 3 + kStrip + kTickLength + 2 + small.height() + 4 + bold.height() + 6;
    set_margins(plot, left, top, right, bottom);
}

// ---- the figure ------------------------------------------------------------------------------------------

ScalingFigure::ScalingFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
ScalingFigure::~ScalingFigure() = default;

void ScalingFigure::set_style(const Theme& theme, const QFont& font) {
    Parts& p = *parts_;
    p.theme = &theme;
    p.fonts = FigureFonts(font);
    style_plot(p.plot, theme, p.fonts);
    p.weak->setPen(line_pen(theme.text, 2.2));
    p.strong->setPen(line_pen(theme.text, 2, {7, 4}));
    p.ideal->setPen(line_pen(theme.muted, 1.2, {1.2, 3}));
    p.repaired->setPen(line_pen(theme.muted, 2, {8, 4}));
    p.fill_graphs();
    p.lay_out();
}

void ScalingFigure::set_options(const ScalingOptions& options) {
    const bool other_axis = options.y != parts_->options.y;
    parts_->options = options;
    if (other_axis) {
        parts_->y_zoom.show_all();
        parts_->x_zoom.show_all();
        refit();
    } else {
        parts_->fill_graphs();
    }
}

void ScalingFigure::set_ghosts(std::vector<Ghost> ghosts) {
    if (ghosts.size() > Parts::kGhosts) ghosts.resize(Parts::kGhosts);
    parts_->ghosts = std::move(ghosts);
    parts_->label_axes();
    parts_->fill_graphs();
}

void ScalingFigure::set_data(ScalingData data) {
    parts_->data = std::move(data);
    parts_->label_axes();
    parts_->fill_graphs();
}

void ScalingFigure::set_dimmed(bool dimmed) { parts_->dimmed = dimmed; }

void ScalingFigure::refit() {
    const AxisRange gpus = parts_->x_whole();
    parts_->x_zoom.fit(gpus, true);
    parts_->fit_y();
    parts_->show_part();
}

std::vector<ZoomableFigure::Frame> ScalingFigure::frames() const {
    return {{parts_->frame(), &parts_->x_zoom, &parts_->y_zoom}};
}

void ScalingFigure::apply_zoom() { parts_->show_part(); }

QPointF ScalingFigure::zoom_center() const {
    const Parts& p = *parts_;
    const QPointF here = p.current();
    const double y = std::isnan(here.y()) ? p.frame().center().y() : p.y().coordToPixel(here.y());
    return {std::clamp(p.x().coordToPixel(here.x()), p.frame().left(), p.frame().right() - 1),
            std::clamp(y, p.frame().top(), p.frame().bottom() - 1)};
}

bool ScalingFigure::shows_scenario() const {
    const QPointF here = parts_->current();
    return parts_->x_zoom.contains(here.x()) && (std::isnan(here.y()) || parts_->y_zoom.contains(here.y()));
}

const ScalingData& ScalingFigure::data() const { return parts_->data; }
const ScalingOptions& ScalingFigure::options() const { return parts_->options; }
QPointF ScalingFigure::current_dot() const { return parts_->current(); }
AxisRange ScalingFigure::x_range() const { return {parts_->x().range().lower, parts_->x().range().upper}; }
AxisRange ScalingFigure::y_range() const { return {parts_->y().range().lower, parts_->y().range().upper}; }
double ScalingFigure::gpus_at(double pixel) const { return parts_->x().pixelToCoord(pixel); }
double ScalingFigure::pixel_of(double gpus) const { return parts_->x().coordToPixel(gpus); }
bool ScalingFigure::inside(const QPointF& pixel) const { return parts_->frame().contains(pixel); }

}  // namespace shardscope
