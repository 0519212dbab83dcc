// Why a number is what it is, and of what: every explanation names what it is made from, and that can be
// explained in turn, down to the operators of the model and the presets of the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/output.h"
#include "scenario/preset.h"

namespace shardscope {

struct Subject {  // what can be explained; of its fields only the kind's own counts
    enum class Kind : unsigned char { output, parameter, symbol, op, preset };
    Kind kind = Kind::output;
    Output output = Output::count;
    P parameter = P::count;
    PresetKind preset = PresetKind::gpu;  // the one of that kind in use
    std::string name{};                   // a symbol ("N_g"), or block and operator ("layer/mlp.up")

    bool operator==(const Subject&) const = default;
    static Subject of(Output id) { return {.output = id}; }
    static Subject of(P id) { return {.kind = Kind::parameter, .parameter = id}; }
    static Subject of(PresetKind which) { return {.kind = Kind::preset, .preset = which}; }
    static Subject symbol(std::string name) { return {.kind = Kind::symbol, .name = std::move(name)}; }
    static Subject op(std::string name) { return {.kind = Kind::op, .name = std::move(name)}; }
};

struct Ingredient {                  // a line: of a formula, of a sum, of what is assumed
    std::string symbol{};            // "N"
    std::string label{};             // "parameters"
    std::string value{};             // "12.85 B"
    std::optional<Subject> opens{};  // nothing: it is what it says
};

struct Explanation {         // what the Why panel shows
    std::string title{};     // "MFU"
    std::string sentence{};  // what it means here, with numbers
    std::string formula{};
    std::string substituted{};              // its right side with values; empty where that would say nothing
    std::vector<Ingredient> ingredients{};  // of the formula, in its order
    std::string result{};                   // "40.3 %"
    std::string source{};
    std::string parts_title{};        // "Operators"
    std::vector<Ingredient> parts{};  // what adds up to it, the largest first
    std::vector<Ingredient> assumptions{};
};

// Empty but for its title where the scenario is not valid, or no longer has what was opened.
Explanation explain(const Subject& subject, const Answer& answer);

}  // namespace shardscope
