// The operators of a dense feed-forward and of experts.
#include <algorithm>

#include "model/shape.h"

namespace shardscope {
namespace {

// Two matrices and the activation between them, with inner width `f`, and the collectives of tensor
// parallelism around them.
struct FeedForwardNames {
    std::string_view up, activation, down;
    RecomputeModule module;
};
void build_feed_forward(const Shape& x, const FeedForwardNames& names, double f, std::vector<Operator>& ops) {
    const double width = f / x.t;
    const std::size_t first = ops.size();
    enter_tensor_parallel(x, "mlp.gather", ops);
    if (ops.size() > first) ops.back().repeated_by = bit(names.module);
    ops.push_back(matrix(x, names.up, x.gated ? 2 * f : f, x.h, Cut::column, x.bias,
                         x.q * x.tokens / x.sequence_shards * x.h));
    ops.back().repeated_by = bit(names.module);
    ops.back().dropped_by = bit(RecomputeModule::layernorm);
    // A gated unit keeps both halves for the product's backward pass, and the activation's output if the
    // product is a kernel of its own; a plain one keeps the activation's input.
    ops.push_back(
        streaming(x, OperatorKind::elementwise, names.activation, (x.gated ? 4 : 3) * x.tokens * width, 0,
                  x.tokens * width * (x.activation_input_bytes * (x.gated ? 2 : 1) + x.gate_copies)));
    if (x.gated) ops.back().eager_launches = kEagerGate;
    ops.back().repeated_by = names.module | RecomputeModule::activation;
    ops.back().dropped_by = bit(names.module);
    ops.push_back(matrix(x, names.down, x.h, f, Cut::row, x.bias, x.q * x.tokens * width));
    // The last matrix need not be repeated, because its output is no input of the backward pass.
    // Megatron-Core's checkpoints repeat it with the whole module, but the public runs that recompute experts
    // are 9 % faster than that would be.
    ops.back().dropped_by = names.module | RecomputeModule::activation;
    leave_tensor_parallel(x, "mlp.reduce", ops);
}

}  // namespace

void build_dense(const Shape& x, std::vector<Operator>& ops) {
    build_feed_forward(x, {"mlp.up", "mlp.activation", "mlp.down", RecomputeModule::mlp}, x.f, ops);
}

// Experts: a router sends every token to `top` experts. The batch of one expert comes from all
// expert-parallel GPUs. The sizes are those of the busiest GPU, which determines the time.
void build_experts(const Shape& x, std::vector<Operator>& ops) {
    const double rows = x.tokens / x.sequence_shards;
    // The input is kept already if there is a shared expert that keeps the same input in 16 bits.
    const double router_saved = x.shared_f > 0 && !x.low_precision ? 0 : x.q * rows * x.h;
    const double gates = x.experts + (x.shared_gate ? 1 : 0);
    Operator router = matrix(x, "router", gates, x.h, Cut::none, x.bias, router_saved / x.kept_operand);
    router.m = rows;
    router.low_precision = false;
    router.cast_bytes = router.gradient_cast_bytes = 0;
    router.dropped_by = bit(RecomputeModule::layernorm);
    const std::size_t first = ops.size();
    ops.push_back(router);

    // Token copies that one GPU sends. Where tensor-parallel GPUs hold different experts, each sends its part
    // of the sequence.
    const double split = x.sequence_shards > 1 ? 1 : std::max(1.0, x.t / x.et);
    const double copies = rows / split * x.top;
    // Token copies that the experts of the busiest GPU process. GPUs that share an expert process the same
    // ones.
    const double routed = x.imbalance * copies * x.et * (x.sequence_shards > 1 ? 1 : split / x.t);
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
    const auto add_all_to_all = [&](std::string_view name, double value_bytes) {
        if (x.e <= 1) return;
        add_collective(ops, name, Collective::all_to_all, CommunicationGroup::expert,
                       value_bytes * copies * x.expert_h);
        ops.back().experts_per_token = x.top;
    };
    add_all_to_all("experts.dispatch", x.dispatched_bytes);
    // The router's probabilities are kept in fp32.
    ops.push_back(streaming(x, OperatorKind::gather, "experts.permute", 4 * copies * x.expert_h, 0,
                            4 * rows * x.experts));
    // The matrices of a split expert need the tokens of all GPUs that share it. Those of a tensor-parallel
    // group without sequence parallelism have the same tokens.
    const double routed_bytes = x.q * routed * x.expert_h;
    const bool gathers = x.et > 1 && (x.sequence_shards > 1 || x.et > x.t);
    if (gathers)
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
        ops.push_back(op);
    };
    const double width = x.expert_f / x.et;
    // Experts with biases (GPT-OSS) add them to the outputs in fp32, expert by expert, before the outputs are
    // joined and rounded, and limit the inputs of the activation (NVIDIA/Megatron-LM,
    // core/transformer/moe/experts.py, _apply_bias; core/fusions/fused_bias_geglu.py). Runs with static
    // buffers, whose kernels are fused, take as long. In elements of half precision, the first reads and
    // writes 14 per output, the second 8 per input pair, of which it keeps the limited copy, too. Other
    // stacks are assumed to do the same.
    const double limits = x.bias && x.gated ? 8 : 0;
    add_grouped_matrix("experts.up", x.gated ? 2 * x.expert_f : x.expert_f, x.expert_h, Cut::column,
                       routed_bytes);
    ops.push_back(streaming(
        x, OperatorKind::elementwise, "experts.activation", ((x.gated ? 4 : 3) + limits) * routed * width, 0,
        routed * width *
            (x.activation_input_bytes * (x.gated ? 2 : 1) + (limits > 0 ? 2 * x.q : 0) + x.gate_copies)));
    if (x.gated) ops.back().eager_launches = kEagerGate;
    ops.back().repeated_by = bit(RecomputeModule::moe_activation);
    const std::size_t down = ops.size();
    add_grouped_matrix("experts.down", x.expert_h, x.expert_f, Cut::row, x.q * routed * width);
    ops.back().dropped_by = bit(RecomputeModule::moe_activation);
    if (x.bias)
        ops.push_back(
            streaming(x, OperatorKind::elementwise, "experts.bias", 14 * routed * x.expert_h, 0, 0));
    if (gathers)
        add_collective(ops, "experts.reduce", Collective::reduce_scatter, CommunicationGroup::expert_tensor,
                       routed_bytes);
    add_all_to_all("experts.combine", x.q);
    // The activation applies the router's probabilities, so the experts' outputs need not be kept.
    ops.push_back(streaming(x, OperatorKind::gather, "experts.unpermute", 4 * copies * x.expert_h, 0, 0));
    if (latent) add_projection("experts.unlatent", x.h, x.expert_h, x.q * rows * x.expert_h);

