#include "explore/track.h"

#include <algorithm>
#include <cmath>

#include "explore/track_estimator.h"

namespace shardscope {
namespace {

// A larger difference in MFU between two neighbours is treated as a step.
constexpr double kStep = 0.03;
// A smaller difference in MFU cannot be seen in the colour of a track.
constexpr double kUnseen = 0.001;

bool differ(const TrackPoint& a, const TrackPoint& b) {
    if (a.fits != b.fits || a.risky != b.risky) return true;
    return a.fits && (a.wall != b.wall || std::fabs(a.mfu - b.mfu) > kStep);
}

bool by_place(const TrackPoint& a, const TrackPoint& b) { return a.place < b.place; }

// Estimates a continuous track by pixel column, each at the roundest value within `rounding` of the groove's
// length, or at its own value.
class ColumnEstimates {
  public:
    ColumnEstimates(TrackEstimator& estimator, const SliderScale& scale, int columns, double own,
                    double rounding, const std::stop_token& stop)
        : estimator_(estimator),
          scale_(scale),
          rounding_(rounding),
          stop_(stop),
          at_(static_cast<std::size_t>(columns)) {
        // The scenario's value represents its column.
        if (std::isfinite(own)) {
            const double place = scale.fraction(own);
            const auto column = std::min(static_cast<std::size_t>(place * columns), at_.size() - 1);
            at_[column] = {true, estimator.present(place)};
        }
    }

    // Estimates a column of every eight strides, and between them until the points are `stride` columns apart
    // or the MFU is straight. Where neighbours differ, no column is left out.
    std::vector<TrackPoint> points(std::size_t stride) {
        const std::size_t last = at_.size() - 1;
        for (std::size_t i = 0; i <= last; i += 8 * stride) estimate_column(i);
        estimate_column(last);
        std::size_t before = 0;
        for (std::size_t i = 1; i <= last; ++i) {
            if (!at_[i].known) continue;
            refine(before, i, stride);
            before = i;
        }
        std::vector<TrackPoint> out;
        for (const Column& column : at_) {
            if (column.known) out.push_back(column.point);
        }
        return out;
    }

  private:
    struct Column {
        bool known = false;
        TrackPoint point;
    };

    const TrackPoint& estimate_column(std::size_t i) {
        Column& column = at_[i];
        if (!column.known && !stop_.stop_requested()) {
            const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(at_.size());
            const double value = rounding_ > 0 ? scale_.roundest(place, rounding_) : scale_.value_at(place);
            column = {true, estimator_.at(value, place)};
        }
        return column.point;
    }
    void refine(std::size_t from, std::size_t to, std::size_t stride) {
        const bool steps = differ(at_[from].point, at_[to].point);
        if (to - from < 2 || (to - from <= stride && !steps) || stop_.stop_requested()) return;
        const std::size_t middle = (from + to) / 2;
        estimate_column(middle);
        if (!steps && is_straight(from, middle, to)) return;
        refine(from, middle, stride);
        refine(middle, to, stride);
    }
    // Returns whether the middle column looks as if interpolated between the others.
    [[nodiscard]] bool is_straight(std::size_t from, std::size_t middle, std::size_t to) const {
        const TrackPoint& a = at_[from].point;
        const TrackPoint& b = at_[middle].point;
        const TrackPoint& c = at_[to].point;
        if (differ(a, b) || differ(b, c)) return false;
        const double along = static_cast<double>(middle - from) / static_cast<double>(to - from);
        return std::fabs(b.mfu - (a.mfu + (c.mfu - a.mfu) * along)) < kUnseen;
    }

