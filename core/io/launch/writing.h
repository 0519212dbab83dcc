// What every writer of launch settings needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "parameters/parameter.h"
#include "text/said.h"

namespace shardscope::launch {

// The settings to write, with what was said of them on the way.
struct Plan {
    explicit Plan(const Answer& of) : answer(of), s(of.settings) {}

    const Answer& answer;
    const Settings& s;
    std::vector<std::string> notes;

    void note(std::string sentence) { notes.push_back(std::move(sentence)); }
    [[nodiscard]] std::string whole(P id) const;  // "4096"
    [[nodiscard]] std::string named(P id) const;  // "Recompute 0.3"
    [[nodiscard]] bool is(P id, double value) const { return s[id] == value; }
    template <typename Choice>
    [[nodiscard]] bool is(P id, Choice value) const {
        return s.choice<Choice>(id) == value;
    }
    // A value the tool has no word for. The phrase has places for the tool, the value and what is written in
    // its stead.
    void lacks(const LaunchFormat& tool, P id, const char* sentence = phrase("{1} has no word for “{2}”."),
               std::string_view written = {});
    // The prediction is for one software stack; the tool is another.
    void check_stack(const LaunchFormat& tool);
};

// A whole number without grouping, as files write it.
std::string whole(double value);
// What heads a file, one comment a line: the tool's version, the prediction, the scenario, how to start it.
std::string header(const LaunchFormat& tool, const Answer& answer, const std::string& how_to_start);

// Hosts, and the GPUs of each.
struct Hosts {
    double nodes = 1;
    double gpus = 1;
};
Hosts hosts(const Settings& settings);
// "torchrun --nnodes=8 …", up to the program; a note where a node is more than a host.
std::string torchrun(Plan& plan);
// A command as a comment of its own.
std::string to_be_run(const std::string& launcher, const std::string& program);

// Optimizer steps of the run, where the scenario says how many tokens it trains on; else 0.
double steps(const Answer& answer);

}  // namespace shardscope::launch
