#include "time/rates.h"

namespace shardscope {

std::string_view name_of(Rate rate) {
    constexpr std::array<std::string_view, kRates> kNames{"compute", "memory-bandwidth", "intra-node",
                                                          "inter-node", "latency"};
    return kNames[static_cast<std::size_t>(rate)];
}

}  // namespace shardscope
