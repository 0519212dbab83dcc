#include "files/scenario_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/view_json.h"
#include "planner/planner.h"
#include "presets/json_values.h"
#include "presets/scenario_json.h"
#include "scenario/listed_model.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Returns the reference by which a preset is found again: its name, or the path of its file if it is not a
// shipped preset.
std::string reference(const Preset& preset) { return preset.path.empty() ? preset.name : preset.path; }

}  // namespace

SavedScenario read_scenario(std::string_view text, Catalogue& catalogue, const std::string& folder,
                            Problems& problems, bool plan_is_open) {
    const std::size_t before = problems.size();
    const json file = parse_json(text, problems);
    if (problems.size() > before) return SavedScenario(Scenario::first_launch(catalogue));
    if (!file.is_object()) {
        problems.push_back({"", translate("a scenario must be a JSON object"), "", translate("write {…}")});
        return SavedScenario(Scenario::first_launch(catalogue));
    }
    const json* view = nullptr;
    const auto take_view = [&](const std::string& field, const json& value) {
        if (field != "view") return false;
        if (value.is_object()) view = &value;
        else problems.push_back({"/view", translate("view must be an object"), "", {}});
        return true;
    };
    SavedScenario scenario(read_scenario_json(file, {catalogue, &catalogue, folder}, problems, take_view));
    if (view) scenario.view = read_view(*view, scenario, catalogue, problems);
    // The values are checked even where some could not be read, so that all problems are reported at once. A
    // field that already has a problem gets no second one.
    const Settings settings = plan_is_open ? without_plan(resolve(scenario)) : resolve(planned(scenario));
    for (Problem& problem : check(scenario, settings)) {
        if (std::ranges::none_of(problems,
                                 [&](const Problem& known) { return known.where == problem.where; })) {
            problems.push_back(std::move(problem));
        }
    }
    return scenario;
}

Scenario apply_patch(const Scenario& scenario, std::string_view patch, Catalogue& catalogue,
                     Problems& problems) {
    const std::size_t before = problems.size();
    const json change = parse_json(patch, problems);
    if (problems.size() > before) return scenario;
    if (!change.is_object()) {
        problems.push_back({"", translate("a scenario must be a JSON object"), "", translate("write {…}")});
        return scenario;
    }
    if (change.contains("view")) {
        problems.push_back({"/view", translate("a change must not have a view"),
                            translate("all changes use the view of the scenario"),
                            translate("leave it out")});
        return scenario;
    }
    json out = json::parse(write_scenario(scenario, false));
    out.erase("name");  // which names the unchanged scenario
    const auto model = change.find("model");
    if (model != change.end() && model->is_object() &&
        (model->contains("preset") || model->contains("operators")) && out.contains("model"))
        out["model"].erase("name");
    out.merge_patch(change);
    return read_scenario(json_text(out), catalogue, {}, problems, true);
}

namespace {

ordered_json json_of(const Scenario& scenario) {
    ordered_json out = ordered_json::object();
    out["format"] = "shardscope-scenario";
    out["version"] = 1;
    if (!scenario.name.empty()) out["name"] = scenario.name;
    if (!scenario.model_name.empty()) out["model"]["name"] = scenario.model_name;
    if (scenario.model) {
        const std::string name = reference(*scenario.model);
        if (name.empty()) out["model"]["operators"] = ordered_json::parse(scenario.model->operators->text);
        else out["model"]["preset"] = name;
    }
    if (scenario.cluster) out["cluster"]["preset"] = reference(*scenario.cluster);
    if (scenario.gpu) out["cluster"]["gpu"]["preset"] = reference(*scenario.gpu);
    if (scenario.calibration) {
        const std::string name = reference(*scenario.calibration);
        if (name.empty()) out["cluster"]["calibration"] = ordered_json::parse(scenario.calibration->text);
        else out["cluster"]["calibration"] = name;
    }
    for (std::size_t i = 0; i < kParameters; ++i) {
        if (!scenario.given[i]) continue;
        ordered_json* section = &out;
        for (const std::string& part : split(section_of(static_cast<P>(i)), '.')) section = &(*section)[part];
        (*section)[std::string(field_of(static_cast<P>(i)))] =
            write_value(static_cast<P>(i), scenario.value[i]);
    }
    if (!scenario.software_name.empty()) out["cluster"]["software"] = scenario.software_name;
    if (scenario.automatic.any()) {
        ordered_json list = ordered_json::array();
        for (std::size_t i = 0; i < kParameters; ++i) {
            if (scenario.automatic[i]) list.push_back(std::string(field_of(static_cast<P>(i))));
        }
        out["training"]["auto"] = list;
    }
    return out;
}

std::string text_of(const ordered_json& scenario, bool pretty) {
    return json_text(scenario, pretty ? 2 : -1) + "\n";
}

}  // namespace

std::string write_scenario(const Scenario& scenario, bool pretty) {
    return text_of(json_of(scenario), pretty);
}

std::string write_scenario(const SavedScenario& scenario, bool pretty) {
    ordered_json out = json_of(scenario);
    if (const json view = write_view(scenario.view); !view.empty()) out["view"] = view;
    return text_of(out, pretty);
}

std::vector<Document> split_documents(std::string_view text, Problems& problems) {
    // The text is JSON Lines if its first line that is not blank is a complete object and other lines follow.
    // Otherwise it is one document.
    constexpr std::size_t kMostDocuments = 100'000;
    std::vector<Document> whole{Document{std::string(text), 1}};
    std::vector<Document> lines;
    int number = 0;
    for (std::string_view left = text; !left.empty();) {
        ++number;
        const std::size_t end = left.find('\n');
        std::string line = trim(left.substr(0, end));
        left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        if (line.empty()) continue;
        if (lines.empty() && (line.front() != '{' || !json::accept(line))) return whole;
        if (lines.size() == kMostDocuments) {
            problems.push_back({"", translate("the file has more than 100,000 lines of JSON"),
                                translate("they are read before the first is answered"),
                                translate("split it")});
            return {};
        }
        lines.push_back({std::move(line), number});
    }
    return lines.size() > 1 ? lines : whole;
}

}  // namespace shardscope
