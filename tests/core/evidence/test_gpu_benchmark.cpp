// Tests measurements of one GPU: reading, refusal with reasons, and recovery of the constants.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "evidence/gpu_benchmark.h"
#include "model/operators.h"
#include "scenario/scenario.h"
#include "system/file_io.h"

using namespace shardscope;
using nlohmann::json;

namespace {

constexpr NominalRates kH100{989.5e12, 989.5e12, 67e12, 3.35e12};

GpuRates h100(double eta, double half_depth, double half_area, double attention, double memory) {
    GpuRates gpu;
    gpu.peak = kH100.peak_bf16;
    gpu.gemm_efficiency = eta;
    gpu.half_depth = half_depth;
    gpu.half_area = half_area;
    gpu.attention_efficiency = attention;
    gpu.half_sequence = parameter(P::attention_half_sequence).fallback;
    gpu.memory_bandwidth = kH100.memory_bandwidth * memory;
    gpu.launch = parameter(P::kernel_launch).fallback;
    return gpu;
}

// Returns the measurements of a GPU that follows E9 and E10 exactly.
GpuBenchmark exact_benchmark(const GpuRates& gpu, double half_head = 0) {
    GpuBenchmark out;
    for (const double m : {512.0, 2048.0, 8192.0}) {
        for (const double n : {512.0, 4096.0, 16384.0}) {
            for (const double k : {256.0, 512.0, 1024.0, 4096.0, 8192.0}) {
                Operator op;
                op.m = m, op.n = n, op.k = k;
                op.bytes = 2 * (m * k + k * n + m * n);
                out.gemm.push_back({m, n, k, Precision::bf16, forward_time(op, gpu).total()});
            }
        }
    }
    for (const double s : {512.0, 1024.0, 2048.0, 4096.0, 8192.0}) {
        for (const double head : {64.0, 128.0}) {
            GpuRates at_head = gpu;
            set_attention_efficiency(at_head, {half_head, 1}, gpu.attention_efficiency, head);
            Operator op;
            op.kind = OperatorKind::attention;
            op.count = 16384 / s * 32;
            op.m = s, op.n = s / 2, op.k = head;
            op.bytes = 2 * 4 * op.count * s * head;
            out.attention.push_back({16384 / s, 32, s, head, AttentionKernel::flash, true,
                                     forward_time(op, at_head).total(), backward_time(op, at_head).total()});
        }
    }
    for (const double bytes : {5e8, 1e9, 2e9, 4e9})
        out.streaming.push_back({bytes, bytes / gpu.memory_bandwidth + gpu.launch});
    return out;
}

json sound_file() {
    return json::parse(R"({
        "format": "shardscope-measurements", "version": 1, "gpu": "NVIDIA H100 80GB HBM3",
        "driver": "550.54", "torch": "2.5.1", "cuda": "12.4", "cudnn": null, "device": "cuda",
        "created": "2025-03-01T12:00:00+00:00",
        "gemm": [{"m": 4096, "n": 4096, "k": 4096, "precision": "bf16", "seconds": 2.1e-4}],
        "attention": [{"batch": 8, "heads": 32, "sequence": 2048, "head_size": 128, "kernel": "flash",
                       "causal": true, "forward_s": 1e-3, "backward_s": 2.5e-3}],
        "streaming": [{"bytes": 1073741824, "seconds": 4e-4}],
        "blocks": [{"layers": 4, "hidden": 4096, "ffn": 14336, "heads": 32, "kv_heads": 8, "mlp": "gated",
                    "norm": "rmsnorm", "vocab": 32000, "sequence": 2048, "micro_batch": 2,
                    "recompute": "selective", "attention": "flash", "precision": "bf16",
                    "optimizer": "adamw", "step_s": 0.1, "peak_allocated_bytes": 2e10,
                    "peak_reserved_bytes": 2.2e10, "device_bytes": null, "parameters": 1134596096}],
        "skipped": [{"section": "blocks", "case": "too large", "reason": "out of memory"}]
    })");
}

