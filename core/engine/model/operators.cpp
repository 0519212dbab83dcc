#include "model/operators.h"

#include <algorithm>
#include <cmath>

#include "model/listed_operators.h"
#include "model/shape.h"
#include "parameters/layer_pattern.h"
#include "scenario/gpu_groups.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// The tokens to which one token may attend without a window: the sequence or, where documents are packed into
// it, the document.
double document_tokens(const Settings& s) {
    const double packing = s[P::packing];
    return packing > 0 ? std::min(s[P::sequence_length], packing) : s[P::sequence_length];
}

// The tokens to which a token attends in a layer with a window.
double window_tokens(const Settings& s) {
    const double window = s[P::attention_window];
    return window > 0 ? std::min(document_tokens(s), window) : document_tokens(s);
}

Shape shape_of(const Settings& s) {
    Shape x{};
    x.s = s[P::sequence_length];
    x.b = s[P::micro_batch];
    x.t = s[P::tensor_parallel];
    x.c = s[P::context_parallel];
    x.e = s[P::expert_parallel];
    x.et = expert_tensor_parallel(s);
    x.context_kind = s.choice<ContextParallelKind>(P::context_parallel_kind);
    const double inner = s[P::context_parallel_inner];
    const double fitting = std::max(1.0, std::floor(s[P::gpus_used_per_node] / x.t));
    x.context_inner = std::min(x.c, inner > 0 ? inner : fitting);
    x.tokens = x.s * x.b / x.c;
    x.spread = s.on(P::sequence_parallel) ? x.t : 1;
    x.h = s[P::hidden_size];
    x.f = s[P::ffn_size];
    x.a = s[P::heads];
    x.kv = s[P::kv_heads];
    x.d = s[P::head_size];
    x.vocab = s[P::vocab_size];
    const auto precision = s.choice<Precision>(P::precision);
    x.q = activation_bytes(precision);
    x.low_precision = is_low(precision);
    // Low-precision matrices keep their quantized input.
    x.kept_operand = precision == Precision::nvfp4 ? 0.3 : x.low_precision ? 0.5 : 1;
    x.scales_by_current_values =
        precision != Precision::fp8 || s.choice<Fp8Recipe>(P::fp8_recipe) != Fp8Recipe::delayed;
    x.gated = s.choice<Mlp>(P::mlp) == Mlp::gated;
    x.layernorm = s.choice<Norm>(P::norm) == Norm::layernorm;
    x.bias = s.on(P::bias);
    x.qkv_bias = s.on(P::qkv_bias);
    x.attention_gate = s.on(P::attention_gate);
    x.attention_sinks = s.on(P::attention_sinks);
    x.qk_norm = s.choice<QkNorm>(P::qk_norm);
    x.layer_norms = s[P::layer_norms];
    x.norm_weights = s[P::norm_weights] * x.h;
    x.head_bias = s.on(P::head_bias);
    x.dropout = s.on(P::dropout);
    x.causal = s.on(P::causal);
    x.flash = s.choice<AttentionKernel>(P::attention) == AttentionKernel::flash;
    x.tied = s.on(P::tied_embeddings);
    const double positions = s[P::learned_positions];
    x.positions = positions == kPositionsAsSequence ? x.s : positions;
    x.document = document_tokens(s);
    x.window = window_tokens(s);
    x.q_rank = s[P::q_lora_rank];
    x.kv_rank = s[P::kv_lora_rank];
    x.rope = s[P::rope_head_size];
    x.value = s[P::value_head_size] > 0 ? s[P::value_head_size] : x.d;
    x.experts = s[P::experts];
    x.top = s[P::experts_per_token];
    x.expert_f = s[P::expert_ffn_size] > 0 ? s[P::expert_ffn_size] : x.f;
    x.shared_f = s[P::shared_expert_ffn_size];
    x.expert_h = s[P::latent_expert_size] > 0 ? s[P::latent_expert_size] : x.h;
    x.shared_gate = s.on(P::shared_expert_gate);
    x.imbalance = s[P::expert_imbalance];
    x.norm_copies = s[P::norm_copies];
    x.accumulation = s[P::accumulation];
    x.softmax_traffic = s[P::softmax_traffic];
    return x;
}

