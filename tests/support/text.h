// Helpers of tests for texts.
#pragma once

#include <string>

namespace shardscope::testing {

inline bool has(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

}  // namespace shardscope::testing
