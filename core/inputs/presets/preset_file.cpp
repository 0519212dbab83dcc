// Reads preset files into the catalogue.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "parameters/interned_text.h"
#include "presets/calibration_file.h"
#include "presets/hf_config.h"
#include "presets/json_values.h"
#include "presets/listed_model_file.h"
#include "presets/router_json.h"
#include "scenario/catalogue.h"
#include "system/embedded.h"
#include "system/file_io.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;

constexpr std::array kPresetKinds{PresetKind::gpu,      PresetKind::cluster, PresetKind::model,
                                  PresetKind::scenario, PresetKind::study,   PresetKind::calibration};

// Limits of a folder of presets.
constexpr std::size_t kMostPresets = 1000;
constexpr std::size_t kMostPresetEntries = 10000;                    // files, folders and other entries
constexpr std::size_t kLargestPresetFolder = std::size_t{64} << 20;  // bytes of all presets together

// Returns the section whose parameters a kind of preset sets.
std::string section_of(PresetKind kind) {
    switch (kind) {
        case PresetKind::gpu: return "cluster.gpu";
        case PresetKind::cluster: return "cluster";
        case PresetKind::model: return "model";
        case PresetKind::calibration: return "assumptions";
        case PresetKind::scenario:
        case PresetKind::study: return "";
    }
    return "";
}

// Returns the parameters of a name in `sources` or `unverified`, such as "memory" or
// "node.inter_node_bandwidth".
std::vector<P> named_values(const std::string& name, PresetKind kind) {
    std::vector<P> out;
    const std::string section = section_of(kind);
    const auto add = [&](const std::string& key) {
        if (const auto id = find_parameter(key); id && parameter(*id).key == key) out.push_back(*id);
    };
    if (name == "node") {
        for (const char* field : {"gpus_per_node", "intra_node_bandwidth", "inter_node_bandwidth"})
            add(std::string("cluster.") + field);
    } else if (name.starts_with("node.")) {
        add("cluster." + name.substr(5));
    } else {
        add(section + "." + name);
        if (name == "peak_flops") {
            for (const char* precision : {"bf16", "fp16", "fp8", "tf32", "fp32"})
                add(section + ".peak_flops." + precision);
        }
        if (kind == PresetKind::calibration) {
            add("cluster." + name);
            add("training." + name);
        }
    }
    return out;
}

// Returns the name of a preset according to its file name, or "" if that is not a valid preset name; the
// preset is then found only by its path.
std::string name_by_path(const std::string& path) {
    std::string stem = std::filesystem::path(path).stem().string();
    return is_preset_name(stem) ? stem : std::string();
}

// Returns the rule for preset names, for messages.
std::string names_allowed() {
    return translate(
        "a name has letters, digits and . _ + -, begins with a letter or a digit, and has {1} characters "
        "at most",
        {std::to_string(kLongestPresetName)});
}

// Reads a calibration file: constants for the parts that it names.
void read_calibration_form(const json& file, const Catalogue& catalogue, Preset& preset, Problems& problems) {
    preset.kind = PresetKind::calibration;
    preset.name = name_by_path(preset.path);
    preset.title = title_at(file, "title");
    preset.source = text_at(file, "source");
    preset.parts = read_calibration(preset.text, problems);
    const std::vector<std::string> known = catalogue.names(PresetKind::calibration);
    for (const PartValues& part : preset.parts) {
        if (part.part.empty() || part.part == kAllParts || catalogue.find(PresetKind::calibration, part.part))
            continue;
        problems.push_back({"/parts/" + part.part, translate("there is no part with this name"), "",
                            suggestion(part.part, known,
                                       translate("see `shardscope presets list --kind {1}`",
                                                 {name_of(PresetKind::calibration)}))});
    }
}

// Reads only the title of a scenario; its values are read when it is opened.
void read_scenario_form(const json& file, Preset& preset) {
    preset.kind = PresetKind::scenario;
    preset.name = name_by_path(preset.path);
    preset.title = title_at(file, "name");
}

