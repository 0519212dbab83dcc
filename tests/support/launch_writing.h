// The settings that a test has written for a tool.
#pragma once

#include <algorithm>
#include <string>

#include "launch/launch.h"
#include "planner/answer.h"
#include "support/check_scenario.h"

namespace shardscope::testing {

inline Answer answer_of(const std::string& text) { return answer(check_scenario(text)); }

inline bool has_note(const LaunchText& launch, const std::string& words) {
    return std::ranges::any_of(
        launch.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}
inline bool holds(const LaunchText& launch, const std::string& words) {
    return launch.text.find(words) != std::string::npos;
}

}  // namespace shardscope::testing
