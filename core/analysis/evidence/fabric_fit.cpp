#include "evidence/fabric_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "effects/collectives.h"
#include "evidence/least_squares.h"
#include "text/translate.h"

namespace shardscope {
namespace {

constexpr std::size_t kFewest = 4;  // points; fewer do not determine even the two constants of one table
// The time of a smaller call does not depend on its size, which is not modelled; training sends larger ones.
constexpr double kSmallest = 128 * 1024;  // bytes
constexpr double kNotIdentified = 0.7;    // half of the prior's variance is left
constexpr double kLinkScale = 0.1;        // rms log error of the law on public tables: 0.1–0.2

struct Constant {
    P id;
    bool logarithmic;  // fitted as its logarithm, because half and twice the value are equally far away
    double width;      // of the prior
};
// The widths are the spread over public tables: efficiencies are within a factor of 1.5 of each other,
// latencies within a factor of 3, and the sharpness is between 0.61 and 0.68.
constexpr std::array kLinkConstants{
    Constant{P::intra_node_efficiency, true, 0.4}, Constant{P::collective_latency, true, 1.0},
    Constant{P::network_efficiency, true, 0.4}, Constant{P::inter_node_latency, true, 1.0},
    Constant{P::bandwidth_sharpness, false, 0.05}};
constexpr double kShortestLatency = 1e-9;  // s; a parameter of 0 has no logarithm

double inside(const Constant& constant, double value) {
    return constant.logarithmic ? std::log(std::max(value, kShortestLatency)) : value;
}
double outside(const Constant& constant, double x) { return constant.logarithmic ? std::exp(x) : x; }

NetworkRates rates(const std::vector<double>& x, const FabricLinks& links) {
    NetworkRates out;
    out.intra_bandwidth = links.intra_node * outside(kLinkConstants[0], x[0]);
    out.start_latency = outside(kLinkConstants[1], x[1]);
    out.intra_latency =
        parameter(P::intra_node_latency).fallback;  // the tables cannot separate it from the start latency
    out.inter_bandwidth = links.inter_node * outside(kLinkConstants[2], x[2]);
    out.inter_latency = outside(kLinkConstants[3], x[3]);
    out.sharpness = outside(kLinkConstants[4], x[4]);
    return out;
}

struct Measured {
    CollectiveTest operation;
    RingGroup group;
    double bytes;
    double seconds;
};

double predicted(const Measured& point, const NetworkRates& network) {
    const Time time = point.operation == CollectiveTest::all_reduce
                          ? all_reduce_time(point.bytes, point.group, network)
                          : all_gather_time(point.bytes, point.group, network);
    return time.total();
}

}  // namespace

FabricFit fit_fabric(std::span<const CollectiveTable> tables, const FabricLinks& links, Problems& problems) {
    std::vector<Measured> points;
    for (const CollectiveTable& table : tables) {
        // The ring model does not apply to all-to-all, which uses the links out of a node differently.
        if (table.operation == CollectiveTest::all_to_all) continue;
        const RingGroup group{static_cast<double>(table.ranks) / table.nodes,
                              static_cast<double>(table.nodes)};
        for (const CollectivePoint& point : table.points) {
            if (point.bytes >= kSmallest)
                points.push_back({table.operation, group, point.bytes, point.seconds});
        }
    }
    FabricFit out;
    out.points = static_cast<int>(points.size());
    if (points.size() < kFewest) {
        problems.push_back(
            {"", translate("too few measurements for a fit"),
             translate("{1} of all-gather, reduce-scatter or all-reduce from 128 KiB on, {2} are needed",
                       {std::to_string(points.size()), std::to_string(kFewest)}),
             translate("run more sizes, for instance with -b 128K -e 4G -f 2")});
        return out;
    }
    FitProblem problem;
    problem.residuals = points.size();
    problem.scale = kLinkScale;
    problem.residual = [&](std::size_t i, const std::vector<double>& x) {
        return std::log(predicted(points[i], rates(x, links)) / points[i].seconds);
    };
    std::vector<std::size_t> all(points.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const Constant& constant : kLinkConstants) {
        const Parameter& row = parameter(constant.id);
        problem.constants.push_back({inside(constant, row.fallback), constant.width,
                                     inside(constant, row.minimum), inside(constant, row.maximum), all});
    }
    const FitResult found = fit(problem);
    double squares = 0;
    for (std::size_t i = 0; i < points.size(); ++i) squares += std::pow(problem.residual(i, found.x), 2);
    out.rms_log_error = std::sqrt(squares / static_cast<double>(points.size()));
    for (std::size_t j = 0; j < kLinkConstants.size(); ++j) {
        const FitConstant& range = problem.constants[j];
        const bool at_limit = found.x[j] <= range.low || found.x[j] >= range.high;
        out.constants.push_back({kLinkConstants[j].id, outside(kLinkConstants[j], found.x[j]),
                                 found.uncertainty[j], found.uncertainty[j] <= kNotIdentified, at_limit});
    }
    return out;
}

}  // namespace shardscope
