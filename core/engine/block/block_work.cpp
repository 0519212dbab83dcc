#include "block/block_work.h"

#include "effects/context_parallel_traffic.h"
#include "effects/expert_dispatch.h"
#include "model/operator_time.h"

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
    std::array<Last, 3> last_;  // by CommunicationGroup
};

// The sum over the operators of a block in one direction.
class PassSum {
  public:
    void add(StepTerm term, const Time& time) {
        term_of(out_, term) += time.total();
        (term == StepTerm::attention ? out_.attention : out_.time) += time;
    }
    void add_ring(const Time& time) { ring_ += time; }
    PassTime finish(const BlockRates& rates) {
        if (rates.context.size() <= 1) {
            out_.time += out_.attention;
            return out_;
        }
        const Exposure ring_exposure =
            context_parallel_exposure(out_.attention, ring_, rates.context_imbalance, rates.overlap);
        out_.attention *= rates.context_imbalance;
        term_of(out_, StepTerm::attention) *= rates.context_imbalance;
        term_of(out_, StepTerm::context_network) += ring_exposure.exposed;
        out_.hidden += ring_exposure.hidden;
        out_.time += ring_exposure.both;
        return out_;
    }

  private:
    PassTime out_;
    Time ring_;
};

BlockWork work_of(const Block& block, const BlockRates& rates, CollectiveTimes& collective_time) {
    BlockWork out;
    if (block.repeat <= 0) return out;
    out.weights = block.local_weights();
    out.experts = block.local_experts();
    out.saved = block.saved();
    PassSum forward, backward;
    for (const Operator& op : block.operators) {
        if (op.collective == Collective::ring_exchange) {
            forward.add_ring(kForwardRings * collective_time(op));
            backward.add_ring(kBackwardRings * collective_time(op));
            continue;
        }
        const StepTerm term = step_term_of(op);
        if (op.kind == OperatorKind::collective) {
            forward.add(term, collective_time(op));
            backward.add(term, collective_time(op));
            continue;
        }
        const Time weight_gradient = weight_gradient_time(op, rates.gpu);
        forward.add(term, forward_time(op, rates.gpu));
        backward.add(term, backward_time(op, rates.gpu, weight_gradient));
        out.weight_gradient += weight_gradient;
        if (op.attention_core && op.kind == OperatorKind::softmax) out.scores += op.saved;
        // The operator is sized for the busiest GPU; the average GPU has fewer tokens.
        const double average = op.expert ? 1 / rates.expert_imbalance : 1;
        out.forward_flops += average * op.flops();
        out.backward_flops += average * backward_flops(op, rates.gpu);
        if (op.attention_core) out.attention_flops += op.flops();
    }
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
        case CommunicationGroup::context: return StepTerm::context_network;
        case CommunicationGroup::expert: return StepTerm::expert_network;
    }
    return StepTerm::tensor_network;
}

BlockRates block_rates(const Settings& s, const Layout& layout, const GpuRates& gpu,
                       const NetworkRates& network) {
    return {.gpu = gpu,
            .network = network,
            .tensor = layout.tensor_group,
            .context = layout.context_group,
            .expert = layout.expert_group,
            .tensor_overlap = {s[P::tensor_exposure], s.on(P::async_tensor_parallel),
                               s[P::async_tensor_exposure]},
            .expert_imbalance = s[P::expert_imbalance],
            .context_imbalance = s[P::context_imbalance],
            .overlap = s[P::overlap]};
}

Work work_of(const OperatorList& operators, const BlockRates& rates) {
    CollectiveTimes collective_time(rates);
    Work out;
    out.embedding = work_of(operators.embedding, rates, collective_time);
    out.dense = work_of(operators.dense, rates, collective_time);
    out.sparse = work_of(operators.sparse, rates, collective_time);
    out.head = work_of(operators.head, rates, collective_time);
    return out;
}

Time collective_operator_time(const Operator& op, const BlockRates& rates) {
    const RingGroup& group = op.group == CommunicationGroup::tensor    ? rates.tensor
                             : op.group == CommunicationGroup::context ? rates.context
                                                                       : rates.expert;
    Time time;
    switch (op.collective) {
        case Collective::none: return {};
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::ring_exchange: time = all_gather_time(op.bytes, group, rates.network); break;
        case Collective::all_reduce: time = all_reduce_time(op.bytes, group, rates.network); break;
        case Collective::all_to_all:
            time = expert_dispatch_time(op.bytes, rates.expert_imbalance, group, rates.network);
            break;
    }
    return op.group == CommunicationGroup::tensor ? tensor_parallel_time(time, rates.tensor_overlap) : time;
}

}  // namespace shardscope
