#include "evidence/coverage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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
    // The different coordinates, sorted, and the end of each group of them that are equal in the first ones.
    std::vector<RunCoordinates> places;
    std::vector<std::size_t> group_ends;
    Coverage coverage;
};

// Coordinates that are compared first: stack, memory and peak of the GPU. Most runs are on other machines or
// stacks.
constexpr std::size_t kFirst = 3;

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
        for (std::size_t i = 1; i <= out.places.size(); ++i) {
            if (i == out.places.size() ||
                !std::equal(out.places[i].begin(), out.places[i].begin() + kFirst, out.places[i - 1].begin()))
                out.group_ends.push_back(i);
        }
        return out;
    }();
    return found;
}

template <std::size_t I>
double weighted_difference(const RunCoordinates& a, const RunCoordinates& b) {
    constexpr const Coordinate& axis = kCoordinates[I];
    if constexpr (axis.weight == 0) return 0;
    if (a[I] == kDoesNotApply || b[I] == kDoesNotApply) return 0;
    const double difference = std::fabs(a[I] - b[I]);
    constexpr bool is_number = axis.kind == CoordinateKind::size || axis.kind == CoordinateKind::share;
    if constexpr (is_number) return axis.weight * difference;
    else return difference > 0 ? axis.weight : 0;
}

template <std::size_t First, std::size_t... I>
double add_differences(double sum, const RunCoordinates& a, const RunCoordinates& b,
                       std::index_sequence<I...>) {
    return (sum + ... + weighted_difference<First + I>(a, b));
}

double sum_of_first(const RunCoordinates& a, const RunCoordinates& b) {
    return add_differences<0>(0, a, b, std::make_index_sequence<kFirst>());
}

// Adds the differences of the other coordinates, from `First` on, to those of the first. Returns the weighted
// sum of all, or any larger value than `most` once it exceeds that.
template <std::size_t First = kFirst>
double weighted_sum(double sum, const RunCoordinates& a, const RunCoordinates& b, double most) {
    constexpr std::size_t kAtOnce = std::min<std::size_t>(8, kCoordinates.size() - First);
    sum = add_differences<First>(sum, a, b, std::make_index_sequence<kAtOnce>());
    if constexpr (First + kAtOnce == kCoordinates.size()) return sum;
    else return sum > most ? sum : weighted_sum<First + kAtOnce>(sum, a, b, most);
}

// Returns the part that every coordinate adds to the weighted sum.
template <std::size_t... I>
RunCoordinates differences_of(const RunCoordinates& a, const RunCoordinates& b, std::index_sequence<I...>) {
    return {weighted_difference<I>(a, b)...};
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
    return distance_of(weighted_sum(sum_of_first(a, b), a, b, std::numeric_limits<double>::infinity()));
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
    if (settings.listed()) return 1;
    const RunCoordinates here = coordinates_of(settings);
    const MeasuredPositions& measured = measured_positions();
    const std::vector<RunCoordinates>& places = measured.places;
    if (places.empty()) return 1;
    // The nearest place of a similar scenario comes first, so that the sums of most others end early.
    thread_local std::size_t nearest_before = 0;
    constexpr double kAny = std::numeric_limits<double>::infinity();
    const RunCoordinates& likely = places[nearest_before];
    double nearest = weighted_sum(sum_of_first(here, likely), here, likely, kAny);
    std::size_t i = 0;
    for (const std::size_t end : measured.group_ends) {
        const double first = sum_of_first(here, places[i]);
        for (i = first < nearest ? i : end; i < end; ++i) {
            const double sum = weighted_sum(first, here, places[i], nearest);
            if (sum >= nearest) continue;
            nearest = sum;
            nearest_before = i;
        }
    }
    return distance_of(nearest);
}

std::optional<LargestDifference> largest_difference(const Settings& settings) {
    const std::vector<RunCoordinates>& places = measured_positions().places;
    if (settings.listed() || places.empty()) return {};
    const RunCoordinates here = coordinates_of(settings);
    const RunCoordinates* nearest = &places.front();
    double least = std::numeric_limits<double>::infinity();
    for (const RunCoordinates& place : places) {
        const double sum = weighted_sum(sum_of_first(here, place), here, place, least);
        if (sum >= least) continue;
        least = sum;
        nearest = &place;
    }
    const RunCoordinates& there = *nearest;
    const RunCoordinates parts = differences_of(here, there, std::make_index_sequence<kCoordinates.size()>());
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
