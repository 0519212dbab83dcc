#include "model/operators.h"

#include <algorithm>

namespace shardscope {
namespace {

struct Shape {
    double s, b, tokens;           // sequence, micro-batch, their product
    double h, f, a, kv, d, vocab;  // sizes
    double q;                      // bytes per activation element
    bool gated, layernorm, bias, qkv_bias, qk_norm, dropout, causal, flash, low_precision, tied;
    double positions;
    double window;  // how far a token looks back, at most s
};

Shape shape_of(const Settings& s) {
    Shape x{};
    x.s = s[P::sequence_length];
    x.b = s[P::micro_batch];
    x.tokens = x.s * x.b;
    x.h = s[P::hidden_size];
    x.f = s[P::ffn_size];
    x.a = s[P::heads];
    x.kv = s[P::kv_heads];
    x.d = s[P::head_size];
    x.vocab = s[P::vocab_size];
    const auto precision = s.choice<Precision>(P::precision);
    x.q = activation_bytes(precision);
    x.low_precision = precision == Precision::fp8;
    x.gated = s.choice<Mlp>(P::mlp) == Mlp::gated;
    x.layernorm = s.choice<Norm>(P::norm) == Norm::layernorm;
    x.bias = s.on(P::bias);
    x.qkv_bias = s.on(P::qkv_bias);
    x.qk_norm = s.on(P::qk_norm);
    x.dropout = s.on(P::dropout);
    x.causal = s.on(P::causal);
    x.flash = s.choice<AttentionKernel>(P::attention) == AttentionKernel::flash;
    x.tied = s.on(P::tied_embeddings);
    const double positions = s[P::learned_positions];
    x.positions = positions == kPositionsAsSequence ? x.s : positions;
    const double window = s[P::attention_window];
    x.window = window > 0 ? std::min(window, x.s) : x.s;
    return x;
}

Operator matrix(const Shape& x, std::string_view name, double n, double k, bool bias, double saved) {
    Operator op;
    op.name = name;
    op.kind = OperatorKind::gemm;
    op.m = x.tokens;
    op.n = n;
    op.k = k;
    op.bytes = x.q * (op.m * k + k * n + op.m * n);
    op.weights = k * n + (bias ? n : 0);
    op.saved = saved;
    op.low_precision = x.low_precision;
    // Both inputs are read in bf16 and written in fp8, and written once more transposed for the backward
    // pass.
    if (x.low_precision) op.cast_bytes = 4 * (op.m * k + k * n);
    return op;
}

// An operator that only moves memory: `elements` tensor elements touched per token.
Operator streaming(const Shape& x, OperatorKind kind, std::string_view name, double elements, double weights,
                   double saved) {
    Operator op;
    op.name = name;
    op.kind = kind;
    op.bytes = x.q * elements * x.tokens;
    op.weights = weights;
    op.saved = saved;
    return op;
}

double norm_weights(const Shape& x) { return x.layernorm && x.bias ? 2 * x.h : x.h; }

void build_layer(const Shape& x, double norm_copies, std::vector<Operator>& ops) {
    using enum OperatorKind;
    const double activation = x.q * x.tokens * x.h;      // one s×b×h tensor, in bytes
    const double query = x.a * x.d;                      // width of all query heads
    const double qkv = (x.a + 2 * x.kv) * x.d;           // width of queries, keys and values
    const double mask = x.dropout ? x.tokens * x.h : 0;  // one byte an element
    // torch has one kernel for LayerNorm, several for RMSNorm unless a stack fuses them: those keep fp32
    // copies.
    const bool composed_norm = !x.layernorm;
    const double norm_saved = activation + (composed_norm ? norm_copies * x.tokens * x.h / 2 : 0);

    ops.push_back(streaming(x, norm, "attention.norm", 2 * x.h, norm_weights(x), norm_saved));
    ops.back().composed = composed_norm;
    ops.push_back(matrix(x, "attention.qkv", qkv, x.h, x.bias || x.qkv_bias, activation));
    // Rotary embedding or layout change of queries, keys and values.
    ops.push_back(streaming(x, elementwise, "attention.layout", 2 * qkv, x.qk_norm ? 2 * x.d : 0, 0));
    ops.back().composed = x.positions == 0;

    Operator core;
    core.name = "attention.core";
    core.kind = attention;
    core.attention_core = true;
    core.count = x.b * x.a;
    core.m = x.s;
    // A causal kernel skips what lies above the diagonal: half of the square, or the window's band.
    core.n = x.window < x.s ? x.window : x.causal && x.flash ? x.s / 2 : x.s;
    core.k = x.d;
    core.bytes = x.q * x.tokens * (qkv + query);
    core.saved = x.q * x.tokens * qkv;
    ops.push_back(core);
    if (x.flash) {
        // The log-sum-exp of each row, in fp32, instead of the score matrix.
        ops.back().saved += 4 * x.tokens * x.a;
    } else {
        // Scores, softmax, dropout and their outputs in full: 2 + 2 + 1 bytes kept a score with dropout.
        const double scores = x.b * x.a * x.s * x.s;
        Operator soft = streaming(x, softmax, "attention.softmax", 0, 0, 0);
        soft.bytes = 13 * scores;  // fit to public runs of unfused softmax, mask and dropout
        soft.saved = (x.q + (x.dropout ? x.q + 1 : 0)) * scores;
        soft.attention_core = true;
        ops.push_back(soft);
    }
    ops.push_back(matrix(x, "attention.output", x.h, query, x.bias, x.q * x.tokens * query));
    ops.push_back(streaming(x, elementwise, "attention.residual", 3 * x.h, 0, mask));

    ops.push_back(streaming(x, norm, "mlp.norm", 2 * x.h, norm_weights(x), norm_saved));
    ops.back().composed = composed_norm;
    ops.push_back(matrix(x, "mlp.up", x.gated ? 2 * x.f : x.f, x.h, x.bias, activation));
    // Gated: both halves are kept for the product's backward pass; plain: the activation's input.
    ops.push_back(streaming(x, elementwise, "mlp.activation", (x.gated ? 4 : 3) * x.f, 0,
                            x.q * x.tokens * x.f * (x.gated ? 2 : 1)));
    ops.back().composed = x.gated;
    ops.push_back(matrix(x, "mlp.down", x.h, x.f, x.bias, x.q * x.tokens * x.f));
    ops.push_back(streaming(x, elementwise, "mlp.residual", 3 * x.h, 0, mask));
}

}  // namespace

double Block::weights() const {
    double sum = 0;
    for (const Operator& op : operators) sum += op.weights;
    return sum;
}

double Block::saved() const {
    double sum = 0;
    for (const Operator& op : operators) sum += op.saved;
    return sum;
}

double OperatorList::parameters() const {
    double sum = 0;
    for (const Block& block : *this) sum += block.repeat * block.weights();
    return sum;
}

double activation_bytes(Precision precision) { return precision == Precision::fp32 ? 4 : 2; }

void build_transformer(const Settings& settings, OperatorList& out) {
    const Shape x = shape_of(settings);
    for (Block& block : out.blocks) block.operators.clear();
    out.size = 3;

    Block& embedding = out.blocks[0];
    embedding.name = "embedding";
    embedding.repeat = 1;
    embedding.operators.push_back(streaming(x, OperatorKind::gather, "embedding", 2 * x.h,
                                            x.vocab * x.h + x.positions * x.h,
                                            x.dropout ? x.tokens * x.h : 0));

    Block& layer = out.blocks[1];
    layer.name = "layer";
    layer.repeat = settings[P::layers];
    build_layer(x, settings[P::norm_copies], layer.operators);

    Block& head = out.blocks[2];
    head.name = "head";
    head.repeat = 1;
    head.operators.push_back(
        streaming(x, OperatorKind::norm, "head.norm", 2 * x.h, norm_weights(x), x.q * x.tokens * x.h));
    Operator logits = matrix(x, "head.logits", x.vocab, x.h, false, x.q * x.tokens * x.h);
    logits.low_precision = false;
    logits.cast_bytes = 0;
    if (x.tied) logits.weights = 0;
    head.operators.push_back(logits);
    // Cross entropy reads the logits and writes their gradient in fp32; its memory is a term of its own.
    Operator loss = streaming(x, OperatorKind::softmax, "head.loss", 0, 0, 0);
    loss.bytes = 12 * x.tokens * x.vocab;
    head.operators.push_back(loss);
}

}  // namespace shardscope
