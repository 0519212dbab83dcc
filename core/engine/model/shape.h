// The sizes of a transformer on one GPU, and the operators that its layers consist of. The files of this
// folder that build operators share it.
#pragma once

#include <string_view>
#include <vector>

#include "model/operators.h"

namespace shardscope {

// Kernels of operators in stacks that do not fuse, one for each step.
inline constexpr double kEagerNorm = 6;     // square, mean, sum with ε, root, two products
inline constexpr double kEagerRotary = 10;  // queries and keys: negation, concatenation, two products, sum
inline constexpr double kEagerGate = 2;     // activation function, product

struct Shape {
    double s, b, tokens;           // sequence, micro-batch, tokens on one GPU
    double h, f, a, kv, d, vocab;  // sizes of the whole model
    double embedding;              // width of the embedding and the LM head
    double t, c, e, et;            // tensor, context, expert and expert tensor parallel degrees
    ContextParallelKind context_kind;
    double context_inner;  // GPUs of the inner groups of a2a+p2p
    // Share of an operand's half-precision bytes that matrices keep for the backward pass.
    double kept_operand;
    double operand_bytes;  // low precision: of one element of an operand, with its share of a scaling factor
    double low_share;      // low precision: share of the layers that do not stay in bf16
    double cast_reads;     // low precision: how often casts read a tensor themselves
    double sequence_shards;  // GPUs that shard norms, residuals and dropout: t with sequence parallelism
    double q;                // bytes per activation element
    bool gated, layernorm, bias, qkv_bias, dropout, causal, flash, low_precision, tied;
    bool attention_gate, attention_sinks;
    QkNorm qk_norm;
    double layer_norms, norm_weights;  // norms in a layer; weights of one norm
    double positions;
    double q_rank, kv_rank, rope, value;  // latent attention; without it kv_rank is 0
    double experts, top, expert_f, shared_f, imbalance;
    double activation_input_bytes;  // of a kept input of the feed-forward's activation function
    double dispatched_bytes;        // bytes of a token's value on its way to an expert
    double expert_h;                // width at which tokens are sent to experts
    bool shared_gate, head_bias;
    bool parallel_loss;  // the tensor-parallel GPUs shard the logits
    double norm_copies, gate_copies, softmax_traffic, accumulation;
    double loss_traffic;  // bytes on one GPU per token and vocabulary entry, in one pass
};

// Returns the bytes of one element of a matrix's operand, with its share of a scaling factor.
double operand_bytes(Precision precision, Fp8Recipe recipe);

Shape shape_of(const Settings& settings);

constexpr unsigned char operator|(RecomputeModule a, RecomputeModule b) { return bit(a) | bit(b); }

// The dimension that tensor parallelism shards: the output (column) or the input (row).
enum class Cut { none, column, row };

Operator matrix(const Shape& x, std::string_view name, double n, double k, Cut cut, bool bias, double saved);
// Sets the bytes of casts to low precision (fp8, fp4) from op.m, op.n and op.k; call it again after changing
// them.
void set_cast_bytes(const Shape& x, Operator& op);
// A memory-bound operator that reads or writes `elements` tensor elements on this GPU.
Operator streaming(const Shape& x, OperatorKind kind, std::string_view name, double elements, double weights,
                   double saved);
// Returns the norm of `elements` values on this GPU with `weights` parameters. It keeps its input.
Operator norm_of(const Shape& x, std::string_view name, double elements, double weights);
// Returns the norm over the layer's width of a layer's input, which recomputation may drop.
Operator layer_norm(const Shape& x, std::string_view name);

void add_collective(std::vector<Operator>& ops, std::string_view name, Collective collective,
                    CommunicationGroup group, double bytes);
// E19: the collectives of tensor parallelism before and after a pair of matrices. Without sequence
// parallelism there is one all-reduce of the output; with it there are an all-gather of the input and a
// reduce-scatter of the output, with the same volume.
void enter_tensor_parallel(const Shape& x, std::string_view name, std::vector<Operator>& ops);
void leave_tensor_parallel(const Shape& x, std::string_view name, std::vector<Operator>& ops);

// Adds attention of every token to `attended` tokens, see attended_tokens, in squares of `length` tokens, see
// attention_length.
void build_attention(const Shape& x, double attended, double length, std::vector<Operator>& ops);
// Returns the length of what a flash kernel computes as one sequence: a document, or a chunk.
double attention_length(const Settings& settings, Mixer mixer);
// Add what follows a mixer, without the norm before it.
void build_dense(const Shape& x, std::vector<Operator>& ops);
void build_experts(const Shape& x, std::vector<Operator>& ops);
// The mixers that keep a state, see linear_operators.cpp.
void build_linear_attention(const Shape& x, const Settings& s, std::vector<Operator>& ops);
void build_state_space(const Shape& x, const Settings& s, std::vector<Operator>& ops);

}  // namespace shardscope
