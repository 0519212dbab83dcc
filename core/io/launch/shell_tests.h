// The tests of a shell script, `[ … ]` and `if`, whose result may depend on values that are not known.
#pragma once

#include "launch/shell_words.h"

namespace shardscope::launch {

enum class Truth { no, yes, unknown };

Truth negated(Truth of);
Truth both(Truth a, Truth b);

// Returns whether the words are a test: "[ … ]", "[[ … ]]", "test …", "true" or "false".
bool is_test(const Command& words);
// Returns whether a test, "true" or "false" holds. It is unknown if it depends on the environment, on a
// default for a value that SLURM gives in a job, or on an operator that is not read.
Truth test_of(Command words);

}  // namespace shardscope::launch
