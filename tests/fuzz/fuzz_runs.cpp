// Tables of measured runs: rows become scenarios or problems.
#include "evidence/runs.h"
#include "fuzz.h"

using namespace shardscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Problems problems;
    const std::vector<MeasuredRun> runs = read_runs(fuzz::text_of(data, size), problems);
    for (const MeasuredRun& run : runs) {
        Problems own;
        const Scenario scenario = scenario_of(run, Catalogue::shipped(), own);
        if (own.empty()) fuzz::promise(check(scenario, resolve(scenario)).empty(), "a run read is valid");
    }
    validate(runs, Catalogue::shipped());
    return 0;
}
