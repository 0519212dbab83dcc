// E17: compute and communication side by side on one GPU.
//
// The overlap is partial, because kernels of the two slow each other down: together they take max + ω·min.
// Source: ω 0.25–0.36 for modern stacks by fits to public runs.
#pragma once

#include <algorithm>

#include "time/rates.h"

namespace shardscope {

// The time of both, s; attributed to the rates that bound them.
inline double overlapped(double a, double b, double omega) { return std::max(a, b) + omega * std::min(a, b); }
inline Time overlapped(const Time& a, const Time& b, double omega) {
    const double second = b.total();
    if (second == 0) return a;
    return a.total() >= second ? a + omega * b : b + omega * a;
}

// Communication that travels while a GPU is busy: by how much it lengthens that, and how much of it is
// hidden.
struct Exposure {
    Time both;           // until both are done
    double visible = 0;  // s of the communication beyond the busy time
    double hidden = 0;   // s of it that run below the busy time
};
inline Exposure exposure(const Time& busy, const Time& communication, double omega) {
    const double seconds = communication.total();
    if (seconds == 0) return {busy};
    Exposure out{overlapped(busy, communication, omega)};
    out.visible = out.both.total() - busy.total();
    out.hidden = std::max(0.0, seconds - out.visible);
    return out;
}

}  // namespace shardscope
