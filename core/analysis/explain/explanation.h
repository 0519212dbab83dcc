// Explains where a number comes from. An explanation lists the quantities that the number is computed from,
// and each of these can be explained, too, down to the model's operators and the hardware presets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/output.h"
#include "scenario/preset.h"

namespace shardscope {

struct Subject {  // something that can be explained; only the field of its kind is used
    enum class Kind : unsigned char { output, parameter, symbol, op, preset };
    Kind kind = Kind::output;
    std::optional<Output> output{};
    std::optional<P> parameter{};
    PresetKind preset = PresetKind::gpu;  // the scenario's preset of that kind
    std::string name{};                   // a symbol ("N_g"), or block and operator ("layer/mlp.up")

    bool operator==(const Subject&) const = default;
    static Subject of(Output id) { return {.output = id}; }
    static Subject of(P id) { return {.kind = Kind::parameter, .parameter = id}; }
    static Subject of(PresetKind which) { return {.kind = Kind::preset, .preset = which}; }
    static Subject symbol(std::string name) { return {.kind = Kind::symbol, .name = std::move(name)}; }
    static Subject op(std::string name) { return {.kind = Kind::op, .name = std::move(name)}; }
};

struct Ingredient {                  // a line of an explanation: a symbol, a summand or an assumption
    std::string symbol{};            // "N"
    std::string label{};             // "parameters"
    std::string value{};             // "12.85 B"
    std::optional<Subject> opens{};  // its own explanation; nothing: there is none
};

struct Explanation {         // what the Why panel shows
    std::string title{};     // "MFU"
    std::string sentence{};  // the meaning in this scenario, with numbers
    std::string formula{};
    std::string substituted{};              // the formula's right side with values; may be empty
    std::vector<Ingredient> ingredients{};  // the formula's symbols, in its order
    std::string result{};                   // "40.3 %"
    std::string source{};
    std::string parts_title{};        // "Operators"
    std::vector<Ingredient> parts{};  // the summands, the largest first
    std::vector<Ingredient> assumptions{};
};

// Has only a title if the scenario is not valid, or no longer has the subject.
Explanation explain(const Subject& subject, const Answer& answer);

}  // namespace shardscope