// Reads the constants of a calibration, which belong to three sections: the assumptions, the latencies of the
// cluster, and the choices of a stack about training.
void read_constants(const json& values, Problems& problems, const std::function<void(P, double)>& take) {
    json assumptions = json::object();
    json cluster = json::object();
    json training = json::object();
    if (values.is_object()) {
        for (const auto& [field, value] : values.items()) {
            json& section = find_parameter("cluster." + field)    ? cluster
                            : find_parameter("training." + field) ? training
                                                                  : assumptions;
            section[field] = value;
        }
    }
    read_section(assumptions, "assumptions", "/values", problems, take);
    read_section(cluster, "cluster", "/values", problems, take);
    read_section(training, "training", "/values", problems, take);
}

void read_preset_values(const json& values, const Catalogue& catalogue, Preset& preset, Problems& problems) {
    const auto take = [&](P id, double value) { preset.values.emplace_back(id, value); };
    if (preset.kind == PresetKind::calibration) {
        read_constants(values, problems, take);
        return;
    }
    read_section(values, section_of(preset.kind), "/values", problems, take,
                 [&](const std::string& field, const json& value) {
                     if (preset.kind == PresetKind::model && field == "operators") {
                         preset.operators = read_listed_model(value, "/values/operators", problems);
                         return true;
                     }
                     if (preset.kind != PresetKind::cluster || field != "gpu") return false;
                     const std::string gpu = value.is_string() ? value.get<std::string>() : std::string();
                     preset.gpu = catalogue.find(PresetKind::gpu, gpu);
                     if (!preset.gpu) {
                         problems.push_back({"/values/gpu", translate("there is no GPU preset “{1}”", {gpu}),
                                             "", nearest(gpu, catalogue.names(PresetKind::gpu))});
                     }
                     return true;
                 });
}

// Reads the releases of a stack that a calibration describes.
void read_releases(const json& list, Preset& preset, Problems& problems) {
    constexpr std::size_t kMost = 100;
    const bool usable =
        list.is_array() && list.size() <= kMost && std::ranges::all_of(list, [](const json& word) {
            return word.is_string() && !word.get_ref<const std::string&>().empty();
        });
    if (usable) preset.releases = list.get<std::vector<std::string>>();
    else
        problems.push_back(
            {"/releases", translate("releases must be a list of up to {1} strings", {std::to_string(kMost)}),
             translate("each is a word of cluster.software_version"),
             translate("write for instance [\"26.06\"]")});
}

// Reads the sources of the values, and which values are unverified.
// Older files have the groups of experts in the router's field. They are parameters now.
json without_groups(json router, Values& values) {
    struct Moved {
        const char* field;
        P id;
    };
    for (const auto& [field, id] :
         {Moved{"groups", P::expert_groups}, Moved{"chosen_groups", P::chosen_expert_groups}}) {
        if (!router.is_object() || !router.contains(field)) continue;
        if (const json& value = router[field];
            value.is_number_unsigned() && value.get<double>() <= parameter(id).maximum)
            values.emplace_back(id, value.get<double>());
        router.erase(field);
    }
    return router;
}

void read_evidence(const json& file, Preset& preset) {
    if (const auto sources = file.find("sources"); sources != file.end() && sources->is_object()) {
        for (const auto& [name, source] : sources->items()) {
            for (const P id : named_values(name, preset.kind)) {
                if (source.is_string()) preset.sources[id] = one_line(source.get_ref<const std::string&>());
            }
        }
    }
    if (const auto unverified = file.find("unverified"); unverified != file.end() && unverified->is_array()) {
        for (const json& name : *unverified) {
            if (!name.is_string()) continue;
            for (const P id : named_values(name.get<std::string>(), preset.kind))
                preset.unverified.push_back(id);
        }
    }
}

// Reads a whole number of a preset within these limits; returns 0 where the field is missing.
double read_whole(const json& file, const char* field, double least, double most, const char* example,
                  Problems& problems) {
    const auto found = file.find(field);
    if (found == file.end()) return 0;
    const double value = found->is_number() ? found->get<double>() : 0;
    if (value >= least && value <= most && value == std::floor(value)) return value;
    problems.push_back({std::string("/") + field,
                        translate("must be a whole number from {1} to {2}", {exact(least), exact(most)}), "",
                        translate("write for instance {1}", {example})});
    return 0;
}

