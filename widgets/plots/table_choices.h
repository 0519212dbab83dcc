// Choices of an input or an output out of the two tables, for combo boxes: whatever the tables hold can be
// chosen everywhere.
#pragma once

#include <QString>
#include <span>

#include "explain/output.h"
#include "parameters/parameter.h"

class QComboBox;

namespace shardscope {

// The inputs that have a row in the window, in its order, with `none` before them unless it is empty.
void fill_inputs(QComboBox& box, const QString& none = {});
// The outputs that are numbers of their own, most asked for first.
void fill_outputs(QComboBox& box, const QString& none = {});
// P::count and Output::count: none.
P input_of(const QComboBox& box);
Output output_of(const QComboBox& box);
// What has no entry yet gets one.
void choose(QComboBox& box, P id);
void choose(QComboBox& box, Output id);
// Wide enough for `letters` of its entries; the list that opens shows them whole.
void narrow(QComboBox& box, int letters);

std::span<const Output> output_choices();

}  // namespace shardscope
