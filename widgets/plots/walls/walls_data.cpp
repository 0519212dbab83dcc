#include "widgets/plots/walls/walls_data.h"

#include <algorithm>
#include <cmath>

#include "containers/no_value.h"
#include "text/text.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr std::array kLevels{0.1, 0.2, 0.3, 0.4, 0.5};
// The width of the jump between the bands of two discrete values, as a fraction of a band.
constexpr double kJump = 1e-3;

// Gives cells without a value the mean of their neighbours, ring by ring, so that colours extend under the
// edges.
void spread(Field& field, std::size_t columns) {
    const auto n = static_cast<std::ptrdiff_t>(field.size());
    const auto width = static_cast<std::ptrdiff_t>(columns);
    for (bool changed = true; changed;) {
        changed = false;
        const Field before = field;
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            if (!std::isnan(before[static_cast<std::size_t>(i)])) continue;
            double sum = 0;
            int count = 0;
            const auto add = [&](std::ptrdiff_t other) {
                const double value = before[static_cast<std::size_t>(other)];
                if (std::isnan(value)) return;
                sum += value;
                ++count;
            };
            if (i % width > 0) add(i - 1);
            if (i % width < width - 1) add(i + 1);
            if (i >= width) add(i - width);
            if (i < n - width) add(i + width);
            if (count == 0) continue;
            field[static_cast<std::size_t>(i)] = sum / count;
            changed = true;
        }
    }
    std::ranges::replace_if(
        field, [](double value) { return std::isnan(value); }, 0.0);
}

template <typename Get>
Field field_of(const WallsData& data, const Get& get) {
    Field out;
    out.reserve(data.grid.size());
    for (std::size_t j = 0; j < data.grid.v.size(); ++j) {
        for (std::size_t i = 0; i < data.grid.u.size(); ++i) {
            const MapCell& cell = data.map.at(data.x.index_of(i), data.y.index_of(j));
            out.push_back(cell.valid ? get(cell) : kNoValue);
        }
    }
    spread(out, data.grid.columns());
    return out;
}

// Returns by how much the elasticity of one rate is above the largest of the others.
Field lead_of(const std::vector<Field>& rates, Rate rate) {
    const auto own = static_cast<std::size_t>(rate);
    Field out = rates[own];
    for (std::size_t i = 0; i < out.size(); ++i) {
        double others = 0;
        for (std::size_t k = 0; k < rates.size(); ++k) {
            if (k != own) others = std::max(others, rates[k][i]);
        }
        out[i] -= others;
    }
    return out;
}

void draw_lines(WallsData& data) {
    std::vector<Field> shown{data.exists};
    if (!data.hypothetical) shown.push_back(data.spare);
    for (const double level : kLevels) {
        Field above = data.mfu;
        for (double& value : above) value -= level;
        if (QList<QPolygonF> lines = level_lines(data.grid, above, shown); !lines.isEmpty())
            data.contours.append({level, std::move(lines)});
    }
    const std::vector<Field> rates(data.elasticity.begin(), data.elasticity.end());
    data.edges = borders(data.grid, rates, {data.exists, data.spare});
    data.edges += level_lines(data.grid, data.links_over_host_link,
                              {data.exists, data.spare, lead_of(rates, Rate::intra_node)});
    // Remove islands that are thinner than the resolution of the grid.
    data.edges.removeIf([&](const QPolygonF& line) {
        const QRectF box = line.boundingRect();
        constexpr double kCells = 2;
        return line.first() == line.last() &&
               (box.width() < kCells / static_cast<double>(data.grid.u.size()) ||
                box.height() < kCells / static_cast<double>(data.grid.v.size()));
    });
    // Where compute begins to hide the network, the network's elasticity jumps, which would leave steps in
    // the lines. Discrete values, and plans that change, have real steps, so their lines are not smoothed.
    if (!data.planned && !data.x.is_discrete() && !data.y.is_discrete())
        std::ranges::transform(data.edges, data.edges.begin(), smoothed);
    data.memory_edges = level_lines(data.grid, data.spare, {data.exists});
    data.exists_edges = level_lines(data.grid, data.exists);
    Field gathers;
    for (std::size_t j = 0; j < data.grid.v.size(); ++j) {
        for (std::size_t i = 0; i < data.grid.u.size(); ++i)
            gathers.push_back(data.map.at(data.x.index_of(i), data.y.index_of(j)).ideal_cover > 0 ? 1 : -1);
    }
    data.threshold = level_lines(data.grid, data.cover, {data.exists, data.spare, gathers});
}

}  // namespace

