#include "widgets/plots/scaling/scaling_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/drawing.h"
#include "widgets/plots/scaling/scaling_labels.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostGpus = 16384;
constexpr double kLimitGap = 4;  // px, from the line of a limit to its label
constexpr std::size_t kGhosts = 6;

bool logarithmic(ScalingY y) { return y == ScalingY::tokens_per_s || y == ScalingY::days; }

QString title_of(ScalingY y) {
    switch (y) {
        case ScalingY::mfu: return tr("MFU, %");
        case ScalingY::tokens_per_s_per_gpu: return tr("tokens/s/GPU");
        case ScalingY::tokens_per_s: return tr("tokens/s");
        case ScalingY::days: return tr("days for %1 tokens");
        case ScalingY::memory: return tr("memory of a GPU, GiB");
    }
    return {};
}

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

struct ScalingFigure::Parts {
    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    ScalingOptions options;
    ScalingData data;
    std::vector<Ghost> ghosts;
    bool dimmed = false;
    AxisZoom x_zoom, y_zoom;
    mutable std::vector<TermBox> terms;  // as last drawn
    QCPGraph* weak = nullptr;
    QCPGraph* strong = nullptr;
    QCPGraph* ideal = nullptr;
    QCPGraph* repaired = nullptr;
    std::array<QCPGraph*, kGhosts> ghost{};

    explicit Parts(QCustomPlot& target);

    QCPAxis& x() const { return *plot.xAxis; }
    QCPAxis& y() const { return *plot.yAxis; }
    QRectF frame() const { return frame_of(*plot.axisRect()); }
    bool second_axis() const { return options.y == ScalingY::mfu; }
    bool memory() const { return options.y == ScalingY::memory; }

    void fill_graphs();
    void label_axes();
    void fit_y();
    void show_part();
    [[nodiscard]] bool zoomed() const { return x_zoom.zoomed() || y_zoom.zoomed(); }
    void lay_out();
    // Returns the range of the GPU counts when nothing is zoomed.
    AxisRange x_whole() const {
        double most = kMostGpus;
        while (most < data.current.x) most *= 2;
        return {1, most};
    }
    std::vector<double> gpus_ticks() const;

    void paint_below(QCPPainter& painter) const;
    void paint_band(QCPPainter& painter) const;
    void paint_memory(QCPPainter& painter) const;
    void paint_excess(QCPPainter& painter) const;
    // A limit of memory with its label.
    struct Limit {
        double y;  // px
        QColor color;
        QString words;
        QRectF box;  // of the words
    };
    std::vector<Limit> limits() const;
    void paint_above(QCPPainter& painter) const;
    void paint_strip(QCPPainter& painter) const;
    void paint_x_axis(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter) const;
    void paint_labels(QCPPainter& painter) const;

    QPointF pixel(double gpus, double value, const QCPPainter& painter) const;
    QPolygonF pixels(const ScalingData& shown, const Curve& curve, const QCPPainter& painter) const;
    QPointF current() const { return {data.current.x, data.y(data.current, options.y)}; }
    std::vector<AxisRange> unfit() const;
};

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
    std::vector<double> ticks =
        log ? log_ticks(range.lower, range.upper, 10) : linear_ticks(range.lower, range.upper, kMost);
    if (zoomed()) ticks = zoomed_ticks(std::move(ticks), range.lower, range.upper);
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

// ---- painting --------------------------------------------------------------------------------------------

// NaN stays NaN, which makes a gap.
QPointF ScalingFigure::Parts::pixel(double gpus, double value, const QCPPainter& painter) const {
    if (std::isnan(value)) return {x().coordToPixel(gpus), kNone};
    return drawn_at(x(), y(), gpus, value, painter);
}

QPolygonF ScalingFigure::Parts::pixels(const ScalingData& shown_data, const Curve& curve,
                                       const QCPPainter& painter) const {
    QPolygonF out;
    for (const CurvePoint& point : curve) out.append(pixel(point.x, shown_data.y(point, options.y), painter));
    return out;
}

std::vector<AxisRange> ScalingFigure::Parts::unfit() const {
    std::vector<double> gpus;
    std::vector<bool> fits;
    for (const CurvePoint& point : data.curves.weak) {
        if (!point.valid) continue;
        gpus.push_back(point.x);
        fits.push_back(point.fits());
    }
    std::vector<AxisRange> out = unfit_ranges(gpus, fits);
    // The last point is usually before the end of the axis.
    if (!out.empty() && !fits.back()) out.back().to = x().range().upper;
    return out;
}

