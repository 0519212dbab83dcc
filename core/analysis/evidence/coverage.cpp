#include "evidence/coverage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
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
};

// What the file contains.
struct MeasuredPositions {
    std::vector<MeasuredPosition> runs;
    // One run for each set of coordinates, sorted by them: the first of the file.
    std::vector<const MeasuredPosition*> places;
    std::vector<std::size_t> shared;  // how many first coordinates of a place equal those of the place before
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
                out.runs.push_back(std::move(place));
            }
        }
        std::map<RunCoordinates, const MeasuredPosition*> sorted;
        for (const MeasuredPosition& place : out.runs) sorted.emplace(place.at, &place);
        const RunCoordinates* before = nullptr;
        for (const auto& [at, place] : sorted) {
            const auto differ = before ? std::ranges::mismatch(at, *before).in1 : at.begin();
            out.places.push_back(place);
            out.shared.push_back(static_cast<std::size_t>(differ - at.begin()));
            before = &at;
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

constexpr double kAnySum = std::numeric_limits<double>::infinity();

// Calls `visit(i, sum)` for each place whose weighted sum of differences is below `limit`. `visit` returns
// the new limit, which must not be larger. The sum over the coordinates that a place shares with the one
// before is computed once. If it reaches the limit, all places that share these coordinates are skipped.
template <typename Visit>
void visit_nearer(const RunCoordinates& here, double limit, const Visit& visit) {
    const MeasuredPositions& measured = measured_positions();
    std::array<double, kCoordinates.size() + 1> sums{};  // [k]: over the first k coordinates of a place
    // How many coordinates of the last place are summed; 1 at first, so that the first place is not skipped.
    std::size_t summed = 1;
    for (std::size_t i = 0; i < measured.places.size(); ++i) {
        if (measured.shared[i] >= summed) continue;
        summed = measured.shared[i];
        for (; summed < here.size() && sums[summed] < limit; ++summed)
            sums[summed + 1] = sums[summed] + weighted_difference(summed, here, measured.places[i]->at);
        if (sums[summed] < limit) limit = visit(i, sums[summed]);
    }
}

struct NearestPlace {
    std::size_t index = 0;
    double sum = 0;  // the weighted sum of the differences
};
NearestPlace nearest_place(const RunCoordinates& here) {
    // The search starts with the place that the last call found, because successive scenarios are similar.
    thread_local std::size_t nearest_before = 0;
    NearestPlace nearest{nearest_before, weighted_sum(here, measured_positions().places[nearest_before]->at)};
    // Of places at the same distance the first one is found, whatever the last call found.
    visit_nearer(here, std::nextafter(nearest.sum, kAnySum), [&](std::size_t i, double sum) {
        nearest = {i, sum};
        return sum;
    });
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
    if (settings.listed() || most == 0) return out;
    std::vector<NearestPlace> nearest;  // the nearest one first
    visit_nearer(coordinates_of(settings), kAnySum, [&](std::size_t i, double sum) {
        if (nearest.size() == most) nearest.pop_back();
        nearest.insert(std::ranges::upper_bound(nearest, sum, {}, &NearestPlace::sum), {i, sum});
        return nearest.size() < most ? kAnySum : nearest.back().sum;
    });
    for (const auto& [i, sum] : nearest) {
        out.push_back(measured_positions().places[i]->run);
        out.back().distance = distance_of(sum);
    }
    return out;
}

double distance_to_runs(const Settings& settings) {
    if (settings.listed() || measured_positions().places.empty()) return 1;
    return distance_of(nearest_place(coordinates_of(settings)).sum);
}

std::optional<LargestDifference> largest_difference(const Settings& settings) {
    const MeasuredPositions& measured = measured_positions();
    if (settings.listed() || measured.places.empty()) return {};
    const RunCoordinates here = coordinates_of(settings);
    const RunCoordinates& there = measured.places[nearest_place(here).index]->at;
    RunCoordinates parts;
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = weighted_difference(i, here, there);
    const auto largest = std::ranges::max_element(parts);
    if (*largest <= 0) return {};
    const auto i = static_cast<std::size_t>(largest - parts.begin());
    const Coordinate& axis = kCoordinates[i];
    const auto unlogged = [&](double value) {
        return axis.kind == CoordinateKind::size ? std::exp2(value) : value;
    };
    const bool was_measured =
        std::ranges::any_of(measured.runs, [&](const MeasuredPosition& run) { return run.at[i] == here[i]; });
    return LargestDifference{&axis, unlogged(here[i]), unlogged(there[i]), was_measured};
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
