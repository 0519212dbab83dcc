// With a subcommand the program works headless and never touches a display; else it opens the window.
#include "app/program.h"

int main(int argc, char** argv) { return shardscope::run_program(argc, argv); }
