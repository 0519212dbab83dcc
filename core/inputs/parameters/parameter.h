// The parameter table: one row (rows.inc) for each input that a person can set.
//
// Editors, scenario files and their JSON schema, --set, sweep axes, undo texts, CSV headers and the table in
// README.md in this folder are all generated from these rows. To add a parameter, add one row to rows.inc,
// then use `settings[P::your_id]`.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "text/units.h"

namespace shardscope {

enum class P : unsigned char {
#define SHARDSCOPE_PARAMETER(id, ...) id,
#include "parameters/rows.inc"
    count
};
inline constexpr std::size_t kParameters = static_cast<std::size_t>(P::count);
constexpr std::size_t index(P id) { return static_cast<std::size_t>(id); }

// Where a parameter is shown.
enum class Group { cluster, gpu, model, training, plan, assumptions };
std::string_view name_of(Group group);  // "cluster"
std::string title(Group group);         // "Cluster"

// A value with a name.
struct Named {
    std::string_view name;  // in files and on the command line: "zero3"
    double value = 0;
    std::string_view label = name;  // on screen, in English: "ZeRO-3"; see label_of
};
std::string label_of(const Named& named);  // in the current language

enum class Prominence {
    row,       // a row with a slider in the window
    advanced,  // a row in its group's collapsed part
    file,      // files and --set only
};

// What a parameter of the training plan decides. The planner may choose its value, unless it is none.
enum class PlanRole : unsigned char {
    none,
    operators,  // how the operators are split over GPUs, so that their times depend on it
    stages,     // how the layers are split into stages, and the order of the passes
    states,     // where states and activations are kept
};

struct Parameter {           // one row of the table
    std::string_view key;    // "training.micro_batch": section.field; never changes
    std::string_view label;  // "Micro-batch": in English, like `help` and `source`; see label_of
    std::string_view help;   // one sentence: the meaning and the effect of a larger value
    Group group = Group::training;
    Quantity quantity = Quantity::count;
    double fallback = 0;  // the default; NaN: the value comes from presets or is derived
    double minimum = 0;   // smallest and largest meaningful value
    double maximum = std::numeric_limits<double>::infinity();
    double slider_low = 0;  // ends of the slider; typed values may be beyond them
    double slider_high = 0;
    bool logarithmic = false;
    bool whole = false;              // integers only
    std::span<const Named> names{};  // named values
    bool named_only = false;         // only the values in `names` are valid (a choice)
    std::string_view zero{};         // what 0 means, where it is no number of its own; see format
    bool optional = false;           // may be unknown (NaN); outputs that need it are then empty
    PlanRole plan = PlanRole::none;
    // The planner varies it only if it is automatic: the software determines it, or the search takes longer.
    bool on_request = false;
    bool transformer_only = false;  // without effect on models that are lists of operators
    Prominence prominence = Prominence::row;
    std::string_view source{};  // where the default comes from
    // Other words for it, separated by ", ", by which a search finds it: in English; see synonyms_of.
    std::string_view synonyms{};