constexpr unsigned char bit(RecomputeModule module) { return static_cast<unsigned char>(module); }
constexpr unsigned char operator|(RecomputeModule a, RecomputeModule b) { return bit(a) | bit(b); }

}  // namespace

Operator matrix(const Shape& x, std::string_view name, double n, double k, Cut cut, bool bias, double saved) {
    Operator op;
    op.name = name;
    op.kind = OperatorKind::gemm;
    op.m = x.tokens;
    op.n = cut == Cut::column ? n / x.t : n;
    op.k = cut == Cut::row ? k / x.t : k;
    op.bytes = x.q * (op.m * op.k + op.k * op.n + op.m * op.n);
    op.weights = k * n + (bias ? n : 0);
    op.share = cut == Cut::none ? 1 : 1 / x.t;
    op.saved = x.kept_operand * saved;
    op.low_precision = x.low_precision;
    set_cast_bytes(x, op);
    return op;
}

// The operator before writes its output in fp8, and a second time transposed for the backward pass. Weights
// are cast once per optimizer step: they are read in bf16 and written twice.
void set_cast_bytes(const Shape& x, Operator& op) {
    if (!x.low_precision) return;
    const double read_again = x.scales_by_current_values ? x.q : 0;
    op.cast_bytes = op.count * ((2 + read_again) * op.m * op.k + 4 * op.k * op.n / x.accumulation);
    op.gradient_cast_bytes = op.count * (2 + read_again) * op.m * op.n;
}

Operator streaming(const Shape& x, OperatorKind kind, std::string_view name, double elements, double weights,
                   double saved) {
    Operator op;
    op.name = name;
    op.kind = kind;
    op.bytes = x.q * elements;
    op.weights = weights;
    op.saved = saved;
    return op;
}

void add_collective(std::vector<Operator>& ops, std::string_view name, Collective collective,
                    CommunicationGroup group, double bytes) {
    Operator op;
    op.name = name;
    op.kind = OperatorKind::collective;
    op.collective = collective;
    op.group = group;
    op.bytes = bytes;
    ops.push_back(op);
}

void enter_tensor_parallel(const Shape& x, std::string_view name, std::vector<Operator>& ops) {
    if (x.t <= 1 || x.spread <= 1) return;
    add_collective(ops, name, Collective::all_gather, CommunicationGroup::tensor, x.q * x.tokens * x.h);
}
void leave_tensor_parallel(const Shape& x, std::string_view name, std::vector<Operator>& ops) {
    if (x.t <= 1) return;
    add_collective(ops, name, x.spread > 1 ? Collective::reduce_scatter : Collective::all_reduce,
                   CommunicationGroup::tensor, x.q * x.tokens * x.h);
}

// PyTorch has one kernel for LayerNorm. RMSNorm consists of several kernels, which keep fp32 copies, unless a
// stack fuses them.
Operator layer_norm(const Shape& x, std::string_view name) {
    const double elements = x.tokens / x.spread * x.h;
    Operator op = streaming(x, OperatorKind::norm, name, 2 * elements, x.norm_weights,
                            x.q * elements + (x.layernorm ? 0 : x.norm_copies * elements / 2));
    op.composed = !x.layernorm;
    op.repeated_by = bit(RecomputeModule::layernorm);
    return op;
}

