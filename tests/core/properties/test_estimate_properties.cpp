// Tests properties that hold for the estimate of every scenario.
#include <algorithm>
#include <catch2/catch.hpp>
#include <clocale>
#include <cmath>
#include <locale>
#include <nlohmann/json.hpp>

#include "evidence/likely_range.h"
#include "files/result.h"
#include "planner/plan.h"
#include "support/properties.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

constexpr int kCases = 3000;
constexpr double kRounding = 1e-9;  // relative

// A higher value of any of these rates makes no step longer.
constexpr std::array kRateInputs{P::peak_flops,           P::memory_bandwidth, P::intra_node_bandwidth,
                                 P::inter_node_bandwidth, P::host_bandwidth,   P::host_memory_bandwidth,
                                 P::nvme_bandwidth,       P::peer_bandwidth};
// Every step contains these times: a lower value of any of them makes no step longer.
constexpr std::array kLatencyInputs{P::intra_node_latency, P::inter_node_latency,
                                    P::collective_latency, P::kernel_launch,
                                    P::launch_overhead,    P::pipeline_layer_overhead,
                                    P::expert_overhead,    P::expert_cast_overhead,
                                    P::step_overhead,      P::step_jitter};

bool near(double a, double b) { return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b)); }

// Returns the estimate with one value changed and nothing else.
Estimate with_value(Settings settings, P id, double value) {
    settings.set(id, value, settings.origin(id));
    if (id == P::peak_flops)
        settings.set(peak_of(settings.choice<Precision>(P::precision)), value, Origin::given);
    Compiled compiled;
    compile(settings, compiled);
    return estimate(compiled);
}

// Checks that every number in a result is finite.
void check_finite(const nlohmann::json& value, const std::string& where) {
    if (value.is_structured()) {
        for (const auto& [key, child] : value.items()) check_finite(child, where + "/" + key);
    } else if (value.is_number()) {
        RC_LOG() << where << "\n";
        RC_ASSERT(std::isfinite(value.get<double>()));
    }
}

double sum_of(const nlohmann::json& object) {
    double sum = 0;
    for (const auto& entry : object) sum += entry.get<double>();
    return sum;
}

}  // namespace

TEST_CASE("any scenario: there is an estimate that adds up and that hardware could reach, or a reason",
          "[properties][estimate-properties]") {
    int valid = 0;
    int tried = 0;
    hold("estimate", kCases, [&] {
        const Scenario scenario = scenario_of(*random::scenario());
        const Answer now = answer(scenario);
        ++tried;
        for (const Problem& problem : now.problems) RC_ASSERT(!problem.what.empty());
        // Only an MFU set by hand may be impossible; otherwise the engine has an error.
        RC_ASSERT(!now.impossible || now.settings[P::mfu_override] > 0);
        if (!now.valid()) return;
        ++valid;
        const Estimate& e = now.estimate;
        RC_ASSERT(e.hfu > 0);
        RC_ASSERT(e.hfu <= 1 + kRounding);
        double shares = 0;
        for (const double share : e.elasticity) {
            RC_ASSERT(share >= -kRounding);
            RC_ASSERT(share <= 1 + kRounding);
            shares += share;
        }
        RC_ASSERT(near(shares, 1));
        for (const double term : e.step.terms) RC_ASSERT(term >= -kRounding * e.step.total);
        const LikelyRange likely = likely_range(now);
        RC_ASSERT(likely.low <= e.tokens_per_s_per_gpu * (1 + kRounding));
        RC_ASSERT(likely.high >= e.tokens_per_s_per_gpu * (1 - kRounding));
        double terms = 0;
        for (const double seconds : e.step.terms) terms += seconds;
        RC_ASSERT(near(terms, e.step.total));
        double bytes = 0;
        for (const double part : e.memory.terms()) bytes += part;
        RC_ASSERT(near(bytes, e.memory.peak));
    });
    // The property means little if hardly any scenario is valid.
    CHECK(valid > tried / 2);
}

