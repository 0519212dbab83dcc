// One side of a comparison: a scenario, a shipped measured run, or a training log.
#pragma once

#include <optional>
#include <string>

#include "app/commands/logs.h"
#include "planner/answer.h"

namespace shardscope::commands {

inline constexpr const char* kComparedRunHelp =
    "A scenario file, the identifier of a shipped measured run (`validate --format json` lists them), or a "
    "training log";

struct ComparedRun {
    std::string name;
    Answer answer;        // valid
    double measured = 0;  // s, the measured step time; 0 for a scenario
    [[nodiscard]] double predicted() const { return answer.estimate.step.total; }
    [[nodiscard]] double step_time() const { return measured > 0 ? measured : predicted(); }
};
// Prints a line for a scenario that does not fit in memory: its step time is what more memory would give.
void print_warning(const ComparedRun& run);
// Reports problems. `reading` completes a log, and its assignments change a scenario.
std::optional<ComparedRun> load_compared_run(const std::string& file, const LogOptions& reading);

}  // namespace shardscope::commands
