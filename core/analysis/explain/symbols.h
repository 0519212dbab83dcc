// The table of the formulas' symbols: the meaning of each and its value in an answer. A symbol is a
// parameter, an output, an operator's efficiency, or is computed by another formula.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "explain/output.h"

namespace shardscope {

// The property that is summed over the model's operators to give the symbol's value.
enum class SummedProperty : unsigned char { none, layer_weights, root_weights, layer_saved, flops };

struct Symbol {
    std::string_view symbol;   // "N_g"
    std::string_view label{};  // "parameters of this GPU's stage"; empty: the parameter's or output's
    Quantity quantity = Quantity::count;     // for display
    double (*get)(const Answer&) = nullptr;  // null: the parameter's or the output's value
    std::optional<P> parameter{};
    std::optional<Output> output{};
    std::string_view op{};           // an operator of the model's most frequent layer: "mlp.up"
    std::string_view formula{};      // "N_g = L_g · ψ ÷ t, and the ends"
    std::string_view symbols{};      // of that formula
    std::string_view assumptions{};  // parameters that affect it
    SummedProperty sum_of = SummedProperty::none;
};

// Returns the stage whose GPU is the fullest.
const Stage& fullest_stage(const Answer& answer);

// Returns nullptr if there is none.
const Symbol* find_symbol(std::string_view symbol);
// The name of the quantity, translated.
std::string label_of(const Symbol& symbol);
// Returns NaN if the symbol has no meaning in this answer.
double value_of(const Symbol& symbol, const Answer& answer);

}  // namespace shardscope
