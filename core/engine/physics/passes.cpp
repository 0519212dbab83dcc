#include "physics/passes.h"

#include <algorithm>

#include "estimate/compiled.h"

namespace shardscope {
namespace {

double& term_of(PassTime& pass, StepTerm term) { return pass.terms[static_cast<std::size_t>(term)]; }

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
        const StepTerm term = step_term_of(op);
        const Time t = op.kind == OperatorKind::collective ? exchange(op) : time(op, c.gpu);
        term_of(out, term) += t.total();
        if (term == StepTerm::attention) {
            out.attention += t;
        } else {
            out.time += t;
        }
    }
    if (c.layout.context > 1) {
        const double imbalance = c.settings[P::context_imbalance];
        out.attention *= imbalance;
        term_of(out, StepTerm::attention) *= imbalance;
        const Time both = overlapped(out.attention, ring, c.settings[P::overlap]);
        const double visible = both.total() - out.attention.total();
        term_of(out, StepTerm::context_network) += visible;
        out.hidden += std::max(0.0, ring.total() - visible);
        out.time += both;
    } else {
        out.time += out.attention;
    }
    return out;
}

BlockWork folded(const Block& block, const Compiled& c, Exchanges& exchange) {
    BlockWork out;
    if (block.repeat <= 0) return out;
    out.forward = pass(block, c, exchange, 1, forward_time);
    // Keys and values travel again, and their gradients with them.
    out.backward = pass(block, c, exchange, 2, backward_time);
    out.weights = block.local_weights();
    out.experts = block.local_experts();
    out.saved = block.saved();
    for (const Operator& op : block.operators) {
        if (op.attention_core && op.kind == OperatorKind::softmax) out.scores += op.saved;
        out.weight_gradient += weight_gradient_time(op, c.gpu);
        // The operator is the busiest GPU's; the average one has fewer tokens.
        const double average = op.expert ? 1 / c.settings[P::expert_imbalance] : 1;
        out.forward_flops += average * op.flops();
        out.backward_flops += average * backward_flops(op, c.gpu);
        if (op.attention_core) out.attention_flops += op.flops();
    }
    return out;
}

}  // namespace

StepTerm step_term_of(const Operator& op) {
    if (op.multiplies()) return StepTerm::matmul;
    if (op.attention_core) return StepTerm::attention;
    if (op.kind != OperatorKind::collective) return StepTerm::elementwise;
    switch (op.among) {
        case Among::tensor: return StepTerm::tensor_network;
        case Among::context: return StepTerm::context_network;
        case Among::expert: return StepTerm::expert_network;
    }
    return StepTerm::tensor_network;
}

void fold_operators(Compiled& c) {
    Exchanges exchange(c);
    c.work.embedding = folded(c.operators.embedding, c, exchange);
    c.work.dense = folded(c.operators.dense, c, exchange);
    c.work.sparse = folded(c.operators.sparse, c, exchange);
    c.work.head = folded(c.operators.head, c, exchange);
}

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

}  // namespace shardscope
