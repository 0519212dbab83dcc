#include "compile/stage_parameters.h"

#include "compile/compiled.h"

namespace shardscope {

ModelParameters end_parameters(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    ModelParameters out;
    if (stage.embedding) out.non_expert += c.work.embedding.weights;
    if (stage.head) out.non_expert += c.work.head.weights;
    out.non_expert += stage.predictions * c.work.prediction.weights;
    out.experts = stage.predictions * c.work.prediction.experts;
    const bool uses_embedding = (stage.head && s.on(P::tied_embeddings)) || stage.predictions > 0;
    if (uses_embedding && !stage.embedding)
        out.non_expert += s[P::vocab_size] * s[P::hidden_size] / c.layout.tensor;
    return out;
}

StageParameters stage_parameters(const Stage& stage, const Compiled& c) {
    StageParameters out;
    const ModelParameters ends = end_parameters(stage, c);
    out.root = out.all.non_expert = ends.non_expert;
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i) {
        out.all.non_expert += stage.counts[i] * c.work.layers[i].weights;
        out.experts += stage.counts[i] * c.work.layers[i].experts;
    }
    out.all.experts = out.experts + ends.experts;
    return out;
}

}  // namespace shardscope
