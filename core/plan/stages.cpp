#include "plan/stages.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

// Layers [from, to) of a model whose first `dense` ones are dense.
Stage slice(double from, double to, double dense) {
    Stage stage;
    stage.dense = std::clamp(dense - from, 0.0, to - from);
    stage.sparse = to - from - stage.dense;
    return stage;
}

}  // namespace

Stages deal_layers(double dense, double sparse, double gpus) {
    const double layers = dense + sparse;
    Stages out;
    out.count = gpus;
    if (gpus <= 1) {
        out.first = {dense, sparse, true, true, 0};
        return out;
    }
    double first = layers / gpus;
    double most = first;  // of a stage between the first and the last
    double last = first;
    if (std::fmod(layers, gpus) != 0) {
        const double counted = (layers + 2) / gpus;
        if (counted == std::floor(counted) && counted > 1) {
            most = counted;
            first = last = counted - 1;
        } else if (std::fmod(layers, gpus) == gpus - 1) {
            first = most = std::ceil(layers / gpus);
            last = std::floor(layers / gpus);
        } else {
            first = last = std::floor(layers / gpus);
            most = std::ceil((layers - 2 * first) / (gpus - 2));
        }
    }
    out.first = slice(0, first, dense);
    out.last = slice(layers - last, layers, dense);
    // Dense layers come first, so the stage before the last has the most experts.
    out.middle = gpus > 2 ? slice(layers - last - most, layers - last, dense) : out.last;
    out.first.embedding = true;
    out.last.head = true;
    out.middle.position = std::min(1.0, gpus - 1);
    out.last.position = gpus - 1;
    return out;
}

std::vector<Stage> every_stage(const Stages& stages, double dense, double sparse) {
    std::vector<Stage> out{stages.first};
    if (stages.count <= 1) return out;
    const double between = stages.count - 2;
    const double most = stages.middle.layers();
    const double full = dense + sparse - stages.first.layers() - stages.last.layers() - (most - 1) * between;
    double from = stages.first.layers();
    for (double i = 0; i < between; ++i) {
        const double to = from + (i < between - full ? most - 1 : most);
        out.push_back(slice(from, to, dense));
        out.back().position = i + 1;
        from = to;
    }
    out.push_back(stages.last);
    return out;
}

}  // namespace shardscope
