// A preset: a named set of parameter values with a source for each. Presets of GPUs, clusters, models and
// calibrations differ only in the parameters that they set.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parameters/parameter.h"

namespace shardscope {

struct ListedModel;

enum class PresetKind { gpu, cluster, model, scenario, study, calibration };
std::string_view name_of(PresetKind kind);

using Values = std::vector<std::pair<P, double>>;

// The part whose values replace those of all other parts of a calibration.
inline constexpr const char* kAllParts = "*";
// Values of one part of a calibration. A part is the name of a calibration preset, "" for defaults that other
// parts may replace, or kAllParts.
struct PartValues {
    std::string part;
    Values values;
};

// Limits of the fields `year` and `context` of a preset.
inline constexpr int kFirstYear = 1950;
inline constexpr int kLastYear = 2100;
inline constexpr double kLongestContext = 1e12;
// Suffix of a user's preset whose name a shipped preset already has.
inline constexpr std::string_view kOwnPreset = "-own";

// A named set of values, as it was read from its file.
struct Preset {
    PresetKind kind = PresetKind::model;
    std::string name;    // "dgx-h100"
    std::string title;   // "DGX H100"
    std::string source;  // public source of the values
    std::string path;    // absolute path of its file; "" for a shipped preset
    Values values;
    std::vector<PartValues> parts;  // of a calibration file: values per part
    Values node;                    // of a GPU: its usual node, unless a cluster preset sets other values

    std::shared_ptr<const ListedModel> operators;  // of a model that is not a transformer
    const Preset* gpu = nullptr;                   // of a cluster: its GPU
    const Preset* calibration = nullptr;           // constants of a GPU or fabric, or the base of a stack's

    // Of a calibration that describes some releases of the stack it extends: words of
    // `cluster.software_version`.
    std::vector<std::string> releases;

    std::map<P, std::string> sources;  // of values whose source differs from `source`
    std::vector<P> unverified;         // values that nobody could verify yet
    double published_parameters = 0;   // of a model: the published count, 0 if there is none
    int year = 0;                      // of a GPU or a model: of its release, 0 if not given
    // Of a model: the longest sequence that its positions were made for, the max_position_embeddings of its
    // config.json; 0 if there is no limit or none is given.
    double context = 0;
    std::string text;  // the JSON as it was read

    // The title, or the name of a preset without one.
    [[nodiscard]] const std::string& shown_title() const { return title.empty() ? name : title; }
    [[nodiscard]] const std::string& source_of(P id) const;
    [[nodiscard]] bool is_unverified(P id) const;
};

}  // namespace shardscope
