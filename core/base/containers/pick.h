// Takes the entry of an enumerator from an array that has one per enumerator.
#pragma once

#include <cstddef>

namespace shardscope {

template <typename Enum>
constexpr auto pick(const auto& entries, Enum which) {
    return entries[static_cast<std::size_t>(which)];
}

}  // namespace shardscope
