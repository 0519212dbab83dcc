// Tests how a written file is started: on which hosts, with which command, and as a SLURM job.
#include <catch2/catch.hpp>

#include "launch/launch.h"
#include "support/launch_writing.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("launch: a rack is started by its hosts of 4 GPUs", "[launch]") {
    const auto rack = [](const std::string& cluster, const std::string& training = "") {
        return answer_of(R"({"model": {"preset": "llama-3-8b"}, "cluster": {"preset": )" + cluster +
                         R"(}, "training": {"sharding": "zero3")" + training + "}}");
    };
    const Answer two = rack(R"("gb200-nvl72", "gpus": 144)");
    REQUIRE(two.valid());
    for (const LaunchFormat* format : launch_formats()) {
        const LaunchText written = format->write(two);
        INFO(format->name);
        CHECK(written.hosts.nodes == 36);
        CHECK(written.hosts.gpus == 4);
        CHECK(has_note(written, "72 GPUs, is a rack, whose hosts are assumed to have 4 GPUs; 36 hosts are"));
        CHECK(slurm_job(*format, written)
                  .find("#SBATCH --nodes=36\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=4\n") !=
              std::string::npos);
    }
    CHECK(holds(kMegatron.write(two), "torchrun --nnodes=36 --nproc-per-node=4 "));
    CHECK(holds(kAccelerate.write(two), "num_machines: 36\nnum_processes: 144\n"));
    CHECK(kPrimus.write(two).job_command.find("srun -N 36 ") != std::string::npos);
    CHECK(kDeepspeed.write(two).command.starts_with("deepspeed --num_nodes 36 --num_gpus 4 "));
    CHECK(kMaxText.write(two).command.find(" NNODES=36 ") != std::string::npos);
    // MaxText's dimensions fill an NVLink domain first, not a host.
    CHECK(holds(kMaxText.write(two), "ici_fsdp_parallelism: 72\ndcn_fsdp_parallelism: 2\n"));
    // A part of a rack, and a number of GPUs that 4 does not divide.
    CHECK(holds(kMegatron.write(rack(R"("gb300-nvl72", "gpus": 8)")), "--nnodes=2 --nproc-per-node=4 "));
    CHECK(holds(kMegatron.write(rack(R"("gb300-nvl72", "gpus": 4)")), "--nnodes=1 --nproc-per-node=4 "));
    CHECK(holds(kMegatron.write(rack(R"("gb300-nvl72", "gpus": 6)")), "--nnodes=2 --nproc-per-node=3 "));
    // A node of 8 or 16 GPUs is one host.
    const LaunchText host = kMegatron.write(rack(R"("aws-p5", "gpus": 16)"));
    CHECK(holds(host, "--nnodes=2 --nproc-per-node=8 "));
    CHECK_FALSE(has_note(host, "is a rack"));
}

TEST_CASE("launch: SLURM starts no TPUs", "[launch]") {
    const Problems problems = problems_of_slurm_job(answer_of(R"({"cluster": {"preset": "tpu-v5p-slice",
        "gpus": 1024}})")
                                                        .scenario);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().text().starts_with(
        "--slurm: is not possible for a cluster of TPUs (SLURM does not"));
    CHECK(problems_of_slurm_job(answer_of("{}").scenario).empty());
}

TEST_CASE("launch: a job that uses a part of each node starts as many processes on it", "[launch]") {
    const Answer subject = answer_of(R"({"cluster": {"gpus": 16, "gpus_used_per_node": 4}})");
    for (const LaunchFormat* format : launch_formats()) {
        const LaunchText written = format->write(subject);
        INFO(format->name);
        CHECK(written.hosts.nodes == 4);
        CHECK(written.hosts.gpus == 4);
        const std::string job = slurm_job(*format, written);
        CHECK(job.find("--nodes=4\n") != std::string::npos);
        CHECK(job.find("--gpus-per-node=4\n") != std::string::npos);
    }
    CHECK(holds(kMegatron.write(subject), "torchrun --nnodes=4 --nproc-per-node=4"));
}

TEST_CASE("launch: a file's name is quoted as one word of the command that starts it", "[launch]") {
    const Answer found = answer_of("{}");
    const auto command = [&](const LaunchFormat& format, const char* file) {
        return format.write_as(found, file).command;
    };
    CHECK(command(kMegatron, "runs/größe_1.sh").starts_with("bash runs/größe_1.sh "));
    CHECK(command(kMegatron, "my run.sh").starts_with("bash 'my run.sh' "));
    CHECK(command(kMegatron, "$(x).sh").starts_with("bash '$(x).sh' "));
    CHECK(command(kMegatron, "-x.sh").starts_with("bash ./-x.sh "));
    CHECK(command(kDeepspeed, "it's").ends_with(R"(--deepspeed_config 'it'\''s')"));
    CHECK(command(kTorchtitan, "a\n'\\").ends_with(R"(--job.config_file $'a\012\'\\')"));
    CHECK(kMegatron.write(found).command.starts_with("bash train.sh "));
}
