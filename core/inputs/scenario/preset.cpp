#include "scenario/preset.h"

#include <algorithm>

namespace shardscope {

std::string_view name_of(PresetKind kind) {
    switch (kind) {
        case PresetKind::gpu: return "gpu";
        case PresetKind::cluster: return "cluster";
        case PresetKind::model: return "model";
        case PresetKind::scenario: return "scenario";
        case PresetKind::study: return "study";
        case PresetKind::calibration: return "calibration";
    }
    return "";
}

const std::string& Preset::source_of(P id) const {
    const auto own = sources.find(id);
    return own == sources.end() ? source : own->second;
}

bool Preset::is_unverified(P id) const { return std::ranges::find(unverified, id) != unverified.end(); }

}  // namespace shardscope
