// The whole program: a command, or the window.
#pragma once

namespace shardscope {

// Runs what the command line names; the exit code. Nothing is thrown: what fails is told on standard error.
int run_program(int argc, char** argv);

}  // namespace shardscope
