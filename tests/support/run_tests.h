// Runs the tests that the arguments name. Its file alone compiles Catch2's implementation.
#pragma once

int run_tests(int argc, char** argv);
