#include "evidence/run_lines.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "evidence/run_limits.h"
#include "presets/json_values.h"
#include "presets/scenario_json.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;

using Names = std::vector<std::string>;

// Reports fields whose names are similar to known ones, because a misspelt field would not be read.
void check_names(const json& object, const Names& known, const std::string& place, MeasuredRun& run) {
    for (const auto& [name, value] : object.items()) {
        if (std::ranges::find(known, name) != known.end()) continue;
        if (const std::string similar = suggestion(name, known); !similar.empty())
            run.problems.push_back({place + name, translate("the field is not read"), "", similar, run.line});
    }
}

// Returns the quality of a run's time. A word that names none is reported.
RunQuality quality_of(const json& object, MeasuredRun& run) {
    const std::string word = text_at(object, "quality");
    if (word.empty()) return RunQuality::none;
    Names names;
    for (const RunQuality quality :
         {RunQuality::good, RunQuality::noisy, RunQuality::tiny, RunQuality::ambiguous}) {
        if (name_of(quality) == word) return quality;
        names.emplace_back(name_of(quality));
    }
    run.problems.push_back({"/quality", translate("“{1}” is not a valid value", {word}), "",
                            suggestion(word, names, translate("write one of {1}", {joined(names, ", ")})),
                            run.line});
    return RunQuality::none;
}

// Reads the numbers of `measured`. A number that is no measurement is reported.
class MeasuredReader {
  public:
    MeasuredReader(const json& measured, MeasuredRun& run) : measured_(measured), run_(run) {}
    double number(const char* field, double largest) {
        const auto found = measured_.find(field);
        if (found == measured_.end() || found->is_null()) return 0;
        return check(*found, std::string("/measured/") + field, largest);
    }
    std::vector<double> numbers(const char* field, double largest) {
        const auto found = measured_.find(field);
        std::vector<double> out;
        if (found == measured_.end() || !found->is_array()) return out;
        for (std::size_t i = 0; i < found->size(); ++i)
            out.push_back(
                check((*found)[i], std::string("/measured/") + field + "/" + std::to_string(i), largest));
        return out;
    }
    bool flag(const char* field) {
        const auto found = measured_.find(field);
        if (found == measured_.end() || found->is_null()) return false;
        if (found->is_boolean()) return found->get<bool>();
        run_.problems.push_back({std::string("/measured/") + field,
                                 translate("“{1}” is not a valid value", {json_text(*found)}), "",
                                 translate("write true or false"), run_.line});
        return false;
    }

  private:
    double check(const json& value, const std::string& pointer, double largest) {
        const double number = value.is_number() ? value.get<double>() : std::nan("");
        if (number >= 0 && number <= largest) return number;
        run_.problems.push_back(
            {pointer, translate("“{1}” is not a valid value", {json_text(value)}),
             translate("a number from 0 to {1} is expected", {format(largest, Quantity::count)}),
             translate("correct it or leave it out"), run_.line});
        return 0;
    }
    const json& measured_;
    MeasuredRun& run_;
};

// Returns why the engine cannot predict a run with such a setting; "" if it can.
std::string reason_not_modelled(const std::string& setting) {
    constexpr std::string_view kMark = "not modelled";
    if (setting.starts_with("layer_pattern:"))
        return translate("the layer pattern is not part of the scenario");
    if (!setting.starts_with(kMark)) return {};
    const std::size_t colon = setting.find(':');
    return colon == std::string::npos ? setting : trim(setting.substr(colon + 1));
}

// Returns the tokens of a step of all GPUs; 0 if the scenario cannot be read.
double tokens_of_step(const json& scenario) {
    Problems problems;
    const Settings s = resolve(read_scenario_json(scenario, {Catalogue::shipped()}, problems));
    return problems.empty() ? s[P::global_batch] * s[P::sequence_length] : 0;
}

