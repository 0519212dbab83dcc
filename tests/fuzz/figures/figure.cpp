// Fuzzes figures and reports that contain a scenario: what is found in one is a text, which the scenario's
// reader accepts or refuses.
#include <algorithm>

#include "files/scenario_file.h"
#include "fuzz/fuzz.h"
#include "widgets/carried_scenario.h"

using namespace shardscope;

namespace {

void run(std::string_view text) {
    const QByteArray file(text.data(), static_cast<qsizetype>(text.size()));
    const QByteArray carried = carried_scenario(file);
    // A PNG's text may be compressed; libpng unpacks no more than 8 MB.
    fuzz::promise(carried.size() <= std::max<qsizetype>(file.size(), 16'000'000),
                  "a figure carries no more than it can hold");
    if (carried.isEmpty()) return;
    Problems problems;
    read_scenario(carried.toStdString(), fuzz::catalogue(), fuzz::kNowhere, problems, true);
    fuzz::check_problems(problems);
}

const fuzz::Registration kRegistered({"figure", run});

}  // namespace
