#include "presets/calibration_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "presets/json_values.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kFormat = "shardscope-calibration";

// Returns the field of a constant: the last part of its key, which is unique among the constants of a
// calibration.
std::string field_name(P id) { return std::string(field_of(id)); }

void read_part(const json& values, const std::string& part, const std::string& pointer, Problems& problems,
               std::vector<PartValues>& out) {
    if (!values.is_object()) {
        problems.push_back(
            {pointer, translate("is not an object"), "", translate("write {\"overlap\": 0.3, …}")});
        return;
    }
    PartValues read{part, {}};
    for (const auto& [field, value] : values.items()) {
        const std::string where = child_pointer(pointer, field);
        std::optional<P> found = find_parameter("assumptions." + field);
        if (!found) found = find_parameter("cluster." + field);
        if (is_retired("assumptions." + field)) continue;
        if (!found || !is_constant(*found)) {
            std::vector<std::string> known;
            for (std::size_t i = 0; i < kParameters; ++i) {
                const P id = static_cast<P>(i);
                if (parameter(id).group == Group::assumptions) known.emplace_back(field_of(id));
            }
            problems.push_back(unknown_field(pointer, field, known));
            continue;
        }
        const P id = *found;
        const double number = read_value(id, value, where, problems);
        if (std::isnan(number)) continue;
        const Parameter& row = parameter(id);
        if (number < row.minimum || number > row.maximum) {
            problems.push_back(
                {where,
                 translate("{1} is {2}", {field, format(id, number)}),
                 translate("must be from {1} to {2}", {format(id, row.minimum), format(id, row.maximum)}),
                 {}});
            continue;
        }
        read.values.emplace_back(id, number);
    }
    out.push_back(std::move(read));
}

}  // namespace

bool is_constant(P id) {
    constexpr std::array kLatencies{P::collective_latency, P::intra_node_latency, P::inter_node_latency};
    return parameter(id).group == Group::assumptions || std::ranges::find(kLatencies, id) != kLatencies.end();
}

double round_to_four_digits(double value) {
    if (value == 0 || !std::isfinite(value)) return value;
    const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::fabs(value))));
    return std::round(value * scale) / scale;
}

std::vector<PartValues> read_calibration(std::string_view text, Problems& problems) {
    const std::size_t before = problems.size();
    const json file = parse_json(text, problems);
    if (problems.size() > before) return {};
    if (!file.is_object() || file.value("format", json()) != kFormat) {
        problems.push_back({"/format", translate("this is not a calibration file"),
                            translate("its format must be “shardscope-calibration”"),
                            translate("write one with `shardscope calibrate`")});
        return {};
    }
    if (file.value("version", json()) != 1) {
        problems.push_back({"/version",
                            translate("this version of the format is not known"),
                            translate("this program reads version 1"),
                            {}});
        return {};
    }
    std::vector<PartValues> out;
    if (file.contains("everywhere")) read_part(file["everywhere"], "", "/everywhere", problems, out);
    if (file.contains("values")) read_part(file["values"], kAllParts, "/values", problems, out);
    if (file.contains("parts")) {
        if (!file["parts"].is_object()) {
            problems.push_back(
                {"/parts", translate("is not an object"), "", translate("write {\"stack-fsdp2\": {…}, …}")});
        } else {
            for (const auto& [part, values] : file["parts"].items())
                read_part(values, part, child_pointer("/parts", part), problems, out);
        }
    }
    return problems.size() > before ? std::vector<PartValues>{} : out;
}

std::string write_calibration(const std::vector<PartValues>& parts, const std::string& title,
                              const std::string& source) {
    ordered_json out = {{"format", kFormat}, {"version", 1}, {"title", title}, {"source", source}};
    out["everywhere"] = ordered_json::object();
    out["parts"] = ordered_json::object();
    for (const PartValues& part : parts) {
        ordered_json& object = part.part.empty()        ? out["everywhere"]
                               : part.part == kAllParts ? out["values"]
                                                        : out["parts"][part.part];
        if (object.is_null()) object = ordered_json::object();  // also for a part without values
        for (const auto& [id, value] : part.values) {
            const json written = write_value(id, value);
            if (written.is_number()) object[field_name(id)] = round_to_four_digits(value);
            else object[field_name(id)] = written;  // a flag or a name
        }
    }
    return json_text(out, 2) + "\n";
}

}  // namespace shardscope
