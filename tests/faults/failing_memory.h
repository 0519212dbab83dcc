// Allocations of the test program, of which one can be made to fail.
#pragma once

#include <cstddef>

namespace shardscope::testing {

// False under the address sanitizer, which brings its own `operator new`.
bool allocations_can_fail();

// From now on the n-th call of `operator new`, by any thread, throws std::bad_alloc, and all later ones where
// `on`; n = 0: none does. Returns how many there were since the last call of this function.
std::size_t let_allocation_fail(std::size_t n, bool on);

}  // namespace shardscope::testing
