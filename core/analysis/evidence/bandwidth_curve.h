// E15: the bandwidth of a collective against the size of the message, as a sigmoid of its logarithm.
//
//   B(x) = B_max / (1 + exp(−k·(log2 x − x0)))
//
// One table at a time, three constants found; `fabric_fit` finds those of a whole fabric by the engine's law.
// Source of the form: after Lu et al. 2024, arXiv 2407.02081 (reconstructed).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evidence/nccl_log.h"

namespace shardscope {

struct BandwidthCurve {
    double most = 0;       // B_max, B/s of bus bandwidth
    double sharpness = 0;  // k, per doubling of the size
    double half = 0;       // x0: half of B_max is reached at 2^x0 bytes

    [[nodiscard]] double at(double bytes) const;
};

struct BandwidthFit {
    BandwidthCurve curve;
    int points = 0;            // used; 0: too few, the rest means nothing
    double rms_log_error = 0;  // of bandwidths
    double median_error = 0;   // |fitted ÷ measured − 1|
    double r_squared = 0;      // of the logarithm of bandwidths
};
inline constexpr int kFewestBandwidths = 4;
// Below, the time of a call does not depend on the size, which no sigmoid knows; bytes.
inline constexpr double kSmallestFitted = 128 * 1024;

// Of the points from `kSmallestFitted` on.
BandwidthFit fit_bandwidth(std::span<const CollectivePoint> points);

// A table that ships, presets/collectives.
struct MeasuredTable {
    std::string name;  // "b200-node"
    std::string gpu;   // "B200"; "": not stated
    std::string source;
    CollectiveTable table;
};
const std::vector<MeasuredTable>& shipped_tables();

}  // namespace shardscope
