#include "model/shape.h"

#include <algorithm>
#include <cmath>

#include "effects/loss.h"
#include "parameters/layer_pattern.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"

namespace shardscope {
namespace {

bool uses_torchao(Software software) {
    return software == Software::fsdp2 || software == Software::fsdp2_compile ||
           software == Software::torchtitan;
}

// Returns how often casts read a tensor. With scales of earlier steps the operator before casts its own
// output. With nvfp4, which has a scale for the whole tensor, one kernel finds the largest value, a second
// one casts the rows and a third one, after a Hadamard transform, the columns (NVIDIA/TransformerEngine,
// pytorch/csrc/quantizer.cpp, NVFP4Quantizer).
double cast_reads(Precision precision, Fp8Recipe recipe) {
    if (precision == Precision::nvfp4) return 3;
    return precision == Precision::fp8 && recipe == Fp8Recipe::delayed ? 0 : 1;
}

}  // namespace

double embedding_width(const Settings& s) {
    return s[P::embedding_size] > 0 ? s[P::embedding_size] : s[P::hidden_size];
}

double document_tokens(const Settings& s) {
    const double packing = s[P::packing];
    return packing > 0 ? std::min(s[P::sequence_length], packing) : s[P::sequence_length];
}

double operand_bytes(Precision precision, Fp8Recipe recipe) {
    constexpr double kFp8 = 1, kFp4 = 0.5;
    // One scale of a byte for 32 elements (OCP Microscaling Formats, 2023), or for 16 (NVIDIA's nvfp4), or
    // one in fp32 for 128 elements (DeepSeek-V3, arXiv 2412.19437); a scale for a whole tensor is negligible.
    switch (precision) {
        case Precision::mxfp8: return kFp8 + 1.0 / 32;
        case Precision::nvfp4: return kFp4 + 1.0 / 16;
        case Precision::fp8:
            return recipe == Fp8Recipe::blockwise ? kFp8 + 4.0 / 128
                   : recipe == Fp8Recipe::mxfp8   ? kFp8 + 1.0 / 32
                                                  : kFp8;
        default: return 2;
    }
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
    x.context_inner = context_parallel_inner(s);
    x.tokens = x.s * x.b / x.c;
    x.sequence_shards = s.on(P::sequence_parallel) ? x.t : 1;
    x.h = s[P::hidden_size];
    x.f = s[P::ffn_size];
    x.a = s[P::heads];
    x.kv = s[P::kv_heads];
    x.d = s[P::head_size];
    x.vocab = s[P::vocab_size];
    x.embedding = embedding_width(s);
    const auto precision = s.choice<Precision>(P::precision);
    x.q = activation_bytes(precision);
    x.low_precision = is_low(precision);
    // Low-precision matrices keep their quantized input; in the layers that stay in bf16 it has 2 bytes.
    // Those of torchao keep the input itself and cast it again (pytorch/ao, torchao/float8/float8_linear.py).
    x.operand_bytes = operand_bytes(precision, s.choice<Fp8Recipe>(P::fp8_recipe));
    x.low_share = low_precision_share(s);
    x.kept_operand = uses_torchao(s.choice<Software>(P::software))
                         ? 1
                         : 1 - x.low_share + x.low_share * x.operand_bytes / 2;
    x.cast_reads = cast_reads(precision, s.choice<Fp8Recipe>(P::fp8_recipe));
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
    x.imbalance = expert_imbalance(s);
    x.activation_input_bytes = s.on(P::fp8_activation_inputs) ? 1 : x.q;
    x.dispatched_bytes = s.on(P::fp8_dispatch) ? operand_bytes(Precision::fp8, Fp8Recipe::blockwise) : x.q;
    x.norm_copies = s[P::norm_copies];
    x.gate_copies = x.gated ? s[P::gate_copies] : 0;
    x.accumulation = s[P::accumulation];
    x.softmax_traffic = s[P::softmax_traffic];
    x.parallel_loss = s.on(P::parallel_loss);
    x.loss_traffic =
        loss_traffic(s.choice<Loss>(P::loss), s[P::loss_traffic]) / logit_shards(x.t, x.parallel_loss);
    return x;
}

double attended_tokens(const Settings& s, Mixer mixer) {
    const double document = document_tokens(s);
    const double window = s[P::attention_window];
    if (window <= 0 || window >= document) return document;
    // The band of a window is narrower at the document's start.
    if (mixer == Mixer::sliding) return s.on(P::causal) ? window * (2 - window / document) : window;
    if (mixer != Mixer::chunked) return document;
    // Every chunk is a square of its own; the last one may be smaller.
    const double last = std::fmod(document, window);
    return (window * (document - last) + last * last) / document;
}

double attention_length(const Settings& s, Mixer mixer) {
    const double document = document_tokens(s);
    const double window = s[P::attention_window];
    return mixer == Mixer::chunked && window > 0 ? std::min(window, document) : document;
}

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

// The operator before writes its output in fp8 or fp4, and a second time transposed for the backward pass.
// Weights are cast once per optimizer step: they are read in bf16 and written twice.
void set_cast_bytes(const Shape& x, Operator& op) {
    if (!x.low_precision) return;
    const double moved = 2 * x.operand_bytes + x.cast_reads * x.q;
    const double weights = (2 + 2 * x.operand_bytes) * op.k * op.n / x.accumulation;
    op.cast_bytes = x.low_share * op.count * (moved * op.m * op.k + weights);
    op.gradient_cast_bytes = x.low_share * op.count * moved * op.m * op.n;
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
    if (x.t <= 1 || x.sequence_shards <= 1) return;
    add_collective(ops, name, Collective::all_gather, CommunicationGroup::tensor, x.q * x.tokens * x.h);
}
void leave_tensor_parallel(const Shape& x, std::string_view name, std::vector<Operator>& ops) {
    if (x.t <= 1) return;
    add_collective(ops, name, x.sequence_shards > 1 ? Collective::reduce_scatter : Collective::all_reduce,
                   CommunicationGroup::tensor, x.q * x.tokens * x.h);
}

// PyTorch has one kernel for LayerNorm. RMSNorm consists of several kernels, which keep fp32 copies, unless a
// stack fuses them.
Operator norm_of(const Shape& x, std::string_view name, double elements, double weights) {
    Operator op = streaming(x, OperatorKind::norm, name, 2 * elements, weights,
                            x.q * elements + (x.layernorm ? 0 : x.norm_copies * elements / 2));
    if (!x.layernorm) op.eager_launches = kEagerNorm;
    return op;
}

Operator layer_norm(const Shape& x, std::string_view name) {
    Operator op = norm_of(x, name, x.tokens / x.sequence_shards * x.h, x.norm_weights);
    op.repeated_by = bit(RecomputeModule::layernorm);
    return op;
}

}  // namespace shardscope
