// The data of the operators plot: every operator of the model on one GPU, and the roofline that bounds it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/operator_table.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

struct OperatorsData {
    OperatorTable table;
    bool timed = false;         // times are meaningful: it fits, or they are hypothetical
    bool hypothetical = false;  // it does not fit, and times are shown nevertheless
    MemoryUse memory;
    double peak = 0;          // FLOP/s of the data sheet, in the precision of most matrix products
    double reached_peak = 0;  // sustained by the largest matrix product, by calibration
    double bandwidth = 0;     // B/s of the data sheet
    double reached_bandwidth = 0;

    // NaN if times are not meaningful.
    [[nodiscard]] double achieved(const OperatorRow& row) const;  // FLOP/s of the forward pass
    [[nodiscard]] double share(double step_seconds) const;        // fraction of the step
    // Returns whether the operator is on the roofline: it has FLOPs, moves bytes and has a time.
    [[nodiscard]] bool drawn(const OperatorRow& row) const;
    // Returns the fraction of the step in operators that only move memory.
    [[nodiscard]] double moving_share() const;
};
OperatorsData operators_data(const Answer& answer, bool hypothetical = false);

// "16,384 × 5,120 × 5,120", preceded by the number of matrices if there are several; empty for an operator
// without a shape.
std::string shape_text(const OperatorRow& row);
// "memory bandwidth": the name of the wall that bounds most of the operator's time; empty if the operator
// takes no time.
std::string bound_label(const OperatorRow& row);
// "layer ×40": a block and how often it occurs on the GPU.
std::string block_text(const OperatorSum& block);

// The table has one row per operator, followed by the blocks, the whole model and the other terms of the
// step.
PlotTable operators_table(const OperatorsData& data);

}  // namespace shardscope
