// With a subcommand the program runs without a display; otherwise it opens the window.
#include "app/program.h"

int main(int argc, char** argv) { return shardscope::run_program(argc, argv); }
