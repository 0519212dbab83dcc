// A preset: a named set of parameter values with a source for each. Presets of GPUs, clusters, models and
// calibrations differ only in the parameters that they set.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

// Limits of the fields `year`, `context` and `rotary_base` of a preset.
inline constexpr int kFirstYear = 1950;
inline constexpr int kLastYear = 2100;
inline constexpr double kLongestContext = 1e12;
inline constexpr double kLargestRotaryBase = 1e12;
// Suffix of a user's preset whose name a shipped preset already has.
inline constexpr std::string_view kOwnPreset = "-own";

// How the router of a model with experts chooses them. It changes what the model learns, not its time or
// memory, so that only settings of training tools contain it.
struct Router {
    std::string score;                    // "softmax" or "sigmoid"
    bool scores_all_experts = false;      // softmax over all experts, not over the chosen ones
    bool balancing_bias = false;          // adapts a bias of every expert to its load
    double scaling = 0;                   // factor of the experts' sum; 0: none
    double balancing_loss = -1;           // coefficient of the auxiliary loss; negative: not known
    bool balances_each_sequence = false;  // the loss is that of each sequence, not of the batch
};

// Functions of a feed-forward. Like routing, they change no prediction.
inline constexpr std::array<std::string_view, 5> kVendors{"nvidia", "amd", "google", "amazon", "intel"};
inline constexpr std::array<std::string_view, 4> kActivations{"relu", "squared-relu", "gelu", "silu"};

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

    // The releases that a calibration describes, if not all of the stack that it extends: words of
    // `cluster.software_version`.
    std::vector<std::string> releases;

    std::map<P, std::string> sources;  // of values whose source differs from `source`
    std::vector<P> unverified;         // values that nobody could verify yet
    double published_parameters = 0;   // of a model: the published count, 0 if there is none
    int year = 0;                      // of a GPU or a model: of its release, 0 if not given
    // The longest sequence that the positions of a model were made for, the max_position_embeddings of its
    // config.json; 0 if there is no limit or none is given.
    double context = 0;
    double rotary_base = 0;        // of a model with rotary embeddings; 0 if not given
    double rotary_share = 0;       // of each head's width that they turn, below 1; 0: all of it
    std::optional<Router> router;  // of a model with experts
    // Who makes a GPU, one of kVendors; "" if not given.
    std::string vendor;
    // The function between the matrices of a model's feed-forward, one of kActivations; "" if not given.
    std::string activation;
    std::string text;  // the JSON as it was read

    // The title, or the name of a preset without one.
    [[nodiscard]] const std::string& shown_title() const { return title.empty() ? name : title; }
    [[nodiscard]] const std::string& source_of(P id) const;
    [[nodiscard]] bool is_unverified(P id) const;
};

}  // namespace shardscope