    [[nodiscard]] bool of_plan() const { return plan != PlanRole::none; }
};

std::span<const Parameter, kParameters> parameters();
const Parameter& parameter(P id);
// Returns whether the value is one of the row's named values.
bool is_named(const Parameter& row, double value);
std::string label_of(P id);  // in the current language
std::string help_of(P id);   // in the current language
// Returns the English synonyms and those in the current language, separated by ", ".
std::string synonyms_of(P id);

// Finds a parameter by its full key ("training.micro_batch") or by the last part of the key if that is
// unique.
std::optional<P> find_parameter(std::string_view key);
std::string_view section_of(P id);  // "cluster.gpu"
std::string_view field_of(P id);    // "memory"

// Returns the members of a set.
std::vector<Named> members_of(P id, double value);

// Returns the value as people read it: the label of a named value, or the number formatted with its unit.
std::string format(P id, double value, bool with_unit = true);
// Returns the value as files and the command line take it: the name of a named value, or the number formatted
// with its unit.
std::string written(P id, double value);
// Texts that are also accepted as values of a flag.
inline constexpr std::array kFlagWords{Named{"true", 1},  Named{"yes", 1}, Named{"1", 1},
                                       Named{"false", 0}, Named{"no", 0},  Named{"0", 0}};
// Reads a value as a file writes it, including names ("zero3", "50 GB/s"). If `as_shown`, it is read as a
// person types it into a field: labels are values too, and a number without a unit is in the unit that is
// shown.
Parsed parse(P id, std::string_view text, bool as_shown = false);

// The choices of the parameters, in the order of their values. Settings store their numbers.
enum class Software {
    fsdp1,
    fsdp1_compile,
    fsdp2,
    fsdp2_compile,
    deepspeed,
    deepspeed_2021,
    megatron_core,
    megatron_2021,
    nemo,
    maxtext,
    internevo,
    megatron_2022,
    megatron_deepspeed,
    other,
    nanotron,
    torchtitan,
    jax,
    megatron_bridge,
    primus
};
// Returns whether the software trains with Megatron-Core and Transformer Engine.
constexpr bool is_of_megatron_core(Software software) {
    return software == Software::megatron_core || software == Software::nemo ||
           software == Software::megatron_bridge || software == Software::primus;
}
enum class Sharding { ddp, zero1, zero2, zero3, hsdp, zero_pp };
// Returns whether weights are sharded and gathered layer by layer.
constexpr bool is_fsdp(Sharding sharding) { return sharding >= Sharding::zero3; }
enum class Precision { bf16, fp16, fp8, fp32, mxfp8, nvfp4 };
// Returns whether matrices run in fewer than 16 bits. Activations and weights are kept in bf16 then.
constexpr bool is_low(Precision precision) {
    return precision == Precision::fp8 || precision == Precision::mxfp8 || precision == Precision::nvfp4;
}
enum class Fp8Recipe { delayed, tensorwise, blockwise, mxfp8 };
// Of the first and the second moment.
enum class MomentPrecision { bf16, fp8, fp32, bf16_fp32, fp8_bf16, fp8_fp32, fp32_bf16, fp32_fp8, bf16_fp8 };
enum class Loss { plain, fused, chunked };
enum class ContextParallelKind { p2p, a2a, all_gather, a2a_p2p };
enum class RankOrder { data_before_pipeline, pipeline_before_data };
enum class Topology { switched, mesh, torus };
enum class InNetworkReduction { none, node, network, both };
enum class MoeDispatcher { all_to_all, deepep, all_gather };
// The members of `training.recompute_modules`, as bits.
enum class RecomputeModule : unsigned char {
    none = 0,
    layernorm = 1,
    core_attention = 2,
    mla_up_proj = 4,
    mlp = 8,
    activation = 16,
    moe = 32,
    moe_activation = 64,
    shared_experts = 128
};
constexpr unsigned char bit(RecomputeModule module) { return static_cast<unsigned char>(module); }
enum class Mlp { plain, gated };
enum class Norm { layernorm, rmsnorm };
enum class QkNorm { none, head, whole };
enum class NormWeights { none, scale, scale_and_bias };
enum class AttentionKernel { flash, naive };
enum class FlopsConvention { palm, causal, six_n };
enum class CriticalBatchLaw { none, kaplan, bergsma, fixed };
enum class ScheduleKind {
#define SHARDSCOPE_SCHEDULE(kind, name, label, schedule) kind,
#include "parameters/schedules.inc"
#undef SHARDSCOPE_SCHEDULE
};
enum class Offload { none, optimizer, optimizer_and_parameters, optimizer_nvme };
enum class Optimizer { adamw, adamw_8bit, adafactor, lion, muon, momentum, sgd };
// Special value of `training.recompute`, which otherwise is the recomputed share, 0…1.
inline constexpr double kRecomputeSelective = -1;
// Special values of `training.main_gradient_precision` and `training.moment_precision`.
inline constexpr double kAsReduced = -1;
inline constexpr double kAsMaster = -1;
// Special value of `model.learned_positions`: as many positions as the sequence has tokens.
inline constexpr double kPositionsAsSequence = -1;

// A parameter's value: a number, a flag or an enumerator of a choice. Settings store all of them as numbers.
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

// Calls `visit(id)` for each member, in the order of the table. The time it needs depends on the number of
// members, not on the size of the table.
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
