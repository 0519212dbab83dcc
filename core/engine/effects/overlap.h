// E17: compute and communication that run at the same time on one GPU.
//
// The overlap is partial because the two kinds of kernels slow each other down: together they take max +
// ω·min. Source: the fit to the public runs, which gives 0.1 to 0.54 for the stacks that it determines.
#pragma once

#include <algorithm>

#include "time/rates.h"

namespace shardscope {

// Returns the time of both together, s.
inline double overlapped(double a, double b, double omega) { return std::max(a, b) + omega * std::min(a, b); }

// Communication that overlaps with compute, split into its exposed and its hidden part.
struct Exposure {
    Time both;           // until compute and communication have finished
    double exposed = 0;  // s of exposed communication, the time that it adds to compute
    double hidden = 0;   // s of communication that the compute time hides
};
// Attributes the time of both to the rates that bound each.
inline Exposure exposure(const Time& busy, const Time& communication, double omega) {
    const double seconds = communication.total();
    if (seconds == 0) return {busy};
    const double computing = busy.total();
    const bool hides = computing >= seconds;
    Exposure out{hides ? busy + omega * communication : communication + omega * busy};
    out.exposed = hides ? omega * seconds : seconds + (omega - 1) * computing;
    out.hidden = std::max(0.0, seconds - out.exposed);
    return out;
}
inline Time overlapped(const Time& a, const Time& b, double omega) { return exposure(a, b, omega).both; }

}  // namespace shardscope