Problems problems_of_measurements(const json& file) {
    Problems problems;
    read_gpu_benchmark(file.dump(), problems);
    return problems;
}

// Returns the only problem of a file that is valid except for `value` at `pointer`.
Problem problem_with(const char* pointer, const json& value) {
    json file = sound_file();
    file[json::json_pointer(pointer)] = value;
    const Problems problems = problems_of_measurements(file);
    REQUIRE(problems.size() == 1);
    return problems[0];
}

double of(const BlockMeasurement& block, P id) {
    for (const auto& [known, value] : block.settings) {
        if (known == id) return value;
    }
    FAIL("the block does not say " << parameter(id).key);
    return 0;
}

// Returns the block's parameters as the engine counts them.
double counted_parameters(const BlockMeasurement& block) {
    Scenario scenario = Scenario::first_launch();
    for (const auto& [id, value] : block.settings) scenario.give(id, value);
    OperatorList operators;
    build_transformer(resolve(scenario), operators);
    return operators.parameters();
}

}  // namespace

TEST_CASE("Constants are recovered from measurements that follow the formulas") {
    Problems problems;
    const KernelFit found = fit_kernels(exact_benchmark(h100(0.82, 220, 2.4e6, 0.52, 0.9)), kH100, problems);
    REQUIRE(problems.empty());
    CHECK(found[P::gemm_efficiency].value == Approx(0.82).epsilon(0.01));
    CHECK(found[P::gemm_half_depth].value == Approx(220).epsilon(0.03));
    CHECK(found[P::gemm_half_area].value == Approx(2.4e6).epsilon(0.03));
    CHECK(found[P::attention_efficiency].value == Approx(0.52).epsilon(0.01));
    CHECK(found[P::memory_efficiency].value == Approx(0.9).epsilon(0.01));
    for (const KernelConstant& constant : found.constants) {
        INFO(parameter(constant.id).key);
        CHECK(constant.identified());
        CHECK(constant.prior == parameter(constant.id).fallback);
    }
    CHECK(found.precision == Precision::bf16);
    CHECK(found.used == 45 + 2 * 10 + 4);
    CHECK(found.left_out == 0);
    CHECK(found.rms < 0.01);
}

TEST_CASE("The efficiency of attention at head size 128 is recovered from several head sizes") {
    Problems problems;
    NominalRates nominal = kH100;
    nominal.attention.half_head = 64;
    const GpuRates gpu = h100(0.82, 220, 2.4e6, 0.52, 0.9);
    const KernelFit found = fit_kernels(exact_benchmark(gpu, 64), nominal, problems);
    REQUIRE(problems.empty());
    CHECK(found[P::attention_efficiency].value == Approx(0.52).epsilon(0.01));
    // Without the law, the value would lie between those of both head sizes.
    CHECK(fit_kernels(exact_benchmark(gpu, 64), kH100, problems)[P::attention_efficiency].value <
          0.52 * 0.95);
}

TEST_CASE("Constants that the measurements do not determine keep their defaults and are named") {
    GpuBenchmark measured = exact_benchmark(h100(0.82, 220, 2.4e6, 0.52, 0.9));
    measured.attention.clear();
    // Large, deep products alone do not determine the constants of the shape.
    std::erase_if(measured.gemm, [](const GemmMeasurement& gemm) {
        return gemm.m < 8192 || gemm.n < 16384 || gemm.k < 8192;
    });
    Problems problems;
    const KernelFit found = fit_kernels(measured, kH100, problems);
    REQUIRE(problems.empty());
    CHECK_FALSE(found[P::attention_efficiency].identified());
    CHECK(found[P::attention_efficiency].value == parameter(P::attention_efficiency).fallback);
    CHECK_FALSE(found[P::gemm_half_depth].identified());
    CHECK_FALSE(found[P::gemm_half_area].identified());
    CHECK(found[P::gemm_efficiency].identified());
    CHECK(found[P::memory_efficiency].identified());
}

