// The JSON schemas (draft 7) of scenarios and presets, made from the tables that the readers use: those of
// parameters, outputs, plots and operators.
//
// They refuse unknown fields, wrong types, unknown choices, unknown units and numbers out of range, as the
// readers do. The readers alone check what depends on several values or on other files, and the range of a
// text with a unit. The readers also trim blanks around a text; the schemas do not.
#pragma once

#include <string>

namespace shardscope {

// Returns the schema of scenarios as indented JSON with a newline at the end. The text is the same in every
// language.
std::string scenario_schema();
// Returns the schema of presets of the kinds gpu, cluster, model and calibration in the same form. Unlike the
// reader it refuses unknown fields beside `values`.
std::string preset_schema();

}  // namespace shardscope
