// A parameter with the name that a tool gives it.
#pragma once

#include <string_view>

#include "parameters/parameter.h"

namespace shardscope {

struct NamedParameter {
    std::string_view name;
    P id;
};

}  // namespace shardscope
