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

// Returns the bands of the stacks, given the additional half width at distance 1: they contain four of five
// runs whose model was left out. Runs with equal settings count once. From scratch, a stack's band is shrunk
// to that of all stacks. With a user's runs it is shrunk to the stack's previous one, and stacks with few
// runs get no new band.
Bands bands(const std::vector<CalibrationCase>& cases, const LeftOut& models, double distance_band,
            bool from_scratch);
// Returns the share of errors within their bands. `known` is whether the stack of each case is known; it then
// has its band, or its previous one if it got no new one.
double share_within(const std::vector<CalibrationCase>& cases, const LeftOut& left_out, const Bands& bands,
                    double distance_band, bool known = true);
// Returns the smallest additional half width at distance 1 with which four of five runs lie in their bands,
// for machines left out whole and for stacks left out whole.
double distance_band_of(const std::vector<CalibrationCase>& cases, const LeftOut& models,
                        const LeftOut& machines, const LeftOut& stacks);

}  // namespace shardscope
