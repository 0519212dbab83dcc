// Reads and writes parameter values in JSON according to the parameter table, for scenarios and presets.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "parameters/parameter.h"
#include "text/problem.h"

namespace shardscope {

// Parses text as JSON. Adds a problem for a syntax error, for more than 64 levels and for more than 1,000,000
// values, with the line where it is known. `comments` is whether // and /* */ are read over.
nlohmann::json parse_json(std::string_view text, Problems& problems, bool comments = false);

// Reads one value as a file writes it: a number in SI units, a string with a unit or a name, true or false.
// Returns NaN and adds a problem if it cannot be read. null means that there is no value and returns NaN
// without a problem.
double read_value(P id, const nlohmann::json& value, const std::string& pointer, Problems& problems);
nlohmann::json write_value(P id, double value);
// Returns a number as JSON: as an integer if it is whole.
nlohmann::json number_of(double value);
// Returns a number as JSON, or null if it is not finite.
nlohmann::ordered_json finite_number(double value);
// Returns the JSON schema (draft 7) of the values that read_value() reads and that are within the parameter's
// range. It checks the form of a text with a unit, but not its range.
nlohmann::ordered_json value_schema(P id);

// Reads the fields of `object`, which belongs to `section` ("model", "cluster.gpu"). The values of parameters
// are passed to `take`, and any other field to `other`, which returns whether it is valid. An invalid field
// becomes a problem that names the nearest valid one.
void read_section(const nlohmann::json& object, const std::string& section, const std::string& pointer,
                  Problems& problems, const std::function<void(P, double)>& take,
                  const std::function<bool(const std::string&, const nlohmann::json&)>& other = {});

// Returns whether earlier versions had the key ("assumptions.tensor_exposure"), whose value is ignored.
// Prints a note once per process and key.
bool is_retired(const std::string& key);

// Returns the problem of an unknown field, with the nearest known name.
Problem unknown_field(const std::string& pointer, const std::string& field,
                      std::span<const std::string> known);

// Returns the text of a field on one line; empty if there is none.
std::string text_at(const nlohmann::json& object, const char* field);
// Returns the text of a title or a name on one line, cut if it is too long.
std::string title_at(const nlohmann::json& object, const char* field);

std::string child_pointer(const std::string& pointer, const std::string& field);

}  // namespace shardscope
