#include "launch/torchtitan_stages.h"

#include <cmath>

namespace shardscope::launch {

std::optional<StageLayers> split_layers(double layers, double parts, EndLayers less) {
    if (parts <= 1) return StageLayers{layers};
    const double counted = layers + less.first + less.last;
    const double least = std::floor(counted / parts);
    if (least < 1 || less.first > least || less.last > least) return std::nullopt;
    StageLayers out;
    for (double i = 0; i < parts; ++i) out.push_back(least + (i < std::fmod(counted, parts) ? 1 : 0));
    out.front() -= less.first;
    out.back() -= less.last;
    return out;
}

std::optional<EndLayers> end_layers_for(double layers, double stages, double first, double last) {
    const auto gives_ends = [&](EndLayers less) {
        if (less.first < 0 || less.last < 0) return false;
        const std::optional<StageLayers> found = split_layers(layers, stages, less);
        return found && found->front() == first && found->back() == last;
    };
    if (gives_ends({})) return EndLayers{};
    for (const double left_over : {0.0, 1.0}) {  // a remaining layer, which the first stage gets
        for (double least = 1; least <= layers; ++least) {
            const EndLayers less{least + left_over - first, least - last};
            if (gives_ends(less)) return less;
        }
    }
    return std::nullopt;
}

}  // namespace shardscope::launch