void ScalingFigure::Parts::paint_below(QCPPainter& painter) const {
    const QRectF area = frame();
    if (zoomed()) painter.setClipRect(area);
    if (data.fewest_gpus() > x().range().lower) {
        const double right = std::min(area.right(), x().coordToPixel(data.fewest_gpus()));
        painter.fillRect(QRectF(area.left(), area.top(), right - area.left(), area.height()), theme->grid);
    }
    for (const AxisRange& stretch : unfit()) {
        const double left = std::max(area.left(), x().coordToPixel(stretch.from));
        const double right = std::min(area.right(), x().coordToPixel(stretch.to));
        if (right > left && !memory())
            draw_unfit(painter, QRectF(left, area.top(), right - left, area.height()), *theme);
    }
    if (memory()) return paint_memory(painter);
    if (options.band && options.weak) paint_band(painter);
}

void ScalingFigure::Parts::paint_band(QCPPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    QColor grey = theme->kind == Theme::Kind::dark ? theme->line : theme->line.darker(104);
    grey.setAlphaF(0.75F);
    painter.setBrush(grey);
    const QCPRange range = y().range();
    QPolygonF upper;
    QPolygonF lower;
    const auto close = [&] {
        if (upper.size() > 1) {
            std::reverse(lower.begin(), lower.end());
            painter.drawPolygon(upper + lower);
        }
        upper.clear();
        lower.clear();
    };
    for (const CurvePoint& point : data.curves.weak) {
        if (std::isnan(data.y(point, options.y))) {
            close();
            continue;
        }
        // Fewer tokens/s mean more days, so the ends may be exchanged.
        const auto [low, high] = std::minmax(
            {data.y(point.band_low, point, options.y), data.y(point.band_high, point, options.y)});
        upper.append(drawn_at(x(), y(), point.x, std::min(high, range.upper), painter));
        lower.append(drawn_at(x(), y(), point.x, std::max(low, range.lower), painter));
    }
    close();
}

// Paints what shrinks with more GPUs below what does not.
void ScalingFigure::Parts::paint_memory(QCPPainter& painter) const {
    const QRectF area = frame();
    QPolygonF sharded;
    QPolygonF all;
    for (const CurvePoint& point : data.curves.weak) {
        if (!point.valid) continue;
        const auto at = [&](double bytes) {
            return drawn_at(x(), y(), point.x, std::min(bytes / kGiB, y().range().upper), painter);
        };
        sharded.append(at(point.sharded_memory));
        all.append(at(point.peak_memory));
    }
    if (all.size() < 2) return;
    const auto between = [](const QPolygonF& upper, QPolygonF lower) {
        std::reverse(lower.begin(), lower.end());
        return upper + lower;
    };
    const QPolygonF floor{QPointF(sharded.front().x(), area.bottom()),
                          QPointF(sharded.back().x(), area.bottom())};
    painter.setPen(Qt::NoPen);
    const auto fill = [&](const QPolygonF& shape, QColor color) {
        constexpr float kPale = 0.45F;
        color.setAlphaF(kPale);
        painter.setBrush(color);
        painter.drawPolygon(shape);
    };
    fill(between(sharded, floor), theme->optimizer);
    fill(between(all, sharded), theme->activations);
}

// Hatches what lies above the limit, and draws the limits of the scenario and of its pins.
void ScalingFigure::Parts::paint_excess(QCPPainter& painter) const {
    const QRectF area = frame();
    const double limit = std::clamp(y().coordToPixel(data.capacity / kGiB), area.top(), area.bottom());
    for (const AxisRange& stretch : unfit()) {
        const double left = std::max(area.left(), x().coordToPixel(stretch.from));
        const double right = std::min(area.right(), x().coordToPixel(stretch.to));
        if (right > left)
            hatch_over(painter, QRectF(left, area.top(), right - left, limit - area.top()), *theme,
                       theme->hatch_line, 8, 1);
    }
    for (const Limit& one : limits()) {
        painter.setPen(line_pen(one.color, 1.5, {4, 3}));
        painter.drawLine(QPointF(area.left(), one.y), QPointF(area.right(), one.y));
        draw_text(painter, {one.box.left(), one.y - kLimitGap}, one.words, fonts.small_bold, one.color,
                  theme->pane);
    }
}

