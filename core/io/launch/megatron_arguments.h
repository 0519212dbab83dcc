// A list of Megatron-LM's arguments while it is written.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/megatron_options.h"
#include "launch/writing.h"

namespace shardscope::launch {

// The arguments of a command, in their order.
class Arguments {
  public:
    inline void put(std::string_view option, const std::string& value = {}) {
        list_.push_back({std::string(option), value, 0});
    }
    std::vector<MegatronArgument> take() && { return std::move(list_); }

  private:
    std::vector<MegatronArgument> list_;
};

inline void put(Arguments& out, const LaunchSettings& plan, std::initializer_list<P> ids) {
    for (const P id : ids) out.put(option_of(id), plan.whole(id));
}

inline void put(Arguments& out, const std::vector<MegatronArgument>& arguments) {
    for (const MegatronArgument& argument : arguments) out.put(argument.option, argument.value);
}

}  // namespace shardscope::launch