namespace {

// E19: the exchange of context parallelism before attention. Widths are of one token on this GPU.
struct AttentionWidths {
    double keys_and_values, queries, output;
};
void add_context_exchange(const Shape& x, const AttentionWidths& widths, std::vector<Operator>& ops) {
    if (x.c <= 1) return;
    const double bytes = x.q * x.tokens;  // of one element of every token
    const auto ring = [&](double gpus) {
        // Keys and values travel around the ring of context-parallel GPUs.
        add_collective(ops, "attention.ring", Collective::ring_exchange, CommunicationGroup::context,
                       bytes * gpus * widths.keys_and_values);
    };
    const auto exchange_heads = [&] {
        // Queries, keys and values before attention, and its output after it.
        add_collective(ops, "attention.exchange", Collective::all_to_all, CommunicationGroup::context,
                       bytes * (widths.queries + widths.keys_and_values + widths.output));
    };
    switch (x.context_kind) {
        case ContextParallelKind::p2p: ring(x.c); break;
        case ContextParallelKind::a2a: exchange_heads(); break;
        case ContextParallelKind::all_gather:
            add_collective(ops, "attention.gather_kv", Collective::all_gather, CommunicationGroup::context,
                           bytes * x.c * widths.keys_and_values);
            break;
        case ContextParallelKind::a2a_p2p:
            exchange_heads();
            if (x.context_inner < x.c) ring(x.c / x.context_inner);
            break;
    }
}

// Adds attention to the last `window` tokens of a document of x.document tokens.
void build_attention(const Shape& x, double window, std::vector<Operator>& ops) {
    using enum OperatorKind;
    const double rows = x.tokens / x.spread;         // of norms, residuals and dropout on this GPU
    const double activation = x.q * rows * x.h;      // one s×b×h tensor, in bytes
    const double mask = x.dropout ? rows * x.h : 0;  // one byte per element
    const bool latent = x.kv_rank > 0;
    const double key = latent ? x.d + x.rope : x.d;  // width of one head's query and key
    const double value = latent ? x.value : x.d;
    const double kv =
        latent ? x.a : std::ceil(x.kv / x.t) * x.t;  // key and value heads, replicated to fill every GPU
    // Widths on this GPU.
    const double queries = x.a / x.t * key;
    const double qkv = queries + kv / x.t * (key + value);
    const double out = x.a / x.t * value;
    const bool composed_norm = !x.layernorm;

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
        ops.back().composed = composed_norm;
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
    // Rotary embedding or layout change of queries, keys and values.
    const bool whole = x.qk_norm == QkNorm::whole;
    const double norms = x.qk_norm == QkNorm::none ? 0 : whole ? (x.a + x.kv) * x.d : 2 * x.d;
    ops.push_back(streaming(x, elementwise, "attention.layout", 2 * x.tokens * qkv, norms, 0));
    ops.back().share = whole ? 1 / x.t : 1;
    ops.back().composed = x.positions == 0;
    if (latent) ops.back().repeated_by = bit(RecomputeModule::mla_up_proj);

    add_context_exchange(x, {kv / x.t * (key + value), queries, out}, ops);
    Operator core;
    core.name = "attention.core";
    core.kind = attention;
    core.attention_core = true;
    core.count = x.b * x.a / x.t;
    core.m = x.s / x.c;
    // Flash kernels skip masked scores: the half of the square above the diagonal and, with a window, the
    // scores outside its band, which is narrower at the sequence's start. Naive kernels compute every score.
    core.n = x.flash && x.causal ? window * (1 - window / (2 * x.document)) : x.flash ? window : x.s;
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
        ops.back().composed = true;
    }
    // The attention kernel keeps its output in half precision.
    ops.push_back(matrix(x, "attention.output", x.h, x.a * value, Cut::row, x.bias,
                         x.q * x.tokens * out / x.kept_operand));
    leave_tensor_parallel(x, "attention.reduce", ops);
    if (x.layer_norms > 2) ops.push_back(layer_norm(x, "attention.post_norm"));
    ops.push_back(streaming(x, elementwise, "attention.residual", 3 * rows * x.h, 0, mask));
}