// The limits that lie inside the frame: those of pins on other GPUs, then that of the scenario.
std::vector<ScalingFigure::Parts::Limit> ScalingFigure::Parts::limits() const {
    const QRectF area = frame();
    const QFontMetricsF metrics(fonts.small_bold);
    std::vector<Limit> out;
    const auto add = [&](double bytes, const QColor& color, const QString& letters) {
        const double at = std::round(y().coordToPixel(bytes / kGiB)) + 0.5;
        if (at < area.top() || at > area.bottom()) return;
        const QString words = letters + tr("usable %1").arg(shown(bytes, Quantity::bytes));
        const QRectF box(area.left() + 6, at - kLimitGap - metrics.ascent(), metrics.horizontalAdvance(words),
                         metrics.height());
        out.push_back({at, color, words, box});
    };
    // Pins on the same GPU share a limit, in the colour of the first.
    for (auto first = ghosts.begin(); first != ghosts.end(); ++first) {
        const auto same = [&](const Ghost& other) { return other.data.capacity == first->data.capacity; };
        if (first->data.capacity == data.capacity || std::any_of(ghosts.begin(), first, same)) continue;
        QStringList letters;
        for (const Ghost& pinned : ghosts) {
            if (same(pinned)) letters << QString(QLatin1Char(pinned.letter));
        }
        add(first->data.capacity, pin_color(*theme, first->letter),
            letters.join(QStringLiteral(", ")) + QStringLiteral(": "));
    }
    add(data.capacity, theme->text, {});
    return out;
}

void ScalingFigure::Parts::paint_above(QCPPainter& painter) const {
    if (memory()) paint_excess(painter);
    paint_titles(painter);
    paint_strip(painter);
    paint_x_axis(painter);
    if (!data.curves.weak.empty()) paint_labels(painter);
    if (dimmed) {
        QColor veil = theme->pane;
        veil.setAlphaF(0.6F);
        painter.fillRect(plot.rect(), veil);
    }
}

void ScalingFigure::Parts::paint_titles(QCPPainter& painter) const {
    const QRectF area = frame();
    const QFontMetricsF metrics(fonts.bold);
    const double base = std::round(area.top() - 10);
    QString title = title_of(options.y);
    if (options.y == ScalingY::days) title = title.arg(shown(data.training_tokens, Quantity::big_count));
    draw_text(painter, {4, base}, title, fonts.bold, theme->text);
    if (options.replaces_rates)
        draw_text(painter, {4 + metrics.horizontalAdvance(title) + 12, base},
                  tr("instead of rates, because it does not fit"), fonts.small, theme->muted);
    if (second_axis()) {
        const QString second = tr("tokens/s/GPU");
        draw_text(painter,
                  {std::round(plot.viewport().width() - 4 - metrics.horizontalAdvance(second)), base}, second,
                  fonts.bold, theme->text);
    }
    const QString gpus = tr("GPUs");
    const double bottom =
        area.bottom() + 4 + kStrip + kTickLength + 2 + QFontMetricsF(fonts.small).height() + 4;
    draw_text(painter,
              {std::round(area.center().x() - metrics.horizontalAdvance(gpus) / 2),
               std::round(bottom + metrics.ascent())},
              gpus, fonts.bold, theme->text);
}

void ScalingFigure::Parts::paint_strip(QCPPainter& painter) const {
    const QRectF area = frame();
    std::vector<WallSample> samples;
    for (const CurvePoint& point : data.curves.weak) {
        if (point.valid) samples.push_back({point.x, point.fits(), point.wall});
    }
    std::vector<WallSegment> pieces;
    for (const WallRange& stretch : wall_ranges(samples)) {
        pieces.push_back({x().coordToPixel(stretch.from), x().coordToPixel(stretch.to), stretch.wall});
    }
    draw_wall_strip(painter, QRectF(area.left(), area.bottom() + 4, area.width(), kStrip), pieces, *theme,
                    fonts);
}