WallsScale::WallsScale(const Axis& axis, const Settings& settings)
    : axis_(axis), apart_(axis.values.size() < 2 || map_axis_is_discrete(axis.id, settings)) {
    const auto count = static_cast<double>(axis.values.size());
    if (apart_) {
        for (std::size_t i = 0; i < axis.values.size(); ++i) {
            const auto at = static_cast<double>(i);
            nodes_.push_back(i == 0 ? 0 : (at + kJump / 2) / count);
            nodes_.push_back(i + 1 == axis.values.size() ? 1 : (at + 1 - kJump / 2) / count);
        }
        return;
    }
    // The values may be in any order; the frame needs them in ascending order.
    std::ranges::sort(axis_.values);
    logarithmic_ = parameter(axis.id).logarithmic && axis_.values.front() > 0;
    for (const double value : axis_.values) nodes_.push_back(place_of(value));
}

double WallsScale::place_of(double value) const {
    const std::vector<double>& values = axis_.values;
    if (apart_) {
        const auto found = std::ranges::find(values, value);
        if (found == values.end()) return kNoValue;
        return (static_cast<double>(found - values.begin()) + 0.5) / static_cast<double>(values.size());
    }
    const double low = values.front();
    const double high = values.back();
    return logarithmic_ ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

double WallsScale::value_at(double place) const {
    const std::vector<double>& values = axis_.values;
    if (apart_) {
        const double at = std::floor(place * static_cast<double>(values.size()));
        return values[static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(values.size() - 1)))];
    }
    place = std::clamp(place, 0.0, 1.0);
    const double low = values.front();
    const double high = values.back();
    return logarithmic_ ? low * std::pow(high / low, place) : low + (high - low) * place;
}

double WallsData::shown_mfu(const GridPlace& place) const {
    if (value_at(grid, exists, place) < 0) return kNoValue;
    if (!hypothetical && value_at(grid, spare, place) < 0) return kNoValue;
    return value_at(grid, mfu, place);
}

double WallsData::shown_mfu(const MapCell& cell) const {
    return cell.fits() || (cell.valid && hypothetical) ? cell.mfu : kNoValue;
}

double WallsData::highest_mfu() const {
    double out = 0;
    for (const MapCell& cell : map.cells) out = std::fmax(out, shown_mfu(cell));
    return out;
}

WallsData walls_data(const WallsRequest& request, unsigned threads, const std::stop_token& stop) {
    const Settings settings = resolve(request.scenario);
    return walls_data(request, wall_map(request.scenario, WallsScale(request.x, settings).axis(),
                                        WallsScale(request.y, settings).axis(), threads, stop));
}

