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
    out[layout.prediction_stage % out.size()].predictions = layers.predictions();
    return out;
}

// Compares stages of a model without a pattern. Layers count alike, and more layers with experts decide
// between stages with equally many.
double size_of(const Stage& stage) {
    constexpr double kExperts = 1e-6;  // less than a layer for all of them together
    return stage.counts[0] + (1 + kExperts) * stage.counts[1];
}

// Collects the middle stages: every mixture of layers if the model has a pattern or a layout decides what the
// stages hold, else the largest stage.
class MiddleStages {
  public:
    MiddleStages(const LayerSequence& layers, Stages& out)
        : every_mixture_(layers.has_pattern() || out.layout), list_(out.middles) {}
    // Adds a stage. The stages must come in the order of decreasing micro-batches in flight, because only the
    // first of several equal stages is kept.
    void add(const Stage& stage) {
        const double size = size_of(stage);
        if (every_mixture_) {
            if (!is_known(stage)) append(stage);
        } else if (size > largest_) {
            largest_ = size;
            if (list_.size() == 0) list_.add(stage);
            else list_[0] = stage;
        }
    }

  private:
    [[nodiscard]] bool is_known(const Stage& stage) const {
        return std::ranges::any_of(list_.items(),
                                   [&](const Stage& known) { return known.has_same_content(stage); });
    }
    void append(const Stage& stage) {
        if (list_.size() < kMiddleStages) {
            list_.add(stage);
            return;
        }
        LayerCounts& most = list_[kMiddleStages - 1].counts;
        for (std::size_t i = 0; i < kLayerKinds; ++i) most[i] = std::max(most[i], stage.counts[i]);
    }

    bool every_mixture_;
    double largest_ = -1;
    BoundedList<Stage, kMiddleStages>& list_;
};

Stages laid_out(const PipelineLayout& layout, const LayerSequence& layers, double gpus) {
    const std::vector<Stage> stages = stages_of_layout(layout, layers, gpus);
    Stages out;
    out.count = gpus;
    out.layout = &layout;
    out.first = stages.front();
    out.last = stages.back();
    MiddleStages middles(layers, out);
    for (std::size_t i = 1; i + 1 < stages.size(); ++i) middles.add(stages[i]);
    return out;
}

// Returns how many of the `stages` have `most` layers if the others have one fewer.
double full_stages(double layers, double most, double stages) { return layers - (most - 1) * stages; }

// Returns what a GPU holds of two opposite stages. Its last layer is that of the stage which is later in the
// model.
Stage merged(const Stage& a, const Stage& b) {
    Stage out = a;
    for (std::size_t i = 0; i < kLayerKinds; ++i) out.counts[i] += b.counts[i];
    out.last_kind = a.position > b.position ? a.last_kind : b.last_kind;
    out.predictions = a.predictions + b.predictions;
    out.embedding = a.embedding || b.embedding;
    out.head = a.head || b.head;
    return out;
}

// Returns the stages of a pipeline with two weight copies, one in each direction.
Stages bidirectional(const Stages& one, const LayerSequence& layers) {
    const std::vector<Stage> stages = every_stage(one, layers);
    Stages out;
    out.count = one.count;
    out.weight_copies = 2;
    out.first = merged(stages.front(), stages.back());
    out.last = merged(stages.back(), stages.front());
    // The innermost stages hold the most micro-batches (BitPipe).
    MiddleStages middles(layers, out);
    for (std::size_t i = stages.size() / 2 - 1; i > 0; --i) {
        middles.add(merged(stages[i], stages[stages.size() - 1 - i]));
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

Stages folded(const LayerSequence& layers, double gpus) {
    const std::vector<Stage> stages = folded_stages(layers, gpus);
    Stages out;
    out.count = gpus;
    out.folded = true;
    out.first = stages.front();
    out.last = stages.back();
    MiddleStages middles(layers, out);
    for (std::size_t i = 1; i + 1 < stages.size(); ++i) middles.add(stages[i]);
    return out;
}

// Adds the stages between the first one and the last one. The first `full` of them have `out.most_layers`
// layers, the others one fewer.
void add_middles(const LayerSequence& layers, double full, Stages& out) {
    MiddleStages middles(layers, out);
    double from = out.first.layers();
    if (!layers.has_pattern()) {
        // Dense layers come first, so the last of the full stages has the most expert layers.
        const double end = from + full * out.most_layers;
        Stage stage = slice(end - out.most_layers, end, layers);
        stage.position = 1;
        middles.add(stage);
        return;
    }
    for (double i = 0; i < out.count - 2; ++i) {
        const double to = from + (i < full ? out.most_layers : out.most_layers - 1);
        Stage stage = slice(from, to, layers);
        stage.position = i + 1;
        middles.add(stage);
        from = to;
    }
}

}  // namespace

bool Partition::is_feasible(double layers, double gpus) const {
    if (layout) return true;  // constraints of schedules compare it with the model
    const double left = layers - first - last;
    const double others = gpus - (first > 0 ? 1 : 0) - (sets_last() ? 1 : 0);
    return others > 0 ? left >= others : left == 0;
}

double Stage::layers() const {
    double out = 0;
    for (const double count : counts) out += count;
    return out;
}

bool Stage::has_same_content(const Stage& other) const {
    return counts == other.counts && last_kind == other.last_kind && predictions == other.predictions &&
           embedding == other.embedding && head == other.head;
}

Stages partition_layers(const LayerSequence& sequence, double gpus, double copies, Partition partition) {
    if (copies > 1 && gpus > 1) return bidirectional(partition_layers(sequence, gpus), sequence);
    const double layers = sequence.layers();
    Stages out;
    out.count = gpus;
    if (gpus <= 1) {
        out.first = slice(0, layers, sequence);
        out.first.embedding = out.first.head = true;
        out.first.predictions = sequence.predictions();
        return out;
    }
    if (partition.folded) return folded(sequence, gpus);
    if (partition.layout) return laid_out(*partition.layout, sequence, gpus);
    double first = layers / gpus;
    double most = first;  // layers of the fullest middle stage
    double last = first;
    if (!partition.even()) {
        const double left = layers - partition.first - partition.last;
        const double others = gpus - (partition.first > 0 ? 1 : 0) - (partition.sets_last() ? 1 : 0);
        const double least = others > 0 ? std::floor(left / others) : 0;
        first = partition.first > 0 ? partition.first : least;
        last = partition.sets_last() ? partition.last : least;
        most = gpus > 2 ? std::ceil((layers - first - last) / (gpus - 2)) : last;
    } else if (std::fmod(layers, gpus) != 0) {
        const auto divides = [&](double predictions) {
            const double counted = layers + 2 + predictions;
            return std::fmod(counted, gpus) == 0 && counted / gpus >= 2 + predictions;
        };
        const double predictions = divides(sequence.predictions()) ? sequence.predictions() : 0;
        if (divides(predictions)) {
            most = (layers + 2 + predictions) / gpus;
            first = most - 1;
            last = most - 1 - predictions;
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
    if (gpus > 2) {
        out.most_layers = most;
        add_middles(sequence, full_stages(layers - first - last, most, gpus - 2), out);
    }
    out.first.embedding = true;
    out.last.head = true;
    out.last.predictions = sequence.predictions();
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
