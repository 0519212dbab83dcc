// Checks properties of any scenario on random ones. A failing scenario is reduced as far as possible before
// it is shown, as a scenario file.
#pragma once

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "files/scenario_file.h"
#include "planner/answer.h"
#include "scenario/domain.h"

namespace shardscope::testing {

// One change of a scenario, to a value that `unit` selects from those of the parameter.
struct RandomEdit {
    int parameter = 0;
    int unit = 0;           // 0…1,000,000
    bool anywhere = false;  // of all sensible values, not only the slider's
    bool alone = false;     // no other parameter is adjusted, so the values may be invalid together
};

// A scenario as numbers, so that it can be reduced: fewer edits, first presets.
struct RandomScenario {
    int model = 0;
    int cluster = 0;
    std::vector<RandomEdit> edits;
};

inline double value_of(const RandomEdit& edit, const Settings& settings) {
    constexpr double kUnits = 1e6;
    const auto id = static_cast<P>(edit.parameter);
    const Parameter& row = parameter(id);
    // Texts are numbered as they are read; another number is no text.
    if (row.quantity == Quantity::list || row.quantity == Quantity::text) return 0;
    const double t = edit.unit / kUnits;
    // For a parameter with named values, every tenth value is one of them.
    const bool named = !row.names.empty() && (row.named_only || edit.unit % 10 == 0);
    if (named) {
        const auto last = static_cast<double>(row.names.size() - 1);
        return row.names[static_cast<std::size_t>(t * last + 0.5)].value;
    }
    const Domain slider = domain(id, settings);
    double low = edit.anywhere ? row.minimum : slider.low;
    double high = edit.anywhere ? std::min(row.maximum, 1e15) : slider.high;
    if (!(low < high)) return low;
    double value = low + t * (high - low);
    if (low > 0 && high / low > 100) value = low * std::pow(high / low, t);
    return row.whole ? std::round(value) : value;
}

inline Scenario scenario_of(const RandomScenario& random) {
    const Catalogue& all = Catalogue::shipped();
    const auto models = all.all(PresetKind::model);
    const auto clusters = all.all(PresetKind::cluster);
    Scenario out = Scenario::first_launch(all);
    out = with_cluster(out, *clusters[static_cast<std::size_t>(random.cluster) % clusters.size()]);
    out = with_model(out, *models[static_cast<std::size_t>(random.model) % models.size()]);
    for (const RandomEdit& edit : random.edits) {
        const auto id = static_cast<P>(edit.parameter);
        const double value = value_of(edit, resolve(out));
        out = edit.alone ? assigned(out, id, value) : edited(out, id, value);
    }
    return out;
}

inline void showValue(const RandomScenario& random, std::ostream& out) {
    out << write_scenario(scenario_of(random));
}

namespace random {

// Returns numbers of all sizes from the first try on.
inline rc::Gen<int> number(int most) { return rc::gen::resize(100, rc::gen::inRange(0, most + 1)); }

// Half of all edits are of the training settings and the plan, because most parameters are constants.
inline rc::Gen<RandomEdit> edit() {
    return rc::gen::map(rc::gen::tuple(number(1), number(static_cast<int>(kParameters) - 1), number(1000000),
                                       number(3), number(15)),
                        [](const std::tuple<int, int, int, int, int>& t) {
                            static const std::vector<int> kTraining = [] {
                                std::vector<int> out;
                                for (std::size_t i = 0; i < kParameters; ++i) {
                                    const Group group = parameter(static_cast<P>(i)).group;
                                    if (group == Group::training || group == Group::plan)
                                        out.push_back(static_cast<int>(i));
                                }
                                return out;
                            }();
                            const auto which = static_cast<std::size_t>(std::get<1>(t));
                            return RandomEdit{
                                std::get<0>(t) == 0 ? std::get<1>(t) : kTraining[which % kTraining.size()],
                                std::get<2>(t), std::get<3>(t) == 3, std::get<4>(t) == 15};
                        });
}

// Returns up to 30 edits of any model on any cluster.
inline rc::Gen<RandomScenario> scenario() {
    constexpr double kEdits = 0.3;
    return rc::gen::map(
        rc::gen::tuple(number(199), number(99),
                       rc::gen::scale(kEdits, rc::gen::container<std::vector<RandomEdit>>(edit()))),
        [](const std::tuple<int, int, std::vector<RandomEdit>>& t) {
            return RandomScenario{std::get<0>(t), std::get<1>(t), std::get<2>(t)};
        });
}

}  // namespace random

// Checks a property on `cases` random inputs, or on as many as the environment's SHARDSCOPE_CASES sets,
// always the same ones for the same SHARDSCOPE_SEED.
template <typename Property>
void hold(const std::string& what, int cases, Property&& property) {
    const auto from_environment = [](const char* name, long fallback) {
        const char* text = std::getenv(name);
        return text ? std::strtol(text, nullptr, 10) : fallback;
    };
    rc::detail::TestParams params;
    constexpr long kSeed = 20261122;
    params.seed = static_cast<std::uint64_t>(from_environment("SHARDSCOPE_SEED", kSeed));
    params.maxSuccess = static_cast<int>(from_environment("SHARDSCOPE_CASES", cases));
    rc::detail::TestMetadata about;
    about.id = what;
    const rc::detail::TestResult result =
        rc::detail::checkTestable(std::forward<Property>(property), about, params);
    std::ostringstream words;
    rc::detail::printResultMessage(result, words);
    INFO(words.str());
    CHECK(result.template is<rc::detail::SuccessResult>());
}

}  // namespace shardscope::testing
