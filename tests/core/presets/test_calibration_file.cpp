// Tests calibration files: they read back equal, including parts without values.
#include "presets/calibration_file.h"

#include <catch2/catch.hpp>
#include <map>

using namespace shardscope;

TEST_CASE("calibration file: parts without values are read back", "[files]") {
    const std::vector<PartValues> parts{
        {"", {}}, {kAllParts, {}}, {"stack-fsdp2", {}}, {"gpu-h100", {{P::overlap, 0.5}}}};
    Problems problems;
    const std::vector<PartValues> again =
        read_calibration(write_calibration(parts, "Title", "source"), problems);
    for (const Problem& problem : problems) UNSCOPED_INFO(problem.text());
    CHECK(problems.empty());
    REQUIRE(again.size() == 4);
    for (const PartValues& part : again) CHECK(part.values.size() == (part.part == "gpu-h100" ? 1 : 0));
}

TEST_CASE("calibration file: flags and named values are read back", "[files]") {
    const std::vector<PartValues> parts{
        {"stack-fsdp2",
         {{P::parallel_loss, 0},
          {P::flops_convention, 2},
          {P::checkpoint_interval, parse(P::checkpoint_interval, "optimal").value},
          {P::overlap, 0.25}}}};
    Problems problems;
    const std::vector<PartValues> again =
        read_calibration(write_calibration(parts, "Title", "source"), problems);
    for (const Problem& problem : problems) UNSCOPED_INFO(problem.text());
    CHECK(problems.empty());
    REQUIRE(again.size() == 2);  // "everywhere" is always included
    CHECK(std::map(again[1].values.begin(), again[1].values.end()) ==
          std::map(parts[0].values.begin(), parts[0].values.end()));
}
