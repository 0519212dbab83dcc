#include "presets/json_values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "containers/no_value.h"
#include "parameters/interned_text.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string kind_of(const json& value) {
    switch (value.type()) {
        case json::value_t::object: return translate("an object");
        case json::value_t::array: return translate("a list");
        case json::value_t::string: return translate("a string");
        case json::value_t::boolean: return translate("true or false");
        case json::value_t::null: return "null";
        default: return translate("a number");
    }
}

std::string what_is_expected(P id) {
    const Parameter& row = parameter(id);
    if (row.quantity == Quantity::flag) return translate("write true or false");
    if (row.quantity == Quantity::text) return translate("write a string");
    if (row.quantity == Quantity::list) return translate("write a list of strings");
    if (!row.names.empty()) {
        const std::string names = joined(row.names, ", ", &Named::name);
        return row.named_only ? translate("use one of {1}", {names})
                              : translate("write a number or one of {1}", {names});
    }
    const double example = std::isnan(row.fallback) ? row.slider_low : row.fallback;
    return translate("write a number or a string with a unit, for instance \"{1}\"", {format(id, example)});
}

// The size of a text that is read as JSON. A deep tree could exhaust the stack of the code that walks it, and
// each value needs about a hundred bytes.
struct Extent {
    int deep_line = 0;       // the line where brackets nest too deeply; 0: there is none
    std::size_t values = 1;  // upper bound of the number of values
};
Extent extent_of(std::string_view text) {
    constexpr int kDeepest = 64;
    Extent out;
    int depth = 0;
    int line = 1;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') ++line;
        if (quoted) {
            if (c == '\\') ++i;
            else if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            ++out.values;
            if (++depth > kDeepest) {
                out.deep_line = line;
                return out;
            }
        } else if (c == '}' || c == ']') {
            --depth;
        } else if (c == ',') {
            ++out.values;
        }
    }
    return out;
}

// Returns whether the choice was a flag in earlier files.
bool was_flag(P id) { return id == P::qk_norm; }

// Returns the text of a value that `parse` reads: a string, or the members of a list joined by “+” or, if
// their order matters, by commas; none for any other value.
std::optional<std::string> text_of(const Parameter& row, const json& value) {
    if (value.is_string()) return value.get<std::string>();
    const bool ordered = row.quantity == Quantity::list;
    if (!value.is_array() || (!ordered && row.quantity != Quantity::set && row.quantity != Quantity::choice))
        return {};
    std::string out;
    for (const json& member : value) {
        if (!member.is_string()) return {};
        out += (out.empty() ? "" : ordered ? "," : "+") + member.get<std::string>();
    }
    return out;
}

// Returns the words of a list.
json words_of(const std::string& list) {
    json out = json::array();
    if (list.empty()) return out;
    for (const std::string& word : split(list, ',')) out.push_back(trim(word));
    return out;
}

// Returns the fields that are directly in a section.
std::vector<std::string> fields_of(const std::string& section) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < kParameters; ++i) {
        if (section_of(static_cast<P>(i)) == section) out.emplace_back(field_of(static_cast<P>(i)));
    }
    return out;
}

}  // namespace

bool is_retired(const std::string& key) {
    static const std::set<std::string> kRetired{
        "assumptions.tensor_exposure", "assumptions.async_tensor_exposure", "assumptions.machine_band",
        "assumptions.layer_overhead", "assumptions.collective_efficiency"};
    if (!kRetired.contains(key)) return false;
    static std::mutex mutex;
    static std::set<std::string> reported;
    const std::lock_guard lock(mutex);
    if (reported.insert(key).second)
        std::fprintf(stderr, "shardscope: note: %s is no longer used\n", key.c_str());
    return true;
}

