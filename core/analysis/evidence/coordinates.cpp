#include "evidence/coordinates.h"

#include <algorithm>

#include "model/operators.h"
#include "parameters/layer_pattern.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"

namespace shardscope::coordinate {
namespace {

// Returns the share of the layers for which `holds(kind)` is true.
template <typename Holds>
double share_of_layers(const Settings& s, Holds&& holds) {
    const LayerSequence layers(s);
    const LayerCounts counts = layers.counts();
    double found = 0;
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        if (holds(layers.kind(i))) found += counts[i];
    }
    return layers.layers() > 0 ? found / layers.layers() : 0;
}

double share_of_mixer(const Settings& s, Mixer mixer) {
    return share_of_layers(s, [mixer](const LayerKind& kind) { return kind.mixer == mixer; });
}

double share_with_attention(const Settings& s) {
    return share_of_layers(s, [](const LayerKind& kind) { return is_attention(kind.mixer); });
}

// Returns the choice where it has an effect, else the usual one.
double choice_where(bool applies, const Settings& s, P id, Value usual) {
    return applies ? s[id] : static_cast<double>(usual);
}

bool has_several_nodes(const Settings& s) { return s[P::gpus] > s[P::gpus_per_node]; }

// Returns how much larger a latency that the scenario sets is than that of the parameter table. Fitted
// latencies belong to the machine, whose other coordinates tell it apart.
double above_usual(const Settings& s, P latency) {
    if (s.origin(latency) != Origin::given && s.origin(latency) != Origin::cluster) return 1;
    return std::max(1.0, s[latency] / parameter(latency).fallback);
}

}  // namespace

double mamba2_layers(const Settings& s) { return share_of_mixer(s, Mixer::mamba2); }
double linear_layers(const Settings& s) { return share_of_mixer(s, Mixer::linear); }

double windowed_layers(const Settings& s) {
    if (s[P::attention_window] >= s[P::sequence_length]) return 0;
    return share_of_mixer(s, Mixer::sliding) + share_of_mixer(s, Mixer::chunked);
}

double attention_shortening(const Settings& s) {
    const double with_attention = share_with_attention(s);
    if (with_attention <= 0) return kDoesNotApply;
    const double whole = document_tokens(s);
    const double windowed = windowed_layers(s) / with_attention;
    const double mean = (1 - windowed) * whole + windowed * std::min(whole, s[P::attention_window]);
    return mean > 0 ? s[P::sequence_length] / mean : 1;
}

double attention_kernel(const Settings& s) {
    return choice_where(share_with_attention(s) > 0, s, P::attention, AttentionKernel::flash);
}

double attention_head_size(const Settings& s) {
    return share_with_attention(s) > 0 ? s[P::head_size] : kDoesNotApply;
}

double feed_forward_ratio(const Settings& s) {
    const double dense =
        share_of_layers(s, [](const LayerKind& kind) { return kind.feed_forward == FeedForward::dense; });
    if (dense <= 0) return kDoesNotApply;
    const double matrices = s.choice<Mlp>(P::mlp) == Mlp::gated ? 3 : 2;
    return 100 * matrices / 2 * s[P::ffn_size] / s[P::hidden_size];
}

double head_share(const Settings& s) {
    // The matrices of a usual layer have 12·h² weights.
    const double layers = 12 * s[P::layers] * s[P::hidden_size];
    const double head = s[P::vocab_size] * embedding_width(s) / s[P::hidden_size];
    return head / (head + layers);
}

double expert_count(const Settings& s) { return s[P::experts] > 0 ? s[P::experts] : kDoesNotApply; }

double experts_per_token(const Settings& s) {
    return s[P::experts] > 0 ? s[P::experts_per_token] : kDoesNotApply;
}

double expert_ratio(const Settings& s) {
    if (s[P::experts] <= 0) return kDoesNotApply;
    const double width = s[P::expert_ffn_size] > 0 ? s[P::expert_ffn_size] : s[P::ffn_size];
    return 100 * width / s[P::hidden_size];
}

double expert_imbalance(const Settings& s) {
    return s[P::experts] > 0 ? s[P::expert_imbalance] : kDoesNotApply;
}

double moe_dispatcher(const Settings& s) {
    const bool dispatches = s[P::experts] > 0 && s[P::expert_parallel] > 1;
    return choice_where(dispatches, s, P::moe_dispatcher, MoeDispatcher::all_to_all);
}

double context_parallel_kind(const Settings& s) {
    const bool applies = s[P::context_parallel] > 1;
    return choice_where(applies, s, P::context_parallel_kind, ContextParallelKind::p2p);
}

double context_imbalance(const Settings& s) {
    return s[P::context_parallel] > 1 ? shardscope::context_imbalance(s) : 1;
}

double pipeline_schedule(const Settings& s) {
    const auto kind = s.choice<ScheduleKind>(P::schedule);
    const bool orders = s[P::pipeline_parallel] > 1 || (schedule_of(kind).layered && s[P::accumulation] > 1);
    // The number of virtual stages tells 1F1B and interleaved apart.
    return Value(orders && kind != ScheduleKind::interleaved ? kind : ScheduleKind::one_f_one_b);
}

double quantized_collectives(const Settings& s) {
    return s.choice<Sharding>(P::sharding) == Sharding::zero_pp ? 1 : 0;
}

double orthogonalizing_optimizer(const Settings& s) {
    const bool orthogonalizes = s.choice<Optimizer>(P::optimizer) == Optimizer::muon;
    return Value(orthogonalizes ? Optimizer::muon : Optimizer::adamw);
}

double oversubscription(const Settings& s) {
    const bool crosses_pods = s[P::pod_gpus] > 0 && s[P::gpus] > s[P::pod_gpus];
    return crosses_pods ? s[P::oversubscription] : 1;
}

double oversubscribed(const Settings& s) { return oversubscription(s) > 1 ? 1 : 0; }

double node_topology(const Settings& s) {
    const bool has_links = s[P::gpus] > 1 && s[P::gpus_per_node] > 1;
    return choice_where(has_links, s, P::topology, Topology::switched);
}

double rail_only(const Settings& s) { return has_several_nodes(s) ? s[P::rail_only] : 0; }

double latency_ratio(const Settings& s) {
    double most = std::max(above_usual(s, P::collective_latency), above_usual(s, P::intra_node_latency));
    if (has_several_nodes(s)) most = std::max(most, above_usual(s, P::inter_node_latency));
    return most;
}

}  // namespace shardscope::coordinate
