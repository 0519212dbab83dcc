#include "widgets/chart/contours.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

namespace shardscope {
namespace {

// A vertex of a triangle: a node, or the centre of a cell with the mean value of its nodes.
struct Vertex {
    std::size_t id = 0;  // nodes first, then the cells' centres
    QPointF at;
    std::array<std::size_t, 4> nodes{};
    [[nodiscard]] double of(const Field& field) const {
        constexpr double kQuarter = 0.25;
        return kQuarter * (field[nodes[0]] + field[nodes[1]] + field[nodes[2]] + field[nodes[3]]);
    }
};
using Triangle = std::array<Vertex, 3>;

template <typename Visit>
void for_each_triangle(const Grid& grid, const Visit& visit) {
    const std::size_t n = grid.columns();
    const auto corner = [&](std::size_t i, std::size_t j) {
        const std::size_t node = j * n + i;
        return Vertex{node, {grid.u[i], grid.v[j]}, {node, node, node, node}};
    };
    for (std::size_t j = 0; j + 1 < grid.v.size(); ++j) {
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const std::array<Vertex, 4> around{corner(i, j), corner(i + 1, j), corner(i + 1, j + 1),
                                               corner(i, j + 1)};
            const Vertex middle{grid.size() + around[0].id,
                                (around[0].at + around[2].at) / 2,
                                {around[0].id, around[1].id, around[2].id, around[3].id}};
            visit(around, middle);
        }
    }
}

// The part of a line within one triangle. An end on a side of the triangle is identified by that side, so
// that the part in the next triangle can be joined to it. An end inside the triangle is not joined.
constexpr std::uint64_t kInside = ~std::uint64_t{0};
struct Segment {
    std::array<QPointF, 2> end;
    std::array<std::uint64_t, 2> side{kInside, kInside};
};

// Finds the line in this triangle along which `difference` is zero; returns false if there is none. Both
// triangles that share a side compute the same point on it, because the side's ends are used in the order of
// their ids.
template <typename Difference>
bool zero_segment(const Triangle& triangle, const Difference& difference, Segment& segment) {
    const std::array<double, 3> value{difference(triangle[0]), difference(triangle[1]),
                                      difference(triangle[2])};
    std::size_t found = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        std::size_t from = k;
        std::size_t to = (k + 1) % 3;
        if ((value[from] >= 0) == (value[to] >= 0)) continue;
        if (triangle[from].id > triangle[to].id) std::swap(from, to);
        const double share = value[from] / (value[from] - value[to]);
        if (found < 2) {
            segment.end[found] = triangle[from].at + (triangle[to].at - triangle[from].at) * share;
            segment.side[found] = (std::uint64_t{triangle[from].id} << 32U) | triangle[to].id;
        }
        ++found;
    }
    return found == 2;
}

// The linear function that has these values at the vertices.
class Linear {
  public:
    Linear(const Triangle& t, double a, double b, double c) : origin_(t[0].at), at_origin_(a) {
        const QPointF p = t[1].at - t[0].at;
        const QPointF q = t[2].at - t[0].at;
        const double area = p.x() * q.y() - p.y() * q.x();
        slope_ = {((b - a) * q.y() - (c - a) * p.y()) / area, ((c - a) * p.x() - (b - a) * q.x()) / area};
    }
    double operator()(const QPointF& at) const {
        return at_origin_ + QPointF::dotProduct(slope_, at - origin_);
    }

  private:
    QPointF origin_;
    double at_origin_;
    QPointF slope_;
};

// Keeps the part of the segment where `value` is not negative; false when nothing is left.
bool clip(Segment& segment, const Linear& value) {
    const double a = value(segment.end[0]);
    const double b = value(segment.end[1]);
    if (a >= 0 && b >= 0) return true;
    if (a < 0 && b < 0) return false;
    const QPointF cut = segment.end[0] + (segment.end[1] - segment.end[0]) * (a / (a - b));
    const std::size_t outside = a < 0 ? 0 : 1;
    segment.end[outside] = cut;
    segment.side[outside] = kInside;
    return true;
}

bool clip(Segment& segment, const Triangle& t, const std::vector<Field>& within) {
    return std::ranges::all_of(within, [&](const Field& field) {
        const std::array<double, 3> value{t[0].of(field), t[1].of(field), t[2].of(field)};
        if (value[0] >= 0 && value[1] >= 0 && value[2] >= 0) return true;
        if (value[0] < 0 && value[1] < 0 && value[2] < 0) return false;
        return clip(segment, Linear(t, value[0], value[1], value[2]));
    });
}

