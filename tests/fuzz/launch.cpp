#include "launch/launch.h"

#include "fuzz/fuzz.h"
#include "fuzz/launch.h"
#include "planner/answer.h"

namespace shardscope::fuzz {

void read_launch(std::string_view tool, std::string_view text) {
    const LaunchFormat& format = *launch_format(tool);
    format.recognises(text);
    Problems problems;
    const LaunchRead read = format.read(text, Scenario::first_launch(), problems);
    check_problems(problems);
    if (!problems.empty()) return;
    for (const std::string& note : read.notes) promise(!note.empty(), "a note says something");
    promise(check(read.scenario, resolve(read.scenario)).empty(), "what is read is valid");
    if (!runs_slow_checks(text, 4)) return;
    const Answer found = answer(read.scenario);
    promise(found.valid(), "what is read has an answer");
    check_answer(found);
    for (const LaunchFormat* other : launch_formats()) {
        // MaxText has no stages without layers.
        const bool has_stages = found.settings[P::pipeline_parallel] <= found.settings[P::layers];
        promise(!other->write(found).text.empty() || (other == &kMaxText && !has_stages),
                "a transformer can be written for any tool");
    }
}

}  // namespace shardscope::fuzz
