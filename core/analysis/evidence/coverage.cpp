#include "evidence/coverage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "evidence/runs.h"
#include "parameters/parameter.h"
#include "system/embedded.h"
#include "text/encode.h"

namespace shardscope {
namespace {

constexpr const char* kFile = "runs/coverage.json";

struct MeasuredPosition {
    NearestRun run;  // without the distance
    RunCoordinates at{};
    bool repeated = false;  // a run of another family before it has the same coordinates
};

// What the file contains.
struct MeasuredPositions {
    std::vector<MeasuredPosition> runs;
    std::vector<RunCoordinates> places;  // the different coordinates, sorted
    std::vector<std::size_t> shared;  // how many of its first coordinates a place shares with the one before
    Coverage coverage;
};

// Returns the place of the coordinate that is this parameter's own value or presence.
std::size_t coordinate_of(P id) {
    const auto found = std::ranges::find_if(
        kCoordinates, [id](const Coordinate& axis) { return axis.id == id && !axis.of; });
    return static_cast<std::size_t>(found - kCoordinates.begin());
}

std::string column_of(const Coordinate& axis) {
    return std::string(axis.name.empty() ? field_of(axis.id) : axis.name);
}

// Returns the value as the file has it.
double written_value(const Coordinate& axis, const Settings& settings) {
    return axis.of ? axis.of(settings) : settings[axis.id];
}

double value_on(const Coordinate& axis, double value) {
    if (value == kDoesNotApply) return value;
    switch (axis.kind) {
        case CoordinateKind::size: return std::log2(std::max(value, 1.0));
        case CoordinateKind::share:
        case CoordinateKind::choice: return value;
        case CoordinateKind::presence: return value > 0 ? 1 : 0;
    }
    return value;
}

const MeasuredPositions& measured_positions() {
    static const MeasuredPositions found = [] {
        MeasuredPositions out;
        std::set<RunCoordinates> seen;
        for (const EmbeddedFile& file : embedded_files()) {
            if (file.path != kFile) continue;
            const nlohmann::json read = nlohmann::json::parse(file.text);
            out.coverage.parameters = read.at("parameters").get<double>();
            // A coordinate that is new has no column before `./dev calibrate` writes the file again.
            const auto columns = read.at("columns").get<std::vector<std::string>>();
            std::array<std::size_t, kCoordinates.size()> column{};
            for (std::size_t i = 0; i < column.size(); ++i) {
                column[i] = static_cast<std::size_t>(std::ranges::find(columns, column_of(kCoordinates[i])) -
                                                     columns.begin());
            }
            for (const nlohmann::json& row : read.at("runs")) {
                MeasuredPosition place;
                place.run.id = row.at(0).get<std::string>();
                place.run.model = row.at(1).get<std::string>();
                place.run.gpu = row.at(2).get<std::string>();
                place.run.software = row.at(3).get<std::string>();
                place.run.gpus = row.at(column[coordinate_of(P::gpus)]).get<double>();
                out.coverage.gpus.insert(place.run.gpu);
                out.coverage.software.insert(place.run.software);
                for (std::size_t i = 0; i < place.at.size(); ++i) {
                    const double value =
                        column[i] < row.size() ? row[column[i]].get<double>() : kDoesNotApply;
                    place.at[i] = value_on(kCoordinates[i], value);
                    out.coverage.largest[i] = std::max(out.coverage.largest[i], place.at[i]);
                }
                place.repeated = !seen.insert(place.at).second;
                out.runs.push_back(std::move(place));
            }
        }
        out.places.assign(seen.begin(), seen.end());
        const RunCoordinates* before = nullptr;
        for (const RunCoordinates& place : out.places) {
            const auto differ = before ? std::ranges::mismatch(place, *before).in1 : place.begin();
            out.shared.push_back(static_cast<std::size_t>(differ - place.begin()));
            before = &place;
        }
        return out;
    }();
    return found;
}

// Returns the part that coordinate `i` adds to the weighted sum of the differences.
double weighted_difference(std::size_t i, const RunCoordinates& a, const RunCoordinates& b) {
    const Coordinate& axis = kCoordinates[i];
    if (a[i] == kDoesNotApply || b[i] == kDoesNotApply) return 0;
    const double difference = std::fabs(a[i] - b[i]);
    const bool is_number = axis.kind == CoordinateKind::size || axis.kind == CoordinateKind::share;
    if (is_number) return axis.weight * difference;
    return difference > 0 ? axis.weight : 0;
}

double weighted_sum(const RunCoordinates& a, const RunCoordinates& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += weighted_difference(i, a, b);
    return sum;
}

// Sorted places share their first coordinates with their neighbours. The sum over these is computed once, and
// where it is already too large, all places that share them are skipped.
struct NearestPlace {
    std::size_t index = 0;
    double sum = 0;  // the weighted sum of the differences
};
NearestPlace nearest_place(const RunCoordinates& here) {
    const MeasuredPositions& measured = measured_positions();
    const std::vector<RunCoordinates>& places = measured.places;
    // The nearest place of a similar scenario comes first, so that most others are skipped early.
    thread_local std::size_t nearest_before = 0;
    NearestPlace nearest{nearest_before, weighted_sum(here, places[nearest_before])};
    std::array<double, kCoordinates.size() + 1> sums{};  // [k]: over the first k coordinates of a place
    std::size_t summed = 1;  // coordinates of the last compared place; their sum is not less than the least
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (measured.shared[i] >= summed) continue;
        summed = measured.shared[i];
        for (; summed < here.size() && sums[summed] < nearest.sum; ++summed)
            sums[summed + 1] = sums[summed] + weighted_difference(summed, here, places[i]);
        if (sums[summed] < nearest.sum) nearest = {i, sums[summed]};
    }
    nearest_before = nearest.index;
    return nearest;
}

double distance_of(double sum) { return -std::expm1(-sum); }

}  // namespace

