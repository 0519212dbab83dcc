#include "faults/failing_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace shardscope::testing {
namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> fails_at{0};
std::atomic<bool> fails_on{false};

#ifndef __SANITIZE_ADDRESS__
bool fails_now() {
    const std::size_t number = ++allocations;
    const std::size_t at = fails_at;
    return at > 0 && (number == at || (fails_on && number > at));
}
#endif

}  // namespace

bool allocations_can_fail() {
#ifdef __SANITIZE_ADDRESS__
    return false;
#else
    return true;
#endif
}

std::size_t fail_allocation(std::size_t n, bool on) {
    fails_on = on;
    fails_at = n;
    return allocations.exchange(0);
}

}  // namespace shardscope::testing

#ifndef __SANITIZE_ADDRESS__
void* operator new(std::size_t size) {
    void* memory = shardscope::testing::fails_now() ? nullptr : std::malloc(size);
    if (memory) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
