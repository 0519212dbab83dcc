// Tests what holds for every plan and tool: a SLURM job starts it, and a written file is read again.
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "support/launch_plans.h"

using namespace shardscope;
using namespace shardscope::testing;

// The directives are options of sbatch (SLURM 24.05), which it reads only before the first command.
TEST_CASE("launch: a job for SLURM starts every plan of every tool on its nodes", "[launch]") {
    static const std::regex directive("#SBATCH --(nodes|ntasks-per-node|gpus-per-node)=([1-9][0-9]*)");
    std::map<std::string, int> written;
    for (const Answer& answer : launch_scenarios()) {
        for (const LaunchFormat* format : launch_formats()) {
            const LaunchText launch = format->write(answer);
            if (launch.text.empty()) continue;
            ++written[std::string(format->name)];
            const std::string job = slurm_job(*format, launch);
            INFO(format->name << "\n" << job);
            std::istringstream lines(job);
            std::string line;
            std::map<std::string, double> numbers;
            std::vector<std::string> commands;
            while (std::getline(lines, line)) {
                std::smatch found;
                if (std::regex_match(line, found, directive)) numbers[found[1]] = std::stod(found[2]);
                else if (line.starts_with("#SBATCH"))
                    REQUIRE((line == "#SBATCH --exclusive" || line == "#SBATCH --job-name=shardscope"));
                else if (!line.starts_with('#')) commands.push_back(line);
                if (line.starts_with("#SBATCH")) REQUIRE(commands.empty());
            }
            REQUIRE(numbers["ntasks-per-node"] == 1);
            REQUIRE(numbers["nodes"] == launch.hosts.nodes);
            REQUIRE(numbers["gpus-per-node"] == launch.hosts.gpus);
            // A tool without pipelines trains one stage.
            const double gpus = numbers["nodes"] * numbers["gpus-per-node"];
            const double stages = answer.settings[P::pipeline_parallel];
            REQUIRE((gpus == answer.settings[P::gpus] || gpus == answer.settings[P::gpus] / stages));
            REQUIRE(commands.front() == "set -euo pipefail");
            // `set -u` ends a job that uses a variable which is not set.
            const bool uses_head = commands.back().find("$HEAD_NODE") != std::string::npos;
            const bool sets_head = commands.size() == 4 && commands[1].starts_with("HEAD_NODE=$(scontrol ");
            REQUIRE((!uses_head || sets_head));
            REQUIRE((launch.starts_all_nodes || commands.back().starts_with("srun ")));
        }
    }
    REQUIRE(written.size() == launch_formats().size());
    for (const auto& [name, count] : written) {
        INFO(name);
        CHECK(count > 500);
    }
}

TEST_CASE("launch: every written file is read again with every option recognized", "[launch]") {
    for (const Answer& answer : launch_scenarios()) {
        for (const LaunchFormat* format : launch_formats()) {
            const LaunchText launch = format->write(answer);
            if (!format->read || launch.text.empty()) continue;
            Problems problems;
            const LaunchRead back = format->read(launch.text, answer.scenario, problems);
            INFO(launch.text);
            for (const std::string& note : back.notes) {
                INFO(note);
                REQUIRE_FALSE(note.starts_with("Changes time or memory"));
                // A shape that no model has is read as that of another one. Its positions, routing and
                // activation have no effect on the prediction.
                if (is_modified(answer.scenario, Group::model)) continue;
                REQUIRE_FALSE(note.starts_with("Not used:"));
            }
        }
    }
}
