// Tests studies as files, and every shipped study.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "studies/study.h"
#include "support/check_scenario.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

nlohmann::json shipped(const char* name) {
    return nlohmann::json::parse(Catalogue::shipped().find(PresetKind::study, name)->text);
}

std::string problems_of_study(const nlohmann::json& study) {
    Catalogue catalogue = own_catalogue();
    Problems problems;
    read_study(study.dump(), catalogue, "", problems);
    std::string out;
    for (const Problem& problem : problems) out += problem.text() + "\n";
    return out;
}

// Returns the study with one part of it replaced.
nlohmann::json with_part(const char* pointer, const nlohmann::json& value) {
    nlohmann::json study = shipped("scaling-trends");
    study[nlohmann::json::json_pointer(pointer)] = value;
    return study;
}

}  // namespace

TEST_CASE("study: every shipped one loads, and its scenario and its pins fit", "[studies]") {
    Catalogue catalogue = own_catalogue();
    std::map<std::string, int> papers;
    for (const Preset* preset : catalogue.all(PresetKind::study)) {
        INFO(preset->name);
        Problems problems;
        const Study study = read_study(*preset, catalogue, problems);
        for (const Problem& problem : problems) UNSCOPED_INFO(problem.text());
        REQUIRE(problems.empty());
        ++papers[study.paper.label];
        CHECK(study.name == preset->name);
        CHECK(answer(study.scenario).fits());
        const View view = study.scenario.view;
        CHECK_FALSE(view.plot.empty());
        CHECK(view.study == study.name);
        CHECK(study.origin().find("reconstructed") != std::string::npos);
        for (const Axis& axis : axes_of(view, study.scenario)) CHECK(axis.values.size() > 1);
        for (const Scenario& pin : study.pins) {
            INFO(pin.title());
            CHECK(answer(pin).fits());
        }
    }
    // There are five papers, two related ones, and two reports that today's questions are about.
    CHECK(papers.size() == 9);
    CHECK(papers["Wang et al. 2025"] >= 4);
    CHECK(papers["Fernandez et al. 2024"] >= 3);
    CHECK(papers["Lamy-Poirier 2021"] >= 2);
    CHECK(papers["Cheng et al. 2024"] >= 2);
    CHECK(papers["Lu et al. 2024"] >= 2);
}

TEST_CASE("study: every claim has a value, and published claims name their source", "[studies]") {
    Catalogue catalogue = own_catalogue();
    for (const Preset* preset : catalogue.all(PresetKind::study)) {
        Problems problems;
        for (const Claim& claim : read_study(*preset, catalogue, problems).claims) {
            INFO(preset->name << " " << claim.name);
            CHECK(evaluate_claim(claim).agreement != Agreement::unknown);
            CHECK_FALSE(claim.by.empty());
            if (claim.published) CHECK_FALSE(range_text(claim).empty());
        }
        CHECK(problems.empty());
    }
}

// presets/studies/README.md states these verdicts; a change of constants that alters one must be noticed.
TEST_CASE("study: the verdicts on the papers' claims are those documented", "[studies]") {
    Catalogue catalogue = own_catalogue();
    const auto verdict = [&](const char* name, const std::string& claim_name) {
        Problems problems;
        const Study study = read_study(*catalogue.find(PresetKind::study, name), catalogue, problems);
        const auto claim = std::ranges::find(study.claims, claim_name, &Claim::name);
        REQUIRE(claim != study.claims.end());
        CHECK(claim->published);
        return evaluate_claim(*claim).agreement;
    };
    using enum Agreement;
    CHECK(verdict("scaling-trends", "throughput-per-gpu") == agrees);
    CHECK(verdict("scaling-trends", "power-per-gpu") == agrees);
    CHECK(verdict("scaling-trends", "tokens-per-joule") == partly);
    CHECK(verdict("scaling-trends-hardware", "a100") == agrees);
    CHECK(verdict("scaling-trends-hardware", "h100") == agrees);
    CHECK(verdict("scaling-trends-hardware", "a100-to-h100") == agrees);
    CHECK(verdict("scaling-trends-parallelism", "crossover") == agrees);
    CHECK(verdict("shortest-training", "half-the-time") == agrees);
    CHECK(verdict("shortest-training", "memory") == agrees);
    CHECK(verdict("layered-accumulation", "ethernet") == disagrees);
    CHECK(verdict("memory-footprint", "zero1") == agrees);
    CHECK(verdict("memory-footprint", "selective") == agrees);
    CHECK(verdict("efficient-layouts", "micro-batch-1") == disagrees);
    CHECK(verdict("efficient-layouts", "recompute") == agrees);
    CHECK(verdict("fsdp-memory-and-bandwidth", "memory-buys-mfu") == partly);
}