json parse_json(std::string_view text, Problems& problems, bool comments) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        problems.push_back({"", translate("the input is empty"), translate("a JSON object is expected"),
                            translate("write {} for the first-launch scenario")});
        return {};
    }
    if (text.find('\0') != std::string_view::npos) {
        problems.push_back({"", translate("the input is not text"), translate("the file contains NUL bytes"),
                            translate("give a JSON file")});
        return {};
    }
    const Extent extent = extent_of(text);
    if (extent.deep_line > 0) {
        problems.push_back({"", translate("the JSON is nested too deeply"),
                            translate("no scenario needs more than 64 levels"), translate("flatten it"),
                            extent.deep_line});
        return {};
    }
    constexpr std::size_t kMostValues = 1'000'000;
    if (extent.values > kMostValues) {
        problems.push_back({"", translate("the JSON has more than 1,000,000 values"),
                            translate("no scenario needs that many"), translate("split it")});
        return {};
    }
    try {
        return json::parse(text, nullptr, true, comments);
    } catch (const json::parse_error& error) {
        const std::size_t at = std::min<std::size_t>(error.byte, text.size());
        const int line =
            1 + static_cast<int>(std::count(
                    text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at > 0 ? at - 1 : 0), '\n'));
        std::string why = error.what();
        if (const auto colon = why.find("] "); colon != std::string::npos) why = why.substr(colon + 2);
        why = clean_title(why);
        problems.push_back({"", translate("not valid JSON"), why,
                            translate("correct the text near line {1}", {std::to_string(line)}), line});
    } catch (const json::out_of_range&) {
        problems.push_back({"", translate("a number is too large for a floating-point number"),
                            translate("the largest is about 1.8e308"), translate("write a smaller one")});
    } catch (const json::exception& error) {
        problems.push_back({"", translate("not usable JSON"), error.what(), {}});
    }
    return {};
}

std::string child_pointer(const std::string& pointer, const std::string& field) {
    std::string escaped;
    for (const char c : field) {
        if (c == '~') escaped += "~0";
        else if (c == '/') escaped += "~1";
        else escaped += c;
    }
    return pointer + "/" + escaped;
}

json number_of(double value) {
    if (value == std::floor(value) && std::fabs(value) < 9e15) return static_cast<long long>(value);
    return value;
}

