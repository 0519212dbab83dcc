#include "widgets/plots/walls/walls_figure.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "widgets/drawing.h"
#include "widgets/plots/walls/walls_parts.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kMapPadding = 8;
constexpr double kProfileGap = 10;  // between the map and its profiles
constexpr double kNearRing = 13;
constexpr double kNearArm = 6;

// Returns the value of the axis that is nearest along the frame.
std::vector<double>::const_iterator nearest_value(const WallsScale& scale, double value) {
    const double place = scale.place_of(value);
    return std::ranges::min_element(scale.axis().values, {},
                                    [&](double one) { return std::fabs(scale.place_of(one) - place); });
}

}  // namespace

WallsTicks ticks_of(const WallsScale& scale, const AxisZoom& zoom, double now) {
    WallsTicks out;
    const P id = scale.id();
    if (scale.is_discrete()) {
        for (const double value : scale.axis().values) {
            if (!zoom.contains(scale.place_of(value))) continue;
            out.ticks.push_back({value, QString::fromStdString(format(id, value, false)), value == now});
            out.place.push_back(scale.place_of(value));
        }
        return out;
    }
    const double unit = plot_unit(parameter(id).quantity).factor;
    const AxisRange part = zoom.range();
    const double low = (zoom.zoomed() ? scale.value_at(part.from) : scale.axis().values.front()) / unit;
    const double high = (zoom.zoomed() ? scale.value_at(part.to) : scale.axis().values.back()) / unit;
    std::vector<double> values;
    constexpr int kMostTicks = 7;
    constexpr double kPowersOfTwo = 8;  // narrower ranges have too few powers of ten
    if (!scale.is_logarithmic()) {
        values = linear_ticks(low, high, kMostTicks);
    } else if (parameter(id).whole || high / low < kPowersOfTwo) {
        values = log_ticks(low, high, 2);
    } else {
        values = decade_ticks(low, high);
    }
    values = enough_ticks(std::move(values), low, high, parameter(id).whole);
    now /= unit;
    if (now >= low && now <= high && std::ranges::find(values, now) == values.end())
        values.insert(std::ranges::lower_bound(values, now), now);
    for (const double value : values) {
        const bool big = parameter(id).quantity == Quantity::big_count;
        out.ticks.push_back({value, shown(value, big ? Quantity::big_count : Quantity::count), value == now});
        out.place.push_back(scale.place_of(value * unit));
    }
    return out;
}

WallsPanes WallsFigure::Parts::panes() const {
    const QSizeF size = plot.viewport().size();
    const QFontMetricsF small(fonts.small);
    const QFontMetricsF bold(fonts.bold);
    double left = small.horizontalAdvance(QStringLiteral("60"));
    if (!data.empty()) {
        for (const Tick& tick : ticks_of(data.y, y_zoom, point.y).ticks)
            left = std::max(left, text_width(tick.current ? fonts.small_bold : fonts.small, tick.text));
    }
    left = std::ceil(left + kTickLength + 4 + kMapPadding);
    const double bottom = std::ceil(kTickLength + 2 + small.height() + 4 + bold.height() + 6);
    // Both profiles get a fixed fraction of the size, within bounds that keep them legible.
    const double strip_w = std::round(std::clamp(size.width() * 0.17, 64.0, 110.0));
    const double strip_h = std::round(std::clamp(size.height() * 0.14, 44.0, 90.0));
    // Space for the y title, and for the colour scale over the right profile with its numbers.
    const double title = std::ceil(bold.height() + 10);
    WallsPanes out;
    out.top = {left, 10, size.width() - left - kProfileGap - strip_w - 14, strip_h};
    const double map_top = out.top.bottom() + 6 + title;
    out.map = {left, map_top, out.top.width(), size.height() - map_top - bottom};
    out.right = {out.map.right() + kProfileGap, map_top, strip_w, out.map.height()};
    return out;
}

// ---- the figure ------------------------------------------------------------------------------------------

WallsFigure::WallsFigure(QCustomPlot& plot) : parts_(std::make_unique<Parts>(plot)) {}
WallsFigure::~WallsFigure() = default;

