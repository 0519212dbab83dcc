#include "schedules/stages.h"

#include <algorithm>
#include <cmath>

#include "schedules/pipeline_layout.h"

namespace shardscope {
namespace {

// Returns a stage with the layers [from, to).
Stage slice(double from, double to, const LayerSequence& layers) {
    Stage stage;
    stage.counts = layers.counts(from, to);
    if (to <= from) return stage;
    const LayerCounts last = layers.has_pattern() ? layers.counts(to - 1, to) : stage.counts;
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        if (last[i] > 0) stage.last_kind = i;
    }
    return stage;
}

void add_layers(Stage& stage, const Stage& part) {
    if (part.layers() <= 0) return;
    for (std::size_t i = 0; i < kLayerKinds; ++i) stage.counts[i] += part.counts[i];
    stage.last_kind = part.last_kind;
}

// Returns what each GPU holds of a layout. GPU i holds the virtual stages i, i + gpus, i + 2·gpus and so on.
std::vector<Stage> stages_of_layout(const PipelineLayout& layout, const LayerSequence& layers, double gpus) {
    std::vector<Stage> out(static_cast<std::size_t>(gpus));
    double from = 0;
    for (std::size_t i = 0; i < layout.layers.size(); ++i) {
        add_layers(out[i % out.size()], slice(from, from + layout.layers[i], layers));
        from += layout.layers[i];
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i].position = static_cast<double>(i);
    out.front().embedding = true;
    out.back().head = true;
    return out;
}

// Compares stages by the time of their layers. Without a pattern, layers count alike and more layers with
// experts decide between stages with equally many.
class StageCost {
  public:
    StageCost(const LayerSequence& layers, const LayerCounts& cost) : cost_(cost) {
        constexpr double kExperts = 1e-6;  // less than a layer for all of them together
        if (!layers.has_pattern()) cost_ = {1, 1 + kExperts};
    }
    double operator()(const Stage& stage) const {
        double out = 0;
        for (std::size_t i = 0; i < kLayerKinds; ++i) out += stage.counts[i] * cost_[i];
        return out;
    }

