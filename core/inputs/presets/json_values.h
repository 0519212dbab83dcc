// Parameter values in JSON, read by the parameter table: the same code for scenarios and presets.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "parameters/parameter.h"
#include "text/problem.h"

namespace shardscope {

// Parses text into JSON. Adds a problem, with its line, for a syntax error and for more than 64 levels or
// 1,000,000 values.
nlohmann::json parse_json(std::string_view text, Problems& problems);

// One value as a file writes it: a number in SI units, a string with a unit or a name, true/false.
// Returns NaN and adds a problem when it cannot be read. null is no value: also NaN, without a problem.
double read_value(P id, const nlohmann::json& value, const std::string& pointer, Problems& problems);
nlohmann::json write_value(P id, double value);
// Returns the JSON schema (draft 7) of the values that read_value() reads and that lie in the parameter's
// range. It checks the form of a text with a unit, but not its range.
nlohmann::ordered_json value_schema(P id);

// Walks the fields of `object`, which belongs to `section` ("model", "cluster.gpu"). Known parameters go to
// `take`; for any other field `other` says whether it knows it, else the field becomes a problem naming the
// nearest.
void read_section(const nlohmann::json& object, const std::string& section, const std::string& pointer,
                  Problems& problems, const std::function<void(P, double)>& take,
                  const std::function<bool(const std::string&, const nlohmann::json&)>& other = {});

// The problem of an unknown field, with the nearest known name.
Problem unknown_field(const std::string& pointer, const std::string& field,
                      std::span<const std::string> known);

// Returns the field's text on one line; empty where there is none.
std::string text_at(const nlohmann::json& object, const char* field);
// The same of a title or a name, which is cut where it is too long.
std::string title_at(const nlohmann::json& object, const char* field);

std::string child_pointer(const std::string& pointer, const std::string& field);

}  // namespace shardscope
