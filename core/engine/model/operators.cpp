#include "model/operators.h"

#include <algorithm>

#include "model/listed_operators.h"
#include "model/shape.h"
#include "parameters/layer_pattern.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Adds the operators after a layer's feed-forward or experts.
void end_layer(const Shape& x, std::vector<Operator>& ops) {
    const double rows = x.tokens / x.sequence_shards;
    if (x.layer_norms > 3) ops.push_back(layer_norm(x, "mlp.post_norm"));
    ops.push_back(streaming(x, OperatorKind::elementwise, "mlp.residual", 3 * rows * x.h, 0,
                            x.dropout ? rows * x.h : 0));
}

void build_mixer(const Shape& x, const Settings& s, Mixer mixer, std::vector<Operator>& ops) {
    switch (mixer) {
        case Mixer::full:
        case Mixer::sliding:
        case Mixer::chunked:
            return build_attention(x, attended_tokens(s, mixer), attention_length(s, mixer), ops);
        case Mixer::linear: return build_linear_attention(x, s, ops);
        case Mixer::mamba2: return build_state_space(x, s, ops);
        case Mixer::none: return;
    }
}

void build_layer(const Shape& x, const Settings& s, const LayerKind& kind, std::vector<Operator>& ops) {
    build_mixer(x, s, kind.mixer, ops);
    if (kind.feed_forward == FeedForward::none) return;
    const std::size_t first = ops.size();
    if (x.layer_norms > 1 || kind.mixer == Mixer::none) ops.push_back(layer_norm(x, "mlp.norm"));
    if (kind.feed_forward == FeedForward::experts) build_experts(x, ops);
    else build_dense(x, ops);
    end_layer(x, ops);
    for (std::size_t i = first; i < ops.size(); ++i) ops[i].feed_forward = true;
}

// The name of a kind of layer. Without a pattern, layers differ in what follows attention only.
std::string_view name_of(const LayerKind& kind, bool has_pattern, bool has_experts) {
    const bool experts = kind.feed_forward == FeedForward::experts;
    if (!has_pattern)
        return experts       ? translatable("expert layer")
               : has_experts ? translatable("dense layer")
                             : translatable("layer");
    static constexpr std::array<std::array<std::string_view, 3>, 6> kNames{
        {{translatable("full attention"), translatable("full attention, experts"),
          translatable("full attention alone")},
         {translatable("sliding attention"), translatable("sliding attention, experts"),
          translatable("sliding attention alone")},
         {translatable("chunked attention"), translatable("chunked attention, experts"),
          translatable("chunked attention alone")},
         {translatable("linear attention"), translatable("linear attention, experts"),
          translatable("linear attention alone")},
         {translatable("Mamba-2"), translatable("Mamba-2, experts"), translatable("Mamba-2 alone")},
         {translatable("feed-forward alone"), translatable("experts alone"), ""}}};
    return kNames[static_cast<std::size_t>(kind.mixer)][static_cast<std::size_t>(kind.feed_forward)];
}

// Adds the matrix between the layers and an embedding or LM head of another width (OPT's project_in and
// project_out; Zhang et al. 2022, arXiv 2205.01068). Every tensor-parallel GPU has all of it.
void add_width_projection(const Shape& x, std::string_view name, double n, double k,
                          std::vector<Operator>& ops) {
    if (n == k) return;
    const double rows = x.tokens / x.sequence_shards;
    Operator op = matrix(x, name, n, k, Cut::none, false, x.q * rows * k / x.kept_operand);
    op.m = rows;
    op.bytes = x.q * (rows * k + k * n + rows * n);
    op.low_precision = false;
    op.cast_bytes = op.gradient_cast_bytes = 0;
    ops.push_back(op);
}