std::vector<double> ScalingFigure::Parts::gpus_ticks() const {
    const double low = x().range().lower;
    const double high = x().range().upper;
    std::vector<double> out = log_ticks(low, high, 2);
    if (x_zoom.zoomed()) {
        out = zoomed_ticks(std::move(out), low, high);
        std::erase_if(out, [](double count) { return count != std::round(count); });
    }
    const double gpus = data.current.x;
    if (gpus >= low && gpus <= high && std::ranges::find(out, gpus) == out.end()) {
        out.insert(std::ranges::lower_bound(out, gpus), gpus);
    }
    return out;
}

void ScalingFigure::Parts::paint_x_axis(QCPPainter& painter) const {
    const QRectF area = frame();
    const double top = area.bottom() + 4 + kStrip;
    std::vector<Tick> ticks;
    std::vector<double> centers;
    std::size_t anchor = 0;
    for (const double gpus : gpus_ticks()) {
        constexpr double kAnchor = 8;
        if (gpus == kAnchor) anchor = ticks.size();
        ticks.push_back({gpus, shown(gpus, Quantity::count), gpus == data.current.x});
        centers.push_back(x().coordToPixel(gpus));
    }
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        if (ticks[i].current) anchor = i;
    }
    draw_x_ticks(painter, top, ticks, centers, anchor, *theme, fonts);
}

