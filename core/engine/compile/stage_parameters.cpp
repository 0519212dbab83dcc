#include "compile/stage_parameters.h"

#include "compile/compiled.h"

namespace shardscope {

double end_parameters(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    double out = 0;
    if (stage.embedding) out += c.work.embedding.weights;
    if (stage.head) out += c.work.head.weights;
    if (stage.head && !stage.embedding && s.on(P::tied_embeddings))
        out += s[P::vocab_size] * s[P::hidden_size] / c.layout.tensor;
    return out;
}

StageParameters stage_parameters(const Stage& stage, const Compiled& c) {
    StageParameters out;
    out.root = end_parameters(stage, c);
    if (stage.dense > 0) out.dense_layer = c.work.dense.weights;
    if (stage.sparse > 0) {
        out.sparse_layer = c.work.sparse.weights;
        out.experts_of_layer = c.work.sparse.experts;
    }
    out.all.non_expert = out.root + stage.dense * out.dense_layer + stage.sparse * out.sparse_layer;
    out.all.experts = stage.sparse * out.experts_of_layer + (stage.head ? c.work.head.experts : 0);
    return out;
}

}  // namespace shardscope
