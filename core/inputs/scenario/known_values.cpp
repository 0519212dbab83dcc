#include "scenario/known_values.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

void add_doublings(std::vector<double>& out, double first, double last) {
    for (double value = first; value <= last; value *= 2) out.push_back(value);
}

}  // namespace

std::vector<double> known_values(P id, const Catalogue& catalogue) {
    std::vector<double> out;
    for (const PresetKind kind : {PresetKind::cluster, PresetKind::gpu, PresetKind::model}) {
        for (const Preset* preset : catalogue.all(kind)) {
            for (const auto& [key, value] : preset->values) {
                if (key == id && std::isfinite(value)) out.push_back(value);
            }
        }
    }
    constexpr double kGigabit = 1e9 / 8;
    if (id == P::inter_node_bandwidth) add_doublings(out, 100 * kGigabit, 1600 * kGigabit);
    if (id == P::sequence_length) add_doublings(out, 512, 1024.0 * 1024);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace shardscope