void ScalingFigure::Parts::paint_labels(QCPPainter& painter) const {
    ScalingScene scene{x(),     y(), frame(), *theme, fonts, data, options, ghosts,
                       unfit(), {},  {},      {},     {},    {},   {}};
    if (options.weak) scene.weak = pixels(data, data.curves.weak, painter);
    if (options.strong) scene.strong = pixels(data, data.curves.strong, painter);
    const auto points_of = [&](const QCPGraph& graph) {
        QPolygonF out;
        for (const QCPGraphData& point : *graph.data()) out.append(pixel(point.key, point.value, painter));
        return out;
    };
    if (options.ideal && !memory()) scene.ideal = points_of(*ideal);
    if (memory()) scene.repaired = points_of(*repaired);
    for (const Ghost& pinned : ghosts) {
        scene.ghost_lines.push_back(pixels(pinned.data, pinned.data.curves.weak, painter));
    }
    if (memory()) {
        for (const Limit& one : limits()) scene.taken.push_back(one.box);
    }
    ScalingLabels labels(painter, scene);
    labels.paint();
    terms = std::move(labels.terms());
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
    if (ghosts.size() > kGhosts) ghosts.resize(kGhosts);
    parts_->ghosts = std::move(ghosts);
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

const MeasuredPoint* ScalingFigure::measured_at(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (!p.options.measured) return nullptr;
    constexpr double kNear = 8;
    for (const MeasuredPoint& run : p.data.measured) {
        const double value = p.data.y(run, p.options.y);
        const QPointF at(p.x().coordToPixel(run.gpus), p.y().coordToPixel(value));
        if (QLineF(at, pixel).length() <= kNear) return &run;
    }
    return nullptr;
}

std::optional<QPointF> ScalingFigure::ruler_place(const QPointF& pixel) const {
    const Parts& p = *parts_;
    const Curve& curve = p.data.curves.weak;
    if (!inside(pixel) || curve.empty()) return std::nullopt;
    const auto nearest = std::ranges::min_element(curve, {}, [&](const CurvePoint& point) {
        return std::fabs(p.x().coordToPixel(point.x) - pixel.x());
    });
    return QPointF(nearest->x, 0);
}

std::optional<RulerStop> ScalingFigure::ruler_stop(const QPointF& place) const {
    const Parts& p = *parts_;
    const double gpus = place.x();
    const QRectF area = p.frame();
    const QString count = tr("%1 GPUs").arg(shown(gpus, Quantity::count));
    const QString what = text_of(label_of(output_of(p.options.y)));
    RulerStop out{place, count + QStringLiteral(", ") + what, pixel_of(gpus), area, {}, {}};
    if (out.x < area.left() || out.x > area.right()) return std::nullopt;
    const Quantity quantity = output(output_of(p.options.y)).quantity;
    const double unit = p.memory() ? kGiB : 1;
    const auto at = [&](double value) {
        return std::isnan(value) || value > p.y().range().upper ? kNone : p.y().coordToPixel(value);
    };
    const auto add = [&](const QString& name, const QColor& color, const ScalingData& of,
                         const Curve& curve) {
        const auto point = std::ranges::find(curve, gpus, &CurvePoint::x);
        if (point == curve.end()) return;
        const double value = of.y(*point, p.options.y);
        out.readings.push_back({name, color, value * unit, quantity,
                                point->valid ? tr("does not fit") : tr("not possible"), at(value)});
    };
    const Curve& weak = p.data.curves.weak;
    if (p.options.weak) add(tr("Weak"), p.theme->text, p.data, weak);
    if (p.options.strong) add(tr("Strong"), p.theme->text, p.data, p.data.curves.strong);
    const auto here = std::ranges::find(weak, gpus, &CurvePoint::x);
    if (here == weak.end()) return out;
    if (p.memory()) {
        const double sharded = here->valid ? here->sharded_memory : kNone;
        out.readings.push_back(
            {tr("Sharded"), p.theme->optimizer, sharded, quantity, {}, at(sharded / kGiB)});
        out.readings.push_back(
            {tr("On each GPU"), p.theme->activations, here->peak_memory - sharded, quantity, {}, kNone});
        add(tr("After the repair"), p.theme->muted, p.data, p.data.repaired);
    } else if (p.options.ideal) {
        const double value = p.data.ideal_y(*here, p.options.y);
        out.readings.push_back({tr("Ideal"), p.theme->muted, value, quantity, {}, at(value)});
    }
    for (const Ghost& ghost : p.ghosts)
        add(tr("%1, pin %2").arg(tr("Weak")).arg(QLatin1Char(ghost.letter)),
            pin_color(*p.theme, ghost.letter), ghost.data, ghost.data.curves.weak);
    if (here->valid && p.data.shows(*here)) {
        if (p.options.band && p.options.weak && !p.memory()) {
            const auto [low, high] = std::minmax({p.data.y(here->band_low, *here, p.options.y),
                                                  p.data.y(here->band_high, *here, p.options.y)});
            out.readings.push_back(
                {tr("Band"),
                 {},
                 kNone,
                 quantity,
                 shown(low, quantity, false) + QStringLiteral(" – ") + shown(high, quantity),
                 kNone});
        }
        out.readings.push_back(
            {tr("Wall"), p.theme->of(here->wall), kNone, quantity, text_of(label_of(here->wall)), kNone});
    }
    return out;
}

std::optional<Term> ScalingFigure::term_at(const QPointF& pixel) const {
    const auto found =
        std::ranges::find_if(parts_->terms, [&](const TermBox& term) { return term.box.contains(pixel); });
    return found == parts_->terms.end() ? std::nullopt : std::optional(found->term);
}

QRectF ScalingFigure::box_of(Term term) const {
    const auto found = std::ranges::find(parts_->terms, term, &TermBox::term);
    return found == parts_->terms.end() ? QRectF() : found->box;
}

QString ScalingFigure::description() const {
    const Parts& p = *parts_;
    const QPointF here = p.current();
    QString out =
        tr("Scaling from %1 to %2 GPUs.")
            .arg(shown(p.x().range().lower, Quantity::count), shown(p.x().range().upper, Quantity::count));
    const QString gpus = shown(here.x(), Quantity::count);
    out += QLatin1Char(' ') + (std::isnan(here.y())
                                   ? tr("With %1 GPUs it does not fit.").arg(gpus)
                                   : tr("With %1 GPUs: %2.").arg(gpus, value_text(here.y(), p.options.y)));
    const auto first = std::ranges::find_if(p.data.curves.weak, &CurvePoint::fits);
    if (first == p.data.curves.weak.end()) {
        out += QLatin1Char(' ') + tr("It fits on no number of GPUs.");
    } else if (first != p.data.curves.weak.begin()) {
        out += QLatin1Char(' ') + tr("It fits from %1 GPUs on.").arg(shown(first->x, Quantity::count));
    }
    if (p.data.curves.knee > 0) {
        out += QLatin1Char(' ') +
               tr("From %1 GPUs on an added GPU brings less than half as much as one of the first.")
                   .arg(shown(p.data.curves.knee, Quantity::count));
    }
    if (!p.data.measured.empty())
        out += QLatin1Char(' ') + tr("%n measured runs of this model and GPU.")
                                      .replace(QLatin1String("%n"), QString::number(p.data.measured.size()));
    return out;
}

}  // namespace shardscope
