// Constraints on how the GPUs are split into groups: each degree of parallelism must divide some sizes.
#include <cmath>
#include <cstdint>
#include <numeric>

#include "parameters/layer_pattern.h"
#include "scenario/constraint.h"
#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"
#include "scenario/problem_text.h"
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using Level = Constraint::Level;

// ---- Models that are lists of operators -------------------------------------------------------------------

// Degrees of parallelism that split matrices, sequences or experts must be one unless the model is a
// transformer.
template <P id>
constexpr Constraint kIsOneForListedModels{
    .level = Level::operators,
    .holds = [](const Settings& s) { return !s.listed() || s[id] <= 1; },
    .problem =
        [](const Settings& s) {
            return value_problem(
                id, s,
                translate(
                    "the model is a list of operators, which only data and pipeline parallelism can split"),
                translate("use {1}", {"1"}));
        }};

bool listed_model_has_no_sequence(const Settings& s) {
    return !s.listed() || s[P::pipeline_parallel] <= 1 || !schedule_of(s).splits_sequences;
}

bool image_has_a_size(const Settings& s) {
    return !s.listed() || !s.listed()->has_image() || s[P::image_size] >= 1;
}

// ---- Whole replicas of the model --------------------------------------------------------------------------

constexpr P kModelParameters[] = {P::gpus, P::tensor_parallel, P::context_parallel, P::pipeline_parallel};

bool replicas_are_whole(const Settings& s) { return divides(gpus_per_replica(s), s[P::gpus]); }

Problem replicas_not_whole(const Settings& s) {
    const double model = gpus_per_replica(s);
    const double step = s[P::gpus] > s[P::gpus_used_per_node]
                            ? least_common_multiple(model, s[P::gpus_used_per_node])
                            : model;
    return value_problem(
        P::gpus, s,
        translate("not a multiple of tensor × context × pipeline parallel = {1}", {count_text(model)}),
        suggest_multiples(s[P::gpus], step));
}

void keep_replicas_whole(P id, const Settings& s, ValidValues& values) {
    if (id == P::gpus) values.multiples_of(gpus_per_replica(s));
    else values.divisors_of(s[P::gpus] * s[id] / gpus_per_replica(s));
}

// ---- Tensor parallelism splits the matrices ---------------------------------------------------------------

constexpr P kTensorParameters[] = {P::tensor_parallel, P::heads, P::ffn_size};

bool tensor_divides_matrices(const Settings& s) {
    if (s[P::heads] != std::floor(s[P::heads])) return true;  // reported with the width
    return divides(s[P::tensor_parallel], s[P::heads]) && divides(s[P::tensor_parallel], s[P::ffn_size]);
}

Problem tensor_does_not_divide(const Settings& s) {
    const bool heads = divides(s[P::tensor_parallel], s[P::heads]);
    return value_problem(
        P::tensor_parallel, s,
        heads ? translate("does not divide the feed-forward size {1}", {format(P::ffn_size, s[P::ffn_size])})
              : translate("does not divide the {1} heads", {format(P::heads, s[P::heads])}),
        suggest_nearest(P::tensor_parallel, s));
}

void keep_matrices_divided(P id, const Settings& s, ValidValues& values) {
    if (id == P::tensor_parallel) {
        values.divisors_of(s[P::heads]);
        values.divisors_of(s[P::ffn_size]);
    } else {
        values.multiples_of(s[P::tensor_parallel]);
    }
}

// The heads of the mixers with a state, which the degree must divide as well; 1 if the model has none. For
// linear attention the degree divides both the key heads and the value heads.
double linear_heads(const Settings& s) {
    return has_mixer(s, Mixer::linear) ? std::gcd(static_cast<std::int64_t>(s[P::linear_key_heads]),
                                                  static_cast<std::int64_t>(linear_value_heads(s)))
                                       : 1;
}
double state_space_heads(const Settings& s) { return has_mixer(s, Mixer::mamba2) ? s[P::ssm_heads] : 1; }

// Tensor parallelism splits these heads, and context parallelism exchanges them for the sequence, so each GPU
// holds some of them for the whole sequence.
double gpus_per_mixer(const Settings& s) { return s[P::tensor_parallel] * s[P::context_parallel]; }