// Reads a share of a preset that is above 0 and at most 1; returns 0 where the field is missing or 1.
double share_at(const json& file, const char* field, Problems& problems) {
    const auto found = file.find(field);
    if (found == file.end()) return 0;
    const double value = found->is_number() ? found->get<double>() : 0;
    if (value > 0 && value <= 1) return value < 1 ? value : 0;
    problems.push_back({std::string("/") + field, translate("must be above 0 and at most 1"), "",
                        translate("write for instance {1}", {"0.5"})});
    return 0;
}

// Reads a choice of a preset; returns an empty text where the field is missing.
std::string choice_at(const json& file, const char* field, std::span<const std::string_view> choices,
                      Problems& problems) {
    if (!file.contains(field)) return {};
    std::string out = text_at(file, field);
    if (std::ranges::find(choices, out) == choices.end())
        problems.push_back({std::string("/") + field, translate("there is no such choice"), "",
                            translate("use one of {1}", {joined(choices, ", ")})});
    return out;
}

// Reads any other preset: values under a kind and a name. The values of a study are read when it is opened.
void read_values_form(const json& file, const Catalogue& catalogue, Preset& preset, Problems& problems) {
    if (const auto version = file.find("version"); version == file.end() || *version != 1) {
        problems.push_back({"/version",
                            translate("this version of the format is not known"),
                            translate("this program reads version 1"),
                            {}});
        return;
    }
    const std::string kind = text_at(file, "kind");
    const auto known = std::ranges::find_if(kPresetKinds, [&](PresetKind k) { return name_of(k) == kind; });
    if (known == kPresetKinds.end()) {
        problems.push_back({"/kind", translate("“{1}” is not a kind of preset", {kind}), "",
                            translate("use gpu, cluster, model, study or calibration")});
        return;
    }
    preset.kind = *known;
    const auto name = file.find("name");
    // The name is not cleaned, because its characters are checked below.
    preset.name = name != file.end() && name->is_string() ? name->get<std::string>() : std::string();
    preset.title = title_at(file, "title");
    preset.source = text_at(file, "source");
    if (preset.name.empty())
        problems.push_back({"/name", translate("the preset has no name"), "",
                            translate("give one, lower case with hyphens")});
    else if (!is_preset_name(preset.name))
        problems.push_back({"/name", translate("“{1}” is not a valid preset name", {preset.name}),
                            names_allowed(), translate("write one such as \"my-cluster\"")});
    if (file.contains("values")) read_preset_values(file["values"], catalogue, preset, problems);
    if (file.contains("node")) {
        read_section(file["node"], "cluster", "/node", problems,
                     [&](P id, double value) { preset.node.emplace_back(id, value); });
    }
    if (const std::string calibration = text_at(file, "calibration"); !calibration.empty()) {
        preset.calibration = catalogue.find(PresetKind::calibration, calibration);
        if (!preset.calibration) {
            problems.push_back({"/calibration", translate("there is no calibration “{1}”", {calibration}), "",
                                nearest(calibration, catalogue.names(PresetKind::calibration))});
        }
    }
    if (const auto releases = file.find("releases"); releases != file.end())
        read_releases(*releases, preset, problems);
    read_evidence(file, preset);
    if (const auto count = file.find("parameters"); count != file.end() && count->is_number())
        preset.published_parameters = count->get<double>();
    if (preset.kind == PresetKind::gpu || preset.kind == PresetKind::model)
        preset.year = static_cast<int>(read_whole(file, "year", kFirstYear, kLastYear, "2024", problems));
    if (preset.kind == PresetKind::model)
        preset.context = read_whole(file, "context", 1, kLongestContext, "8192", problems);
    if (preset.kind == PresetKind::model)
        preset.rotary_base = read_whole(file, "rotary_base", 1, kLargestRotaryBase, "10000", problems);
    if (preset.kind == PresetKind::model) preset.rotary_share = share_at(file, "rotary_share", problems);
    if (preset.kind == PresetKind::gpu) preset.vendor = choice_at(file, "vendor", kVendors, problems);
    if (preset.kind == PresetKind::model)
        preset.activation = choice_at(file, "activation", kActivations, problems);
    if (const auto router = file.find("router"); preset.kind == PresetKind::model && router != file.end())
        preset.router = read_router(without_groups(*router, preset.values), problems);
}

