// Translates settings into the small inputs of the effects, which know no scenario.
#pragma once

#include "effects/data_parallel_traffic.h"
#include "effects/host.h"
#include "effects/model_states.h"
#include "effects/recompute.h"
#include "parameters/settings.h"

namespace shardscope {

TrafficPolicy traffic_policy(const Settings& settings);
RecomputePolicy recompute_policy(const Settings& settings);
StateFormats state_formats(const Settings& settings);
QuantizedWeights quantized_weights(const Settings& settings);
HostWork host_work(const Settings& settings);
// Returns the host time per step that does not depend on the number of layers; s.
double host_time_per_step(const Settings& settings);

}  // namespace shardscope