// Adds the operators after a layer's feed-forward or experts.
void end_layer(const Shape& x, std::vector<Operator>& ops) {
    const double rows = x.tokens / x.spread;
    if (x.layer_norms > 3) ops.push_back(layer_norm(x, "mlp.post_norm"));
    ops.push_back(streaming(x, OperatorKind::elementwise, "mlp.residual", 3 * rows * x.h, 0,
                            x.dropout ? rows * x.h : 0));
}

// Two matrices and the activation between them, with inner width `f`.
struct FeedForwardNames {
    std::string_view up, activation, down;
    RecomputeModule module;
};
void build_feed_forward(const Shape& x, const FeedForwardNames& names, double f, std::vector<Operator>& ops) {
    const double width = f / x.t;
    ops.push_back(
        matrix(x, names.up, x.gated ? 2 * f : f, x.h, Cut::column, x.bias, x.q * x.tokens / x.spread * x.h));
    ops.back().repeated_by = bit(names.module);
    ops.back().dropped_by = bit(RecomputeModule::layernorm);
    // A gated unit keeps both halves for the product's backward pass, a plain one the activation's input.
    ops.push_back(streaming(x, OperatorKind::elementwise, names.activation,
                            (x.gated ? 4 : 3) * x.tokens * width, 0,
                            x.q * x.tokens * width * (x.gated ? 2 : 1)));
    ops.back().composed = x.gated;
    ops.back().repeated_by = names.module | RecomputeModule::activation;
    ops.back().dropped_by = bit(names.module);
    ops.push_back(matrix(x, names.down, x.h, f, Cut::row, x.bias, x.q * x.tokens * width));
    // The last matrix need not be repeated, because its output is no input of the backward pass.
    ops.back().dropped_by = names.module | RecomputeModule::activation;
}

void build_dense(const Shape& x, std::vector<Operator>& ops) {
    enter_tensor_parallel(x, "mlp.gather", ops);
    build_feed_forward(x, {"mlp.up", "mlp.activation", "mlp.down", RecomputeModule::mlp}, x.f, ops);
    leave_tensor_parallel(x, "mlp.reduce", ops);
}

