// The table of outputs: one row for every result of the estimate (outputs.inc).
//
// The headline, `estimate --format json`, sweeps, CSV headers and the Why panel read these rows. To add an
// output: add one row with its getter, and its value to Estimate if it is new.
#pragma once

#include <cstddef>
#include <optional>
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

struct OutputRow {            // texts are in English, see label_of
    std::string_view path;    // its key in the result: "memory.peak_bytes"
    std::string_view label;   // "Peak memory"
    std::string_view symbol;  // "M", for formulas
    Quantity quantity = Quantity::fraction;
    bool requires_fit = true;  // meaningless when the scenario does not fit
    double (*get)(const Answer&) = nullptr;
    std::string_view formula{};      // "MFU = (6·N + 12·L·a·d·s) · r ÷ P"
    std::string_view sentence{};     // one sentence of explanation
    std::string_view source{};       // source of the formula
    std::string_view symbols{};      // the formula's symbols in order: "N L h s r P" (see symbols.cpp)
    std::string_view assumptions{};  // parameters that affect it: "gemm_efficiency overlap"
};

std::span<const OutputRow, kOutputs> outputs();
const OutputRow& output(Output id);
std::string label_of(Output id);  // translated, as the texts of an Explanation are
// Finds an output by its path or, if unique, the path's last name.
std::optional<Output> find_output(std::string_view path);

Output output_of(MemoryTerm term);
Output output_of(StepTerm term);  // StepTerm::count stands for the step time

// Returns whether less of it is better, as of times, memory, power and money.
bool less_is_better(Output id);

// The value; NaN if the scenario is not valid, or if it does not fit, the output is `requires_fit` and
// `hypothetical` is off.
double value_of(Output id, const Answer& answer, bool hypothetical = false);
std::string text_of(Output id, const Answer& answer, bool hypothetical = false);  // with its unit

// The outputs of the whole run that apply to the scenario: days, GPU hours, steps and batch, and those of
// cost, energy, failures and the critical batch if it has the inputs for them.
std::vector<Output> whole_run(const Answer& answer);
// The sentences of the headline; those that do not apply are empty, and all are if the values are not valid.
struct WallSentences {
    std::string lead;      // "Compute is the wall: it limits 65 % of the step."
    std::string second;    // "Inter-node bandwidth limits a further 31 %."
    std::string takeover;  // "Inter-node bandwidth is the wall up to 170 Gbit/s."
    std::vector<std::string> details;
    // All of them, the most important first.
    [[nodiscard]] std::string text() const;
};
WallSentences wall_sentences(const Answer& answer);
std::string wall_sentence(const Answer& answer);  // their text
// Returns whether the sequence is longer than the positions of the model's preset were made for.
bool exceeds_context(const Answer& answer);
// Effects that the estimate leaves out here, and reasons why it may be wrong.
std::vector<std::string> warnings(const Answer& answer);

}  // namespace shardscope