// Joins segments that share an end into one line.
QList<QPolygonF> joined(const std::vector<Segment>& segments) {
    std::unordered_map<std::uint64_t, std::array<std::size_t, 2>> at_side;
    constexpr std::size_t kNone = ~std::size_t{0};
    for (std::size_t i = 0; i < segments.size(); ++i) {
        for (const std::uint64_t side : segments[i].side) {
            if (side == kInside) continue;
            const auto [entry, fresh] = at_side.try_emplace(side, std::array{i, kNone});
            if (!fresh) entry->second[1] = i;
        }
    }
    std::vector<bool> used(segments.size(), false);
    const auto next_of = [&](std::size_t segment, std::uint64_t side) {
        if (side == kInside) return kNone;
        const auto& both = at_side.at(side);
        const std::size_t other = both[0] == segment ? both[1] : both[0];
        return other == kNone || used[other] ? kNone : other;
    };
    QList<QPolygonF> out;
    for (std::size_t start = 0; start < segments.size(); ++start) {
        if (used[start]) continue;
        used[start] = true;
        QPolygonF line{segments[start].end[0], segments[start].end[1]};
        // Extend the line forwards from the second end, then backwards from the first.
        for (const std::size_t first : {std::size_t{1}, std::size_t{0}}) {
            std::size_t segment = start;
            std::uint64_t side = segments[start].side[first];
            for (std::size_t next = next_of(segment, side); next != kNone; next = next_of(segment, side)) {
                used[next] = true;
                const std::size_t far = segments[next].side[0] == side ? 1 : 0;
                if (first == 1) line.append(segments[next].end[far]);
                else line.prepend(segments[next].end[far]);
                segment = next;
                side = segments[next].side[far];
            }
        }
        out.append(line);
    }
    return out;
}

std::size_t below(const std::vector<double>& places, double place) {
    const auto after = std::ranges::upper_bound(places, place);
    const auto index = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - places.begin() - 1, 0));
    return std::min(index, places.size() - 2);
}

}  // namespace

GridPlace place_on(const Grid& grid, double u, double v) {
    const std::size_t i = below(grid.u, u);
    const std::size_t j = below(grid.v, v);
    const auto share = [](const std::vector<double>& places, std::size_t k, double place) {
        return std::clamp((place - places[k]) / (places[k + 1] - places[k]), 0.0, 1.0);
    };
    return {j * grid.columns() + i, share(grid.u, i, u), share(grid.v, j, v)};
}

double value_at(const Grid& grid, const Field& field, const GridPlace& place) {
    const double* low = field.data() + place.node;
    const double* high = low + grid.columns();
    const double at_low = low[0] + (low[1] - low[0]) * place.across;
    const double at_high = high[0] + (high[1] - high[0]) * place.across;
    return at_low + (at_high - at_low) * place.up;
}

QList<QPolygonF> level_lines(const Grid& grid, const Field& field, const std::vector<Field>& within) {
    std::vector<Segment> segments;
    for_each_triangle(grid, [&](const std::array<Vertex, 4>& around, const Vertex& middle) {
        const bool first = around[0].of(field) >= 0;
        if (std::ranges::all_of(around, [&](const Vertex& v) { return (v.of(field) >= 0) == first; })) return;
        for (std::size_t k = 0; k < 4; ++k) {
            const Triangle triangle{around[k], around[(k + 1) % 4], middle};
            Segment segment;
            if (zero_segment(
                    triangle, [&](const Vertex& v) { return v.of(field); }, segment) &&
                clip(segment, triangle, within))
                segments.push_back(segment);
        }
    });
    return joined(segments);
}

QPolygonF smoothed(QPolygonF line) {
    // A cell has four triangles, so a line has two to four points in it.
    constexpr int kPasses = 48;
    for (int pass = 0; pass < kPasses; ++pass) {
        QPointF before = line.first();
        for (qsizetype i = 1; i + 1 < line.size(); ++i) {
            const QPointF here = line[i];
            line[i] = before / 4 + here / 2 + line[i + 1] / 4;
            before = here;
        }
    }
    return line;
}

QList<QPolygonF> borders(const Grid& grid, const std::vector<Field>& fields,
                         const std::vector<Field>& within) {
    // There is one list for every pair, so that lines of different pairs are not joined.
    const std::size_t n = fields.size();
    std::vector<std::vector<Segment>> segments(n * n);
    const auto largest_at = [&](const Vertex& vertex) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < n; ++k) {
            if (vertex.of(fields[k]) > vertex.of(fields[best])) best = k;
        }
        return best;
    };
    Field largest(grid.size());
    for (std::size_t node = 0; node < grid.size(); ++node)
        largest[node] = static_cast<double>(largest_at({node, {}, {node, node, node, node}}));

    for_each_triangle(grid, [&](const std::array<Vertex, 4>& around, const Vertex& middle) {
        const double first = largest[around[0].id];
        // A field that is largest at all corners is also the largest in between.
        if (std::ranges::all_of(around, [&](const Vertex& v) { return largest[v.id] == first; })) return;
        for (std::size_t k = 0; k < 4; ++k) {
            const Triangle t{around[k], around[(k + 1) % 4], middle};
            for (std::size_t a = 0; a < n; ++a) {
                for (std::size_t b = a + 1; b < n; ++b) {
                    Segment segment;
                    const auto difference = [&](const Vertex& v) {
                        return v.of(fields[a]) - v.of(fields[b]);
                    };
                    bool left = zero_segment(t, difference, segment);
                    for (std::size_t c = 0; left && c < n; ++c) {
                        if (c == a || c == b) continue;
                        const auto lead = [&](const Vertex& v) { return v.of(fields[a]) - v.of(fields[c]); };
                        left = clip(segment, Linear(t, lead(t[0]), lead(t[1]), lead(t[2])));
                    }
                    if (left && clip(segment, t, within)) segments[a * n + b].push_back(segment);
                }
            }
        }
    });
    QList<QPolygonF> out;
    for (const std::vector<Segment>& pair : segments) out += joined(pair);
    return out;
}

}  // namespace shardscope