// Experts: a router sends every token to `top` experts. The batch of one expert comes from all
// expert-parallel GPUs. The sizes are those of the busiest GPU, which determines the time.
void build_experts(const Shape& x, std::vector<Operator>& ops) {
    const double rows = x.tokens / x.spread;
    // The input is kept already if there is a shared expert, which has the same input.
    const double router_saved = x.shared_f > 0 ? 0 : x.q * rows * x.h;
    const double gates = x.experts + (x.shared_gate ? 1 : 0);
    Operator router = matrix(x, "router", gates, x.h, Cut::none, x.bias, router_saved / x.kept_operand);
    router.m = rows;
    router.low_precision = false;
    router.cast_bytes = router.gradient_cast_bytes = 0;
    router.dropped_by = bit(RecomputeModule::layernorm);
    ops.push_back(router);

    // Token copies that one GPU sends. Where tensor-parallel GPUs hold different experts, each sends its part
    // of the sequence.
    const double split = x.spread > 1 ? 1 : std::max(1.0, x.t / x.et);
    const double copies = rows / split * x.top;
    // Token copies that the experts of the busiest GPU process. GPUs that share an expert process the same
    // ones.
    const double routed = x.imbalance * copies * x.et * (x.spread > 1 ? 1 : split / x.t);
    const double sent = x.q * copies * x.expert_h;
    const bool latent = x.expert_h < x.h;
    const auto add_projection = [&](std::string_view name, double n, double k, double saved) {
        Operator op = matrix(x, name, n, k, Cut::none, false, saved);
        op.m = rows;
        op.bytes = x.q * (rows * k + k * n + rows * n);
        set_cast_bytes(x, op);
        ops.push_back(op);
    };
    // The router or the shared expert keeps its input.
    if (latent) add_projection("experts.latent", x.expert_h, x.h, 0);
    const std::size_t first = ops.size();
    const auto add_all_to_all = [&](std::string_view name) {
        if (x.e <= 1) return;
        add_collective(ops, name, Collective::all_to_all, CommunicationGroup::expert, sent);
        ops.back().copies = x.top;
    };
    add_all_to_all("experts.dispatch");
    // The router's probabilities are kept in fp32.
    ops.push_back(streaming(x, OperatorKind::gather, "experts.permute", 4 * copies * x.expert_h, 0,
                            4 * rows * x.experts));
    // The matrices of a split expert need the tokens of all GPUs that share it.
    const double routed_bytes = x.q * routed * x.expert_h;
    if (x.et > 1 && x.spread > 1)
        add_collective(ops, "experts.gather", Collective::all_gather, CommunicationGroup::expert_tensor,
                       routed_bytes);
    const double local_experts = x.experts / x.e;
    const auto add_grouped_matrix = [&](std::string_view name, double n, double k, Cut cut, double saved) {
        Operator op = matrix(x, name, n, k, cut, x.bias, saved);
        op.count = local_experts;
        op.m = routed / local_experts;
        op.n = cut == Cut::column ? n / x.et : n;
        op.k = cut == Cut::row ? k / x.et : k;
        op.bytes = local_experts * x.q * (op.m * op.k + op.k * op.n + op.m * op.n);
        set_cast_bytes(x, op);
        op.weights *= x.experts;
        op.share = 1 / (x.et * x.e);
        op.expert = true;
        op.dropped_by = bit(RecomputeModule::moe);
        ops.push_back(op);
    };
    const double width = x.expert_f / x.et;
    add_grouped_matrix("experts.up", x.gated ? 2 * x.expert_f : x.expert_f, x.expert_h, Cut::column,
                       routed_bytes);
    ops.push_back(streaming(x, OperatorKind::elementwise, "experts.activation",
                            (x.gated ? 4 : 3) * routed * width, 0, x.q * routed * width * (x.gated ? 2 : 1)));
    ops.back().composed = x.gated;
    add_grouped_matrix("experts.down", x.expert_h, x.expert_f, Cut::row, x.q * routed * width);
    if (x.et > 1 && x.spread > 1)
        add_collective(ops, "experts.reduce", Collective::reduce_scatter, CommunicationGroup::expert_tensor,
                       routed_bytes);
    add_all_to_all("experts.combine");
    // The activation applies the router's probabilities, so the experts' outputs need not be kept.
    ops.push_back(streaming(x, OperatorKind::gather, "experts.unpermute", 4 * copies * x.expert_h, 0, 0));
    const std::size_t last = ops.size();
    if (latent) add_projection("experts.unlatent", x.h, x.expert_h, x.q * rows * x.expert_h);
    for (std::size_t i = first; i < last; ++i) {
        const bool activation = ops[i].name == "experts.activation";
        // The last matrix and what follows it need not be repeated.
        const bool repeated = ops[i].name != "experts.down" && ops[i].name != "experts.combine" &&
                              ops[i].name != "experts.reduce" && ops[i].name != "experts.unpermute";
        if (repeated) ops[i].repeated_by |= bit(RecomputeModule::moe);
        if (ops[i].kind != OperatorKind::collective) ops[i].dropped_by |= bit(RecomputeModule::moe);
        if (activation) ops[i].repeated_by |= bit(RecomputeModule::moe_activation);
        if (ops[i].name == "experts.down") ops[i].dropped_by |= bit(RecomputeModule::moe_activation);
    }

    if (x.shared_f > 0) {
        enter_tensor_parallel(x, "mlp.gather", ops);
        build_feed_forward(x,
                           {"shared.up", "shared.activation", "shared.down", RecomputeModule::shared_experts},
                           x.shared_f, ops);
        leave_tensor_parallel(x, "mlp.reduce", ops);
    } else if (x.spread <= 1) {
        leave_tensor_parallel(x, "mlp.reduce", ops);
    }
}

