// Makes one allocation of the test program fail.
#pragma once

#include <cstddef>

namespace shardscope::testing {

// Returns false under the address sanitizer, which replaces `operator new` itself.
bool allocations_can_fail();

// From now on the n-th call of `operator new`, by any thread, throws std::bad_alloc, and so do all later ones
// if `on`; n = 0: none does. Returns the number of calls since the last call of this function.
std::size_t fail_allocation(std::size_t n, bool on);

}  // namespace shardscope::testing
