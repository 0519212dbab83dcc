#include "schedules/stages.h"

#include <algorithm>
#include <cmath>

#include "schedules/pipeline_layout.h"

namespace shardscope {
namespace {

// Returns a stage with the layers [from, to) of a model whose first `dense` layers are dense.
Stage slice(double from, double to, double dense) {
    Stage stage;
    stage.dense = std::clamp(dense - from, 0.0, to - from);
    stage.sparse = to - from - stage.dense;
    return stage;
}

// Returns what each GPU holds of a layout. GPU i holds the virtual stages i, i + gpus, i + 2·gpus and so on.
std::vector<Stage> stages_of_layout(const PipelineLayout& layout, double dense, double gpus) {
    std::vector<Stage> out(static_cast<std::size_t>(gpus));
    double from = 0;
    for (std::size_t i = 0; i < layout.layers.size(); ++i) {
        Stage& stage = out[i % out.size()];
        const Stage part = slice(from, from + layout.layers[i], dense);
        stage.dense += part.dense;
        stage.sparse += part.sparse;
        from += layout.layers[i];
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i].position = static_cast<double>(i);
    out.front().embedding = true;
    out.back().head = true;
    return out;
}

// The first stage, the last one, and the middle stage with the most layers.
Stages laid_out(const PipelineLayout& layout, double dense, double gpus) {
    const std::vector<Stage> stages = stages_of_layout(layout, dense, gpus);
    Stages out;
    out.count = gpus;
    out.layout = &layout;
    out.first = stages.front();
    out.last = stages.back();
    out.middle = stages.size() > 2 ? stages[1] : out.last;
    for (std::size_t i = 2; i + 1 < stages.size(); ++i) {
        if (stages[i].layers() > out.middle.layers()) out.middle = stages[i];
    }
    return out;
}

// Returns how many of the `stages` have `most` layers if the others have one fewer.
double full_stages(double layers, double most, double stages) { return layers - (most - 1) * stages; }

// Returns what a GPU holds of two opposite stages.
Stage merged(const Stage& a, const Stage& b) {
    return {a.dense + b.dense, a.sparse + b.sparse, a.embedding || b.embedding, a.head || b.head, a.position};
}

// Returns the stages of a pipeline with two weight copies, one in each direction.
Stages bidirectional(const Stages& one, double dense, double sparse) {
    const std::vector<Stage> stages = every_stage(one, dense, sparse);
    Stages out;
    out.count = one.count;
    out.weight_copies = 2;
    out.first = merged(stages.front(), stages.back());
    out.last = merged(stages.back(), stages.front());
    out.middle = out.last;
    bool found = false;
    for (std::size_t i = 1; i < stages.size() / 2; ++i) {
        const Stage pair = merged(stages[i], stages[stages.size() - 1 - i]);
        if (found && (pair.layers() < out.middle.layers() ||
                      (pair.layers() == out.middle.layers() && pair.sparse < out.middle.sparse)))
            continue;
        out.middle = pair;
        found = true;
    }
    return out;
}

}  // namespace

bool Partition::is_feasible(double layers, double gpus) const {
    if (layout) return true;  // constraints of schedules compare it with the model
    const double left = layers - first - last;
    const double others = gpus - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
    return others > 0 ? left >= others : left == 0;
}

Stages partition_layers(double dense, double sparse, double gpus, double copies, Partition partition) {
    if (copies > 1 && gpus > 1) return bidirectional(partition_layers(dense, sparse, gpus), dense, sparse);
    const double layers = dense + sparse;
    Stages out;
    out.count = gpus;
    if (gpus <= 1) {
        out.first = {dense, sparse, true, true, 0};
        return out;
    }
    if (partition.layout) return laid_out(*partition.layout, dense, gpus);
    double first = layers / gpus;
    double most = first;  // layers of the fullest middle stage
    double last = first;
    if (!partition.even()) {
        const double left = layers - partition.first - partition.last;
        const double others = gpus - (partition.first > 0 ? 1 : 0) - (partition.last > 0 ? 1 : 0);
        const double least = others > 0 ? std::floor(left / others) : 0;
        first = partition.first > 0 ? partition.first : least;
        last = partition.last > 0 ? partition.last : least;
        most = gpus > 2 ? std::ceil((layers - first - last) / (gpus - 2)) : last;
    } else if (std::fmod(layers, gpus) != 0) {
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
    out.middle = out.last;
    if (gpus > 2) {
        // Dense layers come first, so the last of the full middle stages has the most expert layers.
        const double end = first + full_stages(layers - first - last, most, gpus - 2) * most;
        out.middle = slice(end - most, end, dense);
    }
    out.first.embedding = true;
    out.last.head = true;
    out.middle.position = std::min(1.0, gpus - 1);
    out.last.position = gpus - 1;
    return out;
}

std::vector<Stage> every_stage(const Stages& stages, double dense, double sparse) {
    if (stages.weight_copies > 1) {
        const std::vector<Stage> one =
            every_stage(partition_layers(dense, sparse, stages.count), dense, sparse);
        std::vector<Stage> out;
        for (std::size_t i = 0; i < one.size(); ++i) out.push_back(merged(one[i], one[one.size() - 1 - i]));
        return out;
    }
    if (stages.layout) return stages_of_layout(*stages.layout, dense, stages.count);
    std::vector<Stage> out{stages.first};
    if (stages.count <= 1) return out;
    const double between = stages.count - 2;
    const double most = stages.middle.layers();
    const double full =
        full_stages(dense + sparse - stages.first.layers() - stages.last.layers(), most, between);
    double from = stages.first.layers();
    for (double i = 0; i < between; ++i) {
        const double to = from + (i < full ? most : most - 1);
        out.push_back(slice(from, to, dense));
        out.back().position = i + 1;
        from = to;
    }
    out.push_back(stages.last);
    return out;
}

}  // namespace shardscope
