#include "files/scenario_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "files/view.h"
#include "planner/planner.h"
#include "presets/json_values.h"
#include "presets/listed_model_file.h"
#include "system/file_io.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Returns a translatable sentence with a placeholder for the name.
const char* no_preset(PresetKind kind) {
    switch (kind) {
        case PresetKind::gpu: return translatable("there is no gpu preset “{1}”");
        case PresetKind::cluster: return translatable("there is no cluster preset “{1}”");
        case PresetKind::model: return translatable("there is no model preset “{1}”");
        case PresetKind::calibration: return translatable("there is no calibration preset “{1}”");
        case PresetKind::scenario:
        case PresetKind::study: break;  // a scenario does not refer to these
    }
    return "";
}

// Finds a preset by its name, or by a path relative to the scenario's file.
const Preset* preset_named(const json& value, PresetKind kind, Catalogue& catalogue,
                           const std::string& folder, const std::string& pointer, Problems& problems) {
    if (!value.is_string()) {
        problems.push_back({pointer, translate("a preset's name must be a string"), "",
                            translate("write for instance \"dgx-h100\"")});
        return nullptr;
    }
    const std::string name = value.get<std::string>();
    if (const Preset* found = catalogue.find(kind, name)) return found;
    if (name.ends_with(".json")) {
        Problems own;
        const std::string path = (std::filesystem::path(folder) / name).string();
        const std::string text = read_text(path, own);
        const Preset* added = own.empty() ? catalogue.add(text, path, own) : nullptr;
        for (Problem& problem : own) {
            problem.what = path + ": " + problem.what;
            problem.where = pointer + problem.where;
            problems.push_back(problem);
        }
        if (added && added->kind != kind) {
            problems.push_back({pointer,
                                translate("{1} is a preset of another kind", {path}),
                                std::string(name_of(added->kind)),
                                {}});
            return nullptr;
        }
        return added;
    }
    const std::string near = nearest(name, catalogue.names(kind));
    problems.push_back({pointer, translate(no_preset(kind), {name}), "",
                        near.empty() ? translate("see `shardscope presets list --kind {1}`", {name_of(kind)})
                                     : translate("did you mean “{1}”?", {near})});
    return nullptr;
}

class Reader {
  public:
    Reader(Catalogue& catalogue, const std::string& folder, Problems& problems)
        : catalogue_(catalogue),
          folder_(folder),
          problems_(problems),
          scenario_(Scenario::first_launch(catalogue)) {}

    SavedScenario read(const json& file) {
        header(file);
        for (const auto& [field, value] : file.items()) {
            const std::string pointer = child_pointer("", field);
            if (field == "format" || field == "version") continue;
            if (field == "name") name(value, pointer);
            else if (field == "model") model(value, pointer);
            else if (field == "cluster") cluster(value, pointer);
            else if (field == "training") training(value, pointer);
            else if (field == "assumptions") section(value, "assumptions", pointer);
            else if (field == "view") view(value, pointer);
            else problems_.push_back(unknown_field("", field, kTopLevel));
        }
        apply();
        if (!scenario_.view.empty()) check_view(scenario_, catalogue_, problems_);
        return scenario_;
    }

  private:
    void header(const json& file) {
        if (const auto form = file.find("format"); form != file.end() && *form == "shardscope-session") {
            problems_.push_back({"/format", translate("this is a session"),
                                 translate("one scenario is expected"),
                                 translate("give one of its scenarios")});
        } else if (form != file.end() && *form != "shardscope-scenario") {
            problems_.push_back({"/format",
                                 translate("this is not a scenario"),
                                 translate("format must be “shardscope-scenario”"),
                                 {}});
        }
        if (const auto version = file.find("version"); version != file.end() && *version != 1) {
            problems_.push_back({"/version",
                                 translate("version {1} is not known", {json_text(*version)}),
                                 translate("this program reads version 1"),
                                 {}});
        }
    }

    void name(const json& value, const std::string& pointer) {
        if (value.is_string()) scenario_.name = clean_title(value.get_ref<const std::string&>());
        else problems_.push_back({pointer, translate("a name must be a string"), "", {}});
    }

    void view(const json& value, const std::string& pointer) {
        if (!value.is_object()) {
            problems_.push_back({pointer, translate("view must be an object"), "", {}});
            return;
        }
        scenario_.view = json_text(value);
    }

    void section(const json& value, const std::string& key, const std::string& pointer,
                 const std::function<bool(const std::string&, const json&)>& other = {}) {
        read_section(
            value, key, pointer, problems_, [this](P id, double v) { values_.emplace_back(id, v); }, other);
    }

    void model(const json& value, const std::string& pointer) {
        section(value, "model", pointer, [&](const std::string& field, const json& entry) {
            const std::string where = child_pointer(pointer, field);
            if (field == "preset") {
                if (const Preset* found =
                        preset_named(entry, PresetKind::model, catalogue_, folder_, where, problems_))
                    scenario_.model = found;
                return true;
            }
            if (field == "operators") {
                if (value.contains("preset")) {
                    problems_.push_back({where, translate("a preset and operators are both given"),
                                         translate("each describes the whole model"),
                                         translate("leave one out")});
                } else if (auto list = read_listed_model(entry, where, problems_)) {
                    scenario_.model = catalogue_.add_operators(std::move(list));
                }
                return true;
            }
            return false;
        });
    }

