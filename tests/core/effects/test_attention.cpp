// Tests E9: how the efficiency of flash attention depends on the head size.
#include <catch2/catch.hpp>

#include "effects/attention.h"
#include "hardware/gpu_rates.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// The efficiency of the forward pass at 128 is that of both passes, 1 + 2.5 parts of the FLOPs of which the
// backward pass runs at 63/73 of the forward pass's.
constexpr double kForward = (1 + 2.5 * 73 / 63) / 3.5;

GpuRates rates_of(double at_128, double half, double head, double ceiling = 1) {
    return gpu_rates(resolve(with({{P::attention, AttentionKernel::flash},
                                   {P::native_attention, true},
                                   {P::attention_generation, 1},
                                   {P::attention_efficiency, at_128},
                                   {P::flash2_efficiency, at_128},
                                   {P::attention_ceiling, ceiling},
                                   {P::attention_half_head, half},
                                   {P::head_size, head}})));
}

// Returns the efficiency of the forward pass, given that at 128.
double efficiency(double at_128, double half, double head) {
    return rates_of(at_128 / kForward, half, head).attention_efficiency;
}

}  // namespace

TEST_CASE("attention: small heads pay for the exponentials", "[effects]") {
    // H100: 1/0.62 is the time per score at head size 128, of which 64/128 is one exponential.
    CHECK(efficiency(0.62, 64, 128) == Approx(0.62));
    CHECK(efficiency(0.62, 64, 64) == Approx(1 / (1 / 0.62 - 0.5 + 1)));
    CHECK(efficiency(0.62, 64, 256) == Approx(1 / (1 / 0.62 - 0.5 + 0.25)));
    // FlashAttention-3 on H100 at 16k tokens: 648 and 756 TFLOP/s forward at 128 and 256 (Shah et al. 2024,
    // arXiv 2407.08608).
    CHECK(efficiency(648.0 / 989, 64, 256) == Approx(756.0 / 989).epsilon(0.03));
    // Without exponentials the head size does not matter.
    CHECK(efficiency(0.5, 0, 64) == Approx(0.5));
}

TEST_CASE("attention: both passes together have the efficiency of the constant", "[effects]") {
    CHECK(flash_efficiency(rates_of(0.6, 64, 128)) == Approx(0.6));
    // FlashAttention-2 on A100, Dao 2023.
    const GpuRates a100 = rates_of(3.5 / (1 / 0.73 + 2.5 / 0.63), 0, 128);
    CHECK(a100.attention_efficiency == Approx(0.73));
    CHECK(a100.attention_backward_efficiency == Approx(0.63));
}

TEST_CASE("attention: no pass exceeds the best published kernel of the GPU", "[effects]") {
    const GpuRates large_heads = rates_of(0.6, 128, 1024, 0.7);
    CHECK(large_heads.attention_efficiency == Approx(0.7));
    const GpuRates fast = rates_of(0.9, 0, 128, 0.7);
    CHECK(fast.attention_efficiency == Approx(0.7));
    CHECK(fast.attention_backward_efficiency == Approx(0.7 * 63 / 73));
    const auto ceiling = [](const char* gpu, bool native) {
        Scenario scenario = first();
        scenario.gpu = scenario.catalogue->find(PresetKind::gpu, gpu);
        scenario.give(P::native_attention, native);
        return attention_limits(resolve(scenario)).ceiling;
    };
    CHECK(ceiling("a100-sxm-80gb", true) == Approx(0.73));
    CHECK(ceiling("h100-sxm-80gb", true) == Approx(740.0 / 989));
    CHECK(ceiling("h100-sxm-80gb", false) == Approx(477.0 / 989).epsilon(0.001));
    CHECK(ceiling("b200-sxm", true) == Approx(1613.0 / 2250).epsilon(0.002));
    CHECK(ceiling("gb300", false) == Approx(1613.0 / 2250 / 2.7).epsilon(0.01));
}

TEST_CASE("attention: the backward pass does not gain from heads larger than 128", "[effects]") {
    const auto backward = [](double head) {
        return gpu_rates(resolve(with({{P::head_size, head}}))).attention_backward_efficiency;
    };
    CHECK(backward(256) == backward(128));
    CHECK(backward(64) < backward(128));
    CHECK(efficiency(0.62, 64, 256) > efficiency(0.62, 64, 128));
}

TEST_CASE("attention: the head size at which exponentials take half of the time belongs to the GPU",
          "[effects]") {
    const auto half = [](const char* gpu) {
        Scenario scenario = first();
        scenario.gpu = scenario.catalogue->find(PresetKind::gpu, gpu);
        return resolve(scenario)[P::attention_half_head];
    };
    // 312 TFLOP/s ÷ (4 · 16 exponentials · 108 multiprocessors · 1.41 GHz); 989 ÷ (4 · 3.9) on H100 (Shah et
    // al. 2024); 2,250 ÷ (4 · 16 · 148 · 1.85 GHz) on B200.
    CHECK(half("a100-sxm-80gb") == Approx(312e12 / (4 * 16 * 108 * 1.41e9)).epsilon(0.02));
    CHECK(half("h100-sxm-80gb") == Approx(989 / (4 * 3.9)).epsilon(0.02));
    CHECK(half("b300-sxm") == half("b200-sxm") / 2);
    CHECK(half("gb300") == half("b300-sxm"));
    CHECK(half("b200-sxm") == Approx(2250e12 / (4 * 16 * 148 * 1.85e9)).epsilon(0.02));
}
