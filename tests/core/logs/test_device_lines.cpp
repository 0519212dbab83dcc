// Tests what PyTorch and nvidia-smi write into the logs of any tool, and the prefixes of launchers.
#include <catch2/catch.hpp>

#include "logs/log_format.h"
#include "support/read_logs.h"

using namespace shardscope;
using namespace shardscope::testing;
using logs::Peak;

namespace {

std::string smi(int mib) {
    return written("| N/A   45C    P0   345W / 700W |  %dMiB / 81559MiB |    100%%      Default |\n", mib);
}

std::string megatron_steps() {
    return lines(4, [](int i) { return megatron_step(i, 500); });
}

std::string memory() {
    return "[Rank 0] (after 10 iterations) memory (MB) | allocated: 20480.5 | max allocated: 40960.0 | "
           "reserved: 45000.0 | max reserved: 46080.0\n";
}

}  // namespace

TEST_CASE("logs: nvidia-smi before training shows no peak", "[logs]") {
    CHECK(peak(read_log(smi(3) + megatron_steps()), Peak::device) == 0);
    CHECK(peak(read_log(smi(3) + megatron_steps() + memory()), Peak::device) == 0);
    CHECK(peak(read_log(smi(3) + megatron_steps() + smi(75412)), Peak::device) == Approx(75412 * kMebi));
    // The memory of one moment may be less than the peak of the allocator.
    CHECK(peak(read_log(megatron_steps() + memory() + smi(30000)), Peak::device) == 0);
    // A run without steps ran out of memory; its memory is compared with the allocator's.
    CHECK(peak(read_log(smi(3) + memory()), Peak::device) == 0);
    CHECK(peak(read_log(memory() + smi(75412)), Peak::device) == Approx(75412 * kMebi));
}

