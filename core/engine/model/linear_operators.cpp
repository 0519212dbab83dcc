// The operators of the mixers that keep a state instead of keys and values: linear attention (E32) and
// Mamba-2 (E33).
//
// What the kernels keep for the backward pass follows their public implementations: flash-linear-attention
// keeps queries, keys and values before and after the convolution, the gates and the triangular inverses;
// Mamba-2 keeps the output of its projection and of the scan before and after the gate, and repeats the
// convolution.
#include <algorithm>
#include <cmath>

#include "effects/linear_attention.h"
#include "effects/state_space.h"
#include "model/shape.h"

namespace shardscope {
namespace {

constexpr double kFp32 = 4;  // bytes of gates and states

// Adds the input norm and the gather of tensor parallelism before a mixer's projection.
void begin_mixer(const Shape& x, std::vector<Operator>& ops) {
    ops.push_back(layer_norm(x, "attention.norm"));
    enter_tensor_parallel(x, "attention.gather", ops);
}

// Adds the reduction of tensor parallelism and the residual after a mixer's output projection.
void end_mixer(const Shape& x, std::vector<Operator>& ops) {
    const double rows = x.tokens / x.sequence_shards;
    leave_tensor_parallel(x, "attention.reduce", ops);
    if (x.layer_norms > 2) ops.push_back(layer_norm(x, "attention.post_norm"));
    ops.push_back(streaming(x, OperatorKind::elementwise, "attention.residual", 3 * rows * x.h, 0,
                            x.dropout ? rows * x.h : 0));
}

// The projection from the layer's input to `width` values on all GPUs, of which one GPU computes `local`.
Operator input_projection(const Shape& x, std::string_view name, double width, double local) {
    Operator op = matrix(x, name, width, x.h, Cut::column, x.bias, x.q * x.tokens / x.sequence_shards * x.h);
    op.n = local;
    op.bytes = x.q * (op.m * op.k + op.k * op.n + op.m * op.n);
    set_cast_bytes(x, op);
    op.share = local / width;
    op.dropped_by = bit(RecomputeModule::layernorm);
    return op;
}

// E19: context parallelism exchanges heads for parts of the sequence before and after the scan.
void exchange_heads(const Shape& x, double width, std::vector<Operator>& ops) {
    if (x.c <= 1) return;
    add_collective(ops, "attention.exchange", Collective::all_to_all, CommunicationGroup::context,
                   x.q * x.tokens * width);
}

// The kernels of a scan over `heads` heads with `flops` per token and head.
Operator scan(const Shape& x, std::string_view name, double heads, double head_size, double flops) {
    Operator op;
    op.name = name;
    op.kind = OperatorKind::scan;
    op.count = heads;
    op.m = x.tokens;
    op.n = head_size;
    op.k = flops / (2 * head_size);
    return op;
}

// Adds the short convolution over `width` channels, and its weights over all `channels`.
void add_convolution(const Shape& x, double width, double channels, double weights, double saved,
                     std::vector<Operator>& ops) {
    Operator op = streaming(x, OperatorKind::elementwise, "mixer.convolution", 2 * x.tokens * width,
                            channels * weights, saved);
    op.share = width / channels;
    ops.push_back(op);
}

}  // namespace

void build_linear_attention(const Shape& x, const Settings& s, std::vector<Operator>& ops) {
    const double kernel = s[P::convolution_kernel];
    const LinearAttention head{s[P::linear_key_head_size], linear_value_head_size(s), kernel > 0};
    const double key_heads = s[P::linear_key_heads];
    const double value_heads = linear_value_heads(s);
    const double local_heads = value_heads / x.t;
    const double keys = std::ceil(key_heads / x.t) * head.key_size;  // on one GPU
    const double values = local_heads * head.value_size;
    const double gates = head.delta_rule ? 2 : 0;  // of one value head: decay and step size

    begin_mixer(x, ops);
    const double all_keys = key_heads * head.key_size;
    const double all_values = value_heads * head.value_size;
    ops.push_back(input_projection(x, "mixer.input", 2 * all_keys + 2 * all_values + gates * value_heads,
                                   2 * keys + 2 * values + gates * local_heads));
    const double mixed = 2 * keys + values;  // queries, keys and values of one token
    exchange_heads(x, mixed + values, ops);
    if (kernel > 0) add_convolution(x, mixed, 2 * all_keys + all_values, kernel, x.q * x.tokens * mixed, ops);

    const double chunk = linear_attention_chunk(head.delta_rule);
    Operator core = scan(x, "mixer.scan", local_heads, head.value_size, linear_attention_flops(head));
    core.launches = head.delta_rule ? 6 : 2;
    const double state = kFp32 * head.key_size * head.value_size / chunk;  // bytes per token and head
    // Queries, keys, values and the output; with the delta rule also the WY factors and the inverse. The
    // chunks' states are written and read once.
    const double factors = head.delta_rule ? 2 * (keys + values) : 0;
    const double inverse = head.delta_rule ? local_heads * 2 * chunk : 0;  // a row of it in bf16
    const double decays = kFp32 * gates * local_heads;
    core.bytes =
        x.tokens * (x.q * (mixed + values + factors) + 2 * local_heads * state + decays + 2 * inverse);
    core.saved = x.tokens * (x.q * mixed + decays + inverse);
    core.weights = gates * value_heads;
    core.share = 1 / x.t;
    ops.push_back(core);

    // The norm of each head's output and the gate, which is kept with the output.
    ops.push_back(streaming(x, OperatorKind::norm, "mixer.gated_norm", 3 * x.tokens * values,
                            head.delta_rule ? head.value_size : all_values, 2 * x.q * x.tokens * values));
    // With the delta rule all heads share one weight of their width; else each has its own.
    ops.back().share = head.delta_rule ? 1 : 1 / x.t;
    ops.back().eager_launches = kEagerNorm + kEagerGate;
    ops.push_back(matrix(x, "mixer.output", x.h, all_values, Cut::row, x.bias, x.q * x.tokens * values));
    end_mixer(x, ops);
}

void build_state_space(const Shape& x, const Settings& s, std::vector<Operator>& ops) {
    const StateSpace all{s[P::ssm_heads], s[P::ssm_head_size], s[P::ssm_state_size], s[P::ssm_groups]};
    const StateSpace local{all.heads / x.t, all.head_size, all.state_size, std::ceil(all.groups / x.t)};
    const double kernel = s[P::convolution_kernel];
    const double mixed = local.width() + 2 * local.group_width();  // inputs of the convolution: x, B, C
    const double all_mixed = all.width() + 2 * all.group_width();

    begin_mixer(x, ops);
    // The gate z, x, B, C, and the step size of each head.
    const double projected = mixed + local.width() + local.heads;
    ops.push_back(input_projection(x, "mixer.input", all_mixed + all.width() + all.heads, projected));
    exchange_heads(x, projected + local.width(), ops);
    // The convolution has a bias and is repeated in the backward pass from the projection's output.
    add_convolution(x, mixed, all_mixed, kernel + 1, x.q * x.tokens * projected, ops);

    Operator core =
        scan(x, "mixer.scan", local.heads, local.head_size, state_space_flops(local) / local.heads);
    core.launches = 5;
    core.bytes = x.tokens * state_space_bytes(local, x.q);
    core.saved = x.q * x.tokens * local.width();
    core.weights = 3 * all.heads;  // decay, direct term and bias of the step size
    core.share = 1 / x.t;
    ops.push_back(core);

    // The scan applies the gate, and the norm keeps the gated output.
    ops.push_back(streaming(x, OperatorKind::norm, "mixer.norm", 2 * x.tokens * local.width(), all.width(),
                            x.q * x.tokens * local.width()));
    ops.back().share = 1 / x.t;
    ops.back().eager_launches = kEagerNorm;
    ops.push_back(
        matrix(x, "mixer.output", x.h, all.width(), Cut::row, x.bias, x.q * x.tokens * local.width()));
    end_mixer(x, ops);
}

}  // namespace shardscope
