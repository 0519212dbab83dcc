#include "block/block_work.h"

#include <algorithm>
#include <optional>

#include "effects/activations.h"
#include "effects/context_parallel_traffic.h"
#include "effects/expert_dispatch.h"
#include "effects/muon.h"
#include "effects/tensor_parallel_traffic.h"
#include "model/operator_launches.h"
#include "model/operator_time.h"
#include "scenario/gpu_groups.h"

namespace shardscope {
namespace {

double& term_of(PassTime& pass, StepTerm term) { return pass.terms[static_cast<std::size_t>(term)]; }

// The times of collective operators. Most collectives of a model are equal, so the last time of each kind of
// group is cached.
class CollectiveTimes {
  public:
    explicit CollectiveTimes(const BlockRates& rates) : rates_(rates) {}
    const Time& operator()(const Operator& op) {
        // A gather and its mirror image take the same time.
        const Collective kind =
            op.collective == Collective::reduce_scatter ? Collective::all_gather : op.collective;
        Last& last = last_[static_cast<std::size_t>(op.group)];
        if (last.bytes != op.bytes || last.kind != kind)
            last = {kind, op.bytes, collective_operator_time(op, rates_)};
        return last.time;
    }

  private:
    struct Last {
        Collective kind = Collective::none;
        double bytes = 0;
        Time time;
    };
    const BlockRates& rates_;
    std::array<Last, static_cast<std::size_t>(CommunicationGroup::count)> last_;
};

// The sum over the operators of a block in one direction.
class PassSum {
  public:
    void add(StepTerm term, const Time& time) {
        term_of(out_, term) += time.total();
        (term == StepTerm::attention ? out_.attention : out_.time) += time;
    }
    // Adds a collective of tensor parallelism. `beside` is the compute, already added, that overlaps with it.
    void add_overlapping(StepTerm term, const Exposure& beside, const Time& compute) {
        term_of(out_, term) += beside.exposed;
        out_.hidden += beside.hidden;
        out_.time += beside.both + -1.0 * compute;
    }
    void add_ring(const Time& time) { ring_ += time; }
    void add_dispatch(const Time& time) { dispatch_ += time; }
    PassTime finish(const BlockRates& rates) {
        finish_attention(rates);
        // The communication of experts overlaps with the compute of another micro-batch.
        const Exposure dispatch =
            exposure(out_.time, dispatch_, dispatch_overlap(rates.dispatcher, rates.overlap));
        term_of(out_, StepTerm::expert_network) += dispatch.exposed;
        out_.hidden += dispatch.hidden;
        out_.time = dispatch.both;
        return out_;
    }

  private:
    void finish_attention(const BlockRates& rates) {
        if (rates.context.size() <= 1) {
            out_.time += out_.attention;
            return;
        }
        const Exposure ring_exposure =
            context_parallel_exposure(out_.attention, ring_, rates.context_imbalance, rates.overlap);
        out_.attention *= rates.context_imbalance;
        term_of(out_, StepTerm::attention) *= rates.context_imbalance;
        term_of(out_, StepTerm::context_network) += ring_exposure.exposed;
        out_.hidden += ring_exposure.hidden;
        out_.time += ring_exposure.both;
    }

    PassTime out_;
    Time ring_, dispatch_;
};

// The collectives of tensor parallelism in a block, see effects/tensor_parallel_traffic.h.
class TensorParallelPair {
  public:
    TensorParallelPair(const BlockRates& rates, PassSum& forward, PassSum& backward)
        : rates_(rates), forward_(forward), backward_(backward) {}

    // A matrix follows the last collective.
    void add_matrix(const Time& forward, const Time& input_gradient, const Time& weight_gradient) {
        if (gather_) {
            // The gathered input of the column-split matrix.
            beside(forward_, rates_.async_tensor ? forward : Time{}, *gather_);
            beside(backward_, input_gradient, *gather_);   // the input is gathered again
            beside(backward_, weight_gradient, *gather_);  // the input gradient is reduced
            gather_.reset();
        }
        if (!column_) column_ = Matrix{forward, input_gradient, weight_gradient};
        last_ = Matrix{forward, input_gradient, weight_gradient};
    }
    void add_collective(const Operator& op, const Time& time) {
        if (op.forward_only) {
            // No matrix is beside it.
            beside(forward_, {}, time);
            return;
        }
        if (op.collective == Collective::all_gather) {
            flush();
            gather_ = time;
            column_.reset();
            return;
        }
        // The output of the row-split matrix.
        beside(forward_, rates_.async_tensor && last_ ? last_->forward : Time{}, time);
        if (op.collective == Collective::all_reduce) {
            // Its mirror image reduces the input gradient of the column-split matrix.
            beside(backward_, column_ ? column_->weight_gradient : Time{}, time);
        } else {
            beside(backward_, rates_.async_tensor && last_ ? last_->input_gradient : Time{}, time);
        }
        column_.reset();
        last_.reset();
    }
    // Adds a gather that no matrix follows.
    void flush() {
        if (!gather_) return;
        beside(forward_, {}, *gather_);
        beside(backward_, {}, *gather_);
        gather_.reset();
    }