TEST_CASE("any scenario: the ideal is an upper bound of the prediction",
          "[properties][estimate-properties]") {
    int gathering = 0;
    hold("ideal", kCases, [&] {
        const Answer now = answer(scenario_of(*random::scenario()));
        if (!now.valid() || now.settings[P::mfu_override] > 0) return;
        const Estimate& e = now.estimate;
        gathering += e.ideal.transfer_time > 0;
        RC_ASSERT(e.tokens_per_s_per_gpu <= e.ideal.tokens_per_s * (1 + kRounding));
        RC_ASSERT(e.mfu <= e.ideal.mfu * (1 + kRounding));
        RC_ASSERT(e.hfu <= e.ideal.hfu * (1 + kRounding));
    });
    CHECK(gathering > 0);
}

TEST_CASE("any scenario: the ideal is an upper bound of the prediction with a planned job, too",
          "[properties][estimate-properties]") {
    hold("planned ideal", kCases / 100, [] {
        Scenario scenario = scenario_of(*random::scenario());
        scenario.automatic = default_free_parameters();
        const Answer now = answer(scenario);
        if (!now.valid() || now.settings[P::mfu_override] > 0) return;
        RC_ASSERT(now.estimate.tokens_per_s_per_gpu <= now.estimate.ideal.tokens_per_s * (1 + kRounding));
    });
}

TEST_CASE("any scenario: the result as JSON is finite and adds up", "[properties][result-properties]") {
    hold("result", kCases, [] {
        const Answer now = answer(scenario_of(*random::scenario()));
        if (!now.valid()) return;
        const auto result = nlohmann::json::parse(result_json(now, true));
        check_finite(result, "");
        RC_ASSERT(near(sum_of(result["step_terms"]), result["step_time_s"].get<double>()));
        RC_ASSERT(near(sum_of(result["memory"]["terms"]), result["memory"]["peak_bytes"].get<double>()));
    });
}

TEST_CASE("any scenario: a higher rate, more memory or a lower latency makes nothing worse",
          "[properties][monotone-properties]") {
    hold("monotone", kCases, [] {
        const Answer now = answer(scenario_of(*random::scenario()));
        if (!now.valid()) return;
        const double factor = *rc::gen::element(1.02, 1.3, 5.0);
        const auto check = [&](P id, double by) {
            const double value = now.settings[id];
            if (std::isnan(value)) return;
            const Estimate better = with_value(now.settings, id, value * by);
            RC_LOG() << parameter(id).key << " x " << by << ": step " << now.estimate.step.total << " -> "
                     << better.step.total << " s\n";
            RC_ASSERT(better.step.total <= now.estimate.step.total * (1 + kRounding));
        };
        for (const P id : kRateInputs) check(id, factor);
        for (const P id : kLatencyInputs) check(id, 1 / factor);

        const Estimate roomier = with_value(now.settings, P::memory, factor * now.settings[P::memory]);
        RC_ASSERT(roomier.verdict <= now.estimate.verdict);
        RC_ASSERT(roomier.step.total == now.estimate.step.total);
    });
}

TEST_CASE("any scenario: more recomputed layers never need more memory",
          "[properties][recompute-properties]") {
    int compared = 0;
    hold("recompute", kCases, [&] {
        const Answer now = answer(scenario_of(*random::scenario()));
        if (!now.valid()) return;
        // Context parallelism repeats its forward buffers beside the gradients of the backward pass, and
        // weight copies have stages of half a layer.
        if (now.settings[P::context_parallel] > 1 || now.compiled.stages.weight_copies > 1) return;
        ++compared;
        double before = with_value(now.settings, P::recompute, 0).memory.peak;
        for (const double share : {0.01, 0.1, 0.3, 0.5, 0.8, 0.97, 1.0}) {
            const double peak = with_value(now.settings, P::recompute, share).memory.peak;
            RC_LOG() << share << ": " << before << " -> " << peak << " bytes\n";
            RC_ASSERT(peak <= before * (1 + kRounding));
            before = peak;
        }
    });
    CHECK(compared > 0);
}

