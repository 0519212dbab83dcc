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

// A field along one row of pixels, at the grid's columns: what is left is a line between two of them.
void take_row(const Grid& grid, const Field& field, const GridPlace& row, std::vector<double>& out) {
    out.resize(grid.columns());
    const double* low = field.data() + row.node;
    const double* high = low + grid.columns();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = low[i] + (high[i] - low[i]) * row.up;
}

double along(const std::vector<double>& row, const GridPlace& column) {
    const double* at = row.data() + column.node;
    return at[0] + (at[1] - at[0]) * column.across;
}

}  // namespace

QImage walls_image(const WallsData& data, const QSize& pixels, const Theme& theme) {
    static const auto colors = palette();
    QImage image(pixels, QImage::Format_RGB32);
    std::vector<GridPlace> columns;
    columns.reserve(static_cast<std::size_t>(pixels.width()));
    for (int x = 0; x < pixels.width(); ++x)
        columns.push_back(place_on(data.grid, (x + 0.5) / pixels.width(), 0));
    const QRgb hatch = theme.hatch_ground.rgb();
    const QRgb nothing = theme.pane.rgb();
    std::vector<double> exists;
    std::vector<double> spare;
    std::vector<double> mfu;
    for (int y = 0; y < pixels.height(); ++y) {
        const GridPlace row = place_on(data.grid, 0, 1 - (y + 0.5) / pixels.height());
        take_row(data.grid, data.exists, row, exists);
        take_row(data.grid, data.spare, row, spare);
        take_row(data.grid, data.mfu, row, mfu);
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < pixels.width(); ++x) {
            const GridPlace& column = columns[static_cast<std::size_t>(x)];
            if (along(exists, column) < 0) {
                line[x] = nothing;
            } else if (!data.hypothetical && along(spare, column) < 0) {
                line[x] = hatch;
            } else {
                const double share = along(mfu, column) / kMfuScale;
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
