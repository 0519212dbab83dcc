#include "estimate/estimate.h"

#include <algorithm>
#include <cmath>

#include "containers/pick.h"
#include "hardware/power.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// The two largest elasticities count as equal if they differ by less than this.
constexpr double kBalanced = 0.02;

// E29: memory if the scenario does not fit, else the rate that bounds the largest share of the step.
Wall wall_of(const Estimate& e) {
    if (e.verdict == Verdict::does_not_fit) return Wall::memory;
    const auto& elasticity = e.elasticity;
    std::size_t first = 0;
    for (std::size_t i = 1; i < kRates; ++i) {
        if (elasticity[i] > elasticity[first]) first = i;
    }
    for (std::size_t i = 0; i < kRates; ++i) {
        if (i != first && elasticity[first] - elasticity[i] < kBalanced) return Wall::balanced;
    }
    return e.wall_of(static_cast<Rate>(first));
}

double sum_of(const StepTime& step, const auto& terms) {
    double sum = 0;
    for (const StepTerm term : terms) sum += step.term(term);
    return sum;
}

// E26: throughput relative to the same step without communication and waiting.
double utilization(const StepTime& step) {
    return (step.total - sum_of(step, kNetworkTerms) - sum_of(step, kWaitingTerms)) / step.total;
}

// An MFU set by hand stretches the predicted step. Its parts keep their shares, so they still add up to the
// step. Only more FLOPS make such a step shorter, so all of its time is attributed to compute.
void stretch(StepTime& step, double factor) {
    for (double& term : step.terms) term *= factor;
    step.total *= factor;
    step.hidden_communication *= factor;
    step.attribution = Time(Rate::compute, step.total);
}

}  // namespace

std::string_view name_of(Wall wall) {
    return pick(std::array<std::string_view, 8>{"memory", "compute", "memory-bandwidth", "intra-node",
                                                "inter-node", "latency", "intra-node", "balanced"},
                wall);
}
std::string label_of(Wall wall) {
    return translate(
        pick(std::array<std::string_view, 8>{translatable("memory"), translatable("compute"),
                                             translatable("memory bandwidth"), translatable("intra-node"),
                                             translatable("inter-node"), translatable("latency"),
                                             translatable("host link"), translatable("balanced")},
             wall));
}

double Estimate::compute_time() const {
    return step.total - sum_of(step, kNetworkTerms) - sum_of(step, kWaitingTerms);
}
double Estimate::exposed_communication() const { return sum_of(step, kNetworkTerms); }
double Estimate::communication_time() const { return exposed_communication() + step.hidden_communication; }
double Estimate::waiting_time() const { return sum_of(step, kWaitingTerms); }

double Estimate::links_over_host_link() const {
    const double host = step.term(StepTerm::host_link);
    const double limited = elasticity[static_cast<std::size_t>(Rate::intra_node)] * step.total;
    // The links between GPUs limit no more than what waits for communication, and than the rest.
    return (std::min(exposed_communication(), limited - host) - host) / step.total;
}

Wall Estimate::wall_of(Rate rate) const {
    if (rate == Rate::intra_node && links_over_host_link() < 0) return Wall::host_link;
    return static_cast<Wall>(static_cast<int>(Wall::compute) + static_cast<int>(rate));
}

bool is_possible(const Estimate& e) {
    constexpr double kRounding = 1e-9;
    const auto is_share = [](double share) { return share >= -kRounding && share <= 1 + kRounding; };
    return std::isfinite(e.step.total) && e.step.total > 0 && std::isfinite(e.memory.peak) &&
           e.memory.peak > 0 && is_share(e.hfu) && std::ranges::all_of(e.elasticity, is_share);
}

Estimate estimate(const Compiled& c) {
    const Settings& s = c.settings;
    Estimate out;
    out.memory = memory_use(c);
    out.verdict = verdict_of(out.memory.peak, s);
    out.step = step_time(c);
    double busy = utilization(out.step);
    const auto mfu = [&] { return c.flops_per_token * (c.tokens_per_gpu / out.step.total) / c.peak; };
    out.predicted_mfu = mfu();
    const bool set_by_hand = s[P::mfu_override] > 0;
    if (set_by_hand) {
        const double factor = out.predicted_mfu / s[P::mfu_override];
        stretch(out.step, factor);
        busy = std::min(1.0, busy / factor);
    }
    for (std::size_t i = 0; i < kRates; ++i) out.elasticity[i] = out.step.attribution.by[i] / out.step.total;
    out.wall = wall_of(out);

    const double gpus = s[P::gpus];
    out.parameters = c.parameters;
    out.tokens_per_gpu = c.tokens_per_gpu;
    out.tokens_per_s_per_gpu = c.tokens_per_gpu / out.step.total;
    out.tokens_per_s = out.tokens_per_s_per_gpu * gpus;
    out.mfu = mfu();
    out.hfu = c.executed_flops_per_token * out.tokens_per_s_per_gpu / c.peak;
    out.mfu_bf16_peak = out.mfu * c.peak / c.bf16_peak;
    out.power_per_gpu = power_per_gpu(s[P::tdp], busy);
    out.tokens_per_joule = out.tokens_per_s_per_gpu / out.power_per_gpu;
    out.run = training_run(c, out.tokens_per_s, out.power_per_gpu);
    out.ideal = ideal_estimate(c.ideal);
    return out;
}

}  // namespace shardscope
