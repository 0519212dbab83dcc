// Logs of nccl-tests: tables that come out are ones a fit can use.
#include <cmath>

#include "evidence/fabric_fit.h"
#include "fuzz.h"

using namespace shardscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Problems problems;
    const auto tables = read_nccl_log(fuzz::text_of(data, size), problems);
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
    // A fit of many points takes its time and tries nothing new.
    if (tables.empty() || points > 100) return 0;
    const FabricFit fit = fit_fabric(tables, {450e9, 50e9}, problems);
    if (fit.points < 4) return 0;
    for (const FabricConstant& constant : fit.constants) {
        const Parameter& row = parameter(constant.id);
        fuzz::promise(
            constant.value >= row.minimum * (1 - 1e-9) && constant.value <= row.maximum * (1 + 1e-9),
            "a constant is in its range");
    }
    return 0;
}