void WallsFigure::set_style(const Theme& theme, const QFont& font) {
    parts_->theme = &theme;
    parts_->fonts = FigureFonts(font);
    style_plot(parts_->plot, theme, parts_->fonts);
    parts_->forget_ground();
}

void WallsFigure::set_data(WallsData data) {
    Parts& p = *parts_;
    const auto has_other_ends = [](const WallsScale& a, const WallsScale& b) {
        if (a.id() != b.id() || a.axis().values.empty() || b.axis().values.empty()) return true;
        return a.axis().values.front() != b.axis().values.front() ||
               a.axis().values.back() != b.axis().values.back();
    };
    if (has_other_ends(data.x, p.data.x) || has_other_ends(data.y, p.data.y)) {
        p.x_zoom.show_all();
        p.y_zoom.show_all();
    }
    p.data = std::move(data);
    p.forget_ground();
}

std::vector<ZoomableFigure::Frame> WallsFigure::frames() const {
    if (parts_->data.empty()) return {};
    return {{frame(), &parts_->x_zoom, &parts_->y_zoom}};
}

void WallsFigure::apply_zoom() { parts_->forget_ground(); }

QPointF WallsFigure::zoom_center() const {
    const QRectF area = frame();
    const QPointF ring = parts_->at(area, parts_->point);
    return {std::clamp(ring.x(), area.left(), area.right() - 1),
            std::clamp(ring.y(), area.top(), area.bottom() - 1)};
}

bool WallsFigure::shows_scenario() const { return parts_->on_map(parts_->point); }

void WallsFigure::set_point(const WallsPoint& point) { parts_->point = point; }
void WallsFigure::set_ghosts(std::vector<Ghost> ghosts) { parts_->ghosts = std::move(ghosts); }
void WallsFigure::set_dimmed(bool dimmed) { parts_->dimmed = dimmed; }
void WallsFigure::set_stale(bool stale) { parts_->stale = stale; }
void WallsFigure::set_focused(bool focused) { parts_->focused = focused; }

void WallsFigure::refit() {
    Parts& p = *parts_;
    const double highest = std::fmax(p.data.highest_mfu(), p.data.shown_mfu(p.point.cell));
    p.top_mfu = highest > kMfuScale ? 1 : kMfuScale;
}

const WallsData& WallsFigure::data() const { return parts_->data; }
const WallsPoint& WallsFigure::point() const { return parts_->point; }
const std::vector<WallsFigure::Ghost>& WallsFigure::ghosts() const { return parts_->ghosts; }
bool WallsFigure::stale() const { return parts_->stale; }
QRectF WallsFigure::own_tag() const { return parts_->own_tag; }
const std::vector<WallsTag>& WallsFigure::region_tags() const { return parts_->region_tags; }

QRectF WallsFigure::frame() const { return parts_->panes().map; }
QPointF WallsFigure::pixel_of(double x, double y) const { return parts_->at(frame(), WallsPoint{x, y, {}}); }
double WallsFigure::x_at(const QPointF& pixel) const {
    const QRectF area = frame();
    return parts_->data.x.value_at(parts_->part().x_at((pixel.x() - area.left()) / area.width()));
}
double WallsFigure::y_at(const QPointF& pixel) const {
    const QRectF area = frame();
    return parts_->data.y.value_at(parts_->part().y_at((area.bottom() - pixel.y()) / area.height()));
}
bool WallsFigure::inside(const QPointF& pixel) const {
    return !parts_->data.empty() && frame().contains(pixel);
}

WallsFigure::Handle WallsFigure::handle_at(const QPointF& pixel) const {
    if (!inside(pixel) || !parts_->on_map(parts_->point)) return Handle::none;
    const QPointF off = pixel - parts_->at(frame(), parts_->point);
    if (std::hypot(off.x(), off.y()) <= kNearRing) return Handle::center;
    if (std::fabs(off.x()) <= kNearArm) return Handle::vertical;
    if (std::fabs(off.y()) <= kNearArm) return Handle::horizontal;
    return Handle::none;
}