void build_mixer(const Shape& x, const Settings& s, Mixer mixer, std::vector<Operator>& ops) {
    switch (mixer) {
        case Mixer::full: return build_attention(x, x.document, ops);
        case Mixer::sliding: return build_attention(x, x.window, ops);
        case Mixer::linear: return build_linear_attention(x, s, ops);
        case Mixer::mamba2: return build_state_space(x, s, ops);
        case Mixer::none: return;
    }
}

void build_layer(const Shape& x, const Settings& s, const LayerKind& kind, std::vector<Operator>& ops) {
    build_mixer(x, s, kind.mixer, ops);
    if (kind.feed_forward == FeedForward::none) return;
    if (x.layer_norms > 1 || kind.mixer == Mixer::none) ops.push_back(layer_norm(x, "mlp.norm"));
    if (kind.feed_forward == FeedForward::experts) build_experts(x, ops);
    else build_dense(x, ops);
    end_layer(x, ops);
}

// The name of a kind of layer. Without a pattern, layers differ in what follows attention only.
std::string_view name_of(const LayerKind& kind, bool has_pattern, bool has_experts) {
    const bool experts = kind.feed_forward == FeedForward::experts;
    if (!has_pattern)
        return experts       ? translatable("expert layer")
               : has_experts ? translatable("dense layer")
                             : translatable("layer");
    static constexpr std::array<std::array<std::string_view, 3>, 5> kNames{
        {{translatable("full attention"), translatable("full attention, experts"),
          translatable("full attention alone")},
         {translatable("sliding attention"), translatable("sliding attention, experts"),
          translatable("sliding attention alone")},
         {translatable("linear attention"), translatable("linear attention, experts"),
          translatable("linear attention alone")},
         {translatable("Mamba-2"), translatable("Mamba-2, experts"), translatable("Mamba-2 alone")},
         {translatable("feed-forward alone"), translatable("experts alone"), ""}}};
    return kNames[static_cast<std::size_t>(kind.mixer)][static_cast<std::size_t>(kind.feed_forward)];
}

// Adds the last norm, the LM head and the loss.
void build_head(const Shape& x, bool has_weights, std::vector<Operator>& head) {
    const double rows = x.tokens / x.spread;
    head.push_back(
        streaming(x, OperatorKind::norm, "head.norm", 2 * rows * x.h, x.norm_weights, x.q * rows * x.h));
    enter_tensor_parallel(x, "head.gather", head);
    Operator logits =
        matrix(x, "head.logits", x.vocab, x.h, Cut::column, x.head_bias, x.q * rows * x.h / x.kept_operand);
    logits.low_precision = false;
    logits.cast_bytes = logits.gradient_cast_bytes = 0;
    if (x.tied) logits.weights = x.head_bias ? x.vocab : 0;
    if (!has_weights) logits.weights = 0;
    head.push_back(logits);
    // Cross entropy reads the logits and writes their gradient in fp32. Its memory is the logits term.
    Operator loss = streaming(x, OperatorKind::softmax, "head.loss", 0, 0, 0);
    loss.bytes = 12 * x.tokens * x.vocab / x.t;
    head.push_back(loss);
}

}  // namespace

double Block::weights() const {
    double sum = 0;
    for (const Operator& op : operators) sum += op.weights;
    return sum;
}

double Block::local_weights() const {
    double sum = 0;
    for (const Operator& op : operators) {
        if (!op.expert) sum += op.weights * op.share;
    }
    return sum;
}

double Block::local_experts() const {
    double sum = 0;
    for (const Operator& op : operators) {
        if (op.expert) sum += op.weights * op.share;
    }
    return sum;
}

double Block::saved() const {
    double sum = 0;
    for (const Operator& op : operators) sum += op.saved;
    return sum;
}

BoundedList<const Block*, kLayerKinds + 2> OperatorList::blocks() const {
    BoundedList<const Block*, kLayerKinds + 2> out;
    out.add(&embedding);
    for (const Block& layer : layers()) out.add(&layer);
    out.add(&head);
    return out;
}

