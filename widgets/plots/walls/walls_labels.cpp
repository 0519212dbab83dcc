#include "widgets/plots/walls/walls_labels.h"

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr int kSamples = 64;  // per side of the frame
constexpr double kTextPadding = 6;
constexpr double kLegendSquare = 8;
constexpr double kTagHeight = 4;  // px above and below the text together

// The kinds of positions on the map: a rate that binds (its index), the link to the host, does not fit, or
// nothing.
constexpr int kHostLink = static_cast<int>(kRates);
constexpr int kUnfit = kHostLink + 1;
constexpr int kNothing = kUnfit + 1;

int kind_at(const WallsData& data, const GridPlace& place) {
    if (value_at(data.grid, data.exists, place) < 0) return kNothing;
    if (value_at(data.grid, data.spare, place) < 0) return kUnfit;
    int best = 0;
    double most = -1;
    for (std::size_t rate = 0; rate < kRates; ++rate) {
        const double share = value_at(data.grid, data.elasticity[rate], place);
        if (share > most) {
            most = share;
            best = static_cast<int>(rate);
        }
    }
    const bool intra = best == static_cast<int>(Rate::intra_node);
    return intra && value_at(data.grid, data.links_over_host_link, place) < 0 ? kHostLink : best;
}

// Samples are stored row by row, downwards.
std::size_t sample_at(int x, int y) {
    return static_cast<std::size_t>(y) * kSamples + static_cast<std::size_t>(x);
}

struct Samples {
    std::array<int, kSamples * kSamples> kind{};
    std::array<int, kSamples * kSamples> region{};
    std::array<double, kSamples * kSamples> clearance{};  // px to the region's edge
    std::vector<std::vector<int>> regions;                // the samples of each region
};

// Divides the samples into regions: neighbours of the same kind.
void find_regions(Samples& s) {
    s.region.fill(-1);
    for (int start = 0; start < kSamples * kSamples; ++start) {
        if (s.region[static_cast<std::size_t>(start)] >= 0) continue;
        const int name = static_cast<int>(s.regions.size());
        std::vector<int> members{start};
        s.region[static_cast<std::size_t>(start)] = name;
        for (std::size_t k = 0; k < members.size(); ++k) {
            const int at = members[k];
            const int column = at % kSamples;
            const auto visit = [&](int other) {
                const auto o = static_cast<std::size_t>(other);
                if (s.region[o] >= 0 || s.kind[o] != s.kind[static_cast<std::size_t>(at)]) return;
                s.region[o] = name;
                members.push_back(other);
            };
            if (column > 0) visit(at - 1);
            if (column < kSamples - 1) visit(at + 1);
            if (at >= kSamples) visit(at - kSamples);
            if (at < kSamples * (kSamples - 1)) visit(at + kSamples);
        }
        s.regions.push_back(std::move(members));
    }
}

// Computes distances to the nearest sample of another region in two sweeps; the frame counts as an edge, too.
void measure(Samples& s, double step_x, double step_y) {
    const auto reach = [&](int x, int y, int dx, int dy, double step) {
        const int ox = x + dx;
        const int oy = y + dy;
        if (ox < 0 || oy < 0 || ox >= kSamples || oy >= kSamples) return step / 2;
        if (s.region[sample_at(ox, oy)] != s.region[sample_at(x, y)]) return step / 2;
        return s.clearance[sample_at(ox, oy)] + step;
    };
    s.clearance.fill(1e9);
    for (int y = 0; y < kSamples; ++y) {
        for (int x = 0; x < kSamples; ++x)
            s.clearance[sample_at(x, y)] = std::min(reach(x, y, -1, 0, step_x), reach(x, y, 0, -1, step_y));
    }
    for (int y = kSamples - 1; y >= 0; --y) {
        for (int x = kSamples - 1; x >= 0; --x) {
            s.clearance[sample_at(x, y)] = std::min(
                {s.clearance[sample_at(x, y)], reach(x, y, 1, 0, step_x), reach(x, y, 0, 1, step_y)});
        }
    }
}

WallsTag tag_of(int kind) {
    if (kind == kUnfit) return {WallsTag::Kind::does_not_fit, Wall::memory, tr("does not fit"), {}};
    if (kind == kNothing) return {WallsTag::Kind::nothing, Wall::memory, tr("not possible"), {}};
    const Wall wall =
        static_cast<Wall>(static_cast<int>(Wall::compute) + kind);  // the link follows the rates
    return {WallsTag::Kind::wall, wall, text_of(label_of(wall)), {}};
}

