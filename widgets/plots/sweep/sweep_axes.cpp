// The axes of a sweep: their ranges and ticks, what is at a position along them, and the ruler's stops.
#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "text/translate.h"
#include "widgets/plots/sweep/sweep_parts.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kSweepTicks = 5;

Quantity quantity_of(Output id) { return output(id).quantity; }
double factor_of(Output id) { return plot_unit(quantity_of(id)).factor; }

}  // namespace

bool SweepFigure::Parts::log_x() const {
    return !empty() && front().x().scaleType() == QCPAxis::stLogarithmic;
}

Quantity SweepFigure::Parts::along_quantity() const {
    return data.against ? quantity_of(*data.against) : parameter(data.x).quantity;
}

double SweepFigure::Parts::axis_x(double along) const {
    if (apart()) {
        const auto found = std::ranges::find(stops, along);
        return found == stops.end() ? kNoValue : static_cast<double>(found - stops.begin());
    }
    const double value = along / plot_unit(along_quantity()).factor;
    return log_x() && !(value > 0) ? kNoValue : value;
}

double SweepFigure::Parts::axis_y(std::size_t p, const SweepPoint& point) const {
    return point.value[p] / factor_of(data.outputs[p]);
}

// All panels have the same range, so that they can be compared.
void SweepFigure::Parts::fit_x() {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double least = low;  // smallest value above zero
    bool positive = true;
    const double factor = apart() ? 1 : plot_unit(along_quantity()).factor;
    for_each_series([&](const SweepSeries& series) {
        for (const SweepPoint& point : series.points) {
            const double value = apart() ? axis_x(point.x) : point.along / factor;
            if (!std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
            if (value > 0) least = std::min(least, value);
            else positive = false;
        }
    });
    bool logarithmic = !apart() && positive && parameter(data.x).logarithmic;
    if (data.against) {
        // The scale of an output is not known in advance. It is logarithmic if the values cover decades; zero
        // has no position on that scale.
        constexpr double kDecades = 100;
        logarithmic = low >= 0 && high > kDecades * least;
        if (logarithmic) low = least;
        constexpr double kAll = 100;
        if (!logarithmic && along_quantity() == Quantity::percent && low >= 0 && high <= kAll) {
            low = 0;
            high = kAll;
        }
    }
    if (!(low < high)) {
        const double middle = std::isfinite(low) ? low : 0;
        low = logarithmic ? middle / 2 : middle - 1;
        high = logarithmic ? middle * 2 : middle + 1;
    }
    if (apart()) {
        low -= kHalfStep;
        high += kHalfStep;
    }
    for (const Block& block : blocks) {
        for (const Panel& panel : block.panels) {
            panel.x().setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        }
    }
    x_zoom.fit({low, high}, logarithmic);
}

void SweepFigure::Parts::fit_y(std::size_t p) {
    const Output id = data.outputs[p];
    double bottom = 0;
    double top = 0;
    for_each_series([&](const SweepSeries& series) {
        for (const SweepPoint& point : series.points) {
            const double value = axis_y(p, point);
            if (!std::isfinite(value)) continue;
            top = std::max(top, value);
            bottom = std::min(bottom, value);
        }
    });
    if (is_memory(id)) {
        // Values far beyond the capacity matter less than the place where the capacity is exceeded.
        double capacity = 0;
        double now = 0;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const SweepData& shown = shown_in(b);
            capacity = std::max(capacity, shown.capacity / factor_of(id));
            if (const double here = axis_y(p, shown.current); !std::isnan(here)) now = std::max(now, here);
        }
        top = std::min(top, std::max(2 * capacity, 1.15 * now));
        top = std::max(top, 1.1 * capacity);
    }
    const bool share = quantity_of(id) == Quantity::percent && top <= 100 && bottom >= 0;
    const double most = share ? 100 : std::numeric_limits<double>::infinity();
    top = top > 0 ? std::min(most, round_top(top, kSweepTicks)) : share ? most : 1;
    if (bottom < 0) bottom = -round_top(-bottom, kSweepTicks);
    y_zoom[p].fit({bottom, top});
}