// Returns the absolute path, because scenarios and figures store it. Returns the path unchanged if the
// working directory no longer exists.
std::string absolute_path(const std::string& path) {
    if (path.empty()) return path;
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error ? path : whole.lexically_normal().string();
}

bool is_shipped(const Preset& preset) { return preset.path.empty() && !preset.name.empty(); }

// Returns the *.json files in the folder and its subfolders in the order of their names; links to folders are
// not followed. Returns none and adds a problem if there are too many files for a folder of presets.
std::vector<std::string> files_of_presets(const std::string& top, Problems& problems) {
    std::vector<std::string> files;
    Problems unreadable;
    std::size_t entries = 0;
    std::vector<std::string> folders{top};
    while (!folders.empty() && !top.empty()) {
        const std::string folder = folders.back();
        folders.pop_back();
        std::error_code error;
        for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
             it.increment(error)) {
            std::error_code gone;  // the entry may have been removed meanwhile
            if (it->symlink_status(gone).type() == std::filesystem::file_type::directory)
                folders.push_back(it->path().string());
            if (it->path().extension() == ".json") files.push_back(it->path().string());
            if (++entries <= kMostPresetEntries && files.size() <= kMostPresets) continue;
            problems.push_back({top, translate("this is not a folder of presets; nothing in it is read"),
                                translate("it has more than 1,000 JSON files or 10,000 entries"),
                                translate("move other files out of it")});
            return {};
        }
        // A user without presets has no such folder, which is not an error.
        const bool none = folder == top && error == std::errc::no_such_file_or_directory;
        if (error && !none)
            unreadable.push_back({folder, translate("the folder of presets cannot be read"), error.message(),
                                  translate("check its permissions")});
    }
    problems.insert(problems.end(), unreadable.begin(), unreadable.end());
    std::ranges::sort(files);
    return files;
}

// Returns the last part of the repository that a config.json names: "Acme-9B" of "acme/Acme-9B". The path of
// a folder, from which the model was loaded, is no repository.
std::string repository_name(std::string_view config) {
    Problems ignored;  // of the file; reading it reports them
    const std::string name = text_at(parse_json(config, ignored), "_name_or_path");
    const std::size_t slash = name.find('/');
    const std::string last = slash == std::string::npos ? name : name.substr(slash + 1);
    const bool is_path = name.starts_with('.') || name.starts_with('~') || slash == 0 ||
                         name.find('\\') != std::string::npos || last.find('/') != std::string::npos;
    return is_path ? std::string() : last;
}

// Returns the name of a model. Most of these files are called config.json; they may name the model's
// repository, else their folder has the name of the model. In the cache of huggingface_hub that is the folder
// models--ORGANIZATION--NAME, which contains snapshots/COMMIT/config.json.
std::string model_name_of(const std::filesystem::path& file, std::string_view config) {
    if (std::string stem = file.stem().string(); stem != "config") return stem;
    if (std::string name = repository_name(config); !name.empty()) return name;
    const std::filesystem::path folder = file.parent_path();
    if (folder.parent_path().filename() != "snapshots") return folder.filename().string();
    const std::string repository = folder.parent_path().parent_path().filename().string();
    const std::size_t gap = repository.rfind("--");
    return gap == std::string::npos ? repository : repository.substr(gap + 2);
}

// Returns the text of a model preset for a config.json, and any other text unchanged.
std::string as_preset(std::string_view text, const std::string& path, Problems& problems) {
    if (!is_hf_config(text)) return std::string(text);
    return import_hf_config(text, model_name_of(path, text), problems).preset;
}

}  // namespace

