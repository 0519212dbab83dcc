// `shardscope parameters`: the table of everything that can be set, as Markdown: the table
// of core/parameters/README.md.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <string>

#include "app/commands/command.h"

namespace shardscope::commands {
namespace {

std::string range_of(P id) {
    const Parameter& row = parameter(id);
    std::string names;
    for (const Named& named : row.names) {
        names += (names.empty() ? "" : ", ") + std::string(named.name);
    }
    if (row.named_only) return names;
    std::string out =
        format(id, row.minimum) + " – " + (std::isinf(row.maximum) ? "∞" : format(id, row.maximum));
    return names.empty() ? out : out + ", " + names;
}

int run() {
    print_out("| key | what | values | default |\n|---|---|---|---|\n");
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Parameter& row = parameter(id);
        print_out("| `%s` | %s | %s | %s |\n", std::string(row.key).c_str(), std::string(row.label).c_str(),
                  range_of(id).c_str(),
                  std::isnan(row.fallback) ? "from presets" : format(id, row.fallback).c_str());
    }
    return kDone;
}

}  // namespace

void add_parameters(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("parameters", "The table of everything that can be set, as Markdown");
    command->callback([&context] { context.exit_code = run(); });
}

}  // namespace shardscope::commands