bool gpus_divide_mixers(const Settings& s) {
    for (const double heads : {linear_heads(s), state_space_heads(s)}) {
        if (heads > 1 && !divides(gpus_per_mixer(s), heads)) return false;
    }
    return true;
}

Problem gpus_do_not_divide_mixers(const Settings& s) {
    const bool linear = linear_heads(s) > 1 && !divides(gpus_per_mixer(s), linear_heads(s));
    const double all_heads = linear ? linear_heads(s) : state_space_heads(s);
    const std::string heads = count_text(all_heads);
    // If tensor parallelism alone does not divide the heads, no degree of context parallelism helps.
    if (s[P::context_parallel] > 1 && divides(s[P::tensor_parallel], all_heads))
        return value_problem(P::context_parallel, s,
                             linear ? translate("its product with tensor parallel {2} does not divide the "
                                                "{1} heads of linear attention",
                                                {heads, format(P::tensor_parallel, s[P::tensor_parallel])})
                                    : translate("its product with tensor parallel {2} does not divide the "
                                                "{1} heads of the Mamba-2 layers",
                                                {heads, format(P::tensor_parallel, s[P::tensor_parallel])}),
                             suggest_nearest(P::context_parallel, s));
    return value_problem(P::tensor_parallel, s,
                         linear ? translate("does not divide the {1} heads of linear attention", {heads})
                                : translate("does not divide the {1} heads of the Mamba-2 layers", {heads}),
                         suggest_nearest(P::tensor_parallel, s));
}

void keep_mixers_divided(P id, const Settings& s, ValidValues& values) {
    const double other = s[id == P::tensor_parallel ? P::context_parallel : P::tensor_parallel];
    for (const double heads : {linear_heads(s), state_space_heads(s)}) {
        if (heads <= 1) continue;
        values.divisors_of(heads);
        values.keep_if([&](double degree) { return divides(degree * other, heads); });
    }
}

constexpr P kMixerParameters[] = {P::tensor_parallel, P::context_parallel};

// Each tensor-parallel GPU has whole groups of Mamba-2, and context parallelism splits them or repeats them
// evenly. Source: NVIDIA/Megatron-LM, core/ssm/mamba_mixer.py and mamba_context_parallel.py.
bool groups_are_split_evenly(const Settings& s) {
    if (!has_mixer(s, Mixer::mamba2) || s[P::ssm_groups] <= 0) return true;
    if (!divides(s[P::tensor_parallel], s[P::ssm_groups])) return false;
    const double groups = s[P::ssm_groups] / s[P::tensor_parallel];
    const double context = s[P::context_parallel];
    return context > groups ? divides(groups, context) : divides(context, groups);
}

Problem groups_not_split_evenly(const Settings& s) {
    const bool tensor = !divides(s[P::tensor_parallel], s[P::ssm_groups]);
    const P id = tensor ? P::tensor_parallel : P::context_parallel;
    return value_problem(id, s,
                         translate("does not split the {1} groups of the Mamba-2 layers evenly",
                                   {format(P::ssm_groups, s[P::ssm_groups])}),
                         suggest_nearest(id, s));
}

void keep_groups_split_evenly(P id, const Settings& s, ValidValues& values) {
    if (!has_mixer(s, Mixer::mamba2) || s[P::ssm_groups] <= 0) return;
    if (id == P::tensor_parallel) {
        values.divisors_of(s[P::ssm_groups]);
    } else {
        // The lists of degrees are divisors of the sequence already.
        values.keep_if([other = s](double degree) mutable {
            other.set(P::context_parallel, degree, Origin::given);
            return groups_are_split_evenly(other);
        });
    }
}

// The degree that splits the experts must divide their feed-forward size.
constexpr P kExpertTensorParameters[] = {P::tensor_parallel, P::expert_tensor_parallel, P::expert_ffn_size};

bool tensor_divides_experts(const Settings& s) {
    return s[P::experts] <= 0 || s[P::expert_ffn_size] <= 0 ||
           divides(expert_tensor_parallel(s), s[P::expert_ffn_size]);
}