  private:
    LayerCounts cost_;
};

// The first stage, the last one, and the middle stage with the most layers or, with a pattern, the highest
// cost.
Stages laid_out(const PipelineLayout& layout, const LayerSequence& layers, double gpus,
                const StageCost& cost) {
    const std::vector<Stage> stages = stages_of_layout(layout, layers, gpus);
    Stages out;
    out.count = gpus;
    out.layout = &layout;
    out.first = stages.front();
    out.last = stages.back();
    out.middle = stages.size() > 2 ? stages[1] : out.last;
    for (std::size_t i = 2; i + 1 < stages.size(); ++i) {
        const bool fuller = layers.has_pattern() ? cost(stages[i]) > cost(out.middle)
                                                 : stages[i].layers() > out.middle.layers();
        if (fuller) out.middle = stages[i];
    }
    return out;
}

// Returns how many of the `stages` have `most` layers if the others have one fewer.
double full_stages(double layers, double most, double stages) { return layers - (most - 1) * stages; }

// Returns what a GPU holds of two opposite stages.
Stage merged(const Stage& a, const Stage& b) {
    Stage out = a;
    for (std::size_t i = 0; i < kLayerKinds; ++i) out.counts[i] += b.counts[i];
    out.last_kind = std::max(a.last_kind, b.last_kind);
    out.embedding = a.embedding || b.embedding;
    out.head = a.head || b.head;
    return out;
}

// Returns the stages of a pipeline with two weight copies, one in each direction.
Stages bidirectional(const Stages& one, const LayerSequence& layers, const StageCost& cost) {
    const std::vector<Stage> stages = every_stage(one, layers);
    Stages out;
    out.count = one.count;
    out.weight_copies = 2;
    out.first = merged(stages.front(), stages.back());
    out.last = merged(stages.back(), stages.front());
    out.middle = out.last;
    bool found = false;
    for (std::size_t i = 1; i < stages.size() / 2; ++i) {
        const Stage pair = merged(stages[i], stages[stages.size() - 1 - i]);
        if (found && cost(pair) < cost(out.middle)) continue;
        out.middle = pair;
        found = true;
    }
    return out;
}

// Returns every stage of a folded pipeline.
std::vector<Stage> folded_stages(const LayerSequence& layers, double gpus) {
    const std::vector<Stage> one = every_stage(partition_layers(layers, 2 * gpus), layers);
    std::vector<Stage> out;
    for (std::size_t i = 0; i < one.size() / 2; ++i) out.push_back(merged(one[i], one[one.size() - 1 - i]));
    return out;
}

Stages folded(const LayerSequence& layers, double gpus, const StageCost& cost) {
    const std::vector<Stage> stages = folded_stages(layers, gpus);
    Stages out;
    out.count = gpus;
    out.folded = true;
    out.first = stages.front();
    out.last = stages.back();
    out.middle = stages.size() > 2 ? stages[1] : out.last;
    for (std::size_t i = 2; i + 1 < stages.size(); ++i) {
        if (cost(stages[i]) > cost(out.middle)) out.middle = stages[i];
    }
    return out;
}

// Returns the middle stage that stands for all of them. The first `full` of the stages between the first one,
// with `first` layers, and the last one have `most` layers, the others one fewer.
Stage fullest_middle(const LayerSequence& layers, double first, double most, double full, double between,
                     const StageCost& cost) {
    if (!layers.has_pattern()) {
        // Dense layers come first, so the last of the full stages has the most expert layers.
        const double end = first + full * most;
        return slice(end - most, end, layers);
    }
    Stage out;
    double from = first;
    for (double i = 0; i < between; ++i) {
        const double to = from + (i < full ? most : most - 1);
        const Stage stage = slice(from, to, layers);
        if (i == 0 || cost(stage) > cost(out)) out = stage;
        from = to;
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

double Stage::layers() const {
    double out = 0;
    for (const double count : counts) out += count;
    return out;
}

Stages partition_layers(const LayerSequence& sequence, double gpus, double copies, Partition partition,
                        const LayerCounts& cost_of_layers) {
    const StageCost cost(sequence, cost_of_layers);
    if (copies > 1 && gpus > 1)
        return bidirectional(partition_layers(sequence, gpus, 1, {}, cost_of_layers), sequence, cost);
    const double layers = sequence.layers();
    Stages out;
    out.count = gpus;
    if (gpus <= 1) {
        out.first = slice(0, layers, sequence);
        out.first.embedding = out.first.head = true;
        return out;
    }
    if (partition.folded) return folded(sequence, gpus, cost);
    if (partition.layout) return laid_out(*partition.layout, sequence, gpus, cost);
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
    out.first = slice(0, first, sequence);
    out.last = slice(layers - last, layers, sequence);
    out.middle = out.last;
    if (gpus > 2) {
        const double full = full_stages(layers - first - last, most, gpus - 2);
        out.most_layers = most;
        out.middle = fullest_middle(sequence, first, most, full, gpus - 2, cost);
    }
    out.first.embedding = true;
    out.last.head = true;
    out.middle.position = std::min(1.0, gpus - 1);
    out.last.position = gpus - 1;
    return out;
}

std::vector<Stage> every_stage(const Stages& stages, const LayerSequence& layers) {
    if (stages.weight_copies > 1) {
        const std::vector<Stage> one = every_stage(partition_layers(layers, stages.count), layers);
        std::vector<Stage> out;
        for (std::size_t i = 0; i < one.size(); ++i) out.push_back(merged(one[i], one[one.size() - 1 - i]));
        return out;
    }
    if (stages.folded) return folded_stages(layers, stages.count);
    if (stages.layout) return stages_of_layout(*stages.layout, layers, stages.count);
    std::vector<Stage> out{stages.first};
    if (stages.count <= 1) return out;
    const double between = stages.count - 2;
    const double most = stages.most_layers;
    const double full =
        full_stages(layers.layers() - stages.first.layers() - stages.last.layers(), most, between);
    double from = stages.first.layers();
    for (double i = 0; i < between; ++i) {
        const double to = from + (i < full ? most : most - 1);
        out.push_back(slice(from, to, layers));
        out.back().position = i + 1;
        from = to;
    }
    out.push_back(stages.last);
    return out;
}

}  // namespace shardscope
