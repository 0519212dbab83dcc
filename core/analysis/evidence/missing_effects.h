// What a calibration cannot explain: constants that move to the limits of their physical ranges, and errors
// that remain and grow with a setting. Either shows that the engine lacks an effect, or that the runs differ
// from what their table says.
#pragma once

#include <string>
#include <vector>

#include "evidence/calibration.h"

namespace shardscope {

// Returns one translated sentence for each; empty where the calibration explains its runs. `catalogue` is
// that of the calibration. Remaining errors below 5 % on average are noise. They follow a setting if it
// explains at least half of their variance.
std::vector<std::string> missing_effects(const Calibration& calibration, const Catalogue& catalogue);

}  // namespace shardscope
