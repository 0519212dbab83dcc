#include "widgets/plots/walls_fill.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope {
namespace {

constexpr int kColors = 256;

std::array<QRgb, kColors + 1> palette() {
    std::array<QRgb, kColors + 1> out{};
    for (int i = 0; i <= kColors; ++i)
        out[static_cast<std::size_t>(i)] = mfu_color(kMfuScale * i / kColors).rgb();
    return out;
}

// One side of the grid's places for every pixel of a row or column: what `place_on` finds, once.
std::vector<GridPlace> places_along(const Grid& grid, int pixels, bool across) {
    std::vector<GridPlace> out;
    out.reserve(static_cast<std::size_t>(pixels));
    for (int i = 0; i < pixels; ++i) {
        const double at = (i + 0.5) / pixels;
        out.push_back(across ? place_on(grid, at, 0) : place_on(grid, 0, 1 - at));
    }
    return out;
}

}  // namespace

QImage walls_image(const WallsData& data, const QSize& pixels, const Theme& theme) {
    static const auto colors = palette();
    QImage image(pixels, QImage::Format_RGB32);
    const std::vector<GridPlace> columns = places_along(data.grid, pixels.width(), true);
    const std::vector<GridPlace> rows = places_along(data.grid, pixels.height(), false);
    const QRgb hatch = theme.hatch_ground.rgb();
    const QRgb nothing = theme.pane.rgb();
    for (int y = 0; y < pixels.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const GridPlace& row = rows[static_cast<std::size_t>(y)];
        for (int x = 0; x < pixels.width(); ++x) {
            const GridPlace& column = columns[static_cast<std::size_t>(x)];
            const GridPlace place{row.node + column.node, column.across, row.up};
            if (value_at(data.grid, data.exists, place) < 0) {
                line[x] = nothing;
            } else if (!data.hypothetical && value_at(data.grid, data.spare, place) < 0) {
                line[x] = hatch;
            } else {
                const double share = value_at(data.grid, data.mfu, place) / kMfuScale;
                line[x] = colors[static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kColors)];
            }
        }
    }
    return image;
}

QList<QLineF> walls_hatch(const WallsData& data, const QRectF& frame, double pitch) {
    QList<QLineF> out;
    // The room that is missing, at a point of the frame; positive where it is hatched.
    const auto missing = [&](const QPointF& at) {
        const GridPlace place = place_on(data.grid, (at.x() - frame.left()) / frame.width(),
                                         (frame.bottom() - at.y()) / frame.height());
        return value_at(data.grid, data.exists, place) < 0 ? -1 : -value_at(data.grid, data.spare, place);
    };
    // Lines x + y = c as `fill_hatch` has them, looked at every other pixel.
    constexpr double kLook = 2;
    const double step = pitch * std::sqrt(2.0);
    const auto first = static_cast<long>(std::ceil((frame.left() + frame.top()) / step));
    const auto last = static_cast<long>(std::floor((frame.right() + frame.bottom()) / step));
    for (long i = first; i <= last; ++i) {
        const double c = static_cast<double>(i) * step;
        const double from = std::max(frame.left(), c - frame.bottom());
        const double to = std::min(frame.right(), c - frame.top());
        if (!(to > from)) continue;
        const int pieces = std::max(1, static_cast<int>((to - from) / kLook));
        QPointF before(from, c - from);
        double lack_before = missing(before);
        QPointF start = before;
        for (int k = 1; k <= pieces; ++k) {
            const double x = from + (to - from) * k / pieces;
            const QPointF at(x, c - x);
            const double lack = missing(at);
            if ((lack > 0) != (lack_before > 0)) {
                const QPointF edge = before + (at - before) * (lack_before / (lack_before - lack));
                if (lack > 0) start = edge;
                else out.append({start, edge});
            }
            before = at;
            lack_before = lack;
        }
        if (lack_before > 0) out.append({start, before});
    }
    return out;
}

}  // namespace shardscope
