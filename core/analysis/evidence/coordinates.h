// The coordinates in which a scenario is compared with measured runs: one row for each.
//
// To add a coordinate, add a row to `kCoordinates`, and a function if it is not the value of one parameter;
// then run `./dev calibrate`, which writes the values of all runs to presets/runs/coverage.json.
//
// The weights say by how much a difference makes a measured run less telling. They are chosen by hand. A sum
// of weights of 0.92 is a distance of 0.6, from which on nothing similar was measured; so kOtherKind alone
// says that no run of this kind is similar.
#pragma once

#include <array>
#include <string_view>

#include "parameters/settings.h"
#include "text/translate.h"

namespace shardscope {

enum class CoordinateKind : unsigned char {
    size,      // the weight counts once for each doubling; values below 1 count as 1
    share,     // the weight counts for a difference of 1
    choice,    // the weight counts if the values differ
    presence,  // the weight counts if only one of the values is 0
};

// The value of a size that has no meaning in a scenario, such as the number of experts of a dense model. It
// differs from no other value, so another coordinate must tell the two kinds of scenarios apart.
inline constexpr double kDoesNotApply = -2;

struct Coordinate {
    P id = P::count;  // whose value it is, or is derived from; P::count if it has a label of its own
    CoordinateKind kind = CoordinateKind::size;
    double weight = 0;
    std::string_view name{};   // in coverage.json, if it is not that of the parameter
    std::string_view label{};  // in English: a noun phrase without article
    Quantity quantity = Quantity::count;
    // Returns the value in a scenario; null: that of the parameter. It must not depend on constants that a
    // calibration sets, because runs leave these open.
    double (*of)(const Settings&) = nullptr;
};

// Return the values of the coordinates that are derived from several parameters. A choice that has no effect
// is the usual one: a plan without a pipeline is like one with 1F1B.
namespace coordinate {
double mamba2_layers(const Settings& settings);          // share of the layers
double linear_layers(const Settings& settings);          // share of the layers
double windowed_layers(const Settings& settings);        // share, with a window shorter than the sequence
double attention_shortening(const Settings& settings);   // sequence ÷ mean length of attention, ≥ 1
double attention_kernel(const Settings& settings);       // AttentionKernel
double attention_head_size(const Settings& settings);    // width of one head
double feed_forward_ratio(const Settings& settings);     // width ÷ model width, as for two matrices; percent
double head_share(const Settings& settings);             // of the LM head in the matrices of the model, 0…1
double expert_count(const Settings& settings);           // experts of a layer
double experts_per_token(const Settings& settings);      // experts
double expert_ratio(const Settings& settings);           // width of an expert ÷ model width; percent
double expert_imbalance(const Settings& settings);       // busiest ÷ average, ≥ 1
double moe_dispatcher(const Settings& settings);         // MoeDispatcher
double context_parallel_kind(const Settings& settings);  // ContextParallelKind
double context_imbalance(const Settings& settings);      // busiest ÷ average, ≥ 1
double pipeline_schedule(const Settings& settings);      // ScheduleKind, of which interleaved is 1F1B
double quantized_collectives(const Settings& settings);  // 0 or 1
double orthogonalizing_optimizer(const Settings& settings);  // Optimizer: Muon, or AdamW for all others
double oversubscription(const Settings& settings);           // bandwidth in a pod ÷ to other pods, ≥ 1
double oversubscribed(const Settings& settings);             // 0 or 1
double node_topology(const Settings& settings);              // Topology
double rail_only(const Settings& settings);                  // 0 or 1
double latency_ratio(const Settings& settings);              // latency set by hand ÷ the usual one, ≥ 1
}  // namespace coordinate

inline constexpr double kOtherKind = 1;

// Runs are compared in the order of these rows. The first rows rule out most runs, because most are on
// another machine or stack, or of another kind.
inline constexpr std::array kCoordinates{
    Coordinate{P::software, CoordinateKind::choice, 0.7},
    Coordinate{P::memory_bandwidth, CoordinateKind::size, 0.5},
    Coordinate{P::peak_flops, CoordinateKind::size, 0.3},
    // The kind of model and of method: a model is not like one whose layers are of another kind.
    Coordinate{.id = P::experts,
               .kind = CoordinateKind::presence,
               .weight = kOtherKind,
               .label = translatable("experts")},
    Coordinate{.id = P::kv_lora_rank,
               .kind = CoordinateKind::presence,
               .weight = kOtherKind,
               .label = translatable("layers with latent attention")},
    Coordinate{.kind = CoordinateKind::presence,
               .weight = kOtherKind,
               .name = "has_mamba2_layers",
               .label = translatable("layers of the kind Mamba-2"),
               .of = coordinate::mamba2_layers},
    Coordinate{.kind = CoordinateKind::presence,
               .weight = kOtherKind,
               .name = "has_linear_layers",
               .label = translatable("layers with linear attention"),
               .of = coordinate::linear_layers},
    Coordinate{.kind = CoordinateKind::presence,
               .weight = kOtherKind,
               .name = "has_windowed_layers",
               .label = translatable("layers with an attention window"),
               .of = coordinate::windowed_layers},
    Coordinate{.id = P::attention,
               .kind = CoordinateKind::choice,
               .weight = kOtherKind,
               .of = coordinate::attention_kernel},
    Coordinate{.id = P::optimizer,
               .kind = CoordinateKind::choice,
               .weight = kOtherKind,
               .name = "orthogonalizing_optimizer",
               .of = coordinate::orthogonalizing_optimizer},
    Coordinate{P::offload, CoordinateKind::choice, kOtherKind},
    Coordinate{P::activation_offload, CoordinateKind::share, kOtherKind},
    Coordinate{.id = P::schedule,
               .kind = CoordinateKind::choice,
               .weight = kOtherKind,
               .of = coordinate::pipeline_schedule},
    Coordinate{.id = P::context_parallel_kind,
               .kind = CoordinateKind::choice,
               .weight = kOtherKind,
               .of = coordinate::context_parallel_kind},
    Coordinate{.kind = CoordinateKind::presence,
               .weight = kOtherKind,
               .name = "quantized_collectives",
               .label = translatable("quantized collectives (ZeRO++)"),
               .of = coordinate::quantized_collectives},
    // The machine.
    Coordinate{P::gpus_per_node, CoordinateKind::size, 0.1},
    Coordinate{P::intra_node_bandwidth, CoordinateKind::size, 0.15},
    Coordinate{P::inter_node_bandwidth, CoordinateKind::size, 0.1},
    Coordinate{P::gpus, CoordinateKind::size, 0.06},
    Coordinate{.id = P::topology,
               .kind = CoordinateKind::choice,
               .weight = kOtherKind,
               .of = coordinate::node_topology},
    Coordinate{.kind = CoordinateKind::presence,
               .weight = kOtherKind,
               .name = "oversubscribed",
               .label = translatable("oversubscribed pods"),
               .of = coordinate::oversubscribed},
    Coordinate{.id = P::oversubscription,
               .kind = CoordinateKind::size,
               .weight = 0.1,
               .of = coordinate::oversubscription},
    Coordinate{.id = P::rail_only,
               .kind = CoordinateKind::choice,
               .weight = kOtherKind,
               .of = coordinate::rail_only},
    Coordinate{.kind = CoordinateKind::size,
               .weight = 0.12,
               .name = "latency_ratio",
               .label = translatable("latency relative to the usual one"),
               .quantity = Quantity::fraction,
               .of = coordinate::latency_ratio},
    // The sizes of the model.
    Coordinate{P::layers, CoordinateKind::size, 0.06}, Coordinate{P::hidden_size, CoordinateKind::size, 0.12},
    Coordinate{P::sequence_length, CoordinateKind::size, 0.12},
    Coordinate{P::micro_batch, CoordinateKind::size, 0.12},
    Coordinate{.kind = CoordinateKind::size,
               .weight = 0.25,
               .name = "attention_shortening",
               .label = translatable("sequence relative to what a token attends to"),
               .quantity = Quantity::fraction,
               .of = coordinate::attention_shortening},
    Coordinate{.kind = CoordinateKind::size,
               .weight = 0.3,
               .name = "feed_forward_percent",
               .label = translatable("feed-forward width in percent of the model width, as for two matrices"),
               .of = coordinate::feed_forward_ratio},
    Coordinate{.kind = CoordinateKind::share,
               .weight = 1.6,
               .name = "head_share",
               .label = translatable("share of the LM head in the model"),
               .quantity = Quantity::percent,
               .of = coordinate::head_share},
    Coordinate{.id = P::head_size,
               .kind = CoordinateKind::size,
               .weight = 0.15,
               .of = coordinate::attention_head_size},
    Coordinate{P::causal, CoordinateKind::choice, 0.3},
    Coordinate{.kind = CoordinateKind::share,
               .weight = 0.4,
               .name = "mamba2_layers",
               .label = translatable("share of Mamba-2 layers"),
               .quantity = Quantity::percent,
               .of = coordinate::mamba2_layers},
    Coordinate{.kind = CoordinateKind::share,
               .weight = 0.4,
               .name = "linear_layers",
               .label = translatable("share of layers with linear attention"),
               .quantity = Quantity::percent,
               .of = coordinate::linear_layers},
    Coordinate{.id = P::experts,
               .kind = CoordinateKind::size,
               .weight = 0.19,
               .name = "expert_count",
               .of = coordinate::expert_count},
    Coordinate{.id = P::experts_per_token,
               .kind = CoordinateKind::size,
               .weight = 0.31,
               .of = coordinate::experts_per_token},
    Coordinate{.kind = CoordinateKind::size,
               .weight = 0.18,
               .name = "expert_percent",
               .label = translatable("width of an expert in percent of the model width"),
               .of = coordinate::expert_ratio},
    Coordinate{.id = P::expert_imbalance,
               .kind = CoordinateKind::size,
               .weight = 0.31,
               .of = coordinate::expert_imbalance},
    // The plan.
    Coordinate{P::precision, CoordinateKind::choice, 0.3},
    Coordinate{P::recompute, CoordinateKind::choice, 0.1},
    Coordinate{P::sharding, CoordinateKind::choice, 0.1}, Coordinate{P::loss, CoordinateKind::choice, 0.1},
    Coordinate{P::cuda_graphs, CoordinateKind::choice, 0.2},
    Coordinate{P::tensor_parallel, CoordinateKind::size, 0.12},
    Coordinate{P::context_parallel, CoordinateKind::size, 0.12},
    Coordinate{P::pipeline_parallel, CoordinateKind::size, 0.08},
    Coordinate{P::expert_parallel, CoordinateKind::size, 0.08},
    Coordinate{P::virtual_stages, CoordinateKind::size, 0.05},
    Coordinate{.id = P::moe_dispatcher,
               .kind = CoordinateKind::choice,
               .weight = 0.7,
               .of = coordinate::moe_dispatcher},
    Coordinate{.id = P::context_imbalance,
               .kind = CoordinateKind::size,
               .weight = 0.31,
               .of = coordinate::context_imbalance},
    // These tell models of the same depth and width apart.
    Coordinate{P::ffn_size, CoordinateKind::size, 0}, Coordinate{P::heads, CoordinateKind::size, 0}};

}  // namespace shardscope
