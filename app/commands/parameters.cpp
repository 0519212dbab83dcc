// `shardscope parameters`: prints all parameters as the Markdown table of core/inputs/parameters/README.md,
// or as the JSON schemas of presets/schema.
#include <cmath>
#include <memory>
#include <string>

#include "app/commands/command.h"
#include "files/schema.h"
#include "text/text.h"

namespace shardscope::commands {
namespace {

std::string range_of(P id) {
    const Parameter& row = parameter(id);
    const std::string names = joined(row.names, ", ", &Named::name);
    if (row.named_only) return names;
    std::string out =
        written(id, row.minimum) + " – " + (std::isinf(row.maximum) ? "∞" : written(id, row.maximum));
    return names.empty() ? out : out + ", " + names;
}

void print_table() {
    print_out("| key | what | values | default |\n|---|---|---|---|\n");
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Parameter& row = parameter(id);
        print_out("| `%s` | %s | %s | %s |\n", std::string(row.key).c_str(), std::string(row.label).c_str(),
                  range_of(id).c_str(),
                  std::isnan(row.fallback) ? "from presets" : written(id, row.fallback).c_str());
    }
}

}  // namespace

void add_parameters(Command& program) {
    auto format = std::make_shared<std::string>("markdown");
    Command& command =
        program.add_command("parameters", "The table of everything that can be set, or a JSON schema of it");
    command.add_choice(
        "--format", format.get(), {"markdown", "schema", "preset-schema"},
        "markdown: the table; schema, preset-schema: of scenario and preset files, for editors");
    command.run = [format] {
        if (*format == "markdown") print_table();
        else print_text(*format == "schema" ? scenario_schema() : preset_schema());
        return kDone;
    };
}

}  // namespace shardscope::commands