  private:
    struct Matrix {
        Time forward, input_gradient, weight_gradient;
    };
    void beside(PassSum& pass, const Time& compute, const Time& collective) const {
        if (compute.total() <= 0) return pass.add(StepTerm::tensor_network, collective);
        const Exposure exposed =
            rates_.async_tensor ? chunked_exposure(compute, collective, rates_.tensor.size(), rates_.overlap)
                                : exposure(compute, collective, rates_.overlap);
        pass.add_overlapping(StepTerm::tensor_network, exposed, compute);
    }

    const BlockRates& rates_;
    PassSum& forward_;
    PassSum& backward_;
    std::optional<Time> gather_;
    std::optional<Matrix> column_, last_;  // since the last collective
};

// Returns the most that the gradients of activations need beside what the block keeps; bytes.
double most_gradient_bytes(const Block& block, double element_bytes) {
    GradientBytes gradients;
    const std::vector<Operator>& ops = block.operators;
    for (std::size_t i = ops.size(); i-- > 0;) {
        const Operator& op = ops[i];
        if (op.multiplies()) {
            const double element = element_bytes * op.count;
            // The weight gradient needs the gathered input again.
            const bool gathered = i > 0 && ops[i - 1].collective == Collective::all_gather &&
                                  ops[i - 1].group == CommunicationGroup::tensor;
            const double input = element * op.m * op.k;
            gradients.pass(input, element * op.m * op.n, gathered ? input : 0, op.saved);
        } else if (op.kind == OperatorKind::attention) {
            // Of queries, keys and values, which the kernel keeps, and of the output.
            const double input = std::min(op.saved, op.bytes);
            gradients.pass(input, op.bytes - input, 0, op.saved);
        } else if (op.collective == Collective::all_to_all) {
            gradients.pass(op.bytes, op.bytes, 0, op.saved);
        } else {
            gradients.pass(op.saved);
        }
    }
    return gradients.most();
}

BlockWork work_of(const Block& block, const BlockRates& rates, CollectiveTimes& collective_time) {
    BlockWork out;
    if (block.repeat <= 0) return out;
    out.weights = block.local_weights();
    out.experts = block.local_experts();
    out.saved = block.saved();
    out.gradients = most_gradient_bytes(block, rates.element_bytes);
    PassSum forward, backward;
    TensorParallelPair tensor(rates, forward, backward);
    bool attended = false;  // the operators follow the attention core
    // Assumed: a stack that moves twice the bytes of fused operators, or more, runs each step as a kernel.
    const double unfused = std::clamp(rates.gpu.composed_traffic - 1, 0.0, 1.0);
    for (const Operator& op : block.operators) {
        out.launches += launches_of(op, unfused);
        out.buffers += op.buffers;
        if ((op.dropped_by & rates.recompute_modules) != 0) out.dropped += op.saved;
        if (op.attention_core) attended = true;
        else if (attended) out.saved_after_attention += op.saved;
        if (op.collective == Collective::ring_exchange) {
            forward.add_ring(kForwardRings * collective_time(op));
            backward.add_ring(kBackwardRings * collective_time(op));
            continue;
        }
        const StepTerm term = step_term_of(op);
        const bool repeated = (op.repeated_by & rates.recompute_modules) != 0;
        if (op.kind == OperatorKind::collective) {
            const Time& time = collective_time(op);
            // A repeated matrix hides the collective of tensor parallelism that it overlaps with.
            const bool hidden = rates.async_tensor && op.group == CommunicationGroup::tensor;
            if (repeated && !hidden) out.repeated += time;
            if (op.group == CommunicationGroup::expert && rates.expert_overlap) {
                forward.add_dispatch(time);
                backward.add_dispatch(time);
            } else if (term == StepTerm::tensor_network) {
                tensor.add_collective(op, time);
            } else {
                const bool gathers_keys =
                    op.group == CommunicationGroup::context && op.collective == Collective::all_gather;
                forward.add(term, time);
                backward.add(term, (gathers_keys ? kBackwardGathers : 1) * time);
            }
            continue;
        }
        const Time weight_gradient = weight_gradient_time(op, rates.gpu);
        const Time forward_pass = forward_time(op, rates.gpu);
        const Time backward_pass = backward_time(op, rates.gpu, weight_gradient);
        forward.add(term, forward_pass);
        backward.add(term, backward_pass);
        out.weight_gradient += weight_gradient;
        if (op.multiplies()) {
            const double element = rates.element_bytes * op.count;
            out.largest_matrix = std::max(out.largest_matrix, element * op.k * op.n);
            (op.feed_forward ? out.feed_forward_shapes : out.mixer_shapes) +=
                rates.element_bytes * op.k * op.n;
            const double flops = orthogonalization_flops(op.k, op.n);
            (op.expert ? out.expert_orthogonalization : out.orthogonalization) += op.count * flops;
            double& largest =
                op.expert ? out.largest_expert_orthogonalization : out.largest_orthogonalization;
            largest = std::max(largest, flops);
            tensor.add_matrix(forward_pass, backward_pass + -1.0 * weight_gradient, weight_gradient);
        }
        // The operator is sized for the busiest GPU; the average GPU has fewer tokens.
        const double average = op.expert ? 1 / rates.expert_imbalance : 1;
        out.forward_flops += average * op.flops();
        out.backward_flops += average * backward_flops(op, rates.gpu);
        if (repeated) {
            const bool waits = op.attention_core && rates.context.size() > 1;  // for the busiest GPU
            const double imbalance = waits ? rates.context_imbalance : 1;
            out.repeated += imbalance * forward_pass;
            out.repeated_flops += average * op.flops();
        }
    }
    tensor.flush();
    out.forward = forward.finish(rates);
    out.backward = backward.finish(rates);
    return out;
}

}  // namespace

StepTerm step_term_of(const Operator& op) {
    if (op.multiplies()) return StepTerm::matmul;
    if (op.attention_core) return StepTerm::attention;
    if (op.kind != OperatorKind::collective) return StepTerm::elementwise;
    switch (op.group) {
        case CommunicationGroup::tensor: return StepTerm::tensor_network;
        case CommunicationGroup::context:
        case CommunicationGroup::context_inner:
        case CommunicationGroup::context_outer: return StepTerm::context_network;
        case CommunicationGroup::expert: return StepTerm::expert_network;
        case CommunicationGroup::expert_tensor:
        case CommunicationGroup::count: break;
    }
    return StepTerm::tensor_network;
}

BlockRates block_rates(const Settings& s, const Layout& layout, const GpuRates& gpu,
                       const NetworkRates& network) {
    return {.gpu = gpu,
            .network = network,
            .tensor = layout.tensor_group,
            .context = layout.context_group,
            .context_inner = layout.context_inner_group,
            .context_outer = layout.context_outer_group,
            .expert = layout.expert_group,
            .expert_tensor = layout.expert_tensor_group,
            .async_tensor = s.on(P::async_tensor_parallel),
            .expert_imbalance = expert_imbalance(s),
            .context_imbalance = context_imbalance(s),
            .overlap = s[P::overlap],
            .dispatcher = s.choice<MoeDispatcher>(P::moe_dispatcher),
            .expert_groups = {s[P::expert_groups], s[P::chosen_expert_groups]},
            .expert_overlap = s.on(P::moe_overlap),
            .element_bytes = activation_bytes(s.choice<Precision>(P::precision)),
            .recompute_modules = static_cast<unsigned char>(s.whole(P::recompute_modules))};
}

BlockWork work_of(const Block& block, const BlockRates& rates) {
    CollectiveTimes collective_time(rates);
    return work_of(block, rates, collective_time);
}

Work work_of(const OperatorList& operators, const BlockRates& rates) {
    CollectiveTimes collective_time(rates);
    Work out;
    out.embedding = work_of(operators.embedding, rates, collective_time);
    for (const Block& layer : operators.layers()) out.layers.add(work_of(layer, rates, collective_time));
    out.head = work_of(operators.head, rates, collective_time);
    out.prediction = work_of(operators.prediction, rates, collective_time);
    out.predictions = operators.prediction.repeat;
    return out;
}

namespace {

const RingGroup& group_of(const Operator& op, const BlockRates& rates) {
    switch (op.group) {
        case CommunicationGroup::tensor: break;
        case CommunicationGroup::context: return rates.context;
        case CommunicationGroup::context_inner: return rates.context_inner;
        case CommunicationGroup::context_outer: return rates.context_outer;
        case CommunicationGroup::expert: return rates.expert;
        case CommunicationGroup::expert_tensor: return rates.expert_tensor;
        case CommunicationGroup::count: break;
    }
    return rates.tensor;
}

}  // namespace

Time collective_operator_time(const Operator& op, const BlockRates& rates) {
    const RingGroup& group = group_of(op, rates);
    Time time;
    switch (op.collective) {
        case Collective::none: return {};
        case Collective::all_gather:
        case Collective::reduce_scatter: time = all_gather_time(op.bytes, group, rates.network); break;
        case Collective::ring_exchange: time = ring_exchange_time(op.bytes, group, rates.network); break;
        case Collective::all_reduce: time = all_reduce_time(op.bytes, group, rates.network); break;
        case Collective::all_to_all:
            time = op.group == CommunicationGroup::expert
                       ? expert_dispatch_time({op.bytes, op.experts_per_token, rates.expert_groups},
                                              rates.dispatcher, rates.expert_imbalance, group, rates.network)
                       : all_to_all_time(op.bytes, group, rates.network);
            break;
    }
    return time;
}

}  // namespace shardscope
