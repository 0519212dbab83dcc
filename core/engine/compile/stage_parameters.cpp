#include "compile/stage_parameters.h"

#include "compile/compiled.h"

namespace shardscope {

double vocabulary_parameters(const Stage& stage, const Compiled& c) {
    const Settings& s = c.settings;
    double out = 0;
    if (stage.embedding) out += c.work.embedding.weights;
    if (stage.head) out += c.work.head.weights;
    const bool uses_embedding = (stage.head && s.on(P::tied_embeddings)) || stage.predictions > 0;
    if (uses_embedding && !stage.embedding) out += s[P::vocab_size] * embedding_width(s) / c.layout.tensor;
    return out;
}

namespace {

ModelParameters end_parameters(const Stage& stage, double vocabulary, const Compiled& c) {
    return {vocabulary + stage.predictions * c.work.prediction.weights,
            stage.predictions * c.work.prediction.experts};
}

}  // namespace

ModelParameters end_parameters(const Stage& stage, const Compiled& c) {
    return end_parameters(stage, vocabulary_parameters(stage, c), c);
}

StageParameters stage_parameters(const Stage& stage, const Compiled& c) {
    StageParameters out;
    out.vocabulary = vocabulary_parameters(stage, c);
    const ModelParameters ends = end_parameters(stage, out.vocabulary, c);
    out.root = out.all.non_expert = ends.non_expert;
    for (std::size_t i = 0; i < kinds_of_layers(c); ++i) {
        out.all.non_expert += stage.counts[i] * c.work.layers[i].weights;
        out.experts += stage.counts[i] * c.work.layers[i].experts;
    }
    out.all.experts = out.experts + ends.experts;
    return out;
}

}  // namespace shardscope
