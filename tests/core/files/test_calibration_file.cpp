// Calibration files: what is written reads back equal, parts without values included.
#include "files/calibration_file.h"

#include <catch2/catch.hpp>

using namespace shardscope;

TEST_CASE("calibration file: parts without values read back", "[files]") {
    const std::vector<PartValues> parts{
        {"", {}}, {kOverAll, {}}, {"stack-fsdp2", {}}, {"gpu-h100", {{P::overlap, 0.5}}}};
    Problems problems;
    const std::vector<PartValues> again =
        read_calibration(write_calibration(parts, "Title", "source"), problems);
    for (const Problem& problem : problems) UNSCOPED_INFO(problem.text());
    CHECK(problems.empty());
    REQUIRE(again.size() == 4);
    for (const PartValues& part : again) CHECK(part.values.size() == (part.part == "gpu-h100" ? 1 : 0));
}
