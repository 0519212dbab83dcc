// E20: how layers are dealt out to the stages of a pipeline.
//
// Where the stages divide the layers, each takes the same number; the embedding then comes on top of the
// first and the LM head on top of the last. Where they do not but would divide layers + 2, frameworks count
// the embedding and the head as a layer each; else the remainder goes to the stages in the middle, one layer
// each, and to the first where they are too few, for the head costs more than the embedding. Sources:
// Megatron-LM (uniform, account-for-embedding options), DeepSpeed's partition “type:transformer”.
//
// The first and the last stage may be given their layers (Megatron-LM's decoder-first-pipeline-num-layers and
// decoder-last-pipeline-num-layers); the others share what is left in the same way.
#pragma once

#include <vector>

namespace shardscope {

// Layers on one GPU.
struct Stage {
    double dense = 0;
    double sparse = 0;
    bool embedding = false;
    bool head = false;
    double position = 0;  // places from the front
    [[nodiscard]] double layers() const { return dense + sparse; }
};

// Which of the stages that `Stages` distinguishes.
enum class StagePlace : unsigned char { first, middle, last };

// Every GPU of a pipeline is like one of these: the first, the last, the fullest of those between, which is
// taken to lie right behind the first.
struct Stages {
    Stage first, middle, last;
    double count = 1;  // of GPUs; one: `first` is all of the model
    // Of the weights: with two, every GPU holds its own stage and that of its counterpart at the other end,
    // and each of them sees half of the micro-batches.
    double copies = 1;
    [[nodiscard]] const Stage& at(StagePlace place) const {
        return place == StagePlace::first ? first : place == StagePlace::middle ? middle : last;
    }
};

// Layers that the ends are given; 0: as many as the others.
struct Partition {
    double first = 0;
    double last = 0;
    [[nodiscard]] bool even() const { return first == 0 && last == 0; }
    // Whether every stage of a pipeline gets a layer, and every layer a stage.
    [[nodiscard]] bool deals(double layers, double gpus) const;
};

// `dense` layers come before the `sparse` ones. A partition that is not even has one copy, and deals the
// layers.
Stages deal_layers(double dense, double sparse, double gpus, double copies = 1, Partition partition = {});

// Every stage by itself. Of those between, the first ones take the layers that are left over: there the most
// micro-batches are held, as `middle` at the second place says.
std::vector<Stage> every_stage(const Stages& stages, double dense, double sparse);

}  // namespace shardscope
