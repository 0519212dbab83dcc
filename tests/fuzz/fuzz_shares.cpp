// Shares of a plan search: what merges is a report that can be printed.
#include "files/plan_file.h"
#include "fuzz.h"

using namespace shardscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Problems none;
    static Catalogue all = Catalogue::with_folder({}, none);
    Problems problems;
    const PlanReport report =
        merge_shards({std::string(fuzz::text_of(data, size))}, {"share"}, all, problems);
    if (!problems.empty()) return 0;
    fuzz::promise(!plan_json(report).empty(), "a report is printed as JSON");
    fuzz::promise(!plan_text(report).empty(), "a report is printed as text");
    return 0;
}
