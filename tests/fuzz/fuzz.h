// The interface of every fuzz target. A target reads a text with one reader and checks what the reader
// promises. A target registers itself, and a driver runs it: either libFuzzer (driver.cpp) or the test that
// replays the corpus (corpus.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/catalogue.h"
#include "text/problem.h"

namespace shardscope {
struct Answer;
}

namespace shardscope::fuzz {

struct Target {
    const char* name = "";                         // of the program, fuzz_NAME, and of its corpus
    void (*run)(std::string_view text) = nullptr;  // reads the text and checks the reader's promises
    // Returns a changed copy of an input, of at most `limit` bytes, or "" if the input cannot be changed in
    // this way. Targets without this function, and some inputs of those with it, are changed byte by byte.
    std::string (*mutate)(std::string_view text, std::size_t limit, unsigned seed) = nullptr;
};

// All targets that are linked into this program, by name.
const std::vector<Target>& targets();
struct Registration {
    explicit Registration(const Target& target);
};

// Ends the run as a failure if a promise is not kept. Each driver defines it.
void promise(bool kept, const char* what);
// Returns whether a text gets the slow part of a target's checks: one in `one_in` under libFuzzer, always the
// same ones, and all in a replay of a corpus. Each driver defines it.
bool runs_slow_checks(std::string_view text, unsigned one_in);

// A folder that does not exist, so that no preset is read from the folder in which the fuzzer runs.
inline constexpr const char* kNowhere = "/nonexistent";
// The shipped presets and those that texts have added. It is emptied from time to time, so that runs stay
// independent and memory small; call it once in each run.
Catalogue& catalogue();

// Promises that several targets check.
void check_problems(const Problems& problems);  // each describes what is wrong
void check_answer(const Answer& answer);        // of a valid answer: its numbers are finite, its parts sum up

}  // namespace shardscope::fuzz
