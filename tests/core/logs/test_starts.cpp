// Tests logs of runs that were started again with other settings, and what was measured before training.
#include <catch2/catch.hpp>

#include "support/read_logs.h"

using namespace shardscope;
using namespace shardscope::testing;
using logs::Peak;

namespace {

std::string memory(double allocated, double reserved) {
    return written(
        "[Rank 0] (after 10 iterations) memory (MB) | allocated: 1.0 | max allocated: %.1f | reserved: 2.0 | "
        "max reserved: %.1f\n",
        allocated, reserved);
}

std::string start(const MegatronArguments& arguments, double ms, int steps) {
    return megatron_arguments(arguments) +
           lines(steps, [&](int i) { return megatron_step(i, i == 1 ? 5 * ms : ms); });
}

}  // namespace

TEST_CASE("logs: of starts on other numbers of GPUs only the last one counts", "[logs]") {
    MegatronArguments few = dense_arguments();
    few["world_size"] = "32";
    const std::string text = start(dense_arguments(), 2350, 100) + memory(60000, 70000) +
                             start(few, 4700, 65) + memory(40000, 50000);
    const TrainingLog log = read_log(text);
    CHECK(log.steady.logged == 165);
    CHECK(log.steady.left_out.earlier_start == 100);
    CHECK(log.steady.used() == 64);
    CHECK(log.steady.median == Approx(4.7));
    // The peaks of the earlier start belong to other settings, too.
    CHECK(peak(log, Peak::allocated) == Approx(40000 * kMebi));
    CHECK(resolve(log_scenario_of(log).scenario)[P::gpus] == 32);
    // A start with the same settings continues the run.
    const TrainingLog same = read_log(start(few, 4700, 10) + start(few, 4700, 10));
    CHECK(same.steady.left_out.earlier_start == 0);
    CHECK(same.steady.left_out.restart == 1);
}

TEST_CASE("logs: an argument that the last start leaves out is not taken from an earlier one", "[logs]") {
    MegatronArguments fp8 = dense_arguments();
    fp8["fp8"] = "hybrid";
    const TrainingLog log = read_log(start(fp8, 3000, 10) + start(dense_arguments(), 4000, 10));
    CHECK(log.steady.left_out.earlier_start == 10);
    CHECK(log.steady.median == Approx(4));
    CHECK(resolve(log_scenario_of(log).scenario).choice<Precision>(P::precision) == Precision::bf16);
    // So do other arguments that change the time of a step.
    const std::vector<std::pair<std::string, std::string>> others{
        {"cross_entropy_loss_fusion", "True"}, {"window_size", "(1024, 0)"},
        {"cpu_offloading_num_layers", "4"},    {"use_precision_aware_optimizer", "True"},
        {"deterministic_mode", "True"},        {"grad_reduce_in_bf16", "True"},
    };
    for (const auto& [name, value] : others) {
        MegatronArguments other = dense_arguments();
        other[name] = value;
        INFO(name);
        CHECK(read_log(start(other, 3000, 10) + start(dense_arguments(), 4000, 10))
                  .steady.left_out.earlier_start == 10);
    }
    // The number of iterations changes no step.
    MegatronArguments longer = dense_arguments();
    longer["train_iters"] = "2000";
    const TrainingLog same = read_log(start(dense_arguments(), 4000, 10) + start(longer, 4000, 10));
    CHECK(same.steady.left_out.earlier_start == 0);
}

TEST_CASE("logs: torchtitan and DeepSpeed on other numbers of GPUs", "[logs]") {
    std::string more = torchtitan_head();
    more.replace(more.find("dp_shard=8"), 10, "dp_shard=4");
    const auto steps = [](double tps) { return lines(6, [&](int i) { return torchtitan_step(i, tps); }); };
    const TrainingLog titan = read_log(torchtitan_head() + steps(3000) + more + steps(6000));
    CHECK(titan.steady.left_out.earlier_start == 6);
    CHECK(1 / titan.steady.median == Approx(6000));
    const auto deepspeed = [](int gpus, double rate) {
        return written("[INFO] [launch.py:164:main] dist_world_size=%d\n", gpus) + lines(5, [&](int i) {
                   return written(
                       "epoch=0/micro_step=%d/global_step=%d, RunningAvgSamplesPerSec=1.0, "
                       "CurrSamplesPerSec=%.1f, MemAllocated=1.0GB, MaxMemAllocated=2.0GB\n",
                       i, i, rate);
               });
    };
    const TrainingLog two = read_log(deepspeed(8, 10) + deepspeed(16, 20));
    CHECK(two.steady.left_out.earlier_start == 5);
    CHECK(1 / two.steady.median == Approx(20));
}

TEST_CASE("logs: a last start without steps is refused with the number of earlier ones", "[logs]") {
    MegatronArguments few = dense_arguments();
    few["world_size"] = "32";
    Problems problems;
    read_training_log(start(dense_arguments(), 2350, 100) + megatron_arguments(few), problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().why == "its 100 steps are of an earlier start with other settings");
}

TEST_CASE("logs: memory before the first step is no peak of training", "[logs]") {
    const std::string deepspeed =
        "[INFO] [utils.py:782:see_memory_usage] MA 10.2 GB         Max_MA 50.1 GB         CA 60.0 GB         "
        "Max_CA 60 GB \n";
    const std::string step =
        "global_step=1, RunningAvgSamplesPerSec=9.8, CurrSamplesPerSec=9.85, MemAllocated=17.25GB, "
        "MaxMemAllocated=45.12GB\n";
    const TrainingLog log = read_log(deepspeed + step);
    CHECK(peak(log, Peak::allocated) == Approx(45.12 * kGibi));
    CHECK(peak(log, Peak::reserved) == 0);
    CHECK(peak(read_log(step + deepspeed), Peak::reserved) == Approx(60 * kGibi));
    // A log without steps has nothing else.
    CHECK(peak(read_log(deepspeed), Peak::allocated) == Approx(50.1 * kGibi));

    const std::string nanotron =
        "[INFO]:  Memory usage: 1.00MiB. Peak allocated 30720.00MiB. Peak reserved: "
        "40960.00MiB\n";
    const std::string iteration =
        "[INFO]: iteration: 1 / 15 | time_per_iteration_ms: 980 | tokens_per_sec: 1.07M | "
        "tokens_per_sec_per_gpu: 8.4K | global_batch_size: 256 | lm_loss: 5.32\n";
    CHECK(peak(read_log(nanotron + iteration), Peak::allocated) == 0);
    CHECK(peak(read_log(iteration + nanotron), Peak::allocated) == Approx(30720 * kMebi));
    CHECK(peak(read_log(nanotron), Peak::reserved) == Approx(40960 * kMebi));
}

TEST_CASE("logs: a reserved peak below the allocated one is dropped", "[logs]") {
    const std::string steps = lines(4, [](int i) { return megatron_step(i, 500); });
    CHECK(peak(read_log(steps + memory(40000, 30000)), Peak::reserved) == 0);
    CHECK(peak(read_log(steps + memory(40000, 50000)), Peak::reserved) == Approx(50000 * kMebi));
}
