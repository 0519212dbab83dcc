// The operators of attention over the whole sequence, a window or chunks, of heads or of a latent (MLA).
#include <cmath>

#include "model/shape.h"

namespace shardscope {
namespace {

// E19: the exchange of context parallelism before attention. Widths are of one token on this GPU.
struct AttentionWidths {
    double keys_and_values, queries, output;
};
void add_context_exchange(const Shape& x, const AttentionWidths& widths, std::vector<Operator>& ops) {
    if (x.c <= 1) return;
    const double bytes = x.q * x.tokens;  // of one element of every token
    const AttentionBytes local{bytes * widths.queries, bytes * widths.keys_and_values, bytes * widths.output};
    const auto ring = [&](CommunicationGroup group, double gpus) {
        // Keys and values travel around the ring of context-parallel GPUs.
        add_collective(ops, "attention.ring", Collective::ring_exchange, group,
                       bytes * gpus * widths.keys_and_values);
        ops.back().buffers = ring_buffers(local, gpus);
    };
    const auto exchange_heads = [&](CommunicationGroup group) {
        // Queries, keys and values before attention, and its output after it.
        add_collective(ops, "attention.exchange", Collective::all_to_all, group,
                       bytes * (widths.queries + widths.keys_and_values + widths.output));
        ops.back().buffers = exchange_buffers(local);
        // Attention keeps its output before the exchange, the matrix after it keeps the exchanged one.
        ops.back().saved = local.output;
        ops.back().dropped_by = bit(RecomputeModule::core_attention);
    };
    switch (x.context_kind) {
        case ContextParallelKind::p2p: ring(CommunicationGroup::context, x.c); break;
        case ContextParallelKind::a2a: exchange_heads(CommunicationGroup::context); break;
        case ContextParallelKind::all_gather:
            add_collective(ops, "attention.gather_kv", Collective::all_gather, CommunicationGroup::context,
                           bytes * x.c * widths.keys_and_values);
            ops.back().buffers = gather_buffers(local, x.c);
            break;
        case ContextParallelKind::a2a_p2p:
            if (x.context_inner > 1) exchange_heads(CommunicationGroup::context_inner);
            if (x.context_inner < x.c) ring(CommunicationGroup::context_outer, x.c / x.context_inner);
            break;
    }
}

}  // namespace

void build_attention(const Shape& x, double attended, double length, std::vector<Operator>& ops) {
    using enum OperatorKind;
    const double rows = x.tokens / x.sequence_shards;  // of norms, residuals and dropout on this GPU
    const double activation = x.q * rows * x.h;        // one s×b×h tensor, in bytes
    const double mask = x.dropout ? rows * x.h : 0;    // one byte per element
    const bool latent = x.kv_rank > 0;
    const double key = latent ? x.d + x.rope : x.d;  // width of one head's query and key
    const double value = latent ? x.value : x.d;
    const double kv =
        latent ? x.a : std::ceil(x.kv / x.t) * x.t;  // key and value heads, replicated to fill every GPU
    // Widths on this GPU.
    const double queries = x.a / x.t * key;
    const double qkv = queries + kv / x.t * (key + value);
    const double out = x.a / x.t * value;

    ops.push_back(layer_norm(x, "attention.norm"));
    enter_tensor_parallel(x, "attention.gather", ops);
    if (latent) {
        // Every tensor-parallel GPU computes the low-rank projections; one matrix then expands to the heads.
        const double down = x.q_rank + x.kv_rank + x.rope;
        ops.push_back(matrix(x, "attention.latent", down, x.h, Cut::none, false, activation));
        if (x.q_rank > 0) {
            ops.push_back(matrix(x, "attention.query", x.a * key, x.q_rank, Cut::column, false,
                                 x.q * x.tokens * x.q_rank));
        } else {
            ops.push_back(matrix(x, "attention.query", x.a * key, x.h, Cut::column, false, 0));
        }
        ops.push_back(matrix(x, "attention.key_value", x.a * (x.d + value), x.kv_rank, Cut::column, false,
                             x.q * x.tokens * (x.kv_rank + x.rope)));
        ops.push_back(streaming(x, norm, "attention.latent_norm", 2 * x.tokens * (x.q_rank + x.kv_rank),
                                x.q_rank + x.kv_rank, x.q * x.tokens * (x.q_rank + x.kv_rank)));
        ops.back().launches = x.q_rank > 0 ? 2 : 1;
        if (!x.layernorm) ops.back().eager_launches = ops.back().launches * kEagerNorm;
        for (Operator& op : ops) {
            if (op.name == "attention.query" || op.name == "attention.key_value")
                op.repeated_by = bit(RecomputeModule::mla_up_proj);
            if (op.name == "attention.latent") op.dropped_by = bit(RecomputeModule::layernorm);
        }
    } else {
        const double queries_and_gates = x.attention_gate ? 2 * x.a : x.a;
        Operator project = matrix(x, "attention.qkv", (queries_and_gates + 2 * kv) * x.d, x.h, Cut::column,
                                  false, activation);
        project.weights = (x.h + (x.bias || x.qkv_bias ? 1 : 0)) * (queries_and_gates + 2 * x.kv) * x.d;
        project.share = (queries_and_gates + 2 * kv) / (queries_and_gates + 2 * x.kv) / x.t;
        project.dropped_by = bit(RecomputeModule::layernorm);
        ops.push_back(project);
    }
    // Queries and keys are kept before their norm, and after it by the attention kernel. With a latent it is
    // the latent that is normalized.
    if (x.qk_norm != QkNorm::none && !latent) {
        const bool whole = x.qk_norm == QkNorm::whole;
        ops.push_back(norm_of(x, "attention.qk_norm", x.tokens * (queries + kv / x.t * key),
                              whole ? (x.a + x.kv) * x.d : 2 * x.d));
        ops.back().share = whole ? 1 / x.t : 1;
        ops.back().launches = 2;
        if (!x.layernorm) ops.back().eager_launches = 2 * kEagerNorm;
    }
    // Rotary embedding or layout change of queries, keys and values. Kernels that turn a part of each head
    // copy the rest (NVIDIA/TransformerEngine, common/fused_rope/fused_rope.cu), so that the bytes are the
    // same for any `rotary_share` of a preset.
    ops.push_back(streaming(x, elementwise, "attention.layout", 2 * x.tokens * qkv, 0, 0));
    if (x.positions == 0) ops.back().eager_launches = kEagerRotary;
    if (latent) ops.back().repeated_by = bit(RecomputeModule::mla_up_proj);

    add_context_exchange(x, {kv / x.t * (key + value), queries, out}, ops);
    Operator core;
    core.name = "attention.core";
    core.kind = attention;
    core.attention_core = true;
    core.launches = x.flash ? 1 : 2;  // without flash, two products
    // A flash kernel computes every document, or every chunk, as a sequence of its own.
    const double rows_of_one = x.flash ? length : x.s;
    core.count = x.b * x.a / x.t * x.s / rows_of_one;
    core.m = rows_of_one / x.c;
    // Flash kernels skip masked scores: the half of the square above the diagonal, and those outside of
    // windows and chunks. Naive kernels compute every score.
    core.n = x.flash && x.causal ? attended / 2 : x.flash ? attended : x.s;
    core.k = (key + value) / 2;
    core.bytes = x.q * x.tokens * (qkv + out);
    core.saved = x.q * x.tokens * qkv;
    core.repeated_by = bit(RecomputeModule::core_attention);
    if (latent) core.dropped_by = bit(RecomputeModule::mla_up_proj);
    if (x.attention_sinks) {
        core.weights = x.a;  // a score of each head
        core.share = 1 / x.t;
    }
    ops.push_back(core);
    if (x.flash) {
        // The log-sum-exp of each row, in fp32, instead of the score matrix.
        ops.back().saved += 4 * x.tokens * x.a / x.t;
    } else {
        // Scores, softmax and dropout are kept in full: 2 + 2 + 1 bytes per score with dropout.
        const double scores = x.tokens * x.a / x.t * x.s;
        Operator soft = streaming(x, softmax, "attention.softmax", 0, 0, 0);
        soft.bytes = x.softmax_traffic * scores;
        soft.saved = (x.q + (x.dropout ? x.q + 1 : 0)) * scores;
        soft.attention_core = true;
        soft.repeated_by = soft.dropped_by = bit(RecomputeModule::core_attention);
        ops.push_back(soft);
    }
    if (x.attention_gate) {
        const double gates = x.tokens * out;
        ops.push_back(streaming(x, elementwise, "attention.gate", 3 * gates, 0, 2 * x.q * gates));
        ops.back().eager_launches = kEagerGate;
    }
    // The attention kernel keeps its output in half precision.
    ops.push_back(matrix(x, "attention.output", x.h, x.a * value, Cut::row, x.bias,
                         x.q * x.tokens * out / x.kept_operand));
    leave_tensor_parallel(x, "attention.reduce", ops);
    if (x.layer_norms > 2) ops.push_back(layer_norm(x, "attention.post_norm"));
    ops.push_back(streaming(x, elementwise, "attention.residual", 3 * rows * x.h, 0, mask));
}

}  // namespace shardscope
