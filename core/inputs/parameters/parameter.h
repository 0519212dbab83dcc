// The parameter table: everything a person can set, one row each (rows.inc).
//
// Editors, scenario files and their JSON schema, --set, sweep axes, undo texts, CSV headers and the table in
// README.md beside this file all come from these rows. To add a parameter: add one row to rows.inc, then use
// `settings[P::your_id]`.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "text/units.h"

namespace shardscope {

enum class P : unsigned char {
#define SHARDSCOPE_PARAMETER(id, ...) id,
#include "parameters/rows.inc"
#undef SHARDSCOPE_PARAMETER
    count
};
inline constexpr std::size_t kParameters = static_cast<std::size_t>(P::count);
constexpr std::size_t index(P id) { return static_cast<std::size_t>(id); }

// Where a parameter is shown.
enum class Group { cluster, gpu, model, training, plan, assumptions };
std::string_view name_of(Group group);  // "cluster"
std::string title(Group group);         // "Cluster"

// A value with a name ("zero3").
struct Named {
    std::string_view name;
    double value;
};

enum class Prominence {
    row,       // a row with a slider in the window
    advanced,  // a row in its group's collapsed part
    file,      // files and --set only
};

struct Parameter {           // one row of the table
    std::string_view key;    // "training.micro_batch": section.field, fixed for good
    std::string_view label;  // "Micro-batch": in English, as help and source; see label_of
    std::string_view help;   // one sentence: what it is, what a larger value does
    Group group = Group::training;
    Quantity quantity = Quantity::count;
    double fallback = 0;  // the default; NaN: only presets or derivation give it
    double minimum = 0;   // smallest and largest value that makes sense at all
    double maximum = std::numeric_limits<double>::infinity();
    double slider_low = 0;  // ends of the slider; typed values may lie beyond
    double slider_high = 0;
    bool logarithmic = false;
    bool whole = false;              // integers only
    std::span<const Named> names{};  // named values
    bool named_only = false;         // nothing but `names` (a choice)
    bool optional = false;           // may be unknown (NaN); outputs that need it are then empty
    bool plan = false;               // a property of the training plan, which a planner may choose
    Prominence prominence = Prominence::row;
    std::string_view source{};  // where the default comes from
};

std::span<const Parameter, kParameters> parameters();
const Parameter& parameter(P id);
std::string label_of(P id);  // in the language spoken
std::string help_of(P id);

// By full key ("training.micro_batch") or, where unique, its last name; P::count when there is none.
P find_parameter(std::string_view key);
std::string_view section_of(P id);  // "cluster.gpu"
std::string_view field_of(P id);    // "memory"

// A named value's name, or the number formatted with its unit.
std::string format(P id, double value, bool with_unit = true);
// Texts that also stand for a flag's values.
inline constexpr std::array kFlagWords{Named{"true", 1},  Named{"yes", 1}, Named{"1", 1},
                                       Named{"false", 0}, Named{"no", 0},  Named{"0", 0}};
// Reads a value as a person or a file writes it, names included ("zero3", "50 GB/s").
Parsed parse(P id, std::string_view text, bool bare_unit_is_shown = false);

// Names of the choices, in the order of their values. The numbers are what Settings holds.
enum class Sharding { ddp, zero1, zero2, zero3, hsdp };
enum class Precision { bf16, fp16, fp8, fp32 };
enum class Mlp { plain, gated };
enum class Norm { layernorm, rmsnorm };
enum class QkNorm { none, head, whole };
enum class NormWeights { none, scale, scale_and_bias };
enum class AttentionKernel { flash, naive };
enum class FlopsConvention { palm, causal, six_n };
enum class CriticalBatchLaw { none, kaplan, bergsma, fixed };
enum class ScheduleKind {
    one_f_one_b,
    gpipe,
    interleaved,
    breadth_first,
    modular,
    zb_h1,
    zb_h2,
    dualpipe,
    bitpipe,
    seq1f1b
};
enum class Offload { none, optimizer, optimizer_and_parameters };
enum class Optimizer { adamw, adamw_8bit, adafactor, lion, muon, momentum, sgd };
inline constexpr double kRecomputeSelective = -1;  // `training.recompute`: else the share recomputed, 0…1
inline constexpr double kPositionsAsSequence =
    -1;  // `model.learned_positions`: as many as the sequence is long

// What a parameter is set to: a number, a flag, or a choice by its enumerator. Settings hold all of them as
// numbers.
class Value {
  public:
    template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) constexpr Value(T value)
        : number_(static_cast<double>(value)) {}
    constexpr operator double() const { return number_; }

  private:
    double number_;
};

using ParameterSet = std::bitset<kParameters>;

// Calls `visit(id)` for each member, in the order of the table. Its time is that of the members, not of the
// table.
template <typename Visit>
void for_each(const ParameterSet& set, Visit&& visit) {
    static constexpr std::size_t kBits = 64;
    static constexpr ParameterSet kWord(~0ULL);
    for (std::size_t first = 0; first < kParameters; first += kBits) {
        auto word = static_cast<std::uint64_t>(((set >> first) & kWord).to_ullong());
        for (; word != 0; word &= word - 1)
            visit(static_cast<P>(first + static_cast<std::size_t>(std::countr_zero(word))));
    }
}

}  // namespace shardscope
