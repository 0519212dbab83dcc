// One program: with a subcommand it works headless and never touches a display; else it opens the window.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "app/commands/command.h"
#include "app/gui.h"

namespace {

int run(int argc, char** argv) {
    using namespace shardscope::commands;
    CLI::App app{"Shardscope: what-if explorer for training large transformers"};
    app.set_version_flag("--version", "shardscope " SHARDSCOPE_VERSION);
    std::string file;
    app.add_option("FILE", file, "A scenario, or an exported figure that carries one");
    Context context;
    add_estimate(app, context);
    add_sweep(app, context);
    add_export(app, context);
    add_presets(app, context);
    add_validate(app, context);
    add_parameters(app, context);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kDone : kUnusable;
    }
    if (!app.get_subcommands().empty()) return context.exit_code;
    return shardscope::run_gui(argc, argv, file);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "shardscope: %s\n", error.what());
        return shardscope::commands::kFailed;
    }
}
