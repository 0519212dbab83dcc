// What the operators plot shows: every operator of the model on one GPU, and the roofline they lie under.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/operator_table.h"
#include "widgets/plots/plot_data.h"

namespace shardscope {

struct OperatorsData {
    OperatorTable table;
    bool timed = false;         // seconds mean something: it fits, or they are hypothetical
    bool hypothetical = false;  // it does not fit, and they are shown all the same
    MemoryUse memory;
    double peak = 0;          // FLOP/s of the data sheet, in the precision of most matrices
    double reached_peak = 0;  // of the largest matrix by calibration
    double bandwidth = 0;     // B/s of the data sheet
    double reached_bandwidth = 0;

    // Of the forward pass; NaN where it means nothing.
    [[nodiscard]] double achieved(const OperatorRow& row) const;  // FLOP/s
    [[nodiscard]] double share(double step_seconds) const;        // of the step
    // Drawn on the roofline: what multiplies and has a time.
    [[nodiscard]] bool drawn(const OperatorRow& row) const;
    // Share of the step in operators that only move memory.
    [[nodiscard]] double moving_share() const;
};
OperatorsData operators_data(const Answer& answer, bool hypothetical = false);

// "16,384 × 5,120 × 5,120", with the number of matrices before it where there are several; empty for what
// has no shape.
std::string shape_text(const OperatorRow& row);
// "memory bandwidth": what most of an operator waits for, as the walls are called; empty where it takes no
// time.
std::string bound_label(const OperatorRow& row);
// "layer ×40": a block and how often it is on the GPU.
std::string block_text(const OperatorSum& block);

// One row an operator, then blocks, the whole model once, and what else the step consists of.
PlotTable operators_table(const OperatorsData& data);

}  // namespace shardscope
