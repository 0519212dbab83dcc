// Models other than transformers, given as a list of operators: blocks of matrix products, convolutions,
// norms and elementwise operators, with sizes per sample. They are compiled to the same blocks as
// transformers, so that times, memory, sharding and pipelines are computed in the same way.
//
// One sample is treated as a sequence of one token. A convolution is counted as its implicit matrix product:
// M output pixels, N output channels, K = kernel² · input channels; its memory traffic is that of the feature
// maps themselves. Source of this form: Chetlur et al. 2014 (cuDNN), arXiv 1410.0759.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/operator_kind.h"

namespace shardscope {

struct ListedOperator {
    std::string name;  // "conv1"
    OperatorKind kind = OperatorKind::elementwise;

    // Rows of one sample: the pixels of the feature map, (image ÷ reduction)², or a fixed number.
    double rows = 1;
    double reduction = 0;  // factor that reduces the image's edge; 0: `rows` is used

    // gemm and convolution: columns in and out; a convolution's kernel and stride along one edge.
    double in = 0, out = 0;
    double kernel = 1, stride = 1, groups = 1;
    bool bias = false;

    // norm, elementwise, softmax, gather: columns, and elements read or written per column.
    double width = 0;
    double traffic = 2;

    double weights = 0;  // parameters
    double saved = 0;    // elements kept for the backward pass, per input or column of a row

    [[nodiscard]] bool multiplies() const {
        return kind == OperatorKind::gemm || kind == OperatorKind::convolution;
    }
    // Returns the output elements per sample.
    [[nodiscard]] double output(double image) const;
    [[nodiscard]] double rows_of(double image) const;
};

struct ListedBlock {
    std::string name;   // "stage 3"
    double repeat = 1;  // how often it occurs in succession
    std::vector<ListedOperator> operators;
};

struct ListedModel {
    std::vector<ListedBlock> blocks;  // in forward order
    std::string text;                 // the JSON it was read from
    std::uint64_t number = next();    // unique to this list

    // Returns whether any size depends on the image size.
    [[nodiscard]] bool has_image() const;
    // A stem is a single block before the first layer, a head one after the last layer.
    [[nodiscard]] bool has_stem() const { return blocks.size() > 2 && blocks.front().repeat == 1; }
    [[nodiscard]] bool has_head() const { return blocks.size() > 2 && blocks.back().repeat == 1; }
    [[nodiscard]] double layers() const;  // blocks between stem and head
    // Returns the average number of elements per sample between two layers.
    [[nodiscard]] double width(double image) const;

  private:
    static std::uint64_t next();
};

}  // namespace shardscope
