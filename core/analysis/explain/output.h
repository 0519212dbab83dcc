// The table of outputs: everything the estimate says, one row each (outputs.inc).
//
// The headline, `estimate --format json`, sweeps, CSV headers and the Why panel read these rows. To add an
// output: add one row with its getter, and its value to Estimate if it is new.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/answer.h"
#include "text/units.h"

namespace shardscope {

enum class Output : unsigned char {
#define SHARDSCOPE_OUTPUT(id, ...) id,
#include "explain/outputs.inc"
#undef SHARDSCOPE_OUTPUT
    count
};
inline constexpr std::size_t kOutputs = static_cast<std::size_t>(Output::count);

struct OutputRow {            // one output: how it is called, written, made and found
    std::string_view path;    // where it is in the result: "memory.peak_bytes"
    std::string_view label;   // "Peak memory": in English, as formula, sentence and source; see label_of
    std::string_view symbol;  // "M", for formulas
    Quantity quantity = Quantity::fraction;
    bool timed = true;  // means nothing when the scenario does not fit
    double (*get)(const Answer&) = nullptr;
    std::string_view formula{};      // "MFU = (6·N + 12·L·a·d·s) · r ÷ P"
    std::string_view sentence{};     // one sentence in plain words
    std::string_view source{};       // where the formula comes from
    std::string_view symbols{};      // the formula's symbols in order: "N L h s r P" (symbols.cpp knows each)
    std::string_view assumptions{};  // parameters that bear on it: "gemm_efficiency overlap"
};

std::span<const OutputRow, kOutputs> outputs();
const OutputRow& output(Output id);
std::string label_of(Output id);  // in the language spoken, as Explanation
// By path or, where unique, its last name; Output::count when there is none.
Output find_output(std::string_view path);

Output output_of(MemoryTerm term);
Output output_of(StepTerm term);  // of StepTerm::count: the step's

// Times, memory, power, money: less of it is better.
bool less_is_better(Output id);

// The value; NaN where it means nothing (the scenario is not valid, or it does not fit and `hypothetical` is
// off).
double value_of(Output id, const Answer& answer, bool hypothetical = false);
std::string text_of(Output id, const Answer& answer, bool hypothetical = false);  // with its unit

// What there is to say of the whole run: days, GPU hours and energy, and cost, failures and the critical
// batch where the scenario has them.
std::vector<Output> whole_run(const Answer& answer);
// "Wall: compute. 4,096 tokens per GPU hide the network, which needs 2,165 …": the headline's sentence.
std::string wall_sentence(const Answer& answer);
// What the estimate leaves out or cannot vouch for here; empty when nothing.
std::vector<std::string> warnings(const Answer& answer);

}  // namespace shardscope
