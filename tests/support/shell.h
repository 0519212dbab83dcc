// Runs the program as a shell calls it.
#pragma once

#include <sys/wait.h>
#include <catch2/catch.hpp>
#include <string>

#include "support/folder.h"

namespace shardscope::testing {

struct RunResult {
    int code = -1;
    std::string out;
    std::string err;
};

inline RunResult run(const std::string& arguments, const std::string& input = "{}") {
    const Folder folder;
    const std::string in = folder.write("in", input);
    const std::string command =
        "env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME=/nonexistent " SHARDSCOPE_PROGRAM " " + arguments +
        " < " + in + " > " + folder.file("out") + " 2> " + folder.file("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.file("out")),
            read_file(folder.file("err"))};
}

// Runs the program with `folder` as the working folder and the user's data folder.
inline RunResult run_in(const Folder& folder, const std::string& arguments) {
    const std::string command = "cd " + folder.path() +
                                " && env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME=" + folder.path() +
                                " " SHARDSCOPE_PROGRAM " " + arguments + " > out 2> err < /dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.file("out")),
            read_file(folder.file("err"))};
}

}  // namespace shardscope::testing
