#include "schedules/paths.h"

namespace shardscope {

Time length_of(const Path& path, const StageTimes& average, const StageTimes& filling) {
    const auto input = [](const StageTimes& t) { return t.backward + -1.0 * t.weight_gradient; };
    const auto part = [](double count, const Time& added, const Time& removed) {
        return count * (count > 0 ? added : removed);
    };
    return part(path.forward, average.forward, filling.forward) +
           part(path.input, input(average), input(filling)) +
           part(path.weights, average.weight_gradient, filling.weight_gradient);
}

}  // namespace shardscope