ordered_json finite_number(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

Problem unknown_field(const std::string& pointer, const std::string& field,
                      std::span<const std::string> known) {
    constexpr std::size_t kMostListed = 20;
    return {child_pointer(pointer, field), translate("the field is not known"), "",
            suggestion(field, known,
                       known.size() > kMostListed
                           ? translate("`shardscope parameters` lists all {1} fields that are known here",
                                       {std::to_string(known.size())})
                           : translate("known fields are {1}", {joined(known, ", ")}))};
}

double read_value(P id, const json& value, const std::string& pointer, Problems& problems) {
    const Parameter& row = parameter(id);
    if (value.is_null()) return kNoValue;
    if (value.is_boolean() && row.quantity == Quantity::flag) return value.get<bool>() ? 1 : 0;
    if (value.is_boolean() && was_flag(id))
        return static_cast<double>(value.get<bool>() ? QkNorm::head : QkNorm::none);
    const bool is_number = row.quantity != Quantity::set && !is_text(row.quantity) && !row.named_only;
    if (value.is_number() && is_number) {
        const double number = value.get<double>();
        // In a file only the name of a named value is accepted, not its internal number.
        const bool code =
            std::ranges::any_of(row.names, [&](const Named& n) { return n.value == number && number < 0; });
        if (!code) return number;
        problems.push_back({pointer, translate("{1} is {2}", {translate(row.label), exact(number)}),
                            translate("must be at least {1}", {exact(row.minimum)}), what_is_expected(id)});
        return kNoValue;
    }
    if (const std::optional<std::string> text = text_of(row, value)) {
        const Parsed parsed = parse(id, *text);
        if (parsed.ok) return parsed.value;
        problems.push_back({pointer, parsed.problem, "", parsed.suggestion});
        return kNoValue;
    }
    problems.push_back(
        {pointer, translate("{1} where a value is expected", {kind_of(value)}), "", what_is_expected(id)});
    return kNoValue;
}

json write_value(P id, double value) {
    const Parameter& row = parameter(id);
    if (std::isnan(value)) return nullptr;
    if (row.quantity == Quantity::flag) return value != 0;
    if (row.quantity == Quantity::text) return interned_text(value);
    if (row.quantity == Quantity::list) return words_of(interned_text(value));
    if (row.quantity == Quantity::set) {
        json members = json::array();
        for (const Named& member : members_of(id, value)) members.push_back(member.name);
        return members;
    }
    for (const Named& named : row.names) {
        if (named.value == value) return std::string(named.name);
    }
    return number_of(value);
}

ordered_json value_schema(P id) {
    const Parameter& row = parameter(id);
    const bool is_flag = row.quantity == Quantity::flag;
    ordered_json out = {{"description", row.help}};
    ordered_json names = ordered_json::array();
    if (is_flag || was_flag(id)) names = {true, false};
    for (const Named& named : row.names) names.push_back(named.name);
    if (is_flag) {
        for (const Named& other : kFlagWords) names.push_back(other.name);
    }
    if (row.quantity == Quantity::text) {
        out["type"] = {"string", "null"};
        return out;
    }
    if (row.quantity == Quantity::list) {
        out["anyOf"] = {ordered_json{{"type", {"string", "null"}}},
                        ordered_json{{"type", "array"}, {"items", {{"type", "string"}}}}};
        return out;
    }
    if (row.quantity == Quantity::set) {
        out["anyOf"] = {ordered_json{{"type", {"string", "null"}}},
                        ordered_json{{"type", "array"}, {"items", {{"enum", names}}}}};
        return out;
    }
    if (row.named_only) {
        names.push_back(nullptr);
        if (id != P::moment_precision) {
            out["enum"] = names;
            return out;
        }
        ordered_json formats = ordered_json::array();  // of one moment
        for (const Named& named : row.names) {
            if (named.value != kAsMaster && named.name.find('+') == std::string_view::npos)
                formats.push_back(named.name);
        }
        out["anyOf"] = {
            ordered_json{{"enum", names}},
            ordered_json{
                {"type", "array"}, {"items", {{"enum", formats}}}, {"minItems", 1}, {"maxItems", 2}}};
        return out;
    }
    ordered_json number = {{"type", {row.whole ? "integer" : "number", "string", "null"}},
                           {"minimum", number_of(row.minimum)}};
    if (std::isfinite(row.maximum)) number["maximum"] = number_of(row.maximum);
    number["pattern"] = pattern_of(row.quantity);
    if (names.empty()) out.update(number);
    else out["anyOf"] = {ordered_json{{"enum", names}}, number};
    return out;
}

void read_section(const json& object, const std::string& section, const std::string& pointer,
                  Problems& problems, const std::function<void(P, double)>& take,
                  const std::function<bool(const std::string&, const json&)>& other) {
    if (!object.is_object()) {
        problems.push_back({pointer, translate("{1} where an object is expected", {kind_of(object)}), "",
                            translate("write {…}")});
        return;
    }
    const std::string prefix = section + ".";
    for (const auto& [field, value] : object.items()) {
        const std::string key = prefix + field;
        const std::string where = child_pointer(pointer, field);
        // "gpu.memory" is no field of `cluster`.
        if (const auto id = find_parameter(key); id && section_of(*id) == section) {
            // `peak_flops` is one number or an object with a number per precision, which is a section.
            if (*id == P::peak_flops && value.is_object()) read_section(value, key, where, problems, take);
            else if (const double number = read_value(*id, value, where, problems); !std::isnan(number))
                take(*id, number);
        } else if (is_retired(key)) {
            continue;  // constants of earlier engines; saving drops them
        } else if (!other || !other(field, value)) {
            std::vector<std::string> known = fields_of(section);
            if (section == "model" || section == "cluster" || section == "cluster.gpu")
                known.emplace_back("preset");
            if (section == "cluster") known.emplace_back("gpu");
            if (section == "training") known.emplace_back("auto");
            // The name of a parameter of another section.
            if (const auto named = find_parameter(field); named && section_of(*named) != section)
                problems.push_back({where, translate("the field is not known"), "",
                                    translate("did you mean “{1}”?", {std::string(parameter(*named).key)})});
            else problems.push_back(unknown_field(pointer, field, known));
        }
    }
}

std::string text_at(const json& object, const char* field) {
    const auto found = object.find(field);
    return found != object.end() && found->is_string() ? one_line(found->get_ref<const std::string&>())
                                                       : std::string();
}

std::string title_at(const json& object, const char* field) { return clean_title(text_at(object, field)); }

}  // namespace shardscope