TEST_CASE("any scenario: a machine that is faster in everything has the same MFU",
          "[properties][estimate-properties]") {
    hold("scaled", kCases, [] {
        const Answer now = answer(scenario_of(*random::scenario()));
        if (!now.valid()) return;
        const double factor = *rc::gen::element(0.5, 3.0);
        Settings faster = now.settings;
        const auto scale = [&](P id, double by) { faster.set(id, by * faster[id], faster.origin(id)); };
        for (const P id : kRateInputs) scale(id, factor);
        for (const P id : {P::peak_flops_bf16, P::peak_flops_fp16, P::peak_flops_fp8, P::peak_flops_fp32,
                           P::peak_flops_mxfp8, P::peak_flops_nvfp4})
            scale(id, factor);
        for (const P id : kLatencyInputs) scale(id, 1 / factor);
        const Estimate e = with_value(faster, P::memory, faster[P::memory]);
        RC_ASSERT(near(e.mfu, now.estimate.mfu));
        RC_ASSERT(near(e.hfu, now.estimate.hfu));
        for (std::size_t i = 0; i < kRates; ++i)
            RC_ASSERT(std::abs(e.elasticity[i] - now.estimate.elasticity[i]) < 1e-6);
    });
}

// A locale whose decimal mark is a comma, for streams. C's printing functions use the locale that
// SHARDSCOPE_LOCALE names.
class CommaLocale {
  public:
    CommaLocale()
        : streams_(std::locale::global(std::locale(std::locale(), new Comma))),
          c_(std::setlocale(LC_ALL, nullptr)) {
        if (const char* name = std::getenv("SHARDSCOPE_LOCALE")) found_ = std::setlocale(LC_ALL, name);
    }
    ~CommaLocale() {
        std::locale::global(streams_);
        std::setlocale(LC_ALL, c_.c_str());
    }
    CommaLocale(const CommaLocale&) = delete;
    CommaLocale& operator=(const CommaLocale&) = delete;
    [[nodiscard]] bool found() const { return found_; }

  private:
    struct Comma : std::numpunct<char> {
        [[nodiscard]] char do_decimal_point() const override { return ','; }
        [[nodiscard]] char do_thousands_sep() const override { return '.'; }
        [[nodiscard]] std::string do_grouping() const override { return "\3"; }
    };
    std::locale streams_;
    std::string c_;
    bool found_ = true;
};

TEST_CASE("any scenario: the output has the same bytes in a locale with a decimal comma",
          "[properties][locale-properties]") {
    Problems none;
    Catalogue all = Catalogue::with_folder({}, none);
    hold("locale", kCases / 10, [&] {
        const Scenario scenario = scenario_of(*random::scenario());
        const std::string file = write_scenario(scenario);
        const Answer now = answer(scenario);
        const std::string text = now.valid() ? result_text(now, true) : texts_of(now.problems);
        const std::string json = now.valid() ? result_json(now, true) : "";
        const CommaLocale comma;
        RC_ASSERT(comma.found());
        RC_ASSERT(write_scenario(scenario) == file);
        Problems problems;
        const Answer again = answer(read_scenario(file, all, "/nonexistent", problems));
        RC_ASSERT(again.valid() == now.valid());
        RC_ASSERT((again.valid() ? result_text(again, true) : texts_of(again.problems)) == text);
        if (now.valid()) RC_ASSERT(result_json(again, true) == json);
    });
}

TEST_CASE("any scenario: its file reads back equal and gives the same result",
          "[properties][result-properties]") {
    Problems none;
    Catalogue all = Catalogue::with_folder({}, none);
    hold("file", kCases, [&] {
        const Answer now = answer(scenario_of(*random::scenario()));
        if (!now.valid()) return;
        Problems problems;
        const Scenario again = read_scenario(write_scenario(now.scenario), all, "/nonexistent", problems);
        for (const Problem& problem : problems) RC_LOG() << problem.text() << "\n";
        RC_ASSERT(problems.empty());
        RC_ASSERT(result_json(answer(again), true) == result_json(now, true));
    });
}
