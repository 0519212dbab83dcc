#include "compile/stage_parameters.h"

#include "compile/compiled.h"

namespace shardscope {

double end_parameters(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    double out = 0;
    if (stage.embedding) out += c.work.embedding.weights;
    if (stage.head) out += c.work.last_end.weights;
    if (stage.head && !stage.embedding && s.on(P::tied_embeddings))
        out += s[P::vocab_size] * s[P::hidden_size] / c.layout.tensor;
    return out;
}

StageParameters stage_parameters(const Stage& stage, const Compiled& c) {
    StageParameters out;
    out.root = end_parameters(stage, c);
    out.all.non_expert = out.root;
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i) {
        out.all.non_expert += stage.counts[i] * c.work.layers[i].weights;
        out.experts += stage.counts[i] * c.work.layers[i].experts;
    }
    out.all.experts = out.experts + (stage.head ? c.work.last_end.experts : 0);
    return out;
}

}  // namespace shardscope
