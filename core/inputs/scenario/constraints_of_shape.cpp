// Constraints between the sizes of a model.
#include <cmath>

#include "parameters/layer_pattern.h"
#include "scenario/constraint.h"
#include "scenario/problem_text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using Level = Constraint::Level;

bool is_whole_and_positive(double value) { return value == std::floor(value) && value >= 1; }

// ---- The heads fill the width -----------------------------------------------------------------------------

constexpr P kWidthParameters[] = {P::hidden_size, P::heads, P::head_size};

// The number of heads or their size is derived from the width; the message names the value that was set.
Problem heads_not_whole(const Settings& s) {
    if (!is_whole_and_positive(s[P::heads])) {
        return value_problem(
            P::hidden_size, s,
            translate("heads of size {1} do not divide it", {format(P::head_size, s[P::head_size])}),
            suggest_multiples(s[P::hidden_size], s[P::head_size]));
    }
    return value_problem(
        P::heads, s,
        translate("does not divide the model width {1}", {format(P::hidden_size, s[P::hidden_size])}),
        translate("use a divisor of it, or give the head size"));
}

// Returns the step of valid widths. If the number of heads is derived, it is the width of as many heads as
// the key/value heads and the tensor-parallel degree require together. If the number of heads is set, it is
// the width that each element of the head size adds.
double width_step(const Settings& s) {
    const bool heads_given = s.origin(P::heads) == Origin::given;
    if (heads_given && s.origin(P::head_size) == Origin::given) return 1;  // the width is independent of both
    const double kv = s[P::kv_heads];
    double group = 1;
    if (!heads_given)
        group = least_common_multiple(kv != s[P::heads] ? kv : 1, std::max(1.0, s[P::tensor_parallel]));
    return s[P::hidden_size] / (heads_given ? s[P::head_size] : s[P::heads]) * group;
}

void keep_heads_whole(P id, const Settings& s, ValidValues& values) {
    if (id == P::hidden_size) {
        values.multiples_of(width_step(s));
        return;
    }
    // If both the number of heads and their size are set, they need not fill the width.
    if (s.origin(id == P::heads ? P::head_size : P::heads) == Origin::given) return;
    const double query_width = s[P::heads] * s[P::head_size];
    values.divisors_of(query_width);
    if (id == P::head_size)
        values.keep_if(
            [&](double size) { return std::fmod(query_width / size, s[P::tensor_parallel]) == 0; });
}

// ---- Key/value heads --------------------------------------------------------------------------------------

constexpr P kKvHeads[] = {P::kv_heads};

bool kv_heads_divide_heads(const Settings& s) {
    return !heads_are_whole(s) || divides(s[P::kv_heads], s[P::heads]);
}

// ---- Layers and experts -----------------------------------------------------------------------------------

bool latent_attention_has_a_rank(const Settings& s) {
    return s[P::kv_lora_rank] > 0 ||
           (s[P::rope_head_size] <= 0 && s[P::value_head_size] <= 0 && s[P::q_lora_rank] <= 0);
}

bool experts_per_token_exist(const Settings& s) {
    return s[P::experts] <= 0 || (s[P::experts_per_token] >= 1 && s[P::experts_per_token] <= s[P::experts]);
}

// The problem of a parameter that is larger than another one, of which `why` says how many there are.
Problem exceeds(P id, P limit, const char* why, const Settings& s) {
    const std::string most = format(limit, s[limit]);
    return value_problem(id, s, translate(why, {most}), translate("use at most {1}", {most}));
}

constexpr P kDenseLayers[] = {P::dense_layers};
constexpr P kExpertsPerToken[] = {P::experts_per_token};
constexpr P kChosenGroups[] = {P::chosen_expert_groups};

constexpr Constraint kShapeConstraints[] = {
    {.level = Level::node,
     .blocks = false,
     .parameters = kWidthParameters,
     .holds = heads_are_whole,
     .problem = heads_not_whole,
     .narrow = keep_heads_whole},
    {.blocks = false,
     .parameters = kKvHeads,
     .holds = kv_heads_divide_heads,
     .problem =
         [](const Settings& s) {
             return value_problem(P::kv_heads, s,
                                  translate("does not divide the {1} heads", {format(P::heads, s[P::heads])}),
                                  suggest_nearest(P::kv_heads, s));
         },
     .narrow = [](P, const Settings& s, ValidValues& values) { values.divisors_of(s[P::heads]); }},
    {.level = Level::node,
     .holds = [](const Settings& s) { return fault_of_layer_pattern(s) == PatternFault::none; },
     .problem =
         [](const Settings& s) {
             return value_problem(P::layer_pattern, s, problem_of_layer_pattern(s),
                                  translate("write for instance [\"sliding\", \"full\"]"));
         }},
    {.blocks = false,
     .parameters = kDenseLayers,
     .holds = [](const Settings& s) { return s[P::dense_layers] <= s[P::layers]; },
     .problem =
         [](const Settings& s) {
             return exceeds(P::dense_layers, P::layers, translatable("there are {1} layers"), s);
         },
     .narrow = [](P, const Settings& s, ValidValues& values) { values.at_most(s[P::layers]); }},
    {.blocks = false,
     .holds = latent_attention_has_a_rank,
     .problem =
         [](const Settings& s) {
             const P id = s[P::q_lora_rank] > 0      ? P::q_lora_rank
                          : s[P::rope_head_size] > 0 ? P::rope_head_size
                                                     : P::value_head_size;
             return value_problem(id, s, translate("it belongs to latent attention, and kv_lora_rank is 0"),
                                  translate("give kv_lora_rank, or leave it out"));
         }},
    {.blocks = false,
     .parameters = kExpertsPerToken,
     .holds = experts_per_token_exist,
     .problem =
         [](const Settings& s) {
             const std::string experts = format(P::experts, s[P::experts]);
             return value_problem(P::experts_per_token, s, translate("there are {1} experts", {experts}),
                                  translate("use 1 to {1}", {experts}));
         },
     .narrow =
         [](P, const Settings& s, ValidValues& values) {
             if (s[P::experts] <= 0) return;
             values.at_least(1);
             values.at_most(s[P::experts]);
         }},
    {.blocks = false,
     .parameters = kChosenGroups,
     .holds = [](const Settings& s) { return s[P::chosen_expert_groups] <= s[P::expert_groups]; },
     .problem =
         [](const Settings& s) {
             return exceeds(P::chosen_expert_groups, P::expert_groups,
                            translatable("there are {1} groups of experts"), s);
         },
     .narrow = [](P, const Settings& s, ValidValues& values) { values.at_most(s[P::expert_groups]); }},
};

}  // namespace

bool heads_are_whole(const Settings& s) {
    return is_whole_and_positive(s[P::heads]) && is_whole_and_positive(s[P::head_size]);
}

std::span<const Constraint> shape_constraints() { return kShapeConstraints; }

}  // namespace shardscope
