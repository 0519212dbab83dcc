// A scenario's plan as the settings of the tools that would train it, and back.
//
// One file a tool, each with a LaunchFormat; `launch_formats()` lists them. To add one: a file with a
// LaunchFormat and a line in launch.cpp; the command, the window and the tests read the table. The tools'
// option names are held against their own lists by the tests (tests/core/launch/options).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"
#include "text/problem.h"

namespace shardscope {

struct LaunchText {
    std::string text;     // of the file; "" where the tool cannot train the model at all
    std::string command;  // what starts it, on every node unless it says otherwise
    std::vector<std::string>
        notes;  // what the tool cannot say, and what stands there instead; a sentence each
};

struct LaunchRead {
    Scenario scenario;               // means something only where there is no problem
    std::vector<std::string> notes;  // what was assumed or not used; a sentence each
};

struct LaunchFormat {
    std::string_view name;       // "megatron", for --for
    std::string_view label;      // "Megatron-LM"
    std::string_view file_name;  // "train.sh"
    std::string_view stack;      // the value of `cluster.software` whose constants are its own
    std::string_view checked;    // what its option names were held against: version, file, commit
    // Of an answer whose plan is known; what is automatic stands at the planner's values. The file's name is
    // a word of the command.
    LaunchText (*write_as)(const Answer& answer, const std::string& file);
    // Whether a text looks like one of these files, and what it says, on the cluster and under the
    // assumptions of `base`. Null: it is not read.
    bool (*recognises)(std::string_view text) = nullptr;
    LaunchRead (*read)(std::string_view text, const Scenario& base, Problems& problems) = nullptr;

    [[nodiscard]] LaunchText write(const Answer& answer) const {
        return write_as(answer, std::string(file_name));
    }
};

std::span<const LaunchFormat* const> launch_formats();
// nullptr: none of that name, none that reads this text.
const LaunchFormat* launch_format(std::string_view name);
const LaunchFormat* launch_format_of(std::string_view text);
// The one that trains with the scenario's software; torchtitan where none does.
const LaunchFormat& launch_format_for(const Settings& settings);

extern const LaunchFormat kTorchtitan, kMegatron, kDeepspeed, kFsdp2;

}  // namespace shardscope
