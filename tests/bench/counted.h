// The part of a program whose instructions `./dev count` counts.
#pragma once

#include <functional>

// callgrind collects while this function runs (--toggle-collect), and on its thread only.
extern "C" [[gnu::noinline]] inline void shardscope_counted(const std::function<void()>& work) {
    work();
    asm volatile("");  // so that the call above does not become a jump out of this function
}
