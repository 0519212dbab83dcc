// The values that each parameter may take while all others keep theirs.
#pragma once

#include <vector>

#include "parameters/settings.h"

namespace shardscope {

// Whether anything depends on the parameter: not on a transformer's shape where the model is a list of
// operators, nor on an image's size where there is none.
bool bears(P id, const Settings& settings);

// Values a parameter may take now, all else held.
struct Domain {
    double low = 0;  // ends of the slider
    double high = 1;
    double step = 0;            // values are multiples of it; 0 is continuous
    std::vector<double> stops;  // a list of values instead (not empty: the slider has these positions)
};
Domain domain(P id, const Settings& settings);
// The valid value nearest to `value`, all else held. Typed values may lie beyond the slider's ends.
double nearest_valid(P id, double value, const Settings& settings);

}  // namespace shardscope