// Adds the last norm, the LM head and the loss.
void build_head(const Shape& x, bool has_weights, std::vector<Operator>& head) {
    const double rows = x.tokens / x.sequence_shards;
    head.push_back(
        streaming(x, OperatorKind::norm, "head.norm", 2 * rows * x.h, x.norm_weights, x.q * rows * x.h));
    add_width_projection(x, "head.projection", x.embedding, x.h, head);
    if (!has_weights && head.back().name == "head.projection") head.back().weights = 0;
    const std::size_t before_gather = head.size();
    enter_tensor_parallel(x, "head.gather", head);
    if (head.size() > before_gather) head.back().bytes *= x.embedding / x.h;
    Operator logits = matrix(x, "head.logits", x.vocab, x.embedding, Cut::column, x.head_bias,
                             x.q * rows * x.embedding / x.kept_operand);
    logits.low_precision = false;
    logits.cast_bytes = logits.gradient_cast_bytes = 0;
    if (x.tied) logits.weights = x.head_bias ? x.vocab : 0;
    if (!has_weights) logits.weights = 0;
    head.push_back(logits);
    // Without a parallel loss every GPU gathers the logits in the precision of activations. In the backward
    // pass each takes its slice of the gradient (Megatron-Core, gather_from_tensor_model_parallel_region).
    if (x.t > 1 && !x.parallel_loss) {
        add_collective(head, "head.gather_logits", Collective::all_gather, CommunicationGroup::tensor,
                       x.q * x.tokens * x.vocab);
        head.back().forward_only = true;
    }
    // The memory of the logits is a term of its own.
    Operator loss = streaming(x, OperatorKind::softmax, "head.loss", 0, 0, 0);
    loss.bytes = x.loss_traffic * x.tokens * x.vocab;
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

BoundedList<const Block*, kLayerKinds + 3> OperatorList::blocks() const {
    BoundedList<const Block*, kLayerKinds + 3> out;
    out.add(&embedding);
    for (const Block& layer : layers()) out.add(&layer);
    if (prediction.repeat > 0) out.add(&prediction);
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
    out.prediction.operators.clear();
    out.head.operators.clear();
    const double rows = x.tokens / x.sequence_shards;

    out.embedding.name = translatable("embedding");
    out.embedding.repeat = 1;
    Operator lookup = streaming(x, OperatorKind::gather, "embedding", 2 * x.tokens * x.embedding,
                                x.vocab * x.embedding + x.positions * x.h, x.dropout ? rows * x.h : 0);
    // Positions have the width of the layers.
    const double positions = x.positions * (x.h / x.embedding);
    lookup.share = (x.vocab / x.t + positions) / (x.vocab + positions);
    out.embedding.operators.push_back(lookup);
    leave_tensor_parallel(x, "embedding.reduce", out.embedding.operators);
    if (out.embedding.operators.size() > 1) out.embedding.operators.back().bytes *= x.embedding / x.h;
    add_width_projection(x, "embedding.projection", x.h, x.embedding, out.embedding.operators);

    const LayerCounts repeats = sequence.counts();
    for (std::size_t i = 0; i < out.kinds; ++i) {
        Block& layer = out.of_kind[i];
        layer.name = name_of(sequence.kind(i), sequence.has_pattern(), x.experts > 0);
        layer.repeat = repeats[i];
        layer.operators.clear();
        if (layer.repeat > 0) build_layer(x, settings, sequence.kind(i), layer.operators);
    }
    out.active_experts = x.experts > 0 ? std::min(1.0, x.top / x.experts) : 1;

    out.head.name = translatable("head");
    out.head.repeat = 1;
    build_head(x, true, out.head.operators);
    // A prediction layer (MTP) projects the hidden state and the next token's embedding to one width, and has
    // a layer of its own. Its output passes through the head once more.
    out.prediction.name = translatable("prediction layer");
    out.prediction.repeat = settings[P::mtp_layers];
    if (out.prediction.repeat <= 0) return;
    std::vector<Operator>& prediction = out.prediction.operators;
    prediction.push_back(
        matrix(x, "prediction.projection", x.h, 2 * x.h, Cut::column, false, 2 * x.q * rows * x.h));
    if (sequence.has_pattern()) {
        const FeedForward after = x.experts > 0 ? FeedForward::experts : FeedForward::dense;
        build_layer(x, settings, {Mixer::full, after}, prediction);
    } else {
        const std::vector<Operator>& layer = out.usual_layer().operators;
        prediction.insert(prediction.end(), layer.begin(), layer.end());
    }
    for (double i = 0; i < out.prediction.repeat; ++i) build_head(x, false, out.head.operators);
}

}  // namespace shardscope