    void cluster(const json& value, const std::string& pointer) {
        section(value, "cluster", pointer, [&](const std::string& field, const json& entry) {
            const std::string where = child_pointer(pointer, field);
            if (field == "preset") {
                if (const Preset* found =
                        preset_named(entry, PresetKind::cluster, catalogue_, folder_, where, problems_))
                    scenario_.cluster = found;
                return true;
            }
            if (field == "gpu") {
                if (entry.is_string()) gpu_preset(entry, where);
                else
                    section(entry, "cluster.gpu", where, [&](const std::string& inner, const json& v) {
                        if (inner != "preset") return false;
                        gpu_preset(v, child_pointer(where, inner));
                        return true;
                    });
                return true;
            }
            if (field == "calibration") {
                if (!entry.is_null()) calibration(entry, where);
                return true;
            }
            return false;
        });
    }

    // Reads a calibration that is given as its name, as the path of its file, or as an object with its
    // values.
    void calibration(const json& value, const std::string& pointer) {
        if (!value.is_object()) {
            scenario_.calibration =
                preset_named(value, PresetKind::calibration, catalogue_, folder_, pointer, problems_);
            return;
        }
        json file = value;
        if (!file.contains("format")) {
            file = {{"format", "shardscope-calibration"}, {"version", 1}};
            if (value.contains("everywhere") || value.contains("parts")) file.update(value);
            else file["values"] = value;
        }
        Problems own;
        const std::string text = json_text(file);
        const Preset* added = catalogue_.add(text, {}, own);
        for (Problem& problem : own) {
            problem.where = pointer + problem.where;
            problems_.push_back(problem);
        }
        if (added && added->kind == PresetKind::calibration) scenario_.calibration = added;
    }

    void gpu_preset(const json& value, const std::string& pointer) {
        if (const Preset* found =
                preset_named(value, PresetKind::gpu, catalogue_, folder_, pointer, problems_))
            scenario_.gpu = found;
    }

    void training(const json& value, const std::string& pointer) {
        section(value, "training", pointer, [&](const std::string& field, const json& entry) {
            if (field != "auto") return false;
            automatic(entry, child_pointer(pointer, field));
            return true;
        });
        if (value.is_object() && value.contains("accumulation") && value.contains("global_batch") &&
            !value["accumulation"].is_null() && !value["global_batch"].is_null()) {
            problems_.push_back({child_pointer(pointer, "accumulation"),
                                 translate("accumulation and global_batch are both given"),
                                 translate("each follows from the other"), translate("leave one out")});
        }
    }

    void automatic(const json& value, const std::string& pointer) {
        if (!value.is_array()) {
            problems_.push_back({pointer, translate("auto must be a list of training keys"), "",
                                 translate("write for instance [\"micro_batch\"]")});
            return;
        }
        std::vector<std::string> known;
        for (std::size_t i = 0; i < kParameters; ++i) {
            if (parameter(static_cast<P>(i)).plan) known.emplace_back(field_of(static_cast<P>(i)));
        }
        for (std::size_t i = 0; i < value.size(); ++i) {
            const std::string where = pointer + "/" + std::to_string(i);
            const std::string key = value[i].is_string() ? value[i].get<std::string>() : json_text(value[i]);
            const std::optional<P> id = find_parameter("training." + key);
            if (!id || !parameter(*id).plan) {
                const std::string near = nearest(key, known);
                problems_.push_back({where, translate("“{1}” is not a plan parameter", {key}), "",
                                     near.empty() ? "" : translate("did you mean “{1}”?", {near})});
            } else {
                scenario_.automatic.set(index(*id));
            }
        }
    }

    // Sets `peak_flops` last, because it applies to the precision that the other values choose.
    void apply() {
        for (const auto& [id, value] : values_) {
            if (id != P::peak_flops) scenario_.give(id, value);
        }
        for (const auto& [id, value] : values_) {
            if (id == P::peak_flops) scenario_.give(id, value);
        }
    }

    static const std::vector<std::string> kTopLevel;
    Catalogue& catalogue_;
    const std::string& folder_;
    Problems& problems_;
    SavedScenario scenario_;
    Values values_;
};

const std::vector<std::string> Reader::kTopLevel{"format",  "version",  "name",        "model",
                                                 "cluster", "training", "assumptions", "view"};

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
    SavedScenario scenario = Reader(catalogue, folder, problems).read(file);
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
    out.merge_patch(change);
    return read_scenario(json_text(out), catalogue, {}, problems, true);
}

namespace {

ordered_json json_of(const Scenario& scenario) {
    ordered_json out;
    out["format"] = "shardscope-scenario";
    out["version"] = 1;
    if (!scenario.name.empty()) out["name"] = scenario.name;
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
    if (!scenario.view.empty()) out["view"] = ordered_json::parse(scenario.view);
    return text_of(out, pretty);
}

std::vector<Document> split_documents(std::string_view text, Problems& problems) {
    // The text is JSON Lines if its first line that is not blank is a complete object and other lines follow.
    // Otherwise it is one document.
    constexpr std::size_t kMostDocuments = 100'000;
    const std::vector<Document> whole{Document{std::string(text), 1}};
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