TEST_CASE("logs: names of GPUs and of MLPerf's systems", "[logs]") {
    using logs::gpu_preset_of;
    CHECK(gpu_preset_of("NVIDIA H100 80GB HBM3") == "h100-sxm-80gb");
    CHECK(gpu_preset_of("NVIDIA H100 PCIe") == "h100-pcie-80gb");
    CHECK(gpu_preset_of("NVIDIA A800-SXM4-80GB") == "a800-sxm-80gb");
    CHECK(gpu_preset_of("NVIDIA RTX PRO 6000 Blackwell Server Edition") == "rtx-pro-6000");
    CHECK(gpu_preset_of("DGXH100") == "h100-sxm-80gb");
    CHECK(gpu_preset_of("DGXB200") == "b200-sxm");
    // These cards have other rates than the presets with similar names.
    for (const char* name :
         {"NVIDIA H100 NVL", "NVIDIA H200 NVL", "NVIDIA H800 PCIe", "NVIDIA A800 80GB PCIe",
          "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "XH100"}) {
        INFO(name);
        CHECK(gpu_preset_of(name).empty());
    }
    for (const char* name : {"h100-sxm-80gb", "b200-sxm", "rtx-pro-6000"})
        CHECK(Catalogue::shipped().find(PresetKind::gpu, name));
}

TEST_CASE("logs: a platform of MLPerf that is no preset leaves the GPU to other lines", "[logs]") {
    const auto platform = [](const char* name) {
        return written(
            ":::MLLOG {\"time_ms\": 1, \"key\": \"submission_platform\", \"value\": \"%s\", "
            "\"metadata\": {}}\n",
            name);
    };
    const std::string device = "GPU 0: NVIDIA H200 (UUID: GPU-0)\n";
    CHECK(read_log(platform("our cluster") + device + megatron_steps()).contents.device == "NVIDIA H200");
    CHECK(read_log(platform("DGXH100") + device + megatron_steps()).contents.device == "DGXH100");
}

TEST_CASE("logs: the prefixes of torchrun, srun and NeMo-Run", "[logs]") {
    using logs::rank_of;
    using logs::without_rank;
    CHECK(without_rank("[rank3]:  x") == "  x");
    CHECK(without_rank("[2026-03-02 10:20:30] [default3]:x") == "x");
    CHECK(without_rank("12: x") == " x");
    CHECK(without_rank(" 3:   num_layers: 32") == "   num_layers: 32");
    CHECK(without_rank("i.pretrain/1 [default0]:  x") == "  x");
    CHECK(without_rank("train/0  x") == " x");
    // Kubernetes and Docker begin each line with its time.
    CHECK(without_rank("2026-03-02T10:20:30.123456Z   num_layers") == "  num_layers");
    CHECK(without_rank("2026-03-02T10:20:30+01:00 [default3]:x") == "x");
    CHECK(without_rank("2026-03-02T10:20:30Z 12: x") == " x");
    CHECK(without_rank("2026-03-02T10:20:30Zulu x") == "2026-03-02T10:20:30Zulu x");
    CHECK(rank_of("2026-03-02T10:20:30Z [rank3]: x") == 3);
    CHECK_FALSE(rank_of("2026-03-02T10:20:30Z x"));
    CHECK(rank_of("[rank3]: x") == 3);
    CHECK(rank_of(" 12: x") == 12);
    // Primus writes its own prefix, also behind that of torchrun.
    const std::string primus = "[20260601 10:00:00][rank-7/8][INFO ] ";
    CHECK(without_rank(primus + "[--------trainer.py:100] :   num_layers") == "  num_layers");
    CHECK(without_rank("[default3]:" + primus + "[-utils.py:12] : x") == "x");
    CHECK(without_rank(primus + "x [1] : y") == "x [1] : y");
    CHECK(rank_of(primus + "x") == 7);
    CHECK(rank_of("[default3]:" + primus + "x") == 7);
    // The local ranks of two nodes are two processes.
    CHECK(rank_of("train/0 [default0]: x") != rank_of("train/1 [default0]: x"));
    for (const char* text : {"[2026-03-02 10:20:30] x", "[20260601 10:00:00][rank-7", "[a][rank-7] x",
                             "10/100 x", "num_layers: 32", "12:30 x", "/a/0 x", ""}) {
        INFO(text);
        CHECK(without_rank(text) == text);
        CHECK_FALSE(rank_of(text));
    }
    // Of tasks that log the same steps one counts.
    std::string two;
    for (int i = 1; i <= 4; ++i) two += "0: " + megatron_step(i, 500) + "1: " + megatron_step(i, 600);
    CHECK(read_log(two).steady.logged == 4);
    CHECK(read_log(two).steady.median == Approx(0.5));
}

TEST_CASE("logs: the tool of a log without steps, and of one with a moving average", "[logs]") {
    const std::string error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
    CHECK(read_log(error).tool == "PyTorch");
    CHECK(read_log(error).software.empty());
    CHECK(read_log(torchtitan_head() + error).tool == "torchtitan");
    CHECK(read_log(megatron_arguments() + error).tool == "Megatron-LM");
    // The Trainer's bar shows more steps than DeepSpeed logs, but a moving average.
    std::string both = "Total optimization steps = 2,000\n";
    for (int i = 1; i <= 20; ++i) {
        both += written("\r  5%%|▌         | %d/2000 [05:00<1:35:00,  3.00s/it]\n", i);
        if (i % 5 == 0) both += written("steps: %d loss: 9.1 iter time (s): 2.500 samples/sec: 51.2\n", i);
    }
    CHECK(read_log(both).tool == "DeepSpeed");
    CHECK(read_log(both).steady.median == Approx(2.5));
}

TEST_CASE("logs: JSON with a line of a log is no log", "[logs]") {
    CHECK_FALSE(is_training_log("{\n\"note\": \"from\n" + megatron_steps() + "\"}"));
    CHECK_FALSE(is_training_log("  {\"log\": \"step: 1 tps: 5\"}"));
    CHECK(is_training_log(megatron_steps()));
    // Hugging Face's Trainer prints dictionaries of Python.
    CHECK(is_training_log(
        "{'loss': 2.31, 'learning_rate': 1e-05, 'epoch': 0.1}\n"
        "{'train_runtime': 6300.0, 'train_samples_per_second': 20.317, 'train_steps_per_second': 0.317, "
        "'train_loss': 2.1, 'epoch': 1.0}\n"));
}

TEST_CASE("logs: PyTorch's memory summary, nvidia-smi and an error without memory", "[logs]") {
    const TrainingLog log = read_log(
        "|===========================================================================|\n"
        "|                  PyTorch CUDA memory summary, device ID 0                 |\n"
        "| Allocated memory      | 682537 KiB |  65430 MiB |   3115 GiB |   3114 GiB |\n"
        "| GPU reserved memory   |  70000 MiB |     70 GiB |     80 GiB |     10 GiB |\n"
        "|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n"
        "| N/A   45C    P0              345W / 400W |  75412MiB / 81920MiB |    100%      Default |\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity "
        "of "
        "79.10 GiB of which 1.20 GiB is free.\n");
    CHECK(peak(log, Peak::allocated) == Approx(65430 * kMebi));
    CHECK(peak(log, Peak::reserved) == Approx(70 * kGibi));
    CHECK(peak(log, Peak::device) == Approx(75412 * kMebi));
    CHECK(log.contents.device == "NVIDIA A100-SXM4-80GB");
    CHECK(log.contents.out_of_memory_line == 7);
    CHECK(log.quality() == RunQuality::none);
}
