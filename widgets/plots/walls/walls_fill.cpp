#include "widgets/plots/walls/walls_fill.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "system/jobs.h"

namespace shardscope {
namespace {

constexpr int kColors = 256;

std::array<QRgb, kColors + 1> palette() {
    std::array<QRgb, kColors + 1> out{};
    for (int i = 0; i <= kColors; ++i)
        out[static_cast<std::size_t>(i)] = mfu_color(kMfuScale * i / kColors).rgb();
    return out;
}

// Interpolates a field vertically for one row of pixels, at the grid's columns. Between two columns the field
// is linear.
void interpolate_row(const Grid& grid, const Field& field, const GridPlace& row, std::vector<double>& out) {
    out.resize(grid.columns());
    const double* low = field.data() + row.node;
    const double* high = low + grid.columns();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = low[i] + (high[i] - low[i]) * row.up;
}

double along(const std::vector<double>& row, std::size_t node, double across) {
    return row[node] + (row[node + 1] - row[node]) * across;
}

// The line between two columns is below (above) zero if both ends are.
bool is_below(const std::vector<double>& row, std::size_t node) { return row[node] < 0 && row[node + 1] < 0; }
bool is_above(const std::vector<double>& row, std::size_t node) {
    return row[node] >= 0 && row[node + 1] >= 0;
}

// Pixels of a row that are between the same two columns of the grid.
struct Span {
    std::size_t node;
    std::ptrdiff_t from, to;
};

}  // namespace

QImage walls_image(const WallsData& data, const WallsPart& part, const QSize& pixels, const Theme& theme) {
    static const auto colors = palette();
    QImage image(pixels, QImage::Format_RGB32);
    std::vector<double> across;
    std::vector<Span> spans;
    for (int x = 0; x < pixels.width(); ++x) {
        const GridPlace column = place_on(data.grid, part.x_at((x + 0.5) / pixels.width()), 0);
        if (spans.empty() || spans.back().node != column.node) spans.push_back({column.node, x, x});
        ++spans.back().to;
        across.push_back(column.across);
    }
    const QRgb hatch = theme.hatch_ground.rgb();
    const QRgb nothing = theme.pane.rgb();
    uchar* const bits = image.bits();  // fetched only once, because several threads below use it
    const qsizetype stride = image.bytesPerLine();
    struct Fields {
        std::vector<double> exists, spare, mfu;
    };
    const auto fill_row = [&](int y, Fields& fields) {
        std::vector<double>& exists = fields.exists;
        std::vector<double>& spare = fields.spare;
        std::vector<double>& mfu = fields.mfu;
        const GridPlace row = place_on(data.grid, 0, part.y_at(1 - (y + 0.5) / pixels.height()));
        interpolate_row(data.grid, data.exists, row, exists);
        interpolate_row(data.grid, data.spare, row, spare);
        interpolate_row(data.grid, data.mfu, row, mfu);
        auto* line = reinterpret_cast<QRgb*>(bits + y * stride);
        for (const auto& [node, from, to] : spans) {
            const auto color = [&, node = node](std::ptrdiff_t x) {
                const double share = along(mfu, node, across[static_cast<std::size_t>(x)]) / kMfuScale;
                return colors[static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kColors)];
            };
            const bool all_there = is_above(exists, node);
            if (is_below(exists, node)) {
                std::fill(line + from, line + to, nothing);
            } else if (all_there && (data.hypothetical || is_above(spare, node))) {
                for (auto x = from; x < to; ++x) line[x] = color(x);
            } else if (all_there && is_below(spare, node)) {
                std::fill(line + from, line + to, hatch);
            } else {
                for (auto x = from; x < to; ++x) {
                    const double place = across[static_cast<std::size_t>(x)];
                    if (along(exists, node, place) < 0) line[x] = nothing;
                    else if (!data.hypothetical && along(spare, node, place) < 0) line[x] = hatch;
                    else line[x] = color(x);
                }
            }
        }
    };
    constexpr int kRows = 32;
    parallel_for(static_cast<std::size_t>((pixels.height() + kRows - 1) / kRows), spare_threads(),
                 [&](std::size_t block) {
                     const int first = static_cast<int>(block) * kRows;
                     const int end = std::min(first + kRows, pixels.height());
                     Fields fields;
                     for (int y = first; y < end; ++y) fill_row(y, fields);
                 });
    return image;
}

QList<QLineF> walls_hatch(const WallsData& data, const WallsPart& part, const QRectF& frame, double pitch) {
    QList<QLineF> out;
    // Returns the missing memory at a point of the frame; positive where it is hatched.
    const auto missing = [&](const QPointF& at) {
        const GridPlace place = place_on(data.grid, part.x_at((at.x() - frame.left()) / frame.width()),
                                         part.y_at((frame.bottom() - at.y()) / frame.height()));
        return value_at(data.grid, data.exists, place) < 0 ? -1 : -value_at(data.grid, data.spare, place);
    };
    // The lines x + y = c, as in `fill_hatch`, sampled at every other pixel.
    constexpr double kLook = 2;
    const double step = pitch * std::sqrt(2.0);
    const auto first = static_cast<long>(std::ceil((frame.left() + frame.top()) / step));
    const auto last = static_cast<long>(std::floor((frame.right() + frame.bottom()) / step));
    for (long i = first; i <= last; ++i) {
        const double c = static_cast<double>(i) * step;
        const double from = std::max(frame.left(), c - frame.bottom());
        const double to = std::min(frame.right(), c - frame.top());
        if (!(to > from)) continue;
        const int steps = std::max(1, static_cast<int>((to - from) / kLook));
        QPointF before(from, c - from);
        double lack_before = missing(before);
        QPointF start = before;
        for (int k = 1; k <= steps; ++k) {
            const double x = from + (to - from) * k / steps;
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
