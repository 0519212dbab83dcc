#include "evidence/calibration_bands.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "evidence/coverage.h"
#include "evidence/likely_range.h"

namespace shardscope {
namespace {

// The smallest half width that contains four of five; it is shrunk to `prior`, which has the weight of ten
// runs.
double band_of(const std::vector<double>& half_widths, double prior) {
    constexpr double kPriorRuns = 10;
    if (half_widths.empty()) return prior;
    const auto n = static_cast<double>(half_widths.size());
    return (n * quantile(half_widths, kLikelyShare) + kPriorRuns * prior) / (n + kPriorRuns);
}

}  // namespace

std::vector<double> distances_of(const std::vector<CalibrationCase>& cases,
                                 const std::vector<std::string>& fold_of) {
    std::vector<RunCoordinates> at;
    at.reserve(cases.size());
    for (const CalibrationCase& item : cases) at.push_back(coordinates_of(item.settings));
    std::vector<double> out(cases.size(), 1);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        for (std::size_t j = 0; j < cases.size(); ++j) {
            if (fold_of[j] != fold_of[i]) out[i] = std::min(out[i], distance_between(at[i], at[j]));
        }
    }
    return out;
}

namespace {

// Returns the half width that a band needs in addition to that of the distance.
double own_half_width(double error, double distance, double distance_band) {
    const double size = std::fabs(std::log1p(error));
    const double from_distance = half_width(0, distance_band, distance);
    return std::sqrt(std::max(0.0, size * size - from_distance * from_distance));
}

}  // namespace

Bands bands(const std::vector<CalibrationCase>& cases, const BandEvidence& evidence, double distance_band,
            bool from_scratch) {
    constexpr std::size_t kFewestRuns = 8;
    const std::vector<std::size_t> like = first_equals(with_settings(cases));
    struct Stack {
        std::vector<double> half_widths;
        double before = 0;
    };
    std::map<std::string, Stack> stacks;
    std::vector<double> all, of_unknown;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        Stack& stack = stacks[cases[i].stack];
        stack.before = std::log1p(cases[i].settings[P::error_band]);
        if (like[i] != i) continue;
        const LeftOut& models = evidence.models;
        // A scenario that was measured itself has the error of the fit.
        const double own = std::max(own_half_width(models.errors[i], models.distances[i], distance_band),
                                    std::fabs(std::log1p(evidence.fitted[i])));
        stack.half_widths.push_back(own);
        all.push_back(own);
        if (!evidence.stacks.errors.empty())
            of_unknown.push_back(
                own_half_width(evidence.stacks.errors[i], evidence.stacks.distances[i], distance_band));
    }
    const double most = parameter(P::error_band).maximum;
    const double pooled = band_of(all, 0);
    Bands out;
    out.unknown_stack = std::min(std::expm1(std::max(pooled, band_of(of_unknown, 0))), most);
    for (const auto& [name, stack] : stacks) {
        if (!from_scratch && stack.half_widths.size() < kFewestRuns) continue;
        out.of_stack[name] =
            std::min(std::expm1(band_of(stack.half_widths, from_scratch ? pooled : stack.before)), most);
    }
    return out;
}

namespace {

bool lies_within(double error, double own, double distance_band, double distance) {
    return std::fabs(std::log1p(error)) <= half_width(own, distance_band, distance);
}

LeftOut chosen(const LeftOut& all, const std::vector<std::size_t>& indices) {
    LeftOut out;
    if (all.errors.empty()) return out;
    for (const std::size_t i : indices) {
        out.errors.push_back(all.errors[i]);
        out.distances.push_back(all.distances[i]);
    }
    return out;
}

// Returns the bands that all cases but those of one fold give.
Bands bands_without(const std::vector<CalibrationCase>& cases, const std::vector<std::string>& fold_of,
                    const std::string& fold, const BandEvidence& evidence, double distance_band,
                    bool from_scratch) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (fold_of[i] != fold) others.push_back(i);
    }
    std::vector<CalibrationCase> kept;
    BandEvidence of_kept{chosen(evidence.models, others), chosen(evidence.stacks, others), {}};
    for (const std::size_t i : others) {
        kept.push_back(cases[i]);
        of_kept.fitted.push_back(evidence.fitted[i]);
    }
    return bands(kept, of_kept, distance_band, from_scratch);
}

}  // namespace

double share_within(const std::vector<CalibrationCase>& cases, const LeftOut& left_out,
                    const std::vector<std::string>& fold_of, const BandEvidence& evidence,
                    double distance_band, bool from_scratch, bool known) {
    double within = 0;
    for (const std::string& fold : std::set<std::string>(fold_of.begin(), fold_of.end())) {
        const Bands found = bands_without(cases, fold_of, fold, evidence, distance_band, from_scratch);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (fold_of[i] != fold) continue;
            const auto of_stack = found.of_stack.find(cases[i].stack);
            const double own = known && of_stack != found.of_stack.end() ? of_stack->second
                               : from_scratch                            ? found.unknown_stack
                                              : double{cases[i].settings[P::error_band]};
            if (lies_within(left_out.errors[i], own, distance_band, left_out.distances[i])) within += 1;
        }
    }
    return within / static_cast<double>(cases.size());
}

namespace {

// Returns the share of errors within the bands of their stacks.
double share_of(const std::vector<CalibrationCase>& cases, const LeftOut& left_out, const Bands& bands,
                double distance_band) {
    double within = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (lies_within(left_out.errors[i], bands.of_stack.at(cases[i].stack), distance_band,
                        left_out.distances[i]))
            within += 1;
    }
    return within / static_cast<double>(cases.size());
}

// Returns the share of errors within their bands among the half of the runs that is further from all others.
double share_of_far_half(const std::vector<CalibrationCase>& cases, const LeftOut& left_out,
                         const Bands& bands, double distance_band) {
    const double middle = quantile(left_out.distances, 0.5);
    std::vector<CalibrationCase> far;
    LeftOut of_far;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (left_out.distances[i] < middle) continue;
        far.push_back(cases[i]);
        of_far.errors.push_back(left_out.errors[i]);
        of_far.distances.push_back(left_out.distances[i]);
    }
    return share_of(far, of_far, bands, distance_band);
}

}  // namespace

double distance_band_of(const std::vector<CalibrationCase>& cases, const BandEvidence& evidence,
                        const LeftOut& machines) {
    constexpr double kStep = 0.01;
    const double most = parameter(P::distance_band).maximum;
    for (double width = kLeastDistanceBand; width < most; width += kStep) {
        const Bands found = bands(cases, evidence, width, true);
        if (share_of(cases, machines, found, width) >= kLikelyShare &&
            share_of_far_half(cases, machines, found, width) >= kLikelyShare)
            return width;
    }
    return most;
}

}  // namespace shardscope