TEST_CASE("study: claims change the study's own scenario", "[studies]") {
    Catalogue catalogue = own_catalogue();
    Problems problems;
    const Study study = read_study(*catalogue.find(PresetKind::study, "scaling-trends"), catalogue, problems);
    const Claim& claim = study.claims.front();
    REQUIRE(claim.scenarios.size() == 2);
    CHECK(resolve(claim.scenarios[0])[P::gpus] == 128);
    CHECK(resolve(claim.scenarios[1])[P::gpus] == 2048);
    for (const Scenario& scenario : claim.scenarios) CHECK(scenario.model == study.scenario.model);
    const Finding found = evaluate_claim(claim);
    CHECK(found.value == Approx(value_of(Output::tokens_per_s_per_gpu, answer(claim.scenarios[1])) /
                                    value_of(Output::tokens_per_s_per_gpu, answer(claim.scenarios[0])) -
                                1));
}

TEST_CASE("study: every mistake is reported with its place", "[studies]") {
    CHECK(problems_of_study(shipped("scaling-trends")).empty());
    const auto begins = [](const nlohmann::json& study, const std::string& text) {
        const std::string messages = problems_of_study(study);
        INFO(messages);
        CHECK(messages.substr(0, text.size()) == text);
    };
    begins(with_part("/lock", "x"), "/lock: the field is not known; did you mean “look”?");
    begins(with_part("/paper/arxive", "x"), "/paper/arxive: ");
    begins(with_part("/look", 3), "/look: look is missing");
    begins(with_part("/claims", nlohmann::json::array()), "/claims: ");
    begins(with_part("/scenario/training/micro_bach", 2), "/scenario/training/micro_bach: ");
    begins(with_part("/scenario/view/plot", "scalin"), "/scenario/view/plot: ");
    begins(with_part("/claims/0/measure", "sum"), "/claims/0/measure: “sum” is not a measure");
    begins(with_part("/claims/1/output", "power"), "/claims/1/output: there is no output");
    begins(with_part("/claims/0/scenarios/1/cluster/gpuss", 3), "/claims/0/scenarios/1/cluster/gpuss: ");
    begins(with_part("/claims/0/scenarios", {{{"cluster", {{"gpus", 8}}}}}),
           "/claims/0/scenarios: 1 scenarios");
    begins(with_part("/claims/0/stated", 0.5), "/claims/0/stated: the stated number lies outside");
    begins(with_part("/claims/0/agrees", {1, 2, 3}), "/claims/0/agrees: agrees is missing");
    begins(with_part("/claims/0/agrees", {0.1, -0.5}),
           "/claims/0/agrees: the lowest value is above the highest");
    begins(with_part("/claims/0/along", {{"gpuz", {1}}}), "/claims/0/along/gpuz: ");
    begins(with_part("/claims/0/along", {{"gpus", {8, nullptr}}}),
           "/claims/0/along/gpus/1: null is not a value");
    begins(with_part("/claims/0/along", {{"gpus", 1}}), "/claims/0/along/gpus: ");
    begins(with_part("/claims/0/measure", "crossover"), "/claims/0/along: a crossover needs exactly one");
    nlohmann::json unsaid = shipped("scaling-trends");
    unsaid["claims"][0].erase("published");
    begins(unsaid, "/claims/0/published: published is missing");
}

TEST_CASE("study: a file is recognized as a study, and its paper is found", "[studies]") {
    CHECK(is_study(shipped("scaling-trends").dump()));
    CHECK_FALSE(is_study("{}"));
    CHECK_FALSE(is_study("no JSON"));
    const Preset* preset = Catalogue::shipped().find(PresetKind::study, "scaling-trends");
    Catalogue catalogue = own_catalogue();
    CHECK(paper_of(*preset, catalogue).label == "Fernandez et al. 2024");
}
