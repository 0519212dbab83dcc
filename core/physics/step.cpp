#include "physics/step.h"

#include <algorithm>

#include "physics/memory.h"

namespace shardscope {
namespace {

double& term_of(std::array<double, kStepTerms>& terms, StepTerm term) {
    return terms[static_cast<std::size_t>(term)];
}

StepTerm term_of(const Operator& op) {
    if (op.kind == OperatorKind::gemm) return StepTerm::matmul;
    if (op.attention_core) return StepTerm::attention;
    if (op.kind != OperatorKind::collective) return StepTerm::elementwise;
    switch (op.among) {
        case Among::tensor: return StepTerm::tensor_network;
        case Among::context: return StepTerm::context_network;
        case Among::expert: return StepTerm::expert_network;
    }
    return StepTerm::tensor_network;
}

// Times of collective operators. Most of a model's are alike, so the last of each group's is remembered.
class Exchanges {
  public:
    explicit Exchanges(const Compiled& c) : c_(c) {}
    const Time& operator()(const Operator& op) {
        // A gather and its mirror image take the same time.
        const Collective kind =
            op.collective == Collective::reduce_scatter ? Collective::all_gather : op.collective;
        Last& last = last_[static_cast<std::size_t>(op.among)];
        if (last.bytes != op.bytes || last.kind != kind) last = {kind, op.bytes, exchange_time(op, c_)};
        return last.time;
    }

  private:
    struct Last {
        Collective kind = Collective::none;
        double bytes = 0;
        Time time;
    };
    const Compiled& c_;
    std::array<Last, 3> last_;  // by Among
};

template <typename OperatorTime>
PassTime pass(const Block& block, const Compiled& c, Exchanges& exchange, double rings, OperatorTime&& time) {
    PassTime out;
    Time ring;  // context parallel: travels while attention works on what has arrived
    for (const Operator& op : block.operators) {
        if (op.collective == Collective::ring_exchange) {
            ring += rings * exchange(op);
            continue;
        }
        const StepTerm term = term_of(op);
        const Time t = op.kind == OperatorKind::collective ? exchange(op) : time(op, c.gpu);
        term_of(out.terms, term) += t.total();
        if (term == StepTerm::attention) {
            out.attention += t;
        } else {
            out.time += t;
        }
    }
    if (c.layout.context > 1) {
        const double imbalance = c.settings[P::context_imbalance];
        out.attention *= imbalance;
        term_of(out.terms, StepTerm::attention) *= imbalance;
        const Time both = overlapped(out.attention, ring, c.settings[P::overlap]);
        const double visible = both.total() - out.attention.total();
        term_of(out.terms, StepTerm::context_network) += visible;
        out.hidden += std::max(0.0, ring.total() - visible);
        out.time += both;
    } else {
        out.time += out.attention;
    }
    return out;
}

PassTime forward_pass(const Block& block, const Compiled& c, Exchanges& exchange) {
    return pass(block, c, exchange, 1, forward_time);
}
// Keys and values travel again, and their gradients with them.
PassTime backward_pass(const Block& block, const Compiled& c, Exchanges& exchange) {
    return pass(block, c, exchange, 2, backward_time);
}

bool is_fsdp(const Settings& s) {
    const auto sharding = s.choice<Sharding>(P::sharding);
    return sharding == Sharding::zero3 || sharding == Sharding::hsdp;
}

// Bytes that move for one unit of weights: gathers of the weights, reductions of the gradients.
struct Collectives {
    Time gather;   // weights, within the shard group
    Time reduce;   // gradients, within the shard group
    Time combine;  // the shards' gradients among replicas
};

// FSDP gathers and reduces unit by unit. Without it several layers, or parts of one, share a bucket, so that
// the latency of a large group is paid less often; buckets are alike, so the last one is remembered.
class DataParallel {
  public:
    explicit DataParallel(const Compiled& c) : c_(c) {}

    Collectives of(double weights, double experts) {
        Collectives out;
        add(out, weights, shared_, c_.layout.shard, c_.layout.replica);
        add(out, experts, experts_, c_.layout.expert_shard, c_.layout.expert_replica);
        return out;
    }

