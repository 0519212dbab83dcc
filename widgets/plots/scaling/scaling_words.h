// The caption of the scaling plot.
#pragma once

#include <QString>

#include "widgets/plots/plot_options.h"
#include "widgets/plots/scaling/scaling_data.h"

namespace shardscope {

// Explains what is drawn solid, dashed, hatched and so on, for the curves that the options show.
QString scaling_caption(const ScalingData& data, const ScalingOptions& options = {});

}  // namespace shardscope
