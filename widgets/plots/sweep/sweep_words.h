// The caption of the sweep and the words of its plan.
#pragma once

#include <QString>

#include "widgets/plots/sweep/sweep_data.h"

namespace shardscope {

bool fits_everywhere(const SweepData& data);
// `others_end`: another scenario that is drawn beside it does not fit at some point.
QString sweep_caption(const SweepData& data, bool others_end = false);
// "plan held", "re-planned at every point"; empty if nothing is automatic.
QString sweep_plan_words(CurvePlan plan);

}  // namespace shardscope