// Places a tag at the widest place of its region, and returns how good that place is.
double place_tag(WallsTag& tag, const QSizeF& size, const Samples& s, const std::vector<int>& members,
                 const QRectF& frame, const QList<QRectF>& used) {
    const double step_x = frame.width() / kSamples;
    const double step_y = frame.height() / kSamples;
    const int region = s.region[static_cast<std::size_t>(members.front())];
    double best = 0;
    for (const int member : members) {
        const int x = member % kSamples;
        const int y = member / kSamples;
        const QPointF center(frame.left() + (x + 0.5) * step_x, frame.top() + (y + 0.5) * step_y);
        const QRectF box(center - QPointF(size.width() / 2, size.height() / 2), size);
        if (!frame.adjusted(2, 2, -2, -2).contains(box)) continue;
        if (std::ranges::any_of(used, [&](const QRectF& other) { return other.intersects(box); })) continue;
        // The score is the fraction of the tag that is inside its region, then the distance from the edge.
        const int half_x = static_cast<int>(size.width() / 2 / step_x);
        const int half_y = static_cast<int>(size.height() / 2 / step_y);
        int inside = 0;
        int all = 0;
        for (int j = std::max(0, y - half_y); j <= std::min(kSamples - 1, y + half_y); ++j) {
            for (int i = std::max(0, x - half_x); i <= std::min(kSamples - 1, x + half_x); ++i) {
                ++all;
                if (s.region[sample_at(i, j)] == region) ++inside;
            }
        }
        constexpr double kMostClearance = 1e4;
        const double score = static_cast<double>(inside) / all +
                             s.clearance[static_cast<std::size_t>(member)] / kMostClearance;
        if (score <= best) continue;
        best = score;
        tag.box = box;
    }
    return best;
}

QSizeF size_of_tag(const QString& text, const QFontMetricsF& metrics) {
    double width = 0;
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (const QString& line : lines) width = std::max(width, metrics.horizontalAdvance(line));
    return {width + 3 * kTextPadding + kLegendSquare,
            static_cast<double>(lines.size()) * metrics.height() + kTagHeight};
}

}  // namespace

std::vector<WallsTag> walls_tags(const WallsData& data, const WallsPart& part, const QRectF& frame,
                                 const QFont& font, const QList<QRectF>& taken) {
    Samples s;
    for (int y = 0; y < kSamples; ++y) {
        for (int x = 0; x < kSamples; ++x) {
            const GridPlace place =
                place_on(data.grid, part.x_at((x + 0.5) / kSamples), part.y_at(1 - (y + 0.5) / kSamples));
            s.kind[sample_at(x, y)] = kind_at(data, place);
        }
    }
    find_regions(s);
    const double step_x = frame.width() / kSamples;
    const double step_y = frame.height() / kSamples;
    measure(s, step_x, step_y);

    std::vector<WallsTag> out;
    QList<QRectF> used = taken;
    const QFontMetricsF metrics(font);
    // Large regions come first, so that they get the best positions.
    std::ranges::sort(s.regions, std::greater<>(), &std::vector<int>::size);
    for (const std::vector<int>& members : s.regions) {
        constexpr std::size_t kFewest = kSamples * kSamples / 120;
        if (members.size() < kFewest) break;
        WallsTag tag = tag_of(s.kind[static_cast<std::size_t>(members.front())]);
        double best = place_tag(tag, size_of_tag(tag.text, metrics), s, members, frame, used);
        // A tag that is mostly over its neighbours would name the wrong region.
        constexpr double kMostlyInside = 0.7;
        if (best < kMostlyInside) {
            const QString narrow = in_two_lines(tag.text);
            if (narrow == tag.text) continue;
            tag.text = narrow;
            best = place_tag(tag, size_of_tag(narrow, metrics), s, members, frame, used);
        }
        if (best < kMostlyInside) continue;
        used.append(tag.box.adjusted(-3, -3, 3, 3));
        out.push_back(std::move(tag));
    }
    return out;
}

void draw_plate(QPainter& painter, const QRectF& box, const QColor& color) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(box, 3, 3);
    painter.restore();
}

namespace {

double baseline(const QRectF& box, const QFont& font) {
    const QFontMetricsF metrics(font);
    return std::round(box.center().y() + (metrics.ascent() - metrics.descent()) / 2);
}

}  // namespace

void draw_walls_tag(QPainter& painter, const WallsTag& tag, const Theme& theme, const QFont& font) {
    draw_plate(painter, tag.box, theme.pane);
    const QStringList lines = tag.text.split(QLatin1Char('\n'));
    const QFontMetricsF metrics(font);
    const QRectF first(tag.box.left(), tag.box.top() + kTagHeight / 2, tag.box.width(), metrics.height());
    const QRectF square(std::round(first.left() + kTextPadding),
                        std::round(first.center().y() - kLegendSquare / 2), kLegendSquare, kLegendSquare);
    switch (tag.kind) {
        case WallsTag::Kind::wall: painter.fillRect(square, theme.of(tag.wall)); break;
        case WallsTag::Kind::does_not_fit: fill_hatch(painter, square, theme, 3, 1.2); break;
        case WallsTag::Kind::nothing:
            painter.setPen(QPen(theme.border, 1));
            painter.drawRect(square.adjusted(0.5, 0.5, -0.5, -0.5));
            break;
    }
    for (qsizetype i = 0; i < lines.size(); ++i) {
        draw_text(painter,
                  {std::round(square.right() + kTextPadding),
                   baseline(first.translated(0, static_cast<double>(i) * metrics.height()), font)},
                  lines[i], font, theme.text);
    }
}

QSizeF size_of_point_tag(const QString& text, const QFont& font) {
    const QFontMetricsF metrics(font);
    return {metrics.horizontalAdvance(text) + 2 * kTextPadding, metrics.height() + kTagHeight};
}

void draw_point_tag(QPainter& painter, const QRectF& box, const QString& text, const QColor& ground,
                    const QColor& ink, const QFont& font) {
    draw_plate(painter, box, ground);
    draw_text(painter, {std::round(box.left() + kTextPadding), baseline(box, font)}, text, font, ink);
}

}  // namespace shardscope
