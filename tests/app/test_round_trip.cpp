// Golden round trip on the command line: a script and its log become a scenario with a measured run, the
// planner finds a better plan, and the script of that plan is read as the same scenario.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "support/logs.h"
#include "support/shell.h"

using namespace shardscope::testing;
using nlohmann::json;

namespace {

// Runs a command, whose standard output becomes a file, and returns that output.
std::string run_to(const Folder& folder, const std::string& arguments, const std::string& file) {
    const RunResult result = run_in(folder, arguments);
    INFO(arguments << ": " << result.err);
    REQUIRE(result.code == 0);
    folder.write(file, result.out);
    return result.out;
}

json estimate_of(const Folder& folder, const std::string& file) {
    return json::parse(run_to(folder, "estimate " + file + " --format json", "estimate.json"));
}

void check_round_trip(const std::string& script, const std::string& log_text) {
    const Folder folder;
    folder.write("run.sh", script);
    folder.write("train.log", log_text);
    const std::string imported =
        run_to(folder, "import launch run.sh --set cluster.preset=dgx-h100", "job.json");

    // The script and the log describe the same run, so they have the same prediction.
    const json estimate = estimate_of(folder, "job.json");
    REQUIRE(estimate["verdict"] == "fits");
    const RunResult log = run_in(folder, "import log train.log --set cluster.preset=dgx-h100 --format json");
    INFO(log.err);
    REQUIRE(log.code == 0);
    folder.write("run.jsonl", log.out);
    const json compared =
        json::parse(run_to(folder, "validate --runs run.jsonl --format json", "validated.json"));
    REQUIRE(compared["rows"].size() == 1);
    const json& row = compared["rows"][0];
    CHECK(row["measured_step_s"].get<double>() == Approx(4.0));
    CHECK(row["predicted_step_s"].get<double>() == Approx(estimate["step_time_s"].get<double>()));
    CHECK(row["error"].get<double>() == Approx(estimate["step_time_s"].get<double>() / 4.0 - 1));
    const RunResult gap = run_in(folder, "explain-gap job.json train.log --set cluster.preset=dgx-h100");
    INFO(gap.err);
    CHECK(gap.code == 0);

    // With an automatic plan the job is at least as fast.
    json automatic = json::parse(imported);
    automatic["training"]["auto"] = {"micro_batch",       "recompute", "tensor_parallel",
                                     "pipeline_parallel", "sharding",  "expert_parallel"};
    folder.write("auto.json", automatic.dump());
    const json planned = estimate_of(folder, "auto.json");
    CHECK(planned["mfu"] > estimate["mfu"]);
    CHECK(planned["plan"]["global_batch"] == 256);

    // The script of that plan is read as the same scenario, and is written the same way again.
    REQUIRE(run_in(folder, "launch auto.json -o better.sh").code == 0);
    const std::string better = run_to(folder, "import launch better.sh --on job.json", "better.json");
    const json read = estimate_of(folder, "better.json");
    CHECK(read["step_time_s"] == planned["step_time_s"]);
    CHECK(read["memory"] == planned["memory"]);
    for (const char* key :
         {"micro_batch", "global_batch", "recompute", "tensor_parallel", "pipeline_parallel",
          "expert_parallel", "sharding", "accumulation", "precision", "optimizer", "schedule"}) {
        INFO(key);
        CHECK(read["plan"][key] == planned["plan"][key]);
    }
    REQUIRE(run_in(folder, "launch better.json -o again.sh").code == 0);
    CHECK(run_to(folder, "import launch again.sh --on job.json", "again.json") == better);
}

}  // namespace

TEST_CASE("round trip: script and log, residual, a better plan, and its script read again", "[cli][golden]") {
    check_round_trip(megatron_script(), megatron_log());
}

TEST_CASE("round trip: a model with experts, from its script and log to the script of a better plan",
          "[cli][golden]") {
    check_round_trip(expert_script(), expert_log());
}
