// Tests calibration on the public runs and on a user's runs. tests/app/test_documents.cpp tests the errors of
// the cross-validation, which takes minutes.
#include "evidence/calibration.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "evidence/calibration_constants.h"
#include "evidence/calibration_fit.h"
#include "presets/calibration_file.h"
#include "step/step.h"

using namespace shardscope;

namespace {

// Returns runs whose step times the engine computes with `constants` in place of the catalogue's.
std::vector<MeasuredRun> made_by_engine(const std::string& software, const Values& constants) {
    std::vector<MeasuredRun> out;
    for (const MeasuredRun& run : shipped_runs()) {
        if (run.software != software || !(run.step_time > 0)) continue;
        Problems problems;
        Settings settings = resolve(scenario_of(run, Catalogue::shipped(), problems));
        REQUIRE(problems.empty());
        for (const auto& [id, value] : constants) settings.set(id, value, Origin::given);
        MeasuredRun made = run;
        made.step_time = step_time(compile(settings)).total;
        out.push_back(made);
    }
    return out;
}

const FittedConstant* constant(const Calibration& calibration, P id, const std::string& part) {
    for (const FittedConstant& found : calibration.constants) {
        if (found.id == id && found.part == part) return &found;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("calibration: the times of runs that are left out of a fit have no influence on it",
          "[calibration]") {
    CalibrationOptions options;
    options.take = [](const MeasuredRun& run) { return run.family == "korthikanti" || run.family == "ibm"; };
    const auto is_left_out = [](const CalibrationCase& item) { return item.run->model == "GPT-22B"; };
    std::vector<Validation::Skipped> skipped;
    const Catalogue catalogue = Catalogue::uncalibrated();
    std::vector<CalibrationCase> cases = cases_of(shipped_runs(), catalogue, options, skipped);
    REQUIRE(std::ranges::count_if(cases, is_left_out) > 0);
    REQUIRE(std::ranges::count_if(cases, is_left_out) < std::ssize(cases));
    const FittedUnknowns found = CalibrationFit(cases, options).fit_without(is_left_out);
    CHECK(CalibrationFit(cases, options).fit_without({}).x != found.x);
    // Neither their times nor their number has any.
    for (CalibrationCase& item : cases) {
        if (is_left_out(item)) item.log_measured += 1;
    }
    const FittedUnknowns other = CalibrationFit(cases, options).fit_without(is_left_out);
    CHECK(found.x == other.x);
    CHECK(found.identified == other.identified);
    std::erase_if(cases, is_left_out);
    const CalibrationFit alone(cases, options);
    const FittedUnknowns rest = alone.fit_without({});
    const CalibrationFit all(cases_of(shipped_runs(), catalogue, options, skipped), options);
    for (std::size_t j = 0; j < alone.unknowns().size(); ++j) {
        const auto same = std::ranges::find_if(all.unknowns(), [&](const UnknownConstant& unknown) {
            return unknown.row == alone.unknowns()[j].row && unknown.part == alone.unknowns()[j].part;
        });
        REQUIRE(same != all.unknowns().end());
        CHECK(rest.x[j] == Approx(found.x[static_cast<std::size_t>(same - all.unknowns().begin())]));
    }
}

TEST_CASE("calibration: runs with equal settings have finite weights also under two names of the model",
          "[calibration]") {
    CalibrationOptions options;
    options.take = [](const MeasuredRun& run) { return run.family == "korthikanti"; };
    std::vector<Validation::Skipped> skipped;
    const Catalogue catalogue = Catalogue::uncalibrated();
    std::vector<CalibrationCase> cases = cases_of(shipped_runs(), catalogue, options, skipped);
    REQUIRE_FALSE(cases.empty());
    cases = {cases.front(), cases.front()};
    const FittedUnknowns one_name = CalibrationFit(cases, options).fit_without({});
    cases.back().fold += " of another name";
    CHECK(CalibrationFit(cases, options).fit_without({}).x == one_name.x);
}

TEST_CASE("calibration: EQUATIONS.md lists the fitted constants with their scopes and widths",
          "[calibration]") {
    struct Listed {
        std::string scope, width;
    };
    std::map<std::string, Listed> listed;
    std::ifstream equations(std::string(SHARDSCOPE_SOURCE_DIR) + "/core/EQUATIONS.md");
    // constant, meaning, unit, label, scope, prior, width, source
    const std::regex row(R"(^\| `(\w+)` \|[^|]*\|[^|]*\|[^|]*\| (\w+)[^|]*\|[^|]*\| ([^|]*) \|[^|]*\|$)");
    std::string line;
    while (std::getline(equations, line)) {
        std::smatch parts;
        if (std::regex_match(line, parts, row)) listed[parts[1]] = {parts[2], parts[3]};
    }
    for (const ConstantRow& constant : calibration_constants()) {
        const std::string name(field_of(constant.id));
        INFO(name);
        REQUIRE(listed.contains(name));
        const Listed& found = listed.at(name);
        const bool in_ms = found.width.find(" ms") != std::string::npos;
        CHECK(std::stod(found.width) * (in_ms ? 1e-3 : 1) == Approx(constant.width));
        CHECK((found.width.find("†") == std::string::npos) == constant.logarithmic);
        CHECK(found.scope == (constant.scope == Scope::gpu     ? "GPU"
                              : constant.scope == Scope::stack ? "stack"
                                                               : "everywhere"));
    }
    CHECK(listed.size() == calibration_constants().size());
}

TEST_CASE("calibration: a ceiling below the range of a constant leaves its lowest value", "[calibration]") {
    Problems problems;
    Settings settings = resolve(scenario_of(shipped_runs().front(), Catalogue::shipped(), problems));
    for (const double ceiling : {0.01, 0.1, 0.9}) {
        settings.set(P::attention_ceiling, ceiling, Origin::given);
        settings.set(P::flash2_ceiling, ceiling, Origin::given);
        for (const ConstantRow& row : calibration_constants()) {
            const double highest = highest_of(row, "gpu-h100", settings);
            CHECK(highest >= row.low);
            CHECK(highest <= row.high);
        }
    }
}

TEST_CASE("calibration: a constant that a fabric gives is not fitted to the runs on it", "[calibration]") {
    const auto fits_network = [](const std::string& cluster, const std::string& settings) {
        Problems problems;
        const std::vector<MeasuredRun> runs = read_runs(
            R"({"id": "a", "scenario": {"model": {"preset": "llama-3-8b"}, "cluster": {)" + cluster +
                R"(, "gpus": 64, "software": "fsdp2"}, "training": {"sequence_length": 4096, )"
                R"("micro_batch": 1, "global_batch": 64, "sharding": "zero3"}}, "settings": [)" +
                settings + R"(], "measured": {"step_time_s": 1}})",
            problems);
        REQUIRE(problems.empty());
        std::vector<Validation::Skipped> skipped;
        const CalibrationOptions options;
        const CalibrationFit fit(cases_of(runs, Catalogue::shipped(), options, skipped), options);
        REQUIRE(skipped.empty());
        return std::ranges::any_of(fit.unknowns(), [](const UnknownConstant& unknown) {
            return unknown.row->id == P::network_efficiency;
        });
    };
    CHECK(fits_network(R"("gpu": "h100-sxm-80gb")", ""));
    CHECK_FALSE(fits_network(R"("gpu": "h100-sxm-80gb")", R"("fabric: efa")"));
    CHECK_FALSE(fits_network(R"("preset": "aws-p5")", ""));
}

TEST_CASE("calibration: what ships is the fit to all public runs", "[calibration]") {
    CalibrationOptions options;
    options.cross_validate = false;  // the documents' test compares the errors of the cross-validation
    const Calibration found = calibrate(shipped_runs(), Catalogue::uncalibrated(), options);
    std::size_t timed = 0;
    for (const MeasuredRun& run : shipped_runs())
        timed += run.has_good_time() && run.not_modelled.empty() ? 1 : 0;
    CHECK(found.used.size() == timed);
    CHECK(found.constants.size() <= 64);
    const Values& everywhere = Catalogue::shipped().everywhere();
    for (const FittedConstant& constant : found.constants) {
        INFO(constant.part << " " << field_of(constant.id));
        const Preset* part = Catalogue::shipped().find(PresetKind::calibration, constant.part);
        REQUIRE((constant.part.empty() || part));
        const Values& values = part ? part->values : everywhere;
        const auto shipped = std::ranges::find(values, constant.id, &Values::value_type::first);
        REQUIRE(shipped != values.end());
        CHECK(shipped->second == Approx(constant.value).epsilon(2e-3));
    }
}

TEST_CASE("calibration: predicted memory agrees with measured peaks", "[calibration]") {
    const Validation found = validate(shipped_runs(), Catalogue::shipped());
    // Allocated bytes on eight B200, counted tensor by tensor.
    std::vector<double> errors;
    int right = 0;
    int judged = 0;
    for (const ValidationRow& row : found.rows) {
        if (row.run->family == "simumax")
            errors.push_back(row.predicted.allocated / row.run->peak.allocated - 1);
        // Runs of nanotron either ran or ran out of memory; no constant is fitted to them.
        if (row.run->family != "ultrascale") continue;
        ++judged;
        right += (row.verdict == Verdict::does_not_fit) == row.run->out_of_memory ? 1 : 0;
    }
    CHECK(errors.size() == 18);
    CHECK(summary_of(errors).mean_abs_error < 0.015);
    CHECK(judged == 1148);
    CHECK(right >= 0.98 * judged);
    CHECK(found.memory.full >= 300);
    CHECK(found.memory.full_warned >= 0.94 * found.memory.full);
}

TEST_CASE("calibration: of the runs that ran, few are predicted not to fit", "[calibration]") {
    std::map<std::string, std::pair<int, int>> judged;  // runs by family, and those that fit
    for (const ValidationRow& row : validate(shipped_runs(), Catalogue::shipped()).rows) {
        if (row.run->out_of_memory) continue;
        auto& [runs, fit] = judged[row.run->family];
        ++runs;
        fit += row.verdict == Verdict::does_not_fit ? 0 : 1;
    }
    const auto share = [&](const char* family) {
        return static_cast<double>(judged[family].second) / judged[family].first;
    };
    CHECK(judged["megatron_bridge"].first == 179);
    CHECK(share("megatron_bridge") >= 0.97);
    CHECK(judged["tpu"].first == 50);
    CHECK(share("tpu") >= 0.9);
    CHECK(share("mosaic") >= 0.97);
    for (const char* family :
         {"dgxc", "torchtitan", "internevo", "mlperf", "nemo_older", "xtuner", "simumax"}) {
        INFO(family);
        CHECK(share(family) == 1);
    }
}

TEST_CASE("calibration: the constants of a stack are recovered from runs computed with them",
          "[calibration]") {
    const std::vector<MeasuredRun> runs =
        made_by_engine("fsdp1", {{P::copy_traffic, 20.0}, {P::elementwise_traffic, 1.6}});
    CalibrationOptions options;
    options.everywhere = false;
    options.needs_support = false;
    options.cross_validate = false;
    const Calibration found = calibrate(runs, Catalogue::shipped(), options);
    CHECK(found.fitted.summary.at("all").mean_abs_error < 0.01);
    const FittedConstant* copies = constant(found, P::copy_traffic, "stack-fsdp1");
    const FittedConstant* elementwise = constant(found, P::elementwise_traffic, "stack-fsdp1");
    REQUIRE(copies);
    REQUIRE(elementwise);
    // The tolerance covers the remaining pull of the shipped constants.
    CHECK(copies->value == Approx(20.0).epsilon(0.15));
    CHECK(elementwise->value == Approx(1.6).epsilon(0.15));
}

TEST_CASE("calibration: a slow host is found although it has no effect at the shipped value",
          "[calibration]") {
    // Runs of nanotron as if they were of Megatron-Core, which launches kernels in a ninth of the time.
    std::vector<MeasuredRun> runs = made_by_engine("nanotron", {{P::launch_overhead, 80e-6}});
    for (MeasuredRun& run : runs) {
        const std::string was = R"("software":"nanotron")";
        std::erase(run.scenario, ' ');
        const std::size_t at = run.scenario.find(was);
        REQUIRE(at != std::string::npos);
        run.scenario.replace(at, was.size(), R"("software":"megatron-core")");
        run.software = "megatron-core";
    }
    CalibrationOptions options = for_own_runs();
    options.cross_validate = false;
    options.stacks_are_new = true;
    options.take = [](const MeasuredRun& run) {
        return run.scenario.find(R"("pipeline_parallel":1,)") != std::string::npos;
    };
    const Calibration found = calibrate(runs, Catalogue::shipped(), options);
    const FittedConstant* launch = constant(found, P::launch_overhead, "stack-megatron-core");
    REQUIRE(launch);
    CHECK(launch->prior < 15e-6);
    CHECK(launch->value == Approx(80e-6).epsilon(0.3));
}

TEST_CASE("calibration: constants that no run depends on are named and keep their values", "[calibration]") {
    CalibrationOptions options;
    options.everywhere = false;
    options.cross_validate = false;
    options.take = [](const MeasuredRun& run) { return run.software == "megatron-2021"; };
    const Calibration found = calibrate(shipped_runs(), Catalogue::shipped(), options);
    CHECK_FALSE(constant(found, P::selective_cost, "stack-megatron-2021"));
    bool named = false;
    for (const FittedConstant& left : found.unidentified) {
        named = named || (left.id == P::selective_cost && left.value == left.prior && left.runs == 0);
    }
    CHECK(named);
}

TEST_CASE("calibration: without usable runs there is no crash and no constant", "[calibration]") {
    CalibrationOptions options;
    options.take = [](const MeasuredRun&) { return false; };
    const Calibration none = calibrate(shipped_runs(), Catalogue::shipped(), options);
    CHECK(none.used.empty());
    CHECK(none.constants.empty());
}

TEST_CASE("calibration file: a written file reads back equal", "[calibration]") {
    const std::vector<PartValues> parts{{"", {{P::memory_efficiency, 0.81}}},
                                        {"gpu-a100", {{P::gemm_efficiency, 0.9}}},
                                        {"stack-fsdp1", {{P::error_band, 0.05}, {P::overlap, 0.4}}}};
    Problems problems;
    const std::vector<PartValues> read = read_calibration(write_calibration(parts, "t", "s"), problems);
    CHECK(problems.empty());
    REQUIRE(read.size() == parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(read[i].part == parts[i].part);
        CHECK(read[i].values == parts[i].values);
    }
    Catalogue catalogue = Catalogue::uncalibrated();
    CHECK(catalogue.adopt(read, "a test").empty());
    Scenario scenario = Scenario::first_launch(catalogue);
    scenario.give(P::software, Software::fsdp1);
    const Settings settings = resolve(scenario);
    CHECK(settings[P::overlap] == 0.4);
    CHECK(settings[P::memory_efficiency] == 0.81);
    CHECK(source_of(scenario, settings, P::overlap) == "a test");
    CHECK(catalogue.adopt({{"stack-nobody", {}}}, "") == std::vector<std::string>{"stack-nobody"});
}

TEST_CASE("calibration file: every mistake is reported with its place", "[calibration]") {
    const auto problems_of = [](const std::string& text) {
        Problems problems;
        CHECK(read_calibration(text, problems).empty());
        REQUIRE(!problems.empty());
        return problems.front();
    };
    CHECK(problems_of("{").line == 1);
    CHECK(problems_of("[1]").where == "/format");
    CHECK(problems_of(R"({"format":"shardscope-preset"})").where == "/format");
    CHECK(problems_of(R"({"format":"shardscope-calibration","version":2})").where == "/version");
    const std::string head = R"({"format":"shardscope-calibration","version":1,)";
    CHECK(problems_of(head + R"("everywhere":{"overlop":0.3}})").suggestion.find("overlap") !=
          std::string::npos);
    CHECK(problems_of(head + R"("everywhere":{"overlap":7}})").where == "/everywhere/overlap");
    CHECK(problems_of(head + R"("parts":[]})").where == "/parts");
    CHECK(problems_of(head + R"("parts":{"gpu-a100":3}})").where == "/parts/gpu-a100");
}

TEST_CASE("calibration: runs that contradict each other are named and get no weight", "[calibration]") {
    std::vector<MeasuredRun> runs = made_by_engine("fsdp1", {});
    REQUIRE(runs.size() > 10);
    CalibrationOptions quick;
    quick.cross_validate = false;
    const auto constants = [&](const std::vector<MeasuredRun>& of) {
        return calibrate(of, Catalogue::shipped(), quick).constants;
    };
    const std::vector<FittedConstant> expected = constants({runs.begin() + 1, runs.end()});
    // The first run appears twice, once 1.6 times as slow: neither of the two can be trusted.
    MeasuredRun slower = runs.front();
    slower.id = "slower";
    slower.step_time *= 1.6;
    runs.push_back(slower);
    const Calibration found = calibrate(runs, Catalogue::shipped(), quick);
    std::map<std::string, std::string> reasons;
    for (const auto& skipped : found.skipped) reasons[skipped.run->id] = skipped.reason;
    REQUIRE(reasons.contains("slower"));
    REQUIRE(reasons.contains(runs.front().id));
    CHECK(reasons["slower"].find(runs.front().id) != std::string::npos);
    CHECK(reasons[runs.front().id].find("slower") != std::string::npos);
    CHECK(found.used.size() == runs.size() - found.skipped.size());
    REQUIRE(found.constants.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(found.constants[i].value == Approx(expected[i].value).epsilon(1e-9));
    // Runs that differ by a third still count as one run.
    runs.back().step_time = runs.front().step_time * 1.3;
    CHECK(calibrate(runs, Catalogue::shipped(), quick).skipped.empty());
}