const Block& OperatorList::usual_layer() const {
    const Block* out = &of_kind.front();
    for (const Block& layer : layers()) {
        if (has_pattern ? layer.repeat > out->repeat : layer.repeat > 0) out = &layer;
    }
    return *out;
}

double OperatorList::parameters() const {
    double sum = 0;
    for (const Block* block : blocks()) sum += block->repeat * block->weights();
    return sum;
}

double OperatorList::flops() const {
    double sum = 0;
    for (const Block* block : blocks()) {
        for (const Operator& op : block->operators) sum += block->repeat * op.flops();
    }
    return sum;
}

double OperatorList::active_parameters() const {
    double idle = 0;
    for (const Block* block : blocks()) {
        for (const Operator& op : block->operators) {
            if (op.expert) idle += block->repeat * (1 - active_experts) * op.weights;
        }
    }
    return parameters() - idle;
}

double activation_bytes(Precision precision) { return precision == Precision::fp32 ? 4 : 2; }

double attended_tokens(const Settings& settings, Mixer mixer) {
    const double document = document_tokens(settings);
    const double window = mixer == Mixer::sliding ? window_tokens(settings) : document;
    return settings.on(P::causal) ? window * (2 - window / document) : window;
}

void build_operators(const Settings& settings, OperatorList& out) {
    if (settings.listed()) build_listed(*settings.listed(), settings, out);
    else build_transformer(settings, out);
}

void build_transformer(const Settings& settings, OperatorList& out) {
    const Shape x = shape_of(settings);
    const LayerSequence sequence(settings);
    out.kinds = sequence.kinds();
    out.has_pattern = sequence.has_pattern();
    out.embedding.operators.clear();
    out.head.operators.clear();
    const double rows = x.tokens / x.spread;

    out.embedding.name = translatable("embedding");
    out.embedding.repeat = 1;
    Operator lookup = streaming(x, OperatorKind::gather, "embedding", 2 * x.tokens * x.h,
                                x.vocab * x.h + x.positions * x.h, x.dropout ? rows * x.h : 0);
    lookup.share = (x.vocab / x.t + x.positions) / (x.vocab + x.positions);
    out.embedding.operators.push_back(lookup);
    leave_tensor_parallel(x, "embedding.reduce", out.embedding.operators);

    const LayerCounts repeats = sequence.counts();
    for (std::size_t i = 0; i < out.kinds; ++i) {
        Block& layer = out.of_kind[i];
        layer.name = name_of(sequence.kind(i), sequence.has_pattern(), x.experts > 0);
        layer.repeat = repeats[i];
        layer.operators.clear();
        const LayerKind& kind = sequence.kind(i);
        const bool half = kind.mixer == Mixer::none || kind.feed_forward == FeedForward::none;
        layer.host_share = half ? 0.5 : 1;
        if (layer.repeat > 0) build_layer(x, settings, kind, layer.operators);
    }
    out.active_experts = x.experts > 0 ? std::min(1.0, x.top / x.experts) : 1;

    out.head.name = translatable("head");
    out.head.repeat = 1;
    build_head(x, true, out.head.operators);
    // A prediction layer (MTP) projects the hidden state and the next token's embedding to one width, and has
    // a layer of its own and the head's weights.
    for (double i = 0; i < settings[P::mtp_layers]; ++i) {
        std::vector<Operator>& head = out.head.operators;
        head.push_back(
            matrix(x, "prediction.projection", x.h, 2 * x.h, Cut::column, false, 2 * x.q * rows * x.h));
        if (sequence.has_pattern()) {
            const FeedForward after = x.experts > 0 ? FeedForward::experts : FeedForward::dense;
            build_layer(x, settings, {Mixer::full, after}, head);
        } else {
            const std::vector<Operator>& layer = out.usual_layer().operators;
            head.insert(head.end(), layer.begin(), layer.end());
        }
        build_head(x, false, head);
    }
}

}  // namespace shardscope
