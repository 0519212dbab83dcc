// The values that a parameter may have while all others stay the same.
#pragma once

#include <vector>

#include "parameters/settings.h"

namespace shardscope {

// Returns whether the parameter has an effect. A transformer's shape has none if the model is a list of
// operators, and the image size has none if the model has no images.
bool applies_to(P id, const Settings& settings);

// The values that a slider offers for a parameter.
struct Domain {
    double low = 0;  // ends of the slider
    double high = 1;
    double step = 0;            // values are multiples of it; 0: continuous
    std::vector<double> stops;  // if not empty, the only positions of the slider
};
Domain domain(P id, const Settings& settings);
// Returns the valid value nearest to `value`; it may be beyond the slider's ends.
double nearest_valid(P id, double value, const Settings& settings);
// Does the same for a parameter that no rule reads (`is_constrained`): its valid values depend on no other
// parameter.
double nearest_in_range(P id, double value);

}  // namespace shardscope
