// A preset: a named set of parameter values with a source for each. GPUs, clusters, models and calibrations
// are all the same kind of thing; only which parameters they fill differs.
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

// Values of one part of a calibration: the calibration preset of that name, everywhere (""), where a part may
// still say otherwise, or in place of all others (kOverAll).
inline constexpr const char* kOverAll = "*";
struct PartValues {  // constants of a calibration for one part
    std::string part;
    Values values;
};

struct Preset {  // values under a name, each with its source
    PresetKind kind = PresetKind::model;
    std::string name;    // "dgx-h100"
    std::string title;   // "DGX H100"
    std::string source;  // public source of the values
    std::string path;    // file it was read from, absolute; "" for a shipped one
    Values values;
    std::vector<PartValues> parts;  // a calibration file's: for the parts they name
    Values node;                    // a GPU's usual node: used where no cluster preset says otherwise

    std::shared_ptr<const ListedModel> operators;  // of a model that is no transformer
    const Preset* gpu = nullptr;                   // a cluster's GPU
    const Preset* calibration = nullptr;           // a GPU's or a fabric's constants; those a stack builds on

    std::map<P, std::string> sources;  // where a value has its own
    std::vector<P> unverified;         // values nobody could check yet
    double published_parameters = 0;   // a model's published count, 0 when none
    std::string text;                  // the JSON as it was read

    [[nodiscard]] const std::string& source_of(P id) const;
    [[nodiscard]] bool is_unverified(P id) const;
};

}  // namespace shardscope