    TrackEstimator& estimator_;
    const SliderScale& scale_;
    double rounding_;
    const std::stop_token& stop_;
    std::vector<Column> at_;
};

std::vector<TrackPoint> list_points(TrackEstimator& estimator, const SliderScale& scale, double own,
                                    const std::stop_token& stop) {
    std::vector<TrackPoint> out;
    for (const double value : scale.stops()) {
        if (stop.stop_requested()) return out;
        out.push_back(estimator.at(value, scale.fraction(value)));
    }
    // A typed value may lie between the stops, but there is no cell for it.
    if (!scale.has_cells() && std::isfinite(own) &&
        std::ranges::find(scale.stops(), own) == scale.stops().end()) {
        const TrackPoint present = estimator.present(scale.fraction(own));
        out.insert(std::ranges::upper_bound(out, present, by_place), present);
    }
    return out;
}

// One column for each pixel. It fits if the nearest point does; its MFU is interpolated between two points
// that fit.
std::vector<TrackColumn> columns_of(const std::vector<TrackPoint>& points, int count) {
    std::vector<TrackColumn> out(static_cast<std::size_t>(count));
    std::size_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double place = (static_cast<double>(i) + 0.5) / count;
        while (next < points.size() && points[next].place < place) ++next;
        const TrackPoint& left = points[next > 0 ? next - 1 : 0];
        const TrackPoint& right = points[std::min(next, points.size() - 1)];
        const double gap = right.place - left.place;
        const double along = gap > 0 ? (place - left.place) / gap : 0;
        const TrackPoint& nearest = along < 0.5 ? left : right;
        out[i] = {nearest.fits, nearest.mfu, nearest.risky};
        if (left.fits && right.fits) out[i].mfu = left.mfu + (right.mfu - left.mfu) * along;
    }
    return out;
}

// The wall of each point, with balanced ones assigned: a balanced point gets the wall of its neighbour on the
// side of the scenario's value. So a wall begins where it takes over, as in the headline's sentence.
std::vector<Wall> assigned_walls(const std::vector<TrackPoint>& points, std::size_t own) {
    std::vector<Wall> walls(points.size());
    std::ranges::transform(points, walls.begin(), &TrackPoint::wall);
    const auto take_over = [&](std::size_t i, std::size_t from) {
        if (walls[i] == Wall::balanced && points[i].fits && points[from].fits) walls[i] = walls[from];
    };
    for (std::size_t i = own; i-- > 0 && walls[own] == Wall::balanced && points[i].fits;)
        walls[own] = points[i].wall;
    for (std::size_t i = own + 1; i < points.size(); ++i) take_over(i, i - 1);
    for (std::size_t i = own; i-- > 0;) take_over(i, i + 1);
    return walls;
}

std::size_t nearest_to(const std::vector<TrackPoint>& points, double place) {
    const auto found = std::ranges::min_element(
        points, {}, [&](const TrackPoint& point) { return std::fabs(point.place - place); });
    return static_cast<std::size_t>(found - points.begin());
}

}  // namespace

namespace {

// The rounding of a track's values. The plans of a model depend on the divisors of its shape: 129 heads have
// no tensor parallelism, and 128 heads have any. A re-planned track of a shape has round values, because it
// would alternate between plans from one pixel to the next.
double rounding_of(const Scenario& scenario, P id, const TrackGrain& grain) {
    const bool rounds =
        scenario.automatic.any() && parameter(id).group == Group::model && parameter(id).whole;
    return rounds ? 0.5 * grain.stride / grain.columns : 0;
}

}  // namespace

Track track(const Scenario& scenario, P id, const SliderScale& scale, TrackGrain grain,
            const std::stop_token& stop) {
    TrackEstimator estimator(scenario, id, stop);
    if (grain.few_plans) estimator.keep_plans_of({scale.low(), scale.high()});
    const double own = estimator.settings()[id];
    Track out;
    out.cells = scale.has_cells();
    out.points = scale.is_list() ? list_points(estimator, scale, own, stop)
                                 : ColumnEstimates(estimator, scale, grain.columns, own,
                                                   rounding_of(scenario, id, grain), stop)
                                       .points(static_cast<std::size_t>(grain.stride));
    if (stop.stop_requested() || out.points.empty()) return out;
    if (out.cells) {
        for (const TrackPoint& point : out.points)
            out.columns.push_back({point.fits, point.mfu, point.risky});
    } else {
        out.columns = columns_of(out.points, grain.columns);
    }

    // A choice has no values between which the wall could change.
    if (out.cells && !parameter(id).names.empty()) return out;
    const std::size_t present = nearest_to(out.points, scale.fraction(own));
    const std::vector<Wall> walls = assigned_walls(out.points, present);
    for (std::size_t i = 0; i + 1 < out.points.size(); ++i) {
        const TrackPoint& a = out.points[i];
        const TrackPoint& b = out.points[i + 1];
        const bool change = a.fits && b.fits && walls[i] != walls[i + 1] && walls[i] != Wall::balanced &&
                            walls[i + 1] != Wall::balanced;
        if (!change) continue;
        double left = a.place;
        double right = b.place;
        for (int step = 0; step < grain.halvings && !scale.is_list() && !stop.stop_requested(); ++step) {
            const double middle = (left + right) / 2;
            const TrackPoint met = estimator.at(scale.value_at(middle), middle);
            const bool on_left =
                met.fits && (met.wall == walls[i] || (met.wall == Wall::balanced && i >= present));
            (on_left ? left : right) = middle;
        }
        out.changes.push_back({(left + right) / 2, walls[i], walls[i + 1]});
    }
    return out;
}

}  // namespace shardscope
