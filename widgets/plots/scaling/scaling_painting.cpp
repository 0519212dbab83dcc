// Paints the scaling plot below and above its curves.
#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "widgets/drawing.h"
#include "widgets/plots/scaling/scaling_parts.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

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

}  // namespace

// NaN stays NaN, which makes a gap.
QPointF ScalingFigure::Parts::pixel(double gpus, double value, const QCPPainter& painter) const {
    if (std::isnan(value)) return {x().coordToPixel(gpus), kNoValue};
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

std::vector<QRectF> ScalingFigure::Parts::risky() const {
    constexpr double kHigh = 14;
    std::vector<QRectF> out;
    const Curve& curve = data.curves.weak;
    const QRectF area = frame();
    const auto is_risky = [&](std::size_t i) { return curve[i].valid && curve[i].verdict == Verdict::risky; };
    // A strip ends halfway to the next point.
    const auto edge = [&](std::size_t a, std::size_t b) {
        const double at = (x().coordToPixel(curve[a].x) + x().coordToPixel(curve[b].x)) / 2;
        return std::clamp(at, area.left(), area.right());
    };
    for (std::size_t from = 0; from < curve.size() && !memory(); ++from) {
        if (!is_risky(from)) continue;
        std::size_t to = from;
        while (to + 1 < curve.size() && is_risky(to + 1)) ++to;
        const double left = edge(from > 0 ? from - 1 : from, from);
        const double right = edge(to, to + 1 < curve.size() ? to + 1 : to);
        if (right > left) out.emplace_back(left, area.bottom() - kHigh, right - left, kHigh);
        from = to;
    }
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
    for (const QRectF& strip : risky()) hatch_over(painter, strip, *theme, theme->risk, 5, 1.6);
    if (options.band && options.weak) paint_band(painter);
}

void ScalingFigure::Parts::paint_band(QCPPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(band_color(*theme));
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

void ScalingFigure::Parts::paint_above(QCPPainter& painter) const {
    if (memory()) paint_excess(painter);
    paint_titles(painter);
    paint_strip(painter);
    paint_x_axis(painter);
    if (!data.curves.weak.empty()) paint_labels(painter);
    if (dimmed) dim(painter, plot.rect(), *theme, kInvalidStrength);
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
    for (const CurvePoint& point : data.held_job()) {
        if (point.valid) samples.push_back({point.x, point.fits(), point.wall});
    }
    std::vector<WallSegment> segments;
    for (const WallRange& stretch : wall_ranges(samples)) {
        segments.push_back({x().coordToPixel(stretch.from), x().coordToPixel(stretch.to), stretch.wall});
    }
    draw_wall_strip(painter, QRectF(area.left(), area.bottom() + 4, area.width(), kStrip), segments, *theme,
                    fonts);
}

std::vector<double> ScalingFigure::Parts::gpus_ticks() const {
    const double low = x().range().lower;
    const double high = x().range().upper;
    std::vector<double> out = enough_ticks(log_ticks(low, high, 2), low, high, true);
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
                       unfit(), {},  {},      {},     {},    {},   {},      {}};
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
    for (const QRectF& strip : risky()) scene.taken.push_back(strip);
    if (memory()) scene.limits = limits();
    ScalingLabels labels(painter, scene);
    labels.paint();
}

}  // namespace shardscope