Problem tensor_does_not_divide_experts(const Settings& s) {
    const double tensor = expert_tensor_parallel(s);
    const P degree = s[P::expert_tensor_parallel] > 0 ? P::expert_tensor_parallel : P::tensor_parallel;
    return value_problem(P::expert_ffn_size, s,
                         translate("{1} does not divide it", {label_of(degree) + " " + count_text(tensor)}),
                         suggest_multiples(s[P::expert_ffn_size], tensor));
}

void keep_experts_divided(P id, const Settings& s, ValidValues& values) {
    if (s[P::experts] <= 0) return;
    const double size = s[P::expert_ffn_size];
    if (id == P::expert_ffn_size) {
        values.multiples_of(expert_tensor_parallel(s));
    } else if (size > 0 && id == P::expert_tensor_parallel) {
        const double tensor = s[P::tensor_parallel];
        values.divisors_of(size);
        if (divides(tensor, size)) values.add(0);
    } else if (size > 0 && s[P::expert_tensor_parallel] == 0) {
        values.divisors_of(size);
    }
}

// ---- Context parallelism splits the sequence --------------------------------------------------------------

constexpr P kContextParameters[] = {P::context_parallel, P::sequence_length};

bool context_divides_sequence(const Settings& s) {
    return divides(s[P::context_parallel], s[P::sequence_length]);
}

Problem context_does_not_divide(const Settings& s) {
    return value_problem(
        P::context_parallel, s,
        translate("does not divide the sequence of {1}", {format(P::sequence_length, s[P::sequence_length])}),
        suggest_nearest(P::context_parallel, s));
}

void keep_sequence_divided(P id, const Settings& s, ValidValues& values) {
    if (id == P::context_parallel) values.divisors_of(s[P::sequence_length]);
    else values.multiples_of(s[P::context_parallel]);
}

// The kinds a2a and a2a+p2p exchange whole heads for parts of the sequence. Source: Transformer Engine, which
// requires that the degree divides the attention heads and the key/value heads on each tensor-parallel GPU.
constexpr P kContextKind[] = {P::context_parallel_kind, P::context_parallel_inner};

double heads_on_gpu(P heads, const Settings& s) { return std::ceil(s[heads] / s[P::tensor_parallel]); }

bool context_exchanges_whole_heads(const Settings& s) {
    if (s[P::context_parallel] <= 1) return true;
    const double group = head_exchange_group(s);
    const P keys = s[P::kv_lora_rank] > 0 ? P::heads : P::kv_heads;  // a latent expands to all heads
    return divides(group, s[P::context_parallel]) && divides(group, heads_on_gpu(P::heads, s)) &&
           divides(group, heads_on_gpu(keys, s));
}

Problem context_does_not_exchange_whole_heads(const Settings& s) {
    const double group = head_exchange_group(s);
    if (!divides(group, s[P::context_parallel]))
        return value_problem(P::context_parallel_inner, s,
                             translate("does not divide context parallel {1}",
                                       {format(P::context_parallel, s[P::context_parallel])}),
                             translate("use a divisor of it"));
    const P heads = divides(group, heads_on_gpu(P::heads, s)) ? P::kv_heads : P::heads;
    return value_problem(
        P::context_parallel_kind, s,
        translate("it exchanges heads among {1} GPUs, which do not divide “{3}” of each, {2}",
                  {count_text(group), count_text(heads_on_gpu(heads, s)), label_of(heads)}),
        translate("use {1}", {format(P::context_parallel_kind, Value(ContextParallelKind::p2p))}));
}

void keep_whole_heads_exchanged(P id, const Settings& s, ValidValues& values) {
    if (id == P::context_parallel_inner) {
        if (s.choice<ContextParallelKind>(P::context_parallel_kind) != ContextParallelKind::a2a_p2p) return;
        values.divisors_of(s[P::context_parallel]);
        values.add(0);  // as many as a node holds
    }
    values.keep_if([id, other = s](double value) mutable {
        other.set(id, value, Origin::given);
        return context_exchanges_whole_heads(other);
    });
}

constexpr P kRankOrder[] = {P::rank_order, P::expert_parallel};

