#include "model/step_terms.h"

#include <array>

#include "containers/pick.h"
#include "text/translate.h"

namespace shardscope {

std::string_view name_of(StepTerm term) {
    return pick(std::array<std::string_view, kStepTerms>{"matmul", "attention", "elementwise", "recompute",
                                                         "copies", "network", "tensor-network",
                                                         "context-network", "expert-network", "stage-network",
                                                         "bubble", "optimizer", "host-link", "host"},
                term);
}
std::string label_of(StepTerm term) {
    return translate(pick(
        std::array<std::string_view, kStepTerms>{
            translatable("Matmuls"), translatable("Attention"), translatable("Elementwise"),
            translatable("Recompute"), translatable("Memory copies"), translatable("Network"),
            translatable("Tensor parallel"), translatable("Context parallel"),
            translatable("Expert parallel"), translatable("Between stages"), translatable("Pipeline bubble"),
            translatable("Optimizer"), translatable("Host link"), translatable("Host, launch")},
        term));
}
}  // namespace shardscope
