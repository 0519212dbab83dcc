// Models that are no transformer, as a list of operators: blocks of matrices, convolutions, norms and
// elementwise operators, sized per sample. They become the same blocks that transformers are made of, so that
// times, memory, sharding and pipelines are the same folds.
//
// One sample takes the place of a sequence of one token. A convolution is counted as its implicit matrix
// product: M output pixels, N output channels, K = kernel² · input channels, while its memory traffic is that
// of the feature maps themselves. Source of the form: Chetlur et al. 2014 (cuDNN), arXiv 1410.0759.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/operator_kind.h"

namespace shardscope {

struct ListedOperator {
    std::string name;  // "conv1"
    OperatorKind kind = OperatorKind::elementwise;

    // Rows of one sample: pixels of the feature map, (image ÷ reduction)², or a number of their own.
    double rows = 1;
    double reduction = 0;  // of the image's edge; 0: `rows` counts

    // gemm and convolution: columns in and out; a convolution's kernel and stride along one edge.
    double in = 0, out = 0;
    double kernel = 1, stride = 1, groups = 1;
    bool bias = false;

    // norm, elementwise, softmax, gather: columns, and elements read or written for each of them.
    double width = 0;
    double traffic = 2;

    double weights = 0;  // parameters
    double saved = 0;    // elements kept for the backward pass, for each of the row's inputs or columns

    [[nodiscard]] bool multiplies() const {
        return kind == OperatorKind::gemm || kind == OperatorKind::convolution;
    }
    // Elements of one sample that it makes.
    [[nodiscard]] double output(double image) const;
    [[nodiscard]] double rows_of(double image) const;
};

struct ListedBlock {
    std::string name;   // "stage 3"
    double repeat = 1;  // in a row
    std::vector<ListedOperator> operators;
};

struct ListedModel {
    std::vector<ListedBlock> blocks;  // in forward order
    std::string text;                 // the JSON it was read from
    std::uint64_t number = next();    // no other list ever has it

    // Whether its sizes follow the image's.
    [[nodiscard]] bool has_image() const;
    // A block of its own before the first layer, and one after the last.
    [[nodiscard]] bool has_stem() const { return blocks.size() > 2 && blocks.front().repeat == 1; }
    [[nodiscard]] bool has_head() const { return blocks.size() > 2 && blocks.back().repeat == 1; }
    [[nodiscard]] double layers() const;  // blocks between stem and head
    // Elements of one sample between two layers, on average.
    [[nodiscard]] double width(double image) const;

  private:
    static std::uint64_t next();
};

}  // namespace shardscope
