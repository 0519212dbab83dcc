#include "evidence/coverage.h"

#include <algorithm>
#include <cmath>
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
constexpr std::size_t kTexts = 4;  // columns of a run before those of its coordinates

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

std::size_t coordinate_of(P id) {
    return static_cast<std::size_t>(std::ranges::find(kCoordinates, id, &Coordinate::id) -
                                    kCoordinates.begin());
}

double value_on(const Coordinate& axis, double value) {
    switch (axis.kind) {
        case CoordinateKind::size: return std::log2(std::max(value, 1.0));
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
            for (const nlohmann::json& row : read.at("runs")) {
                MeasuredPosition place;
                place.run.id = row.at(0).get<std::string>();
                place.run.model = row.at(1).get<std::string>();
                place.run.gpu = row.at(2).get<std::string>();
                place.run.software = row.at(3).get<std::string>();
                place.run.gpus = row.at(kTexts + coordinate_of(P::gpus)).get<double>();
                out.coverage.gpus.insert(place.run.gpu);
                out.coverage.software.insert(place.run.software);
                for (std::size_t i = 0; i < place.at.size(); ++i) {
                    place.at[i] = value_on(kCoordinates[i], row.at(kTexts + i).get<double>());
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
    if constexpr (kCoordinates[I].weight == 0) return 0;
    const double difference = std::fabs(a[I] - b[I]);
    if constexpr (kCoordinates[I].kind == CoordinateKind::size) return kCoordinates[I].weight * difference;
    else return difference > 0 ? kCoordinates[I].weight : 0;
}

template <std::size_t First, std::size_t... I>
double add_differences(double sum, const RunCoordinates& a, const RunCoordinates& b,
                       std::index_sequence<I...>) {
    return (sum + ... + weighted_difference<First + I>(a, b));
}

double sum_of_first(const RunCoordinates& a, const RunCoordinates& b) {
    return add_differences<0>(0, a, b, std::make_index_sequence<kFirst>());
}

// Adds the differences of the other coordinates to those of the first. Returns the weighted sum of all, or
// any larger value than `most` once it exceeds that.
double weighted_sum(double sum, const RunCoordinates& a, const RunCoordinates& b, double most) {
    constexpr std::size_t kSecond = 6;  // nodes, links, GPUs and size of the model
    constexpr std::size_t kRest = kFirst + kSecond;
    sum = add_differences<kFirst>(sum, a, b, std::make_index_sequence<kSecond>());
    if (sum > most) return sum;
    return add_differences<kRest>(sum, a, b, std::make_index_sequence<kCoordinates.size() - kRest>());
}

double distance_of(double sum) { return -std::expm1(-sum); }

}  // namespace

RunCoordinates coordinates_of(const Settings& settings) {
    RunCoordinates out;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = value_on(kCoordinates[i], settings[kCoordinates[i].id]);
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

bool Coverage::has(P presence) const { return largest[coordinate_of(presence)] > 0; }
double Coverage::largest_of(P size) const { return std::exp2(largest[coordinate_of(size)]); }
const Coverage& coverage() { return measured_positions().coverage; }

std::set<std::string> families_with(const std::string& gpu, const Settings& settings,
                                    std::initializer_list<P> same) {
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
        for (const Coordinate& axis : kCoordinates) row.push_back(s[axis.id]);
        rows += (rows.empty() ? "" : ",\n") + json_text(row);
    }
    nlohmann::ordered_json columns{"id", "model", "gpu", "stack"};
    for (const Coordinate& axis : kCoordinates) columns.push_back(std::string(field_of(axis.id)));
    return "{\"parameters\":" + exact(parameters) + ",\n\"columns\":" + json_text(columns) +
           ",\n\"runs\":[\n" + rows + "\n]}\n";
}

}  // namespace shardscope
