// Fits the constants of a fabric to tables of collective operations, with the model of E13–E15.
//
// Tables within a node determine the link's efficiency and the start latency, tables over several nodes those
// of the network, and all of them the sharpness of the bandwidth curve. A constant that the tables do not
// determine stays at the parameter table's default and is marked as not identified.
#pragma once

#include <span>
#include <vector>

#include "evidence/nccl_log.h"
#include "parameters/parameter.h"

namespace shardscope {

// Nominal link bandwidths per GPU and direction, B/s.
struct FabricLinks {
    double intra_node = 0;
    double inter_node = 0;
};

struct FabricConstant {
    P id;
    double value = 0;
    double uncertainty = 1;   // remaining standard deviation ÷ the prior's
    bool identified = false;  // the tables determine it better than the prior does
    bool at_limit = false;    // the fit stopped at a limit of the parameter
};

struct FabricFit {
    std::vector<FabricConstant> constants;  // empty if the fit is meaningless
    double rms_log_error = 0;               // of times
    int points = 0;
};

// Fits all tables together. Adds a problem if too few points can be used; the fit is then meaningless.
FabricFit fit_fabric(std::span<const CollectiveTable> tables, const FabricLinks& links, Problems& problems);

}  // namespace shardscope
