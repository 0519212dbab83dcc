#include "app/program.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands/command.h"
#include "app/gui.h"
#include "text/text.h"

namespace shardscope {
namespace {

using namespace commands;

// Opens /dev/null in place of missing standard streams. Without this, the next file that the program opens
// would get the number of such a stream, and printed text would be written to that file. The replacements
// refuse reading and writing.
void reserve_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
        [[maybe_unused]] const int number =
            ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // gets the lowest free number
    }
}

// Flushes standard output and returns the exit code. A full disk or a closed pipe is detected only here.
int flush_output(int exit_code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
    print_err("shardscope: standard output cannot be written (%s)\n",
              std::generic_category().message(errno).c_str());
    return kFailed;
}

int run(int argc, char** argv) {
    Command program;
    program.description = "Shardscope: what-if explorer for training large transformers";
    program.version = "shardscope " SHARDSCOPE_VERSION;
    std::string file;
    program.add_option("FILE", &file, value::kFile,
                       "What the window opens: a scenario, a session, a figure or report that contains one, "
                       "launch settings, "
                       "a training log, a log of nccl-tests, a table of runs, a model's config.json");
    add_estimate(program);
    add_sweep(program);
    add_plan(program);
    add_solve(program);
    add_export(program);
    add_presets(program);
    add_validate(program);
    add_calibrate(program);
    add_parameters(program);
    add_import(program);
    add_launch(program);
    add_conventions(program);
    add_explain_gap(program);
    add_completion(program);
    add_manual(program);
    if (const std::optional<int> exit_code = run_commands(program, argc, argv))
        return flush_output(*exit_code);
    std::error_code unusable;  // the window reports the problems of a file
    if (!file.empty() && !std::filesystem::exists(file, unusable) && !unusable) {
        std::vector<std::string> names;
        for (const Command& command : program.commands) names.push_back(command.name);
        const std::string near = nearest(file, names);
        report({{"", "there is no file or command of this name", "",
                 near.empty() ? "see shardscope --help" : "did you mean `shardscope " + near + "`?"}},
               file);
        return kUnusable;
    }
    return run_gui(argc, argv, file);
}

void print_out_of_memory() {
    std::fputs("shardscope: out of memory; close other programs, or reduce the request\n", stderr);
}

// Handles std::terminate: a destructor that allocates, such as that of nlohmann::json, terminates the program
// when memory runs out.
std::terminate_handler default_terminate = nullptr;
void end_without_memory() {
    try {
        if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        print_out_of_memory();
        std::_Exit(kFailed);
    } catch (...) {
        default_terminate();
    }
    default_terminate();
}

}  // namespace

int run_program(int argc, char** argv) {
    reserve_standard_streams();
    // A write beyond the limit on file sizes then fails like any other and is reported.
    std::signal(SIGXFSZ, SIG_IGN);
    default_terminate = std::set_terminate(end_without_memory);
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        print_out_of_memory();
    } catch (const std::exception& error) {
        print_err("shardscope: %s\n", error.what());
    }
    return kFailed;
}

}  // namespace shardscope