bool rank_order_is_possible(const Settings& s) {
    return s.choice<RankOrder>(P::rank_order) == RankOrder::data_before_pipeline ||
           s[P::expert_parallel] <= 1;
}

Problem experts_between_stages(const Settings& s) {
    return value_problem(P::rank_order, s,
                         translate("expert-parallel GPUs of several replicas would have stages between them"),
                         translate("use {1}, or no expert parallelism",
                                   {format(P::rank_order, Value(RankOrder::data_before_pipeline))}));
}

// Transformer Engine, which Megatron-Core and NeMo use, has no ring for sliding windows, and exchanges heads
// for attention sinks (assertions in
// transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py).
constexpr P kContextKindAlone[] = {P::context_parallel_kind};

bool context_kind_suits_attention(const Settings& s) {
    return s[P::context_parallel] <= 1 ||
           supports_attention(s.choice<ContextParallelKind>(P::context_parallel_kind), s);
}

Problem context_kind_does_not_suit(const Settings& s) {
    const bool sinks = s.on(P::attention_sinks);
    return value_problem(
        P::context_parallel_kind, s,
        sinks ? translate("with attention sinks, Transformer Engine supports only {1}",
                          {format(P::context_parallel_kind, Value(ContextParallelKind::a2a))})
              : translate("Transformer Engine does not support it with sliding windows"),
        translate("use {1}", {format(P::context_parallel_kind, Value(usual_context_kind(s)))}));
}

// ---- Expert parallelism splits the experts ----------------------------------------------------------------

constexpr P kExpertParallel[] = {P::expert_parallel};

bool expert_parallel_divides(const Settings& s) {
    const double degree = s[P::expert_parallel];
    if (degree <= 1) return true;
    return s[P::experts] > 0 && divides(degree, s[P::experts]) && divides(degree, max_expert_parallel(s));
}

Problem expert_parallel_does_not_divide(const Settings& s) {
    if (s[P::experts] <= 0)
        return value_problem(P::expert_parallel, s, translate("the model has no experts"),
                             translate("use {1}", {"1"}));
    return value_problem(
        P::expert_parallel, s,
        translate("must divide the {1} experts and the {2} GPUs that can hold different experts",
                  {format(P::experts, s[P::experts]), count_text(max_expert_parallel(s))}),
        suggest_nearest(P::expert_parallel, s));
}

void keep_experts_split(P, const Settings& s, ValidValues& values) {
    values.divisors_of(s[P::experts] > 0 ? s[P::experts] : 1);
    values.divisors_of(max_expert_parallel(s));
}

// The experts' matrices are split over some of the GPUs that hold the same layers.
constexpr P kExpertTensorParallel[] = {P::expert_tensor_parallel};

bool expert_tensor_parallel_divides(const Settings& s) {
    return s[P::expert_tensor_parallel] <= 0 ||
           divides(s[P::expert_tensor_parallel],
                   static_cast<double>(data_context_parallel(s)) * s[P::tensor_parallel]);
}

Problem expert_tensor_parallel_does_not_divide(const Settings& s) {
    return value_problem(P::expert_tensor_parallel, s,
                         translate("must divide the {1} GPUs that hold the same layers",
                                   {count_text(data_context_parallel(s) * s[P::tensor_parallel])}),
                         suggest_nearest(P::expert_tensor_parallel, s));
}

void keep_expert_tensor_parallel(P, const Settings& s, ValidValues& values) {
    const bool as_tensor = values.contains(0);
    values.divisors_of(data_context_parallel(s) * s[P::tensor_parallel]);
    if (as_tensor) values.add(0);
}

// ---- The model states -------------------------------------------------------------------------------------

constexpr P kOffload[] = {P::offload};

// ZeRO++ keeps secondary shards of the weights on the GPUs.
bool weights_can_be_offloaded(const Settings& s) {
    return is_fsdp(s) && s.choice<Sharding>(P::sharding) != Sharding::zero_pp;
}

bool offloaded_weights_are_sharded(const Settings& s) {
    return s.choice<Offload>(P::offload) != Offload::optimizer_and_parameters || weights_can_be_offloaded(s);
}

