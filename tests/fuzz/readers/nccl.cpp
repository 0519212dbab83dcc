// Fuzzes logs of nccl-tests: a fit can use the resulting tables.
#include <cmath>

#include "evidence/bandwidth_curve.h"
#include "evidence/fabric_fit.h"
#include "fuzz/fuzz.h"

using namespace shardscope;

namespace {

void run(std::string_view text) {
    is_nccl_log(text);
    Problems problems;
    const auto tables = read_nccl_log(text, problems);
    fuzz::check_problems(problems);
    fuzz::promise(!tables.empty() || !problems.empty(), "tables or a problem");
    std::size_t points = 0;
    for (const CollectiveTable& table : tables) {
        fuzz::promise(table.nodes > 0 && table.ranks > 1 && table.ranks % table.nodes == 0, "a ring");
        points += table.points.size();
        for (const CollectivePoint& point : table.points) {
            fuzz::promise(point.bytes > 0 && point.seconds > 0 && std::isfinite(point.bytes) &&
                              std::isfinite(point.seconds),
                          "a point has a size and a time");
        }
    }
    // A fit of many points takes long and tests nothing new.
    if (tables.empty() || points > 100 || !fuzz::runs_slow_checks(text, 16)) return;
    for (const CollectiveTable& table : tables) {
        const BandwidthFit curve = fit_bandwidth(table.points);
        if (curve.points > 0) fuzz::promise(std::isfinite(curve.curve.most), "a curve has a plateau");
    }
    const FabricFit fit = fit_fabric(tables, {450e9, 50e9}, problems);
    if (fit.points < 4) return;
    for (const FabricConstant& constant : fit.constants) {
        const Parameter& row = parameter(constant.id);
        fuzz::promise(
            constant.value >= row.minimum * (1 - 1e-9) && constant.value <= row.maximum * (1 + 1e-9),
            "a constant is in its range");
    }
}

const fuzz::Registration kRegistered({"nccl", run});

}  // namespace