// The ruler stands in the middle of a cell, whose values were computed.
std::optional<QPointF> WallsFigure::ruler_place(const QPointF& pixel) const {
    if (!inside(pixel)) return std::nullopt;
    const WallsData& data = parts_->data;
    return QPointF(*nearest_value(data.x, x_at(pixel)), *nearest_value(data.y, y_at(pixel)));
}

std::optional<RulerStop> WallsFigure::ruler_stop(const QPointF& place) const {
    const Parts& p = *parts_;
    const WallsData& data = p.data;
    if (data.empty()) return std::nullopt;
    // A coarser map has no cell at exactly this place, but one near it.
    const auto cell_of = [&](const WallsData& map) -> const MapCell& {
        const auto index_of = [](const WallsScale& scale, double value) {
            const auto& values = scale.axis().values;
            return static_cast<std::size_t>(nearest_value(scale, value) - values.begin());
        };
        return map.map.at(index_of(map.x, place.x()), index_of(map.y, place.y()));
    };
    const MapCell& cell = cell_of(data);
    const auto words = [](P id, double value) {
        return text_of(label_of(id)) + QLatin1Char(' ') + text_of(format(id, value));
    };
    const QPointF at = pixel_of(place.x(), place.y());
    // The user has zoomed in elsewhere.
    if (p.zoomed() && !frame().adjusted(-1, -1, 1, 1).contains(at)) return std::nullopt;
    const auto none = [](const MapCell& of) { return of.valid ? tr("does not fit") : tr("not possible"); };
    RulerStop out{
        place,  words(data.x.id(), place.x()) + QStringLiteral(" · ") + words(data.y.id(), place.y()),
        at.x(), frame(),
        at.y(), {}};
    const double mfu = data.shown_mfu(cell);
    out.readings.push_back({tr("MFU"), std::isnan(mfu) ? p.theme->muted : mfu_color(mfu), mfu,
                            Quantity::percent, none(cell), at.y()});
    if (cell.valid) {
        out.readings.push_back(
            {tr("Memory"), p.theme->optimizer, cell.peak_memory, Quantity::bytes, {}, kNoValue});
        out.readings.push_back({tr("Wall"), p.theme->of(cell.wall), kNoValue, Quantity::count,
                                text_of(label_of(cell.wall)), kNoValue});
    }
    for (const Ghost& ghost : p.ghosts) {
        if (ghost.data.empty()) continue;
        const MapCell& pinned = cell_of(ghost.data);
        const QString wall = pinned.fits() ? text_of(label_of(pinned.wall)) : QString();
        out.readings.push_back({tr("%1, pin %2").arg(tr("MFU")).arg(QLatin1Char(ghost.letter)),
                                pin_color(*p.theme, ghost.letter), ghost.data.shown_mfu(pinned),
                                Quantity::percent, none(pinned), kNoValue});
        if (!wall.isEmpty())
            out.readings.push_back({tr("%1, pin %2").arg(tr("Wall")).arg(QLatin1Char(ghost.letter)),
                                    p.theme->of(pinned.wall), kNoValue, Quantity::count, wall, kNoValue});
    }
    return out;
}

QString WallsFigure::description() const {
    const Parts& p = *parts_;
    if (p.data.empty()) return {};
    const auto label = [](P id) { return text_of(label_of(id)); };
    const auto value = [](P id, double v) { return QString::fromStdString(format(id, v)); };
    const WallsScale& x = p.data.x;
    const WallsScale& y = p.data.y;
    QString out = tr("Map of MFU over %1 and %2, %3.")
                      .arg(label(x.id()), label(y.id()), p.data.planned ? tr("re-planned") : tr("plan held"));
    out += QLatin1Char(' ') +
           tr("The scenario is at %1 and %2: ").arg(value(x.id(), p.point.x), value(y.id(), p.point.y));
    const double mfu = p.data.shown_mfu(p.point.cell);
    out += std::isnan(mfu) ? tr("it does not fit.")
                           : tr("MFU %1, wall: %2.")
                                 .arg(shown(mfu, Quantity::percent), text_of(label_of(p.point.cell.wall)));
    return out;
}

}  // namespace shardscope