  private:
    struct Bucket {
        double parameters = 0;
        Collectives time;
    };

    void add(Collectives& out, double parameters, Bucket& last, const RingGroup& shard,
             const RingGroup& replica) {
        constexpr double kBucketPerGpu = 1e6;
        if (parameters <= 0) return;
        const double gpus = shard.size() * replica.size();
        if (gpus <= 1) return;
        double bucket = parameters / c_.settings[P::unit_collectives];
        if (!is_fsdp(c_.settings)) {
            const double all = c_.parameters / c_.layout.tensor / c_.layout.pipeline;
            bucket = std::min(std::max(c_.settings[P::bucket_size], kBucketPerGpu * gpus),
                              std::max(parameters, all));
        }
        if (last.parameters != bucket) {
            last.parameters = bucket;
            last.time.gather = all_gather_time(c_.compute_bytes * bucket, shard, c_.sharing);
            last.time.reduce = c_.state.gradients == c_.compute_bytes
                                   ? last.time.gather
                                   : reduce_scatter_time(c_.state.gradients * bucket, shard, c_.sharing);
            last.time.combine =
                all_reduce_time(c_.state.gradients * bucket / shard.size(), replica, c_.sharing);
        }
        const double times = parameters / bucket;
        out.gather += times * last.time.gather;
        out.reduce += times * last.time.reduce;
        out.combine += times * last.time.combine;
    }

    const Compiled& c_;
    Bucket shared_, experts_;
};

Time traffic(double bytes, const Compiled& c) {
    return {Rate::memory_bandwidth, bytes / c.gpu.memory_bandwidth};
}

// One kind of layer: its passes over a micro-batch, and what its weights cost.
struct Layer {
    PassTime forward, backward;
    Time recompute;  // E2: what the backward pass computes a second time
    Collectives unit;
    double parameters = 0;  // on one GPU, before data-parallel sharding
    double updated = 0;     // of them by this GPU's optimizer

    Time both;  // forward and backward pass with what is computed again
};

Layer layer_of(const Block& block, const Compiled& c, Exchanges& exchange, DataParallel& data_parallel) {
    const Settings& s = c.settings;
    Layer out;
    out.forward = forward_pass(block, c, exchange);
    out.backward = backward_pass(block, c, exchange);
    if (s[P::recompute] == kRecomputeSelective) {
        const Time policy = s[P::selective_cost] * out.forward.time;
        out.recompute = longer(out.forward.attention, policy);
    } else {
        out.recompute = s[P::recompute] * s[P::recompute_share] * out.forward.time;
    }
    out.both = out.forward.time + out.backward.time + out.recompute;
    const double weights = block.local_weights();
    const double experts = block.local_experts();
    out.unit = data_parallel.of(weights, experts);
    if (is_fsdp(s) && s.choice<Offload>(P::offload) == Offload::optimizer_and_parameters) {
        // Every GPU brings its shard from the host before it is gathered.
        const double shard = weights / c.layout.shard.size() + experts / c.layout.expert_shard.size();
        out.unit.gather += {Rate::latency, c.compute_bytes * shard / s[P::host_bandwidth]};
    }
    out.parameters = weights + experts;
    const bool shares = s.choice<Sharding>(P::sharding) != Sharding::ddp;
    out.updated =
        shares ? weights / c.layout.shard.size() + experts / c.layout.expert_shard.size() : out.parameters;
    return out;
}

// Adds up a step: what computes, and what of the rest stays visible.
class Timeline {
  public:
    explicit Timeline(double omega) : omega_(omega) {}