    if (x.shared_f > 0)
        build_feed_forward(x,
                           {"shared.up", "shared.activation", "shared.down", RecomputeModule::shared_experts},
                           x.shared_f, ops);
    else if (x.sequence_shards <= 1) leave_tensor_parallel(x, "mlp.reduce", ops);

    // Megatron-Core's module "moe" is everything from the router on (core/transformer/moe/moe_layer.py). It
    // keeps the layer's input: in the router or in the shared expert, whose copy in low precision is dropped.
    // The backward pass needs neither the output of the last matrix nor what follows it. The input of the
    // projection from a latent width is small and counts as kept: with everything before it repeated, the
    // public run mbridge_cards-0051 would be predicted 6 % slower than it was measured.
    for (std::size_t i = first; i < ops.size(); ++i) {
        Operator& op = ops[i];
        if (i < down || op.repeated_by != 0) op.repeated_by |= bit(RecomputeModule::moe);
        const bool is_copy = op.name == "shared.up" && router_saved > 0;
        const bool keeps = op.name == "router" || op.name == "shared.up" || op.name == "experts.unlatent";
        if (is_copy) op.dropped_by |= bit(RecomputeModule::shared_experts);
        if (is_copy || !keeps) op.dropped_by |= bit(RecomputeModule::moe);
    }
}

}  // namespace shardscope
