// Tests that a setting of the training or the plan is either written or noted, for every tool.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "launch/launch.h"
#include "scenario/domain.h"
#include "support/check_scenario.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Returns the text without comments, which contain the prediction, and the notes.
std::string content(const LaunchText& launch) {
    std::istringstream lines(launch.text);
    std::string out;
    std::string line;
    while (std::getline(lines, line))
        if (!line.starts_with('#')) out += line + "\n";
    for (const std::string& note : launch.notes) out += note + "\n";
    return out;
}

// Returns the base with other valid values of a parameter that change the prediction.
std::vector<Scenario> changes(const Scenario& base, P id) {
    constexpr std::size_t kMost = 6;
    const Settings s = resolve(base);
    const Answer before = answer(base);
    std::vector<double> values = domain(id, s).stops;
    // A set also with one more member, and a number without stops also halved and doubled.
    if (parameter(id).quantity == Quantity::set)
        for (int member = 1; member <= parameter(id).maximum; member *= 2)
            values.push_back(s.whole(id) | member);
    else if (values.empty())
        for (const double factor : {0.5, 2.0}) values.push_back(nearest_valid(id, factor * s[id], s));
    std::vector<Scenario> out;
    for (const double value : values) {
        const bool is_set = parameter(id).quantity == Quantity::set;
        if (value == s[id] || (!is_set && out.size() == kMost)) continue;
        Scenario changed = base;
        changed.give(id, value);
        const Answer after = answer(changed);
        const bool has_effect = after.valid() && (after.estimate.step.total != before.estimate.step.total ||
                                                  after.estimate.memory.peak != before.estimate.memory.peak);
        if (has_effect) out.push_back(changed);
    }
    return out;
}

}  // namespace

TEST_CASE("launch: no setting of training and plan is dropped in silence by any tool", "[launch]") {
    const std::vector<Scenario> bases{
        check_scenario(R"({"model": {"preset": "llama-3-8b"}, "cluster": {"preset": "dgx-b200", "gpus": 64},
            "training": {"sharding": "zero1", "tensor_parallel": 2, "sequence_parallel": true,
                "context_parallel": 2, "pipeline_parallel": 2, "accumulation": 8, "recompute": "selective"}})"),
        check_scenario(R"({"model": {"preset": "llama-3-8b"}, "cluster": {"gpus": 64},
            "training": {"sharding": "hsdp", "shard_group": 8}})"),
        check_scenario(R"({"model": {"preset": "llama-3-8b"}, "cluster": {"gpus": 64},
            "training": {"sharding": "zero3", "pipeline_parallel": 4, "accumulation": 8, "recompute": "selective",
                "recompute_modules": ["core_attention", "mlp"]}})"),
        check_scenario(R"({"model": {"preset": "mixtral-8x7b"}, "cluster": {"gpus": 64},
            "training": {"sharding": "zero1", "expert_parallel": 4, "precision": "fp8"}})")};
    // These are no settings of a training tool, or follow from others.
    const std::set<P> excepted{P::critical_batch_law, P::training_tokens};
    std::size_t tried = 0;
    for (const Scenario& base : bases) {
        std::vector<std::string> before;
        for (const LaunchFormat* format : launch_formats())
            before.push_back(content(format->write(answer(base))));
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            const Group group = parameter(id).group;
            // How the loss is split is an assumption in a scenario and an option of the tools.
            const bool is_option = group == Group::training || group == Group::plan || id == P::parallel_loss;
            if (!is_option || excepted.contains(id)) continue;
            for (const Scenario& changed : changes(base, id)) {
                const Answer after = answer(changed);
                for (std::size_t tool = 0; tool < before.size(); ++tool) {
                    ++tried;
                    const LaunchFormat& written = *launch_formats()[tool];
                    INFO(written.name << ": " << parameter(id).key << " = "
                                      << format(id, after.settings[id]));
                    CHECK(content(written.write(after)) != before[tool]);
                }
            }
        }
    }
    CHECK(tried > 500);
}