TEST_CASE("Only what the formulas describe is fitted, and the error is reported by kind") {
    const GpuRates gpu = h100(0.75, 130, 9e5, 0.4, 0.8);
    GpuBenchmark measured = exact_benchmark(gpu);
    measured.gemm.push_back({4096, 4096, 4096, Precision::fp8, 1e-4});
    measured.attention.push_back({8, 32, 2048, 128, AttentionKernel::naive, true, 1, 2});
    for (std::size_t i = 0; i < measured.streaming.size(); ++i)
        measured.streaming[i].seconds *= i % 2 == 0 ? 1.05 : 0.95;
    Problems problems;
    const KernelFit found = fit_kernels(measured, kH100, problems);
    REQUIRE(problems.empty());
    CHECK(found.left_out == 3);
    CHECK(found.rms_gemm < 0.01);
    CHECK(found.rms_streaming == Approx(0.05).epsilon(0.1));
    CHECK(found[P::attention_efficiency].value == Approx(0.4).epsilon(0.01));
}

TEST_CASE("A file of measurements is read") {
    Problems problems;
    const GpuBenchmark read = read_gpu_benchmark(sound_file().dump(), problems);
    REQUIRE(problems.empty());
    CHECK(read.gpu == "NVIDIA H100 80GB HBM3");
    CHECK(read.cuda == "12.4");
    CHECK(read.cudnn.empty());
    CHECK_FALSE(read.on_cpu);
    REQUIRE(read.gemm.size() == 1);
    CHECK(read.gemm[0].k == 4096);
    CHECK(read.gemm[0].seconds == 2.1e-4);
    REQUIRE(read.attention.size() == 1);
    CHECK(read.attention[0].causal);
    CHECK(read.attention[0].backward == 2.5e-3);
    CHECK(read.streaming.at(0).bytes == 1073741824);
    REQUIRE(read.blocks.size() == 1);
    CHECK(of(read.blocks[0], P::recompute) == kRecomputeSelective);
    CHECK(of(read.blocks[0], P::kv_heads) == 8);
    CHECK(of(read.blocks[0], P::tied_embeddings) == 0);
    CHECK(read.blocks[0].peak_allocated == 2e10);
    CHECK(read.blocks[0].peak_reserved == 2.2e10);
    CHECK(read.blocks[0].device == 0);
    CHECK(read.blocks[0].parameters == counted_parameters(read.blocks[0]));
    CHECK(read.skipped == 1);
}

TEST_CASE("Every unusable entry is reported with its place") {
    CHECK(problem_with("/gemm/0/seconds", 0).where == "/gemm/0/seconds");
    CHECK(
        problem_with("/gemm/0/seconds", -1e-3).text() ==
        "/gemm/0/seconds: “-0.001” is not a valid value (a number above 0 and up to 1,000,000 is expected); "
        "measure again or remove the entry");
    CHECK(problem_with("/gemm/0/precision", "bf61").where == "/gemm/0/precision");
    CHECK(problem_with("/attention/0/backward_s", 0).where == "/attention/0/backward_s");
    CHECK(problem_with("/attention/0/causal", 1).where == "/attention/0/causal");
    CHECK(problem_with("/attention/0/kernel", "flush").where == "/attention/0/kernel");
    CHECK(problem_with("/streaming/0", 7).where == "/streaming/0");
    CHECK(problem_with("/streaming", 7).where == "/streaming");
    CHECK(problem_with("/blocks/0/layers", 0).where == "/blocks/0/layers");
    CHECK(problem_with("/blocks/0/recompute", nullptr).where == "/blocks/0/recompute");
    CHECK(problem_with("/blocks/0/step_s", "1 s").where == "/blocks/0/step_s");
    CHECK(problem_with("/device", "tpu").where == "/device");
    CHECK(problem_with("/gpu", 3).where == "/gpu");
    CHECK(problem_with("/version", 2).where == "/version");
    CHECK(problem_with("/format", "shardscope-scenario").where == "/format");
    const Problem misspelt = problem_with("/gemm/0/second", 1);
    CHECK(misspelt.where == "/gemm/0/second");
    CHECK(misspelt.suggestion == "did you mean “seconds”?");
}