const Preset* Catalogue::add(std::string_view text, const std::string& path, Problems& problems) {
    const std::size_t before = problems.size();
    Preset preset;
    preset.path = absolute_path(path);
    preset.text = as_preset(text, path, problems);
    if (problems.size() > before) return nullptr;
    const auto same = std::ranges::find_if(presets_, [&](const Preset& known) {
        return known.path == preset.path && known.text == preset.text;
    });
    if (same != presets_.end()) {
        // The file may have had another text in between, so the name is assigned again.
        if (!same->name.empty()) by_name_[{same->kind, same->name}] = &*same;
        return &*same;
    }
    const json file = parse_json(preset.text, problems);
    if (problems.size() > before) return nullptr;
    if (!file.is_object()) {
        problems.push_back({"", translate("a preset must be a JSON object"), "", translate("write {…}")});
        return nullptr;
    }
    const std::string form = text_at(file, "format");
    if (form == "shardscope-calibration") {
        read_calibration_form(file, *this, preset, problems);
    } else if (form == "shardscope-scenario") {
        read_scenario_form(file, preset);
    } else if (form == "shardscope-preset") {
        read_values_form(file, *this, preset, problems);
    } else {
        problems.push_back(
            {"/format", translate("format is “{1}”", {form}), translate("must be “shardscope-preset”"), {}});
    }
    if (problems.size() > before) return nullptr;
    make_distinct(preset);
    presets_.push_back(std::move(preset));
    const Preset* added = &presets_.back();
    if (!added->name.empty()) by_name_[{added->kind, added->name}] = added;
    if (!added->releases.empty()) releases_.push_back(added);
    return added;
}

void Catalogue::make_distinct(Preset& own) const {
    // A preset without a file is found only by its text.
    if (own.path.empty()) own.name.clear();
    if (const Preset* other = find(own.kind, own.name); other && is_shipped(*other)) own.name += kOwnPreset;
    const bool same_title = std::ranges::any_of(presets_, [&](const Preset& known) {
        return is_shipped(known) && known.kind == own.kind && known.title == own.title;
    });
    if (same_title && !own.title.empty() && !own.path.empty())
        own.title += " (" + std::filesystem::path(own.path).filename().string() + ")";
}

const Preset* Catalogue::add_operators(std::shared_ptr<const ListedModel> operators) {
    const auto same = std::ranges::find_if(presets_, [&](const Preset& preset) {
        return preset.name.empty() && preset.operators && preset.operators->text == operators->text;
    });
    if (same != presets_.end()) return &*same;
    Preset& preset = presets_.emplace_back();
    preset.kind = PresetKind::model;
    preset.title = "Own operators";  // in every language, because launch files contain it too
    preset.source = translate("the scenario");
    preset.operators = std::move(operators);
    return &preset;
}

const Preset* Catalogue::find(PresetKind kind, std::string_view name) const {
    const auto found = by_name_.find(std::pair<PresetKind, std::string>(kind, name));
    return found == by_name_.end() ? nullptr : found->second;
}

std::vector<const Preset*> Catalogue::all(PresetKind kind) const {
    std::vector<const Preset*> out;
    for (const auto& [key, preset] : by_name_) {
        if (key.first == kind) out.push_back(preset);
    }
    return out;
}

std::vector<std::string> Catalogue::names(PresetKind kind) const {
    std::vector<std::string> out;
    for (const Preset* preset : all(kind)) out.push_back(preset->name);
    return out;
}

const Preset* Catalogue::stack(double software, double version) const {
    const auto at = static_cast<std::size_t>(software);
    const Preset* stack = software >= 0 && at < stacks_.size() ? stacks_[at] : nullptr;
    if (version == 0) return stack;
    const std::string_view text = interned_text(version);
    for (const Preset* release : releases_) {
        const auto is_named = [&](const std::string& word) {
            return text.find(word) != std::string_view::npos;
        };
        if (release->calibration == stack && std::ranges::any_of(release->releases, is_named)) return release;
    }
    return stack;
}

void Catalogue::link_stacks() {
    for (const Named& named : parameter(P::software).names) {
        stacks_[static_cast<std::size_t>(named.value)] =
            find(PresetKind::calibration, "stack-" + std::string(named.name));
    }
}

void Catalogue::load_shipped() {
    // Presets to which others refer come first: calibrations, then GPUs, then clusters, then the rest.
    for (const char* folder : {"calibrations/", "gpus/", "clusters/", "models/", "scenarios/", "studies/"}) {
        std::vector<const EmbeddedFile*> waiting;
        for (const EmbeddedFile& file : embedded_files()) {
            if (file.path.starts_with(folder)) waiting.push_back(&file);
        }
        // A calibration may come before the one that it extends. It is then read in the next round.
        while (!waiting.empty()) {
            const std::size_t before = waiting.size();
            Problems problems;
            std::erase_if(waiting, [&](const EmbeddedFile* file) {
                Problems own;
                add(file->text, std::string(file->path), own);
                for (Problem& problem : own) {
                    problem.what = std::string(file->path) + ": " + problem.what;
                    problems.push_back(std::move(problem));
                }
                return own.empty();
            });
            if (waiting.size() < before) continue;
            for (const Problem& problem : problems)
                std::fprintf(stderr, "shardscope: shipped preset %s\n", problem.text().c_str());
            std::abort();
        }
    }
    for (Preset& preset : presets_) preset.path.clear();
    link_stacks();
}

