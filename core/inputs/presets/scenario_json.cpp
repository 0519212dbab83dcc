#include "presets/scenario_json.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "presets/json_values.h"
#include "presets/listed_model_file.h"
#include "system/file_io.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;

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
const Preset* preset_named(const json& value, PresetKind kind, const ScenarioSources& sources,
                           const std::string& pointer, Problems& problems) {
    if (!value.is_string()) {
        problems.push_back({pointer, translate("a preset's name must be a string"), "",
                            translate("write for instance \"dgx-h100\"")});
        return nullptr;
    }
    const std::string name = value.get<std::string>();
    if (const Preset* found = sources.catalogue.find(kind, name)) return found;
    if (name.ends_with(".json") && sources.additions) {
        Problems own;
        const std::string path = (std::filesystem::path(sources.folder) / name).string();
        const std::string text = read_text(path, own);
        const Preset* added = own.empty() ? sources.additions->add(text, path, own) : nullptr;
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
    problems.push_back({pointer, translate(no_preset(kind), {name}), "",
                        suggestion(name, sources.catalogue.names(kind),
                                   translate("see `shardscope presets list --kind {1}`", {name_of(kind)}))});
    return nullptr;
}

Problem only_presets(const std::string& pointer) {
    return {pointer, translate("a measured run can use presets by name only"), "",
            translate("give the name of a shipped preset")};
}

class ScenarioReader {
  public:
    ScenarioReader(const ScenarioSources& sources, Problems& problems)
        : sources_(sources),
          problems_(problems),
          scenario_(sources.start ? *sources.start : Scenario::first_launch(sources.catalogue)) {}

    Scenario read(const json& file, const OtherField& other) {
        header(file);
        for (const auto& [field, value] : file.items()) {
            const std::string pointer = child_pointer("", field);
            if (field == "format" || field == "version") continue;
            if (field == "name") name(value, pointer);
            else if (field == "model") model(value, pointer);
            else if (field == "cluster") cluster(value, pointer);
            else if (field == "training") training(value, pointer);
            else if (field == "assumptions") section(value, "assumptions", pointer);
            else if (!other || !other(field, value)) problems_.push_back(unknown_field("", field, kTopLevel));
        }
        apply();
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

    void section(const json& value, const std::string& key, const std::string& pointer,
                 const std::function<bool(const std::string&, const json&)>& other = {}) {
        read_section(
            value, key, pointer, problems_, [this](P id, double v) { values_.emplace_back(id, v); }, other);
    }

    void model(const json& value, const std::string& pointer) {
        // Another model does not keep the name of the model with which the scenario starts.
        if (value.is_object() && (value.contains("preset") || value.contains("operators")))
            scenario_.model_name.clear();
        section(value, "model", pointer, [&](const std::string& field, const json& entry) {
            const std::string where = child_pointer(pointer, field);
            if (field == "name") {
                if (entry.is_string())
                    scenario_.model_name = clean_title(entry.get_ref<const std::string&>());
                else problems_.push_back({where, translate("a name must be a string"), "", {}});
                return true;
            }
            if (field == "preset") {
                if (const Preset* found = preset_named(entry, PresetKind::model, sources_, where, problems_))
                    scenario_.model = found;
                return true;
            }
            if (field == "operators") {
                if (value.contains("preset")) {
                    problems_.push_back({where, translate("a preset and operators are both given"),
                                         translate("each describes the whole model"),
                                         translate("leave one out")});
                } else if (!sources_.additions) {
                    problems_.push_back(only_presets(where));
                } else if (auto list = read_listed_model(entry, where, problems_)) {
                    scenario_.model = sources_.additions->add_operators(std::move(list));
                }
                return true;
            }
            return false;
        });
    }

    void cluster(const json& value, const std::string& pointer) {
        const Preset* const start_gpu = scenario_.gpu;
        json fields = value;
        // The name of a program, which may be unknown.
        if (value.is_object() && value.contains("software") && !text_at(value, "software").empty()) {
            software_ = title_at(value, "software");
            fields.erase("software");
        }
        section(fields, "cluster", pointer, [&](const std::string& field, const json& entry) {
            const std::string where = child_pointer(pointer, field);
            if (field == "preset") {
                if (const Preset* found =
                        preset_named(entry, PresetKind::cluster, sources_, where, problems_))
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
        // The links of the cluster with which a scenario starts are not those of another GPU.
        if (scenario_.gpu && scenario_.gpu != start_gpu && value.is_object() && !value.contains("preset"))
            scenario_.cluster = nullptr;
    }

    // Reads a calibration that is given as its name, as the path of its file, or as an object with its
    // values.
    void calibration(const json& value, const std::string& pointer) {
        if (!value.is_object()) {
            scenario_.calibration =
                preset_named(value, PresetKind::calibration, sources_, pointer, problems_);
            return;
        }
        if (!sources_.additions) {
            problems_.push_back(only_presets(pointer));
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
        const Preset* added = sources_.additions->add(text, {}, own);
        for (Problem& problem : own) {
            problem.where = pointer + problem.where;
            problems_.push_back(problem);
        }
        if (added && added->kind == PresetKind::calibration) scenario_.calibration = added;
    }

    void gpu_preset(const json& value, const std::string& pointer) {
        if (const Preset* found = preset_named(value, PresetKind::gpu, sources_, pointer, problems_))
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
            if (parameter(static_cast<P>(i)).of_plan()) known.emplace_back(field_of(static_cast<P>(i)));
        }
        for (std::size_t i = 0; i < value.size(); ++i) {
            const std::string where = pointer + "/" + std::to_string(i);
            const std::string key = value[i].is_string() ? value[i].get<std::string>() : json_text(value[i]);
            const std::optional<P> id = find_parameter("training." + key);
            if (!id || !parameter(*id).of_plan()) {
                problems_.push_back(
                    {where, translate("“{1}” is not a plan parameter", {key}), "", suggestion(key, known)});
            } else {
                scenario_.automatic.set(index(*id));
            }
        }
    }

    // Sets `peak_flops` last, because it applies to the precision that the other values choose.
    void apply() {
        if (!software_.empty()) scenario_.give_software(software_);
        for (const auto& [id, value] : values_) {
            if (id != P::peak_flops) scenario_.give(id, value);
        }
        for (const auto& [id, value] : values_) {
            if (id == P::peak_flops) scenario_.give(id, value);
        }
    }

    static const std::vector<std::string> kTopLevel;
    const ScenarioSources& sources_;
    Problems& problems_;
    Scenario scenario_;
    Values values_;
    std::string software_;
};

const std::vector<std::string> ScenarioReader::kTopLevel{"format",  "version",  "name",        "model",
                                                         "cluster", "training", "assumptions", "view"};

}  // namespace

Scenario read_scenario_json(const json& file, const ScenarioSources& sources, Problems& problems,
                            const OtherField& other) {
    return ScenarioReader(sources, problems).read(file, other);
}

}  // namespace shardscope
