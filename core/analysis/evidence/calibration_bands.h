// The likely ranges that a calibration finds from runs that were left out of the fit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evidence/calibration_cases.h"

namespace shardscope {

// Runs that were left out of the fit, and their distances from the nearest run that was not.
struct LeftOut {
    std::vector<double> errors;
    std::vector<double> distances;
};

// Returns the distance of each case from the nearest case of another fold.
std::vector<double> distances_of(const std::vector<CalibrationCase>& cases,
                                 const std::vector<std::string>& fold_of);

struct Bands {
    std::map<std::string, double> of_stack;  // half widths by part
    double unknown_stack = 0;                // of a stack without runs
};

// What the bands are found from: the errors, predicted ÷ measured − 1, of runs whose model or whose stack was
// left out, and of the fit itself. `stacks` may be empty.
struct BandEvidence {
    LeftOut models, stacks;
    std::vector<double> fitted;
};
// Returns the bands of the stacks, given the additional half width of the distance: they contain four of five
// runs whose model was left out, and four of five of the fit. The band of a stack without runs contains four
// of five runs whose stack was left out. Runs with equal settings count once. From scratch, a stack's band is
// shrunk to that of all stacks. With a user's runs it is shrunk to the stack's previous one, and stacks with
// few runs get no new band.
Bands bands(const std::vector<CalibrationCase>& cases, const BandEvidence& evidence, double distance_band,
            bool from_scratch);
// Returns the share of errors within their bands. The bands of each fold come from the other folds, and
// `distance_band` from all. `known` is whether the stack of each case is known; it then has its band. A stack
// without runs in other folds has the band of unknown stacks from scratch, and else its previous one.
double share_within(const std::vector<CalibrationCase>& cases, const LeftOut& left_out,
                    const std::vector<std::string>& fold_of, const BandEvidence& evidence,
                    double distance_band, bool from_scratch, bool known);
// The least additional half width for one difference in kind. It is assumed: hardly any run that was left out
// differs in kind from all others.
inline constexpr double kLeastDistanceBand = 0.06;
// Returns the smallest additional half width for one difference in kind with which four of five runs of
// machines that were left out whole lie in their bands, among all of them and among the half that is further
// from other runs.
double distance_band_of(const std::vector<CalibrationCase>& cases, const BandEvidence& evidence,
                        const LeftOut& machines);

}  // namespace shardscope