void Catalogue::load_fits() {
    for (const EmbeddedFile& file : embedded_files()) {
        if (!file.path.starts_with("fits/")) continue;
        Problems problems;
        const std::vector<PartValues> parts = read_calibration(file.text, problems);
        const std::vector<std::string> unknown = adopt(parts, "fitted to the public runs in presets/runs");
        if (problems.empty() && unknown.empty()) continue;
        std::fprintf(stderr, "shardscope: the shipped calibration cannot be read\n");
        std::abort();
    }
}

std::vector<std::string> Catalogue::adopt(const std::vector<PartValues>& parts, const std::string& source) {
    std::vector<std::string> unknown;
    const auto replace = [](Values& values, P id, double value) {
        const auto found = std::ranges::find(values, id, &Values::value_type::first);
        if (found == values.end()) {
            values.emplace_back(id, value);
        } else {
            found->second = value;
        }
    };
    for (const PartValues& part : parts) {
        if (part.part.empty()) {
            for (const auto& [id, value] : part.values) replace(everywhere_, id, value);
            continue;
        }
        const auto preset = std::ranges::find_if(presets_, [&](const Preset& candidate) {
            return candidate.kind == PresetKind::calibration && candidate.name == part.part;
        });
        if (preset == presets_.end()) {
            unknown.push_back(part.part);
            continue;
        }
        for (const auto& [id, value] : part.values) {
            replace(preset->values, id, value);
            preset->sources[id] = source;
            std::erase(preset->unverified, id);
        }
    }
    return unknown;
}

Catalogue Catalogue::copy() const {
    Catalogue out;
    out.everywhere_ = everywhere_;
    std::map<const Preset*, const Preset*> copies{{nullptr, nullptr}};
    for (const Preset& preset : presets_) copies[&preset] = &out.presets_.emplace_back(preset);
    for (Preset& preset : out.presets_) {
        preset.gpu = copies.at(preset.gpu);
        preset.calibration = copies.at(preset.calibration);
    }
    for (const auto& [key, preset] : by_name_) out.by_name_[key] = copies.at(preset);
    for (std::size_t i = 0; i < stacks_.size(); ++i) out.stacks_[i] = copies.at(stacks_[i]);
    for (const Preset* release : releases_) out.releases_.push_back(copies.at(release));
    return out;
}

const Catalogue& Catalogue::shipped() {
    static const Catalogue catalogue = [] {
        Catalogue loaded;
        loaded.load_shipped();
        loaded.load_fits();
        return loaded;
    }();
    return catalogue;
}

Catalogue Catalogue::uncalibrated() {
    Catalogue loaded;
    loaded.load_shipped();
    return loaded;
}

Catalogue Catalogue::with_folder(const std::string& folder, Problems& problems, const Check& check) {
    Catalogue catalogue = shipped().copy();
    const std::vector<std::string> files = files_of_presets(folder, problems);
    std::size_t bytes = 0;
    for (const std::string& file : files) {
        Problems own;
        const std::string text = read_text(file, own);
        bytes += text.size();
        if (bytes > kLargestPresetFolder) {
            problems.push_back({folder,
                                translate("the presets in this folder are larger than 64 MiB together"),
                                translate("those from {1} on are left out", {file}),
                                translate("move other files out of it")});
            break;
        }
        const Preset* added = own.empty() ? catalogue.add(text, file, own) : nullptr;
        // A preset of this folder can only be found by its name.
        if (added && added->name.empty())
            own.push_back({"", translate("the file's name is not a valid preset name"), names_allowed(),
                           translate("rename the file")});
        if (added && check) check(*added, catalogue, own);
        for (Problem& problem : own) {
            problem.where = problem.where.empty() ? file : file + ":" + problem.where;
            problems.push_back(problem);
        }
    }
    return catalogue;
}

}  // namespace shardscope
