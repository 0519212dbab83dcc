#include "physics/step.h"

#include <algorithm>

namespace shardscope {
namespace {

template <typename OperatorTime>
PassTimes pass(const Block& block, const GpuRates& gpu, OperatorTime&& time) {
    PassTimes out;
    for (const Operator& op : block.operators) {
        const Time t = time(op, gpu);
        if (op.kind == OperatorKind::gemm) {
            out.matmul += t;
        } else if (op.attention_core) {
            out.attention += t;
        } else {
            out.elementwise += t;
        }
    }
    return out;
}

// What a collective adds to a layer's compute, and what of it stays visible.
class Timeline {
  public:
    explicit Timeline(double omega) : omega_(omega) {}

    void compute(StepTerm term, const Time& time, double times) {
        step_.terms[static_cast<std::size_t>(term)] += times * time.total();
        step_.attribution += times * time;
    }
    void compute(const PassTimes& pass, double times) {
        compute(StepTerm::matmul, pass.matmul, times);
        compute(StepTerm::attention, pass.attention, times);
        compute(StepTerm::elementwise, pass.elementwise, times);
    }
    void exposed(const Time& communication, double times) {
        compute(StepTerm::network, communication, times);
    }

    // `times` layers, each of which computes while it communicates and keeps the host busy for `host`
    // seconds. `recompute` is the part of the compute that repeats the forward pass.
    void layers(const PassTimes& pass, const Time& recompute, const Time& communication, double host,
                double times) {
        if (times <= 0) return;
        const Time busy = pass.total() + recompute;
        const Time device = overlapped(busy, communication, omega_);
        const double visible = device.total() - busy.total();
        auto& terms = step_.terms;
        terms[static_cast<std::size_t>(StepTerm::matmul)] += times * pass.matmul.total();
        terms[static_cast<std::size_t>(StepTerm::attention)] += times * pass.attention.total();
        terms[static_cast<std::size_t>(StepTerm::elementwise)] += times * pass.elementwise.total();
        terms[static_cast<std::size_t>(StepTerm::recompute)] += times * recompute.total();
        terms[static_cast<std::size_t>(StepTerm::network)] += times * visible;
        step_.hidden_communication += times * std::max(0.0, communication.total() - visible);
        // E12: the host issues the next layer's work meanwhile; only what is longer shows.
        const double wait = host - device.total();
        if (wait > 0) {
            terms[static_cast<std::size_t>(StepTerm::host)] += times * wait;
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

// Bytes that move for one unit of weights: gathers of the weights, reductions of the gradients.
struct Collectives {
    Time gather;   // weights, within the shard group
    Time reduce;   // gradients, within the shard group
    Time combine;  // the shards' gradients among replicas
};

Collectives collectives(double parameters, const Compiled& c) {
    Collectives out;
    out.gather = all_gather_time(c.compute_bytes * parameters, c.shard, c.network);
    out.reduce = reduce_scatter_time(c.state.gradients * parameters, c.shard, c.network);
    out.combine = all_reduce_time(c.state.gradients * parameters / c.shard.size(), c.replica, c.network);
    return out;
}

Time traffic(double bytes, const Compiled& c) {
    return {Rate::memory_bandwidth, bytes / c.gpu.memory_bandwidth};
}

}  // namespace

PassTimes forward_pass(const Block& block, const GpuRates& gpu) { return pass(block, gpu, forward_time); }
PassTimes backward_pass(const Block& block, const GpuRates& gpu) { return pass(block, gpu, backward_time); }

StepTime step_time(const Compiled& c) {
    const Settings& s = c.settings;
    const auto sharding = s.choice<Sharding>(P::sharding);
    const bool fsdp = sharding == Sharding::zero3 || sharding == Sharding::hsdp;
    const double layers = s[P::layers];
    const double micro_batches = s[P::accumulation];
    const double host = s[P::layer_overhead];

    const Block& embedding = c.operators.blocks[0];
    const Block& layer = c.operators.blocks[1];
    const Block& head = c.operators.blocks[2];
    const PassTimes forward = forward_pass(layer, c.gpu);
    const PassTimes backward = backward_pass(layer, c.gpu);

    // E2: what the backward pass computes a second time.
    Time recompute;
    if (s[P::recompute] == kRecomputeSelective) {
        const Time policy = s[P::selective_cost] * forward.total();
        recompute = longer(forward.attention, policy);
    } else {
        recompute = s[P::recompute] * forward.total();
    }

    const Collectives unit = collectives(c.layer_parameters, c);
    const Collectives root = collectives(c.root_parameters, c);
    const Time none;

    Timeline line(s[P::overlap]);
    const auto boundary = [&](double times) {  // embedding and head, both passes
        for (const Block* block : {&embedding, &head}) {
            line.compute(forward_pass(*block, c.gpu), times);
            line.compute(backward_pass(*block, c.gpu), times);
        }
    };

    // Every pass gathers a layer while it computes the one before; the first gather and the last reduction
    // have nothing to hide behind.
    boundary(micro_batches);
    if (fsdp) {
        const Time again = s.on(P::reshard_after_forward) ? unit.gather : none;
        const Time backward_traffic = again + unit.reduce + unit.combine;
        line.exposed(root.gather + unit.gather, micro_batches);
        line.layers(forward, none, unit.gather, host, micro_batches * (layers - 1));
        line.layers(forward, none, none, host, micro_batches);
        line.layers(backward, recompute, backward_traffic, host, micro_batches * (layers - 1));
        line.layers(backward, recompute, again, host, micro_batches);
        line.exposed(unit.reduce + unit.combine + root.reduce + root.combine, micro_batches);
        const double gathered = c.shard.size() > 1 ? c.parameters : 0;
        line.compute(StepTerm::copies, traffic(s[P::copy_traffic] * gathered, c), micro_batches);
        if (c.shard.size() <= 1) {
            line.compute(StepTerm::copies, traffic(s[P::gradient_traffic] * c.parameters, c), micro_batches);
        }
    } else {
        // Weights stay whole. Gradients are reduced during the last micro-batch's backward pass; ZeRO-2,
        // which has no room for whole gradients, reduces in every one.
        const bool every = sharding == Sharding::zero2;
        const bool whole = sharding == Sharding::ddp;
        const RingGroup all = innermost_group(data_parallel(s), s[P::gpus_per_node]);
        const Time reduce = whole ? all_reduce_time(c.state.gradients * c.layer_parameters, all, c.network)
                                  : unit.reduce + unit.combine;
        const Time root_reduce = whole
                                     ? all_reduce_time(c.state.gradients * c.root_parameters, all, c.network)
                                     : root.reduce + root.combine;
        const double reducing = every ? micro_batches : 1;
        line.layers(forward, none, none, host, micro_batches * layers);
        line.layers(backward, recompute, none, host, (micro_batches - reducing) * layers);
        line.layers(backward, recompute, reduce, host, reducing * (layers - 1));
        line.layers(backward, recompute, none, host, reducing);
        line.exposed(reduce + root_reduce, reducing);
        // The updated shards are gathered once, before the next forward pass.
        if (!whole) line.exposed(layers * unit.gather + root.gather, 1);
        line.compute(StepTerm::copies, traffic(s[P::gradient_traffic] * c.parameters, c), micro_batches);
    }

    // E11: the optimizer streams over its shard of the state.
    const double local = c.parameters / (sharding == Sharding::ddp ? 1 : c.shard.size());
    line.compute(StepTerm::optimizer, traffic(s[P::optimizer_traffic] * local, c), 1);
    line.compute(StepTerm::host, {Rate::latency, s[P::step_overhead]}, 1);
    return line.done();
}

}  // namespace shardscope
