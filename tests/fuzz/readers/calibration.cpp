// Fuzzes calibration files: values that are read lie in their ranges and read back equal after one writing.
#include "presets/calibration_file.h"

#include <cmath>

#include "fuzz/fuzz.h"
#include "fuzz/json_mutation.h"

using namespace shardscope;

namespace {

bool equal(const std::vector<PartValues>& a, const std::vector<PartValues>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].part != b[i].part || a[i].values != b[i].values) return false;
    }
    return true;
}

void run(std::string_view text) {
    Problems problems;
    const std::vector<PartValues> parts = read_calibration(text, problems);
    fuzz::check_problems(problems);
    fuzz::promise(problems.empty() || parts.empty(), "a faulty calibration holds nothing");
    if (!problems.empty()) return;
    for (const PartValues& part : parts) {
        for (const auto& [id, value] : part.values)
            fuzz::promise(value >= parameter(id).minimum && value <= parameter(id).maximum,
                          "a constant is in its range");
    }
    // A file stores four digits, so the values do not change after the first writing.
    const std::vector<PartValues> once = read_calibration(write_calibration(parts, "t", "s"), problems);
    const std::vector<PartValues> twice = read_calibration(write_calibration(once, "t", "s"), problems);
    fuzz::promise(problems.empty() && equal(once, twice), "a written calibration reads back equal");
    fuzz::catalogue().adopt(parts, "a file");
}

const fuzz::Registration kRegistered({"calibration", run, fuzz::mutate_json});

}  // namespace
