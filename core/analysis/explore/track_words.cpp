// Describes a painted track in words, for screen readers.
#include <algorithm>
#include <cmath>
#include <utility>

#include "explore/track.h"
#include "explore/track_estimator.h"
#include "text/translate.h"

namespace shardscope {
namespace {

constexpr TrackGrain kFine{.columns = 104, .stride = 3, .halvings = 20};

void add(std::string& text, const std::string& part, const char* between) {
    if (!text.empty()) text += between;
    text += part;
}

class TrackText {
  public:
    TrackText(const Scenario& scenario, P id, const SliderScale& scale)
        : estimator_(scenario, id), id_(id), scale_(scale), track_(track(scenario, id, scale, kFine)) {}

    std::string all() {
        std::string out = mfu();
        if (track_.cells) {
            add_cells(out);
        } else {
            add_edges(out);
        }
        add_walls(out);
        return out;
    }

  private:
    [[nodiscard]] std::string text(double value) const { return format(id_, value); }

    [[nodiscard]] std::string mfu() const {
        double least = 1;
        double most = 0;
        for (const TrackPoint& point : track_.points) {
            if (!point.fits) continue;
            least = std::min(least, point.mfu);
            most = std::max(most, point.mfu);
        }
        if (least > most) return {};
        return translate("MFU {1} to {2}",
                         {format(least, Quantity::percent), format(most, Quantity::percent)});
    }

    void add_cells(std::string& out) const {
        std::string names;
        bool any = false;
        for (const TrackPoint& point : track_.points) {
            if (point.fits) {
                any = true;
            } else {
                add(names, text(point.value), ", ");
            }
        }
        if (!any) {
            add(out, translate("does not fit anywhere"), "; ");
        } else if (!names.empty()) {
            add(out, translate("does not fit with {1}", {names}), "; ");
        }
    }

    // The values just before and after the edge between two points of which one fits.
    std::pair<double, double> edge(TrackPoint a, TrackPoint b) {
        for (int step = 0; step < kFine.halvings && !scale_.is_list(); ++step) {
            const double middle = (a.place + b.place) / 2;
            const TrackPoint met = estimator_.at(scale_.value_at(middle), middle);
            (met.fits == a.fits ? a : b) = met;
        }
        return {a.value, b.value};
    }

    void add_edges(std::string& out) {
        const std::vector<TrackPoint>& points = track_.points;
        for (std::size_t from = 0; from < points.size(); ++from) {
            if (points[from].fits) continue;
            std::size_t to = from;
            while (to + 1 < points.size() && !points[to + 1].fits) ++to;
            const bool from_start = from == 0;
            const bool to_end = to + 1 == points.size();
            const std::string low = from_start ? "" : text(edge(points[from - 1], points[from]).first);
            const std::string high = to_end ? "" : text(edge(points[to], points[to + 1]).second);
            add(out,
                from_start && to_end ? translate("does not fit anywhere")
                : from_start         ? translate("does not fit below {1}", {high})
                : to_end             ? translate("does not fit above {1}", {low})
                                     : translate("does not fit between {1} and {2}", {low, high}),
                "; ");
            from = to;
        }
    }

    // Rounds a threshold to two digits in its display unit, because it is not more accurate. Whole numbers
    // stay unchanged.
    [[nodiscard]] double two_digits(double value) const {
        const Parameter& row = parameter(id_);
        if (row.whole || !(value > 0)) return value;
        const auto units = units_of(row.quantity);
        const double unit = units.empty() ? 1 : units.front().factor;
        const double digit = std::pow(10, std::floor(std::log10(value / unit)) - 1) * unit;
        return std::round(value / digit) * digit;
    }

    // The value at which a wall begins, in the direction away from the scenario's value.
    [[nodiscard]] std::string start_of(const WallChange& change, bool up) const {
        if (!scale_.is_list()) return text(two_digits(scale_.value_at(change.place)));
        const auto after = std::ranges::find_if(
            track_.points, [&](const TrackPoint& point) { return point.place > change.place; });
        return text(up ? after->value : (after - 1)->value);
    }

    void add_walls(std::string& out) const {
        const double own = scale_.fraction(estimator_.settings()[id_]);
        const std::vector<WallChange>& changes = track_.changes;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            const bool up = changes[i].place >= own;
            const Wall wall = up ? changes[i].after : changes[i].before;
            const std::string here = start_of(changes[i], up);
            const auto between = [&](const std::string& low, const std::string& high) {
                return translate("{1}-bound between {2} and {3}", {label_of(wall), low, high});
            };
            add(out,
                up && i + 1 < changes.size() ? between(here, start_of(changes[i + 1], true))
                : !up && i > 0               ? between(start_of(changes[i - 1], false), here)
                : up                         ? translate("{1}-bound above {2}", {label_of(wall), here})
                                             : translate("{1}-bound below {2}", {label_of(wall), here}),
                "; ");
        }
    }

    TrackEstimator estimator_;
    P id_;
    const SliderScale& scale_;
    Track track_;
};

}  // namespace

std::string track_words(const Scenario& scenario, P id, const SliderScale& scale) {
    return TrackText(scenario, id, scale).all();
}

}  // namespace shardscope
