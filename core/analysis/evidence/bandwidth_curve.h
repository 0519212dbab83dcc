// E15: the bandwidth of a collective as a sigmoid of the logarithm of the message size.
//
//   B(x) = B_max / (1 + exp(−k·(log2 x − x0)))
//
// The three constants are fitted to one table at a time; `fabric_fit` fits those of a whole fabric with the
// engine's model.
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
    double half = 0;       // x0: the bandwidth is B_max ÷ 2 at 2^x0 bytes

    [[nodiscard]] double at(double bytes) const;
};

struct BandwidthFit {
    BandwidthCurve curve;
    int points = 0;            // number of points used; 0: too few, the other fields are meaningless
    double rms_log_error = 0;  // of bandwidths
    double median_error = 0;   // |fitted ÷ measured − 1|
    double r_squared = 0;      // of the logarithm of bandwidths
};
inline constexpr int kFewestBandwidths = 4;
// Bytes. The time of a smaller call does not depend on its size, which no sigmoid models.
inline constexpr double kSmallestFitted = 128 * 1024;

// Fits the points of at least `kSmallestFitted` bytes.
BandwidthFit fit_bandwidth(std::span<const CollectivePoint> points);

// A shipped table, from presets/collectives.
struct MeasuredTable {
    std::string name;  // "b200-node"
    std::string gpu;   // "B200"; "": not stated
    std::string source;
    CollectiveTable table;
};
const std::vector<MeasuredTable>& shipped_tables();

}  // namespace shardscope