RunCoordinates coordinates_of(const Settings& settings) {
    RunCoordinates out;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = value_on(kCoordinates[i], written_value(kCoordinates[i], settings));
    return out;
}

double distance_between(const RunCoordinates& a, const RunCoordinates& b) {
    return distance_of(weighted_sum(a, b));
}

std::vector<NearestRun> nearest_runs(const Settings& settings, std::size_t most) {
    std::vector<NearestRun> out;
    if (settings.listed()) return out;
    const RunCoordinates here = coordinates_of(settings);
    std::vector<std::pair<double, const NearestRun*>> order;
    for (const MeasuredPosition& measured : measured_positions().runs) {
        if (!measured.repeated) order.emplace_back(distance_between(here, measured.at), &measured.run);
    }
    most = std::min(most, order.size());
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(most), {},
                              &std::pair<double, const NearestRun*>::first);
    for (std::size_t i = 0; i < most; ++i) {
        out.push_back(*order[i].second);
        out.back().distance = order[i].first;
    }
    return out;
}

double distance_to_runs(const Settings& settings) {
    if (settings.listed() || measured_positions().places.empty()) return 1;
    return distance_of(nearest_place(coordinates_of(settings)).sum);
}

std::optional<LargestDifference> largest_difference(const Settings& settings) {
    const std::vector<RunCoordinates>& places = measured_positions().places;
    if (settings.listed() || places.empty()) return {};
    const RunCoordinates here = coordinates_of(settings);
    const RunCoordinates& there = places[nearest_place(here).index];
    RunCoordinates parts;
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = weighted_difference(i, here, there);
    const auto largest = std::ranges::max_element(parts);
    if (*largest <= 0) return {};
    const auto i = static_cast<std::size_t>(largest - parts.begin());
    const Coordinate& axis = kCoordinates[i];
    const auto unlogged = [&](double value) {
        return axis.kind == CoordinateKind::size ? std::exp2(value) : value;
    };
    const bool measured =
        std::ranges::any_of(places, [&](const RunCoordinates& place) { return place[i] == here[i]; });
    return LargestDifference{&axis, unlogged(here[i]), unlogged(there[i]), measured};
}

bool Coverage::has(P presence) const { return largest[coordinate_of(presence)] > 0; }
double Coverage::largest_of(P size) const { return std::exp2(largest[coordinate_of(size)]); }
const Coverage& coverage() { return measured_positions().coverage; }

std::set<std::string> families_with(const std::string& gpu, const Settings& settings,
                                    std::span<const P> same) {
    std::set<std::string> out;
    const RunCoordinates here = coordinates_of(settings);
    for (const MeasuredPosition& measured : measured_positions().runs) {
        const bool alike = std::ranges::all_of(same, [&](P id) {
            constexpr double kRounding = 1e-6;
            const std::size_t i = coordinate_of(id);
            return std::fabs(here[i] - measured.at[i]) < kRounding;
        });
        if (alike && (gpu.empty() || measured.run.gpu == gpu))
            out.insert(measured.run.id.substr(0, measured.run.id.rfind('-')));
    }
    return out;
}

std::string measured_coverage() {
    double parameters = 0;
    std::set<std::pair<std::string, RunCoordinates>> seen;  // by family
    std::string rows;
    for (const PublicRun& measured : public_runs()) {
        if (!measured.run->has_good_time()) continue;
        const Settings& s = measured.settings;
        parameters = std::max(parameters, measured.parameters);
        if (!seen.emplace(measured.run->family, coordinates_of(s)).second) continue;
        nlohmann::ordered_json row{measured.run->id, measured.run->model, measured.run->gpu,
                                   written(P::software, s[P::software])};
        for (const Coordinate& axis : kCoordinates) {
            const double value = written_value(axis, s);
            // Whole numbers without a fraction keep the file small.
            constexpr double kMostExact = 1e15;
            if (value == std::floor(value) && std::fabs(value) < kMostExact)
                row.push_back(static_cast<std::int64_t>(value));
            else row.push_back(value);
        }
        rows += (rows.empty() ? "" : ",\n") + json_text(row);
    }
    nlohmann::ordered_json columns{"id", "model", "gpu", "stack"};
    for (const Coordinate& axis : kCoordinates) columns.push_back(column_of(axis));
    return "{\"parameters\":" + exact(parameters) + ",\n\"columns\":" + json_text(columns) +
           ",\n\"runs\":[\n" + rows + "\n]}\n";
}

}  // namespace shardscope
