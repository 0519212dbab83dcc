// E20: how the layers are partitioned into the stages of a pipeline.
//
// If the number of stages divides the layers, each stage gets the same number; the first also has the
// embedding and the last the LM head. If it divides layers + 2 instead, the embedding and the head count as a
// layer each, as in the frameworks. Prediction layers (MTP) are on the last stage, unless a layout has them
// in another one, and count as further layers if the sum is then divisible. Otherwise the remaining layers go
// to the stages in the middle, one layer each, and to the first stage if those are too few, because the head
// costs more than the embedding. Sources: Megatron-LM (uniform, account-for-embedding options), DeepSpeed's
// partition “type:transformer”.
//
// A stage holds consecutive layers, also where they are of different kinds (model.layer_pattern): the
// frameworks count layers, not their cost. Of the middle stages, the one with the most layers stands for all.
// In a model with a pattern, or with a layout by hand, they hold different mixtures, of which one may take
// the longest and another the most memory, so every mixture is kept.
//
// The layers of the first and the last stage may be set (Megatron-LM's decoder-first-pipeline-num-layers and
// decoder-last-pipeline-num-layers); the remaining layers are split among the other stages in the same way.
#pragma once

#include <vector>

#include "containers/bounded_list.h"
#include "parameters/layer_pattern.h"

namespace shardscope {

struct PipelineLayout;

// Layers on one GPU.
struct Stage {
    LayerCounts counts{};       // of each kind
    std::size_t last_kind = 0;  // of the last layer
    double predictions = 0;     // prediction layers (MTP)
    bool embedding = false;
    bool head = false;
    double position = 0;  // 0 is the first stage
    [[nodiscard]] double layers() const;
    // Returns whether both hold the same layers and ends, in whatever place of the pipeline.
    [[nodiscard]] bool has_same_content(const Stage& other) const;
};

// The most mixtures of middle stages that are kept. The models of today have fewer; if there are more, one
// stage with the most layers of each kind stands for the remaining ones.
inline constexpr std::size_t kMiddleStages = 64;
inline constexpr std::size_t kDistinctStages = kMiddleStages + 2;

// One stage for each distinct content; of equal stages it is the one with the most micro-batches in flight.
// Without a pattern or a layout one middle stage stands for all of them: the fullest, which is assumed to
// come directly after the first stage.
struct Stages {
    Stage first, last;  // without a pipeline `first` is the whole model
    BoundedList<Stage, kMiddleStages> middles;
    double count = 1;        // GPUs
    double most_layers = 0;  // of a middle stage
    // Weight copies. With two, every GPU holds its own stage and that of the opposite GPU of the pipeline,
    // and each of the two stages processes half of the micro-batches.
    double weight_copies = 1;
    bool folded = false;                     // see Partition
    const PipelineLayout* layout = nullptr;  // that decides the content of every stage
    // Returns the number of stages that differ: the first one, those in the middle and the last one.
    [[nodiscard]] std::size_t size() const { return count <= 1 ? 1 : middles.size() + 2; }
    [[nodiscard]] const Stage& operator[](std::size_t i) const {
        if (i == 0) return first;
        return i <= middles.size() ? middles[i - 1] : last;
    }
};

// How a request splits the layers: layers of the first and the last stage (0: as many as the other stages),
// or a layout of all virtual stages.
struct Partition {
    double first = 0;
    double last = 0;
    const PipelineLayout* layout = nullptr;  // replaces `first` and `last`
    // Each GPU holds a stage of the first half of the model and its mirror image of the second half, so the
    // first GPU holds both ends.
    bool folded = false;
    bool head_alone = false;  // the last stage has no layers; `last` is then 0
    [[nodiscard]] bool sets_last() const { return last > 0 || head_alone; }
    [[nodiscard]] bool even() const { return first == 0 && !sets_last() && !layout; }
    // Returns whether every stage gets at least one layer, apart from a head alone, and every layer belongs
    // to a stage.
    [[nodiscard]] bool is_feasible(double layers, double gpus) const;
};

// Partitions the layers of a model. A partition that is not even requires one weight copy and must be
// feasible.
Stages partition_layers(const LayerSequence& sequence, double gpus, double copies = 1,
                        Partition partition = {});

// Returns every stage. The remaining layers go to the first of the middle stages, where the most
// micro-batches are in flight.
std::vector<Stage> every_stage(const Stages& stages, const LayerSequence& layers);

}  // namespace shardscope
