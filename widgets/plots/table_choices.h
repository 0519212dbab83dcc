// Combo boxes with the inputs or the outputs of the two tables, so that every entry of the tables can be
// selected everywhere.
#pragma once

#include <QString>
#include <optional>
#include <span>

#include "explain/output.h"
#include "parameters/parameter.h"

class QComboBox;

namespace shardscope {

// Fills the box with the inputs that have a row in the window, in the window's order, preceded by `none`
// unless it is empty.
void fill_inputs(QComboBox& box, const QString& none = {});
// Fills the box with the outputs that are numeric results, the most frequently used ones first.
void fill_outputs(QComboBox& box, const QString& none = {});
// Return the selected entry; nothing if it is `none`.
std::optional<P> input_of(const QComboBox& box);
std::optional<Output> output_of(const QComboBox& box);
// Select an entry, which is added if the box does not have it yet; an empty `id` selects `none`.
void choose(QComboBox& box, std::optional<P> id);
void choose(QComboBox& box, std::optional<Output> id);
// Makes the box only wide enough for `letters` characters of its entries; the list that it opens shows them
// completely.
void narrow(QComboBox& box, int letters);

std::span<const Output> output_choices();

}  // namespace shardscope