Problem offloaded_weights_not_sharded(const Settings& s) {
    return value_problem(P::offload, s,
                         translate("only ZeRO-3 and HSDP load weights from the host layer by layer"),
                         translate("use “optimizer”, or ZeRO-3"));
}

void keep_offload_possible(P, const Settings& s, ValidValues& values) {
    if (!weights_can_be_offloaded(s))
        values.among({Value(Offload::none), Value(Offload::optimizer), Value(Offload::optimizer_nvme)});
}

constexpr Constraint kParallelismConstraints[] = {
    {.level = Level::operators,
     .holds = listed_model_has_no_sequence,
     .problem =
         [](const Settings& s) {
             return value_problem(
                 P::schedule, s, translate("the model is a list of operators: there is no sequence to split"),
                 translate("use {1}", {"1F1B"}));
         }},
    kIsOneForListedModels<P::tensor_parallel>,
    kIsOneForListedModels<P::context_parallel>,
    kIsOneForListedModels<P::expert_parallel>,
    {.level = Level::operators,
     .holds = image_has_a_size,
     .problem =
         [](const Settings& s) {
             return value_problem(P::image_size, s,
                                  translate("the size of the model's feature maps depends on it"),
                                  translate("use the side of an image in pixels, such as 224"));
         }},
    {.level = Level::gpus,
     .parameters = kModelParameters,
     .holds = replicas_are_whole,
     .problem = replicas_not_whole,
     .narrow = keep_replicas_whole},
    {.parameters = kTensorParameters,
     .holds = tensor_divides_matrices,
     .problem = tensor_does_not_divide,
     .narrow = keep_matrices_divided},
    {.parameters = kMixerParameters,
     .holds = gpus_divide_mixers,
     .problem = gpus_do_not_divide_mixers,
     .narrow = keep_mixers_divided},
    {.parameters = kContextParameters,
     .holds = context_divides_sequence,
     .problem = context_does_not_divide,
     .narrow = keep_sequence_divided},
    {.parameters = kMixerParameters,
     .holds = groups_are_split_evenly,
     .problem = groups_not_split_evenly,
     .narrow = keep_groups_split_evenly},
    {.parameters = kContextKind,
     .holds = context_exchanges_whole_heads,
     .problem = context_does_not_exchange_whole_heads,
     .narrow = keep_whole_heads_exchanged},
    {.parameters = kRankOrder,
     .holds = rank_order_is_possible,
     .problem = experts_between_stages,
     .narrow =
         [](P id, const Settings& s, ValidValues& values) {
             if (id == P::expert_parallel) {
                 if (s.choice<RankOrder>(P::rank_order) == RankOrder::pipeline_before_data) values.at_most(1);
             } else if (s[P::expert_parallel] > 1) {
                 values.among({Value(RankOrder::data_before_pipeline)});
             }
         }},
    {.parameters = kContextKindAlone,
     .holds = context_kind_suits_attention,
     .problem = context_kind_does_not_suit,
     .narrow =
         [](P, const Settings& s, ValidValues& values) {
             if (s[P::context_parallel] <= 1) return;
             values.keep_if([&](double kind) {
                 return supports_attention(static_cast<ContextParallelKind>(static_cast<int>(kind)), s);
             });
         }},
    {.parameters = kExpertTensorParameters,
     .holds = tensor_divides_experts,
     .problem = tensor_does_not_divide_experts,
     .narrow = keep_experts_divided},
    {.blocks = false,
     .parameters = kOffload,
     .holds = offloaded_weights_are_sharded,
     .problem = offloaded_weights_not_sharded,
     .narrow = keep_offload_possible},
    {.parameters = kExpertTensorParallel,
     .holds = expert_tensor_parallel_divides,
     .problem = expert_tensor_parallel_does_not_divide,
     .narrow = keep_expert_tensor_parallel},
    {.parameters = kExpertParallel,
     .holds = expert_parallel_divides,
     .problem = expert_parallel_does_not_divide,
     .narrow = keep_experts_split},
};

}  // namespace

std::span<const Constraint> parallelism_constraints() { return kParallelismConstraints; }

}  // namespace shardscope
