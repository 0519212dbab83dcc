#include "time/rates.h"

#include "containers/pick.h"

namespace shardscope {

std::string_view name_of(Rate rate) {
    return pick(std::array<std::string_view, kRates>{"compute", "memory-bandwidth", "intra-node",
                                                     "inter-node", "latency"},
                rate);
}

}  // namespace shardscope
