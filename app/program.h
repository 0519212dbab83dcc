// The main function of the program, which runs a command or opens the window.
#pragma once

namespace shardscope {

// Runs the command line and returns the exit code. It throws nothing; errors are reported on standard error.
int run_program(int argc, char** argv);

}  // namespace shardscope
