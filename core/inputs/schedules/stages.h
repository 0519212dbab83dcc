// E20: how the layers are partitioned into the stages of a pipeline.
//
// If the number of stages divides the layers, each stage gets the same number; the first also has the
// embedding and the last the LM head. If it divides layers + 2 instead, the embedding and the head count as a
// layer each, as in the frameworks. Otherwise the remaining layers go to the stages in the middle, one layer
// each, and to the first stage if those are too few, because the head costs more than the embedding. Sources:
// Megatron-LM (uniform, account-for-embedding options), DeepSpeed's partition “type:transformer”.
//
// A stage holds consecutive layers, also where they are unlike (model.layer_pattern): the frameworks count
// layers, not their cost. As patterns repeat, the stages hold similar mixtures. Of the middle stages, the one
// with the most layers stands for all; in a model with a pattern, the one that takes the longest.
//
// The layers of the first and the last stage may be set (Megatron-LM's decoder-first-pipeline-num-layers and
// decoder-last-pipeline-num-layers); the remaining layers are split among the other stages in the same way.
#pragma once

#include <vector>

#include "parameters/layer_pattern.h"

namespace shardscope {

struct PipelineLayout;

// Layers on one GPU.
struct Stage {
    LayerCounts counts{};       // of each kind
    std::size_t last_kind = 0;  // of the last layer
    bool embedding = false;
    bool head = false;
    double position = 0;  // 0 is the first stage
    [[nodiscard]] double layers() const;
};

// The stages that `Stages` distinguishes.
enum class StagePlace : unsigned char { first, middle, last };

// The first stage, the last one, and the fullest middle stage, which stands for all middle stages and is
// assumed to come directly after the first.
struct Stages {
    Stage first, middle, last;
    double count = 1;        // GPUs; with one, `first` is the whole model
    double most_layers = 0;  // of a middle stage
    // Weight copies. With two, every GPU holds its own stage and that of the opposite GPU of the pipeline,
    // and each of the two stages processes half of the micro-batches.
    double weight_copies = 1;
    bool folded = false;                     // see Partition
    const PipelineLayout* layout = nullptr;  // that decides the content of every stage
    [[nodiscard]] const Stage& at(StagePlace place) const {
        return place == StagePlace::first ? first : place == StagePlace::middle ? middle : last;
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
    [[nodiscard]] bool even() const { return first == 0 && last == 0 && !layout; }
    // Returns whether every stage gets at least one layer, and every layer belongs to a stage.
    [[nodiscard]] bool is_feasible(double layers, double gpus) const;
};

// Partitions the layers of a model. A partition that is not even requires one weight copy and must be
// feasible. `cost_of_layers` is the time of a layer of each kind, which decides the middle stage of a model
// with a pattern; without a pattern it is not read.
Stages partition_layers(const LayerSequence& sequence, double gpus, double copies = 1,
                        Partition partition = {}, const LayerCounts& cost_of_layers = {});

// Returns every stage. The remaining layers go to the first of the middle stages, where the most
// micro-batches are in flight; the position of `middle` is therefore that of the second stage.
std::vector<Stage> every_stage(const Stages& stages, const LayerSequence& layers);

}  // namespace shardscope
