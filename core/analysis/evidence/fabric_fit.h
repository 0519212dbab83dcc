// Constants of a fabric from tables of collective operations: the law of E13–E15 fitted to measured times.
//
// Tables inside a node tell the link's efficiency and the latency of a hop in it; tables over several nodes
// those of the network; all of them the sharpness of the bandwidth curve. What the tables do not tell stays
// at the parameter table's default and says so.
#pragma once

#include <array>
#include <span>

#include "evidence/nccl_log.h"
#include "parameters/parameter.h"

namespace shardscope {

// What the links could carry, per GPU and direction, B/s.
struct FabricLinks {
    double intra_node = 0;
    double inter_node = 0;
};

struct FabricConstant {
    P id = P::count;
    double value = 0;
    double uncertainty = 1;   // standard deviation left ÷ the prior's
    bool identified = false;  // the tables say more about it than the prior does
    bool at_limit = false;    // the tables ask for more than the parameter may be
};

struct FabricFit {
    std::array<FabricConstant, 5> constants;
    double rms_log_error = 0;  // of times
    int points = 0;
};

// All tables together. With problems when too little of them can be used; the fit then means nothing.
FabricFit fit_fabric(std::span<const CollectiveTable> tables, const FabricLinks& links, Problems& problems);

}  // namespace shardscope