WallsData walls_data(const WallsRequest& request, WallMap map) {
    WallsData out;
    const Settings settings = resolve(request.scenario);
    out.x = WallsScale(map.x, settings);
    out.y = WallsScale(map.y, settings);
    out.map = std::move(map);
    out.planned = request.planned;
    out.hypothetical = request.hypothetical;
    out.capacity = request.capacity;
    if (out.empty()) return out;
    out.grid = {out.x.nodes(), out.y.nodes()};
    out.mfu = field_of(out, [](const MapCell& cell) { return cell.mfu; });
    out.spare = field_of(out, [](const MapCell& cell) { return -std::log(cell.memory_share); });
    out.cover = field_of(out, [](const MapCell& cell) {
        return cell.ideal_cover > 0 ? std::log(cell.ideal_cover) : kNoValue;
    });
    for (std::size_t rate = 0; rate < kRates; ++rate)
        out.elasticity[rate] = field_of(out, [&](const MapCell& cell) { return cell.elasticity[rate]; });
    out.links_over_host_link = field_of(out, [](const MapCell& cell) { return cell.links_over_host_link; });
    for (std::size_t j = 0; j < out.grid.v.size(); ++j) {
        for (std::size_t i = 0; i < out.grid.u.size(); ++i)
            out.exists.push_back(out.map.at(out.x.index_of(i), out.y.index_of(j)).valid ? 1 : -1);
    }
    draw_lines(out);
    return out;
}

WallsPoint walls_point(const Answer& answer, P x, P y) {
    return {answer.settings[x], answer.settings[y], map_cell(answer, answer.valid())};
}

namespace {

WallsProfile profile(const WallsData& data, const WallsPoint& point, bool along_x) {
    WallsProfile out;
    if (data.empty()) return out;
    const double x = data.x.place_of(point.x);
    const double y = data.y.place_of(point.y);
    const double here = along_x ? x : y;
    const double across = along_x ? y : x;
    if (std::isnan(across)) return out;
    const auto at = [&](double place) {
        return along_x ? place_on(data.grid, place, across) : place_on(data.grid, across, place);
    };
    const auto add = [&](double place, double mfu, bool fits) {
        out.place.push_back(place);
        out.mfu.push_back(mfu);
        out.fits.push_back(fits);
    };
    const auto fits_at = [&](double place) {
        const GridPlace on = at(place);
        return value_at(data.grid, data.exists, on) >= 0 && value_at(data.grid, data.spare, on) >= 0;
    };
    double before = kNoValue;
    const auto go_to = [&](double place) {
        const bool fits = fits_at(place);
        if (!std::isnan(before) && fits_at(before) != fits) {
            // The profile changes exactly at the map's border, which is found by bisection.
            double in = fits ? place : before;
            double out_of = fits ? before : place;
            constexpr int kHalvings = 12;
            for (int i = 0; i < kHalvings; ++i) {
                const double middle = (in + out_of) / 2;
                (fits_at(middle) ? in : out_of) = middle;
            }
            if (fits) add(in, data.shown_mfu(at(out_of)), false);
            add(in, data.shown_mfu(at(in)), true);
            if (!fits) add(in, data.shown_mfu(at(out_of)), false);
        }
        before = place;
    };
    bool added = std::isnan(here);
    for (const double node : along_x ? data.grid.u : data.grid.v) {
        if (!added && here <= node) {
            go_to(here);
            add(here, data.shown_mfu(point.cell), point.cell.fits());
            added = true;
            if (here == node) continue;
        }
        go_to(node);
        add(node, data.shown_mfu(at(node)), fits_at(node));
    }
    return out;
}

}  // namespace

WallsProfile profile_along_x(const WallsData& data, const WallsPoint& point) {
    return profile(data, point, true);
}
WallsProfile profile_along_y(const WallsData& data, const WallsPoint& point) {
    return profile(data, point, false);
}

const std::vector<P>& walls_inputs() {
    static const std::vector<P> inputs = [] {
        std::vector<P> out;
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            const Parameter& row = parameter(id);
            const bool choice = row.named_only && row.prominence != Prominence::row;
            if (row.prominence != Prominence::file && !choice && id != P::software) out.push_back(id);
        }
        return out;
    }();
    return inputs;
}

bool needs_replanning(const Scenario& scenario) { return scenario.automatic.any(); }

// ---- table and text --------------------------------------------------------------------------------------

