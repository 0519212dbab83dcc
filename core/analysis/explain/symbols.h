// The symbols that formulas are written in, one row each: what it means, its value in an answer, and what it
// is: a parameter, an output, an operator's efficiency, or made by a formula of its own.
#pragma once

#include <string_view>

#include "explain/output.h"

namespace shardscope {

// What of the model's operators a symbol adds up.
enum class Adds : unsigned char { nothing, layer_weights, root_weights, layer_saved, flops };

struct Symbol {                              // one symbol and what it stands for
    std::string_view symbol;                 // "N_g"
    std::string_view label;                  // "parameters of this GPU's stage"
    Quantity quantity = Quantity::count;     // as it is shown
    double (*get)(const Answer&) = nullptr;  // null: the parameter's or the output's value
    P parameter = P::count;
    Output output = Output::count;
    std::string_view op{};           // of the model's usual layer: "mlp.up"
    std::string_view formula{};      // "N_g = L_g · ψ ÷ t, and the ends"
    std::string_view symbols{};      // of that formula
    std::string_view assumptions{};  // parameters that bear on it
    Adds adds = Adds::nothing;
};

// nullptr where there is none.
const Symbol* find_symbol(std::string_view symbol);
// NaN where it means nothing here.
double value_of(const Symbol& symbol, const Answer& answer);

}  // namespace shardscope