    void add(StepTerm term, const Time& time, double times) {
        term_of(step_.terms, term) += times * time.total();
        step_.attribution += times * time;
    }
    void add(const PassTime& pass, double times) {
        for (std::size_t i = 0; i < kStepTerms; ++i) step_.terms[i] += times * pass.terms[i];
        step_.attribution += times * pass.time;
        step_.hidden_communication += times * pass.hidden;
    }
    // Communication under `busy`, which is added elsewhere; only what stays visible is added here.
    void below(StepTerm term, const Time& busy, const Time& communication, double times) {
        const Time both = overlapped(busy, communication, omega_);
        const double visible = both.total() - busy.total();
        term_of(step_.terms, term) += times * visible;
        step_.hidden_communication += times * std::max(0.0, communication.total() - visible);
        Time attributed = both;
        for (std::size_t i = 0; i < kRates; ++i) attributed.by[i] -= busy.by[i];
        step_.attribution += times * attributed;
    }

    // `times` layers, each of which computes while it communicates and keeps the host busy for `host`
    // seconds. `recompute` is the part of the compute that repeats the forward pass.
    void layers(const PassTime& pass, const Time& recompute, const Time& communication, double host,
                double times) {
        if (times <= 0) return;
        const Time busy = pass.time + recompute;
        const Time device = overlapped(busy, communication, omega_);
        const double visible = device.total() - busy.total();
        for (std::size_t i = 0; i < kStepTerms; ++i) step_.terms[i] += times * pass.terms[i];
        term_of(step_.terms, StepTerm::recompute) += times * recompute.total();
        term_of(step_.terms, StepTerm::network) += times * visible;
        step_.hidden_communication += times * (pass.hidden + std::max(0.0, communication.total() - visible));
        // E12: the host issues the next layer's work meanwhile; only what is longer shows.
        const double wait = host - device.total();
        if (wait > 0) {
            term_of(step_.terms, StepTerm::host) += times * wait;
            step_.attribution += Time{Rate::latency, times * host};
        } else {
            step_.attribution += times * device;
        }
    }

    StepTime done() {
        for (const double seconds : step_.terms) step_.total += seconds;
        return step_;
    }