void SweepFigure::Parts::show_y(std::size_t p) {
    const auto [bottom, top] = y_zoom[p].range();
    for (const Block& block : blocks) {
        QCPAxis& y = block.panels[p].y();
        y.setRange(bottom, top);
        auto ticker = y.ticker().staticCast<QCPAxisTickerText>();
        ticker->clear();
        for (const double value : linear_ticks(bottom, top, kSweepTicks))
            ticker->addTick(value, shown(value, Quantity::count));
    }
}

void SweepFigure::Parts::show_part() {
    const AxisRange across = x_zoom.range();
    for (const Block& block : blocks) {
        for (const Panel& panel : block.panels) panel.x().setRange(across.from, across.to);
    }
    for (std::size_t p = 0; p < data.outputs.size(); ++p) show_y(p);
    fill_lines();
}

void SweepFigure::Parts::fit_axes() {
    fit_x();
    y_zoom.resize(data.outputs.size());
    for (std::size_t p = 0; p < data.outputs.size(); ++p) fit_y(p);
}

double SweepFigure::input_at(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (!p.data.against) {
        const double at = p.front().x().pixelToCoord(pixel.x());
        if (!p.apart()) return at * plot_unit(parameter(p.data.x).quantity).factor;
        if (p.stops.empty()) return p.data.current.x;
        const double last = static_cast<double>(p.stops.size()) - 1;
        return p.stops[static_cast<std::size_t>(std::clamp(std::round(at), 0.0, last))];
    }
    const SweepSeries* own = own_series(p.data);
    if (!own) return p.data.current.x;
    const auto& panels = p.blocks.front().panels;
    const auto below = std::ranges::find_if(
        panels, [&](const Parts::Panel& panel) { return frame_of(*panel.rect).bottom() >= pixel.y(); });
    const std::size_t output_index =
        below == panels.end() ? panels.size() - 1 : static_cast<std::size_t>(below - panels.begin());
    const Parts::Panel& panel = panels[output_index];
    const bool between = !p.marks();
    const bool logarithmic = parameter(p.data.x).logarithmic;
    double nearest = std::numeric_limits<double>::infinity();
    double found = p.data.current.x;
    const auto offer = [&](double x, double y, double input) {
        constexpr double kAlong = 8;  // weight of the distance along x, since dragging is along x
        constexpr double kFar = 1e4;  // px; points that are not drawn here are less likely
        const double off = std::hypot(kAlong * (x - pixel.x()), std::isnan(y) ? kFar : y - pixel.y());
        if (off >= nearest) return;
        nearest = off;
        found = input;
    };
    const auto at = [&](const SweepPoint& point) {
        return QPointF(panel.x().coordToPixel(p.axis_x(point.along)),
                       panel.y().coordToPixel(p.axis_y(output_index, point)));
    };
    for (std::size_t i = 0; i < own->points.size(); ++i) {
        const SweepPoint& to = own->points[i];
        const QPointF here = at(to);
        if (std::isnan(here.x())) continue;
        offer(here.x(), here.y(), to.x);
        if (i == 0 || !between) continue;
        const SweepPoint& from = own->points[i - 1];
        const QPointF before = at(from);
        const double share = (pixel.x() - before.x()) / (here.x() - before.x());
        if (!(share > 0 && share < 1)) continue;
        offer(pixel.x(), before.y() + share * (here.y() - before.y()),
              logarithmic && from.x > 0 ? from.x * std::pow(to.x / from.x, share)
                                        : from.x + share * (to.x - from.x));
    }
    return found;
}

double SweepFigure::pixel_of(double x) const {
    const Parts& p = *parts_;
    double along = x;
    if (p.data.against) {
        along = p.data.current.along;
        if (const SweepSeries* own = own_series(p.data)) {
            const auto nearest = std::ranges::min_element(
                own->points, {}, [x](const SweepPoint& point) { return std::fabs(point.x - x); });
            if (nearest != own->points.end()) along = nearest->along;
        }
    }
    return p.front().x().coordToPixel(p.axis_x(along));
}

double SweepFigure::guide() const {
    return parts_->front().x().coordToPixel(parts_->axis_x(parts_->data.current.along));
}

