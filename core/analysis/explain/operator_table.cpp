#include "explain/operator_table.h"

#include <algorithm>

#include "block/block_work.h"
#include "model/listed_operators.h"
#include "model/operator_time.h"

namespace shardscope {
namespace {

std::string_view name_of(OperatorKind kind) {
    switch (kind) {
        case OperatorKind::gemm: return "gemm";
        case OperatorKind::convolution: return "convolution";
        case OperatorKind::attention: return "attention";
        case OperatorKind::scan: return "scan";
        case OperatorKind::norm: return "norm";
        case OperatorKind::elementwise: return "elementwise";
        case OperatorKind::softmax: return "softmax";
        case OperatorKind::gather: return "gather";
        case OperatorKind::collective: return "collective";
    }
    return "";
}

Rate bound_of(const Time& time) {
    const auto largest = std::ranges::max_element(time.by);
    return *largest > 0 ? static_cast<Rate>(largest - time.by.begin()) : Rate::count;
}

// One operator of a block. Its times are those that the block's sum, `work`, contains.
OperatorRow row_of(const Operator& op, const Block& block, const BlockWork& work, const Compiled& c) {
    const bool exchange = op.kind == OperatorKind::collective;
    const BlockRates rates = block_rates(c.settings, c.layout, c.gpu, c.network);
    const auto backward_exchange = [&](const Operator& of) {
        return of.forward_only ? Time{} : collective_operator_time(of, rates);
    };
    const Time forward = exchange ? collective_operator_time(op, rates) : forward_time(op, c.gpu);
    const Time backward = exchange ? backward_exchange(op) : backward_time(op, c.gpu);
    OperatorRow row{block.name,
                    op.name,
                    name_of(op.kind),
                    block.repeat,
                    op.m,
                    op.n,
                    op.k,
                    op.count,
                    op.flops(),
                    op.bytes,
                    op.weights,
                    op.weights * op.share,
                    op.saved,
                    forward.total(),
                    backward.total(),
                    bound_of(forward + backward),
                    step_term_of(op)};
    const bool overlaps = row.term == StepTerm::tensor_network || row.term == StepTerm::expert_network;
    if (exchange && overlaps) {
        // What the overlap leaves exposed of a term is divided among its exchanges by their time alone.
        double all_forward = 0, all_backward = 0;
        for (const Operator& other : block.operators) {
            if (other.kind != OperatorKind::collective || step_term_of(other) != row.term) continue;
            all_forward += collective_operator_time(other, rates).total();
            all_backward += backward_exchange(other).total();
        }
        const auto share = [](const Time& of, double all) { return all > 0 ? of.total() / all : 0; };
        const auto term = static_cast<std::size_t>(row.term);
        row.forward = share(forward, all_forward) * work.forward.terms[term];
        row.backward = share(backward, all_backward) * work.backward.terms[term];
    } else if (op.collective == Collective::ring_exchange) {
        const auto term = static_cast<std::size_t>(StepTerm::context_network);
        row.forward = work.forward.terms[term];
        row.backward = work.backward.terms[term];
    } else if (row.term == StepTerm::attention && c.layout.context > 1) {
        row.forward *= rates.context_imbalance;
        row.backward *= rates.context_imbalance;
    }
    return row;
}

}  // namespace

bool OperatorRow::exchanges() const { return kind == name_of(OperatorKind::collective); }

std::string_view OperatorRow::bound_name() const {
    return bound == Rate::count ? std::string_view{} : shardscope::name_of(bound);
}

OperatorTable operator_table(const Answer& answer) {
    OperatorTable out;
    if (!answer.valid()) return out;
    const Compiled& c = answer.compiled;
    const Estimate& e = answer.estimate;
    const Stage& stage = c.stages[e.step.stage];
    out.seconds = e.step.total;
    out.micro_batches = c.passes.count * c.passes.share;
    const double stretch = e.stretch();
    out.others = e.step.terms;

    const auto add = [&](const Block& block, const BlockWork& work, double here) {
        if (block.repeat <= 0) return;
        OperatorSum sum{block.name, block.repeat, here, out.rows.size(), block.operators.size()};
        for (const Operator& op : block.operators) {
            OperatorRow row = row_of(op, block, work, c);
            row.step = stretch * out.micro_batches * here * (row.forward + row.backward);
            sum.flops += row.flops;
            sum.bytes += row.exchanges() ? 0 : row.bytes;
            sum.weights += row.weights;
            sum.saved += row.saved;
            sum.forward += row.forward;
            sum.backward += row.backward;
            sum.step += row.step;
            out.others[static_cast<std::size_t>(row.term)] -= row.step;
            out.rows.push_back(row);
        }
        out.model.flops += block.repeat * sum.flops;
        out.model.bytes += block.repeat * sum.bytes;
        out.model.weights += block.repeat * sum.weights;
        out.model.saved += block.repeat * sum.saved;
        out.model.forward += block.repeat * sum.forward;
        out.model.backward += block.repeat * sum.backward;
        out.model.step += sum.step;
        out.blocks.push_back(sum);
    };
    if (const ListedModel* listed = c.settings.listed()) {
        // The rows are the list's blocks instead of the average layer; a stage has the same share of each.
        const std::vector<Block> blocks = listed_blocks(*listed, c.settings);
        const double share = stage.layers() / c.operators.of_kind.front().repeat;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (i == 0 && listed->has_stem()) add(blocks[i], c.work.embedding, stage.embedding ? 1 : 0);
            else if (i + 1 == blocks.size() && listed->has_head())
                add(blocks[i], c.work.head, stage.head ? 1 : 0);
            else add(blocks[i], c.work.layers[0], share * blocks[i].repeat);
        }
    } else {
        add(c.operators.embedding, c.work.embedding, stage.embedding ? 1 : 0);
        for (std::size_t i = 0; i < c.operators.kinds; ++i)
            add(c.operators.of_kind[i], c.work.layers[i], stage.counts[i]);
        add(c.operators.prediction, c.work.prediction, stage.predictions);
        add(c.operators.head, c.work.head, stage.head ? 1 : 0);
    }
    out.model.count = out.rows.size();
    // The remainder of a term that consists of operators only is a rounding error.
    constexpr double kRounding = 1e-9;
    for (double& seconds : out.others) {
        if (seconds < kRounding * out.seconds) seconds = 0;
    }
    return out;
}

}  // namespace shardscope