TEST_CASE("All problems of a file are reported at once") {
    json file = sound_file();
    file["gemm"][0].erase("m");
    file["streaming"][0]["seconds"] = nullptr;
    file.erase("attention");
    const Problems problems = problems_of_measurements(file);
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].where == "/gemm/0/m");
    CHECK(problems[0].what == "the field is missing");
    CHECK(problems[1].where == "/attention");
    CHECK(problems[2].where == "/streaming/0/seconds");

    CHECK(problems_of_measurements(json::array()).size() == 1);
    Problems cut;
    read_gpu_benchmark("{\n\"format\": }", cut);
    REQUIRE(cut.size() == 1);
    CHECK(cut[0].line == 2);
}

TEST_CASE("Measurements that cannot calibrate a GPU are refused with the reason") {
    const GpuBenchmark sound = exact_benchmark(h100(0.75, 130, 9e5, 0.4, 0.8));
    const auto refused = [](const GpuBenchmark& measured, const NominalRates& nominal) {
        Problems problems;
        fit_kernels(measured, nominal, problems);
        REQUIRE(problems.size() == 1);
        return problems[0].where;
    };
    GpuBenchmark on_cpu = sound;
    on_cpu.on_cpu = true;
    CHECK(refused(on_cpu, kH100) == "/device");
    Problems problems;
    CHECK(fit_kernels(on_cpu, kH100, problems, MeasuredOn::anything).used > 0);
    CHECK(problems.empty());

    GpuBenchmark no_gemm = sound;
    no_gemm.gemm.clear();
    CHECK(refused(no_gemm, kH100) == "/gemm");

    NominalRates unknown = kH100;
    unknown.peak_bf16 = 0;
    CHECK(refused(sound, unknown) == "/gemm");
    unknown = kH100;
    unknown.memory_bandwidth = 0;
    CHECK(refused(sound, unknown) == "/streaming");

    // This is the preset of another GPU.
    NominalRates slower = kH100;
    slower.peak_bf16 = 312e12;
    CHECK(refused(sound, slower).starts_with("/gemm/"));
    slower = kH100;
    slower.memory_bandwidth = 2e12;
    CHECK(refused(sound, slower).starts_with("/streaming/"));
}

// The test measure_gpu_is_read runs this on a file that the script has just measured with --tiny.
TEST_CASE("The output of the measuring script is read and fitted", "[.][measured]") {
    const char* path = std::getenv("SHARDSCOPE_MEASUREMENTS");
    REQUIRE(path != nullptr);
    Problems problems;
    const GpuBenchmark measured = read_gpu_benchmark(read_text(path, problems), problems);
    for (const Problem& problem : problems) UNSCOPED_INFO(problem.text(path));
    REQUIRE(problems.empty());
    CHECK(measured.on_cpu);
    CHECK(measured.gemm.size() == 8);
    CHECK(measured.attention.size() >= 2);
    CHECK(measured.streaming.size() == 4);
    CHECK(measured.blocks.size() == 6);
    CHECK(measured.skipped == 0);
    // The script's models have as many parameters as the engine's.
    for (const BlockMeasurement& block : measured.blocks)
        CHECK(block.parameters == counted_parameters(block));

    // No CPU reaches these peaks.
    const NominalRates nominal{1e15, 1e15, 1e15, 1e13};
    const KernelFit found = fit_kernels(measured, nominal, problems, MeasuredOn::anything);
    CHECK(problems.empty());
    CHECK(found.precision == Precision::fp32);
    CHECK(std::isfinite(found.rms));
}