// The ruler stands at a point of the curve: at the nearest one along x, or near the current value there. The
// points around it may be less than a pixel apart.
std::optional<QPointF> SweepFigure::ruler_place(const QPointF& pixel) const {
    const Parts& p = *parts_;
    if (p.empty() || p.data.series.empty() || !inside(pixel)) return std::nullopt;
    const SweepSeries* own = own_series(p.data);
    const auto& points = own ? own->points : p.data.series.front().points;
    constexpr double kNear = 4;  // px
    double found = p.data.current.x;
    if (std::fabs(guide() - pixel.x()) <= kNear) return QPointF(found, 0);
    double nearest = std::numeric_limits<double>::infinity();
    for (const SweepPoint& point : points) {
        const double off = std::fabs(p.front().x().coordToPixel(p.axis_x(point.along)) - pixel.x());
        if (!(off < nearest)) continue;
        nearest = off;
        found = point.x;
    }
    return QPointF(found, 0);
}

std::optional<RulerStop> SweepFigure::ruler_stop(const QPointF& place) const {
    const Parts& p = *parts_;
    if (p.empty() || p.data.series.empty()) return std::nullopt;
    const Parts::Block& block = p.blocks.front();
    const auto nearest_in = [](const std::vector<SweepPoint>& points, double x) {
        return std::ranges::min_element(points, {},
                                        [x](const SweepPoint& one) { return std::fabs(one.x - x); });
    };
    // The point may have moved a little since the ruler was fixed there.
    const SweepSeries* own = own_series(p.data);
    const auto& own_points = own ? own->points : p.data.series.front().points;
    if (own_points.empty()) return std::nullopt;
    const double input = nearest_in(own_points, place.x())->x;
    RulerStop out;
    out.place = place;
    out.title = text_of(label_of(p.data.x)) + QLatin1Char(' ') + text_of(format(p.data.x, input));
    out.x = pixel_of(input);
    for (const Parts::Panel& panel : block.panels) out.area |= frame_of(*panel.rect);
    if (out.x < out.area.left() || out.x > out.area.right()) return std::nullopt;
    const auto add = [&](const QString& name, const QPen& pen, const std::vector<SweepPoint>& points,
                         std::size_t output) {
        const auto point = nearest_in(points, input);
        if (point == points.end()) return;
        const Parts::Panel& panel = block.panels[output];
        const double y = panel.y().coordToPixel(p.axis_y(output, *point));
        const QRectF frame = frame_of(*panel.rect);
        // Against a result, the points of other curves are at other places along x.
        const bool here = !p.data.against || &points == &own_points;
        const bool seen = here && y >= frame.top() - 1 && y <= frame.bottom() + 1;
        out.readings.push_back({name, pen.color(), point->value[output], quantity_of(p.data.outputs[output]),
                                point->valid ? tr("does not fit") : tr("not possible"), seen ? y : kNoValue,
                                pen});
    };
    for (std::size_t i = 0; i < block.panels.size(); ++i) {
        const QString label = text_of(label_of(p.data.outputs[i]));
        for (std::size_t k = 0; k < p.data.series.size(); ++k) {
            const SweepSeries& series = p.data.series[k];
            const QString member = p.data.family
                                       ? QStringLiteral(", ") + p.name_of_member(p.data, series.member, false)
                                       : QString();
            add(label + member, p.pen_of(0, k), series.points, i);
        }
        for (const Ghost& ghost : p.ghosts) {
            if (!ghost.data.series.empty())
                add(tr("%1, pin %2").arg(label).arg(QLatin1Char(ghost.letter)), p.pen_of(ghost),
                    ghost.data.series.front().points, i);
        }
    }
    if (const SweepPoint& here = *nearest_in(own_points, input); here.valid) {
        const Wall wall = here.verdict == Verdict::does_not_fit ? Wall::memory : here.wall;
        out.readings.push_back(
            {tr("Wall"), p.theme->of(wall), kNoValue, {}, text_of(label_of(wall)), kNoValue});
    }
    return out;
}

}  // namespace shardscope