MeasuredRun read_run_object(const json& object, int line) {
    MeasuredRun run;
    run.line = line;
    run.id = text_at(object, "id");
    if (run.id.empty()) run.id = "line-" + std::to_string(line);
    run.family = text_at(object, "family");
    if (run.family.empty() || run.family == kAllRuns) run.family = "user";
    run.source = text_at(object, "source");
    run.licence = text_at(object, "licence");
    run.model = text_at(object, "model_name");
    run.note = text_at(object, "note");
    run.assumed = text_at(object, "assumed");
    check_names(object,
                {"id", "family", "source", "licence", "model_name", "scenario", "settings", "measured",
                 "quality", "memory_quality", "note", "assumed"},
                "/", run);
    run.quality = quality_of(object, run);
    run.memory_is_good = text_at(object, "memory_quality") != "bad";
    if (const auto found = object.find("settings"); found != object.end() && !found->is_null()) {
        if (!found->is_array())
            run.problems.push_back(
                {"/settings", translate("this is no list of texts"), "", translate("write [\"…\"]"), line});
        for (const json& setting : found->is_array() ? *found : json::array()) {
            if (!setting.is_string()) continue;
            run.settings.push_back(one_line(setting.get_ref<const std::string&>()));
            if (run.not_modelled.empty()) run.not_modelled = reason_not_modelled(run.settings.back());
        }
    }
    const auto scenario = object.find("scenario");
    if (scenario == object.end() || !scenario->is_object()) {
        run.problems.push_back({"/scenario", translate("the scenario is missing"),
                                translate("it holds the settings of the run"), translate("write {…}"), line});
        return run;
    }
    run.scenario = json_text(*scenario);
    if (const auto cluster = scenario->find("cluster"); cluster != scenario->end() && cluster->is_object()) {
        run.software = text_at(*cluster, "software");
        if (const auto gpus = cluster->find("gpus"); gpus != cluster->end() && gpus->is_number())
            run.gpus = gpus->get<double>();
        run.gpu = text_at(*cluster, "gpu");
        if (const auto gpu = cluster->find("gpu"); gpu != cluster->end() && gpu->is_object())
            run.gpu = text_at(*gpu, "preset");
    }
    const auto found = object.find("measured");
    if (found == object.end() || !found->is_object()) {
        run.problems.push_back({"/measured", translate("the measurements are missing"), "",
                                translate("write {\"step_time_s\": 1.5}"), line});
        return run;
    }
    check_names(
        *found,
        {"step_time_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu", "peak_allocated_bytes",
         "peak_reserved_bytes", "peak_device_bytes", "stage_allocated_bytes", "out_of_memory", "crashed"},
        "/measured/", run);
    MeasuredReader measured(*found, run);
    run.step_time = measured.number("step_time_s", kLongestStep);
    run.tokens_per_s_per_gpu = measured.number("tokens_per_s_per_gpu", kMostTokens);
    run.peak.allocated = measured.number("peak_allocated_bytes", kLargestMemory);
    run.peak.reserved = measured.number("peak_reserved_bytes", kLargestMemory);
    run.peak.device = measured.number("peak_device_bytes", kLargestMemory);
    run.stage_allocated = measured.numbers("stage_allocated_bytes", kLargestMemory);
    run.out_of_memory = measured.flag("out_of_memory");
    if ((run.step_time > 0) != (run.tokens_per_s_per_gpu > 0))
        complete_rate(run, tokens_of_step(*scenario), "/measured/");
    // A run that crashed for another reason has no time.
    if (run.quality == RunQuality::none && run.step_time > 0 && !object.contains("quality"))
        run.quality = RunQuality::good;
    return run;
}

}  // namespace

std::vector<MeasuredRun> read_run_lines(std::string_view text, Problems& problems) {
    std::vector<MeasuredRun> runs;
    int number = 0;
    for (std::string_view left = text; !left.empty();) {
        ++number;
        const std::size_t end = left.find('\n');
        const std::string_view line = left.substr(0, end);
        left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (runs.size() == kMostRows) {
            problems.push_back({"", translate("the table has more than 10,000 rows"),
                                translate("each run is predicted and compared"), translate("split it")});
            return {};
        }
        Problems own;
        const json object = parse_json(line, own);
        for (Problem& problem : own) {
            problem.line = number;
            problems.push_back(std::move(problem));
        }
        if (!own.empty()) continue;
        if (!object.is_object()) {
            problems.push_back(
                {"", translate("a run must be a JSON object"), "", translate("write {…}"), number});
            continue;
        }
        runs.push_back(read_run_object(object, number));
    }
    return runs;
}

namespace {

// Returns the calibration of the fabric that the run's settings name, as in "fabric: efa"; nullptr if they
// name none, or one without a calibration. A name that is similar to a known one is reported.
const Preset* fabric_of(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems) {
    constexpr std::string_view kMark = "fabric:";
    constexpr std::string_view kPart = "fabric-";
    const auto setting =
        std::ranges::find_if(run.settings, [&](const std::string& text) { return text.starts_with(kMark); });
    if (setting == run.settings.end()) return nullptr;
    const std::string name = trim(setting->substr(kMark.size()));
    if (const Preset* part = catalogue.find(PresetKind::calibration, std::string(kPart) + name)) return part;
    Names fabrics;
    for (const std::string& part : catalogue.names(PresetKind::calibration)) {
        if (part.starts_with(kPart)) fabrics.push_back(part.substr(kPart.size()));
    }
    if (const std::string similar = suggestion(name, fabrics); !similar.empty())
        problems.push_back(
            {"/settings", translate("there is no fabric “{1}”", {name}), "", similar, run.line});
    return nullptr;
}

}  // namespace

Scenario scenario_of_json(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems) {
    Scenario start = Scenario::first_launch(catalogue);
    start.model = nullptr;
    start.cluster = nullptr;
    const std::size_t before = problems.size();
    Scenario scenario =
        read_scenario_json(json::parse(run.scenario), {catalogue, nullptr, {}, &start}, problems);
    for (std::size_t i = before; i < problems.size(); ++i) {
        problems[i].line = run.line;
        problems[i].where = "/scenario" + problems[i].where;
    }
    scenario.name = run.id;
    if (!scenario.cluster && !scenario.calibration)
        scenario.calibration = fabric_of(run, catalogue, problems);
    if (!scenario.is_given(P::sharding)) {
        const Settings s = resolve(scenario);
        const double model_parallel = s[P::tensor_parallel] * s[P::pipeline_parallel];
        scenario.give(P::sharding, model_parallel > 1 ? Sharding::zero1 : Sharding::zero3);
    }
    const bool real_routing = std::ranges::find(run.settings, "moe_routing: real") != run.settings.end();
    if (real_routing && !scenario.is_given(P::expert_imbalance))
        scenario.give(P::expert_imbalance, kRealRoutingImbalance);
    return scenario;
}

}  // namespace shardscope
