// The part of a program whose instructions `./dev count` counts.
#pragma once

#include <functional>

// callgrind collects only while this function runs (--toggle-collect), and only on its thread.
extern "C" [[gnu::noinline]] inline void shardscope_counted(const std::function<void()>& work) {
    work();
    asm volatile("");  // keeps the call above from becoming a jump out of this function
}
