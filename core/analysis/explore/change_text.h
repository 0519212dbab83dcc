// The words for the change of one parameter.
#pragma once

#include <string>

#include "parameters/parameter.h"

namespace shardscope {

// Returns "Global batch 128 → 32", in the current language; only the second value has a unit.
inline std::string change_text(P id, double from, double to) {
    return label_of(id) + " " + format(id, from, false) + " → " + format(id, to);
}

}  // namespace shardscope