PlotTable walls_table(const WallsData& data) {
    PlotTable out;
    const auto header = [](std::string_view name, const std::string& unit) {
        return std::string(name) + "[" + unit + "]";
    };
    const auto axis_header = [&](P id) {
        const Parameter& row = parameter(id);
        return row.named_only ? std::string(row.key) : header(row.key, plot_unit(row.quantity).symbol);
    };
    const auto axis_value = [](P id, double value) {
        const Parameter& row = parameter(id);
        return is_named(row, value) ? written(id, value)
                                    : exact_or_empty(value / plot_unit(row.quantity).factor);
    };
    const double gib = plot_unit(Quantity::bytes).factor;
    const double percent = plot_unit(Quantity::percent).factor;
    out.columns = {axis_header(data.x.id()),
                   axis_header(data.y.id()),
                   "plan",
                   "verdict",
                   "wall",
                   header("mfu", "%"),
                   header("tokens_per_s_per_gpu", "1/s"),
                   header("peak_memory", "GiB"),
                   header("ideal_cover", "1")};
    for (std::size_t rate = 0; rate < kRates; ++rate)
        out.columns.push_back(header("elasticity_" + std::string(name_of(static_cast<Rate>(rate))), "1"));
    for (std::size_t iy = 0; iy < data.map.y.values.size(); ++iy) {
        for (std::size_t ix = 0; ix < data.map.x.values.size(); ++ix) {
            const MapCell& cell = data.map.at(ix, iy);
            const char* const plan = !data.planned              ? "held"
                                     : cell.uses_neighbour_plan ? "neighbour's"
                                                                : "re-planned";
            std::vector<std::string> row{axis_value(data.x.id(), data.map.x.values[ix]),
                                         axis_value(data.y.id(), data.map.y.values[iy]), plan};
            if (!cell.valid) {
                row.emplace_back("invalid");
                row.resize(out.columns.size());
                out.rows.push_back(std::move(row));
                continue;
            }
            const bool shows = !std::isnan(data.shown_mfu(cell));
            row.emplace_back(name_of(cell.verdict));
            row.push_back(wall_cell(cell.wall));
            row.push_back(exact_or_empty(data.shown_mfu(cell) / percent));
            row.push_back(exact_or_empty(shows ? cell.tokens_per_s_per_gpu : kNoValue));
            row.push_back(exact_or_empty(cell.peak_memory / gib));
            row.push_back(exact_or_empty(cell.ideal_cover > 0 ? cell.ideal_cover : kNoValue));
            for (const double share : cell.elasticity)
                row.push_back(exact_or_empty(shows ? share : kNoValue));
            out.rows.push_back(std::move(row));
        }
    }
    return out;
}

namespace {

QString plan_words(const WallsData& data) {
    if (!data.planned) return tr("Plan held: every point uses the scenario's plan.");
    if (data.map.stride == 1)
        return tr("Re-planned: the planner chooses the automatic parameters at every point.");
    return tr("Re-planned: the planner chooses the automatic parameters at every %1th value of both axes; "
              "points in between use the best of the surrounding plans.")
        .arg(data.map.stride);
}

}  // namespace

QString walls_caption(const WallsData& data) {
    QStringList out{tr("Colour and thin lines: MFU; heavy lines: where another wall binds; ring: the "
                       "scenario; above and at the right: MFU along its two arms."),
                    plan_words(data)};
    const auto any = [&](auto is) { return std::ranges::any_of(data.map.cells, is); };
    if (any([](const MapCell& cell) { return cell.valid && !cell.fits(); }))
        out += tr("Hatched: does not fit in %1.").arg(shown(data.capacity, Quantity::bytes));
    if (any([](const MapCell& cell) { return !cell.valid; }))
        out += tr("Blank: the two values cannot be combined.");
    if (!data.threshold.isEmpty()) out += tr("Dotted: tokens per GPU that ideally hide the all-gathers.");
    if (data.hypothetical) out += tr("HYPOTHETICAL: rates as if memory sufficed.");
    return out.join(QLatin1Char(' '));
}

}  // namespace shardscope