  private:
    double omega_;
    StepTime step_;
};

// The passes of the model's ends, which stage 0 and the last stage carry on top of their layers.
struct Ends {
    PassTime embedding, head;  // forward and backward pass together
};

PassTime both_passes(const Block& block, const Compiled& c, Exchanges& exchange) {
    PassTime out = forward_pass(block, c, exchange);
    const PassTime back = backward_pass(block, c, exchange);
    for (std::size_t i = 0; i < kStepTerms; ++i) out.terms[i] += back.terms[i];
    out.time += back.time;
    return out;
}

Time time_of(const Stage& stage, const Layer& dense, const Layer& sparse, const Ends& ends) {
    Time out = stage.dense * dense.both;
    if (stage.sparse > 0) out += stage.sparse * sparse.both;
    if (stage.embedding) out += ends.embedding.time;
    if (stage.head) out += ends.head.time;
    return out;
}

// One micro-batch on the average stage, messages to its neighbours included.
StageTimes average_stage(const Compiled& c, const Layer& dense, const Layer& sparse, const Ends& ends,
                         const Time& message) {
    const double share = 1 / c.stages.count;
    const double dense_layers = c.operators.dense.repeat * share;
    const double sparse_layers = c.operators.sparse.repeat * share;
    const Time ends_time = share * (ends.embedding.time + ends.head.time);
    StageTimes out;
    // A third of the ends' two passes is the forward one.
    out.forward = dense_layers * dense.forward.time + sparse_layers * sparse.forward.time +
                  (1.0 / 3) * ends_time + c.pipeline.virtual_stages * message;
    out.backward = dense_layers * (dense.backward.time + dense.recompute) +
                   sparse_layers * (sparse.backward.time + sparse.recompute) + (2.0 / 3) * ends_time +
                   c.pipeline.virtual_stages * message;
    if (c.schedule->splits_backward) {
        for (const Operator& op : c.operators.dense.operators)
            out.weight_gradient += dense_layers * weight_gradient_time(op, c.gpu);
        for (const Operator& op : c.operators.sparse.operators)
            out.weight_gradient += sparse_layers * weight_gradient_time(op, c.gpu);
    }
    return out;
}

}  // namespace

Time exchange_time(const Operator& op, const Compiled& c) {
    const Settings& s = c.settings;
    const RingGroup& group = op.among == Among::tensor    ? c.layout.tensor_group
                             : op.among == Among::context ? c.layout.context_group
                                                          : c.layout.expert_group;
    Time time;
    switch (op.collective) {
        case Collective::none: return {};
        case Collective::all_gather:
        case Collective::reduce_scatter: time = all_gather_time(op.bytes, group, c.network); break;
        case Collective::all_reduce: time = all_reduce_time(op.bytes, group, c.network); break;
        case Collective::all_to_all:
            time = s[P::expert_imbalance] * all_to_all_time(op.bytes, group, c.network);
            break;
        case Collective::ring_exchange: time = all_gather_time(op.bytes, group, c.network); break;
    }
    if (op.among == Among::tensor) {
        time *= s[P::tensor_exposure];
        if (s.on(P::async_tensor_parallel)) time *= s[P::async_tensor_exposure];
    }
    return time;
}

PassTime forward_pass(const Block& block, const Compiled& c) {
    Exchanges exchange(c);
    return forward_pass(block, c, exchange);
}
PassTime backward_pass(const Block& block, const Compiled& c) {
    Exchanges exchange(c);
    return backward_pass(block, c, exchange);
}

StepTime step_time(const Compiled& c) {
    const Settings& s = c.settings;
    const auto sharding = s.choice<Sharding>(P::sharding);
    const double micro_batches = s[P::accumulation];
    const double host = s[P::layer_overhead];
    const bool sharded = c.layout.shard.size() > 1;

    Exchanges exchange(c);
    DataParallel data_parallel(c);
    Layer dense, sparse;
    if (c.operators.dense.repeat > 0) dense = layer_of(c.operators.dense, c, exchange, data_parallel);
    if (c.operators.sparse.repeat > 0) sparse = layer_of(c.operators.sparse, c, exchange, data_parallel);
    const Ends ends{both_passes(c.operators.embedding, c, exchange),
                    both_passes(c.operators.head, c, exchange)};

    // E20: the slowest stage sets the pace.
    const Stage* stage = &c.stages.first;
    if (c.stages.count > 1) {
        const double dense_layer = dense.both.total();
        const double sparse_layer = sparse.both.total();
        double slowest = 0;
        for (const Stage* candidate : {&c.stages.first, &c.stages.middle, &c.stages.last}) {
            double seconds = candidate->dense * dense_layer + candidate->sparse * sparse_layer;
            if (candidate->embedding) seconds += ends.embedding.time.total();
            if (candidate->head) seconds += ends.head.time.total();
            if (seconds <= slowest) continue;
            slowest = seconds;
            stage = candidate;
        }
    }
    const double root_parameters = end_parameters(*stage, c);
    const double stage_parameters =
        stage->dense * dense.parameters + stage->sparse * sparse.parameters + root_parameters;
    const Collectives root = data_parallel.of(root_parameters, 0);
    const Layer& last = stage->sparse > 0 ? sparse : dense;

    Timeline line(s[P::overlap]);
    if (stage->embedding) line.add(ends.embedding, micro_batches);
    if (stage->head) line.add(ends.head, micro_batches);

    // Layers of the stage in turn; the one at its end has nothing to hide its communication behind.
    const auto each_layer = [&](auto&& visit) {
        const auto kind = [&](const Layer& layer, double count) {
            if (count <= 0) return;
            const double at_end = &layer == &last ? std::min(1.0, count) : 0;
            visit(layer, count - at_end, at_end);
        };
        kind(dense, stage->dense);
        kind(sparse, stage->sparse);
    };
    const Time none;
    const double accumulated = s[P::gradient_traffic] * c.state.gradients;  // bytes per parameter
    if (is_fsdp(s)) {
        // Every pass gathers a layer while it computes the one before; the first gather and the last
        // reduction are exposed.
        const bool reshards = s.on(P::reshard_after_forward);
        line.add(StepTerm::network, root.gather + last.unit.gather, micro_batches);
        each_layer([&](const Layer& layer, double inner, double at_end) {
            const Time again = reshards ? layer.unit.gather : none;
            line.layers(layer.forward, none, layer.unit.gather, host, micro_batches * inner);
            line.layers(layer.forward, none, none, host, micro_batches * at_end);
            line.layers(layer.backward, layer.recompute, again + layer.unit.reduce + layer.unit.combine, host,
                        micro_batches * inner);
            line.layers(layer.backward, layer.recompute, again, host, micro_batches * at_end);
        });
        line.add(StepTerm::network, last.unit.reduce + last.unit.combine + root.reduce + root.combine,
                 micro_batches);
        // Experts that no GPU shares out are neither gathered nor copied.
        const bool experts_whole = c.layout.expert_shard.size() <= 1;
        const double whole = !sharded        ? stage_parameters
                             : experts_whole ? stage->sparse * c.operators.sparse.local_experts()
                                             : 0;
        const double bytes = s[P::copy_traffic] * (stage_parameters - whole) + accumulated * whole;
        line.add(StepTerm::copies, traffic(bytes, c), micro_batches);
    } else {
        // Weights stay whole. Gradients are reduced during the last micro-batch's backward pass; ZeRO-2,
        // which has no room for whole gradients, reduces in every one.
        const double reducing = sharding == Sharding::zero2 ? micro_batches : 1;
        const bool gathers = sharding != Sharding::ddp;
        each_layer([&](const Layer& layer, double inner, double at_end) {
            const Time reduce = layer.unit.reduce + layer.unit.combine;
            const double count = inner + at_end;
            line.layers(layer.forward, none, none, host, (micro_batches - 1) * count);
            // The updated shards are gathered once, during the next step's first forward pass.
            line.layers(layer.forward, none, gathers ? layer.unit.gather : none, host, count);
            line.layers(layer.backward, layer.recompute, none, host, (micro_batches - reducing) * count);
            line.layers(layer.backward, layer.recompute, reduce, host, reducing * inner);
            line.layers(layer.backward, layer.recompute, none, host, reducing * at_end);
        });
        line.add(StepTerm::network, last.unit.reduce + last.unit.combine + root.reduce + root.combine,
                 reducing);
        if (gathers) line.add(StepTerm::network, root.gather, 1);
        line.add(StepTerm::copies, traffic(accumulated * stage_parameters, c), micro_batches);
    }

    if (c.stages.count > 1) {
        // One message forward and one back for each piece of the model, cut among the tensor-parallel GPUs.
        const double bytes = activation_bytes(s.choice<Precision>(P::precision)) * c.tokens_per_micro_batch *
                             s[P::hidden_size] / c.layout.tensor;
        const Time message = send_time(bytes, c.layout.stages_cross_nodes, c.sharing);
        line.below(StepTerm::stage_network, time_of(*stage, dense, sparse, ends),
                   2 * c.pipeline.virtual_stages * message, micro_batches);
        const StageTimes average = average_stage(c, dense, sparse, ends, message);
        line.add(StepTerm::bubble, c.schedule->bubble(c.pipeline, average), 1);
    }

    // E11: the optimizer streams over its shard of the state, on the GPU or on the host.
    const double root_updated = root_parameters / (sharding == Sharding::ddp ? 1 : c.layout.shard.size());
    const double local = stage->dense * dense.updated + stage->sparse * sparse.updated + root_updated;
    if (s.choice<Offload>(P::offload) == Offload::none) {
        line.add(StepTerm::optimizer, traffic(s[P::optimizer_traffic] * local, c), 1);
    } else {
        const double moved = (c.state.gradients + c.state.weights) * local / s[P::host_bandwidth];
        const double updated = s[P::optimizer_traffic] * local / s[P::host_memory_bandwidth];
        line.add(StepTerm::host_link, {Rate::latency, moved + updated}, 1);
    }
    line.add(StepTerm::host, {Rate::latency, s[P::step_overhead]}, 1);
    return line.done();
}

}  // namespace shardscope
