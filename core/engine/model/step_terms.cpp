#include "model/step_terms.h"

#include <array>

#include "text/said.h"

namespace shardscope {
namespace {

std::string_view pick(const std::array<std::string_view, kStepTerms>& names, StepTerm term) {
    return names[static_cast<std::size_t>(term)];
}

}  // namespace

std::string_view name_of(StepTerm term) {
    return pick(std::array<std::string_view, kStepTerms>{"matmul", "attention", "elementwise", "recompute",
                                                         "copies", "network", "tensor-network",
                                                         "context-network", "expert-network", "stage-network",
                                                         "bubble", "optimizer", "host-link", "host"},
                term);
}
std::string label_of(StepTerm term) {
    return said(pick(
        std::array<std::string_view, kStepTerms>{
            phrase("Matmuls"), phrase("Attention"), phrase("Elementwise"), phrase("Recompute"),
            phrase("Copies"), phrase("Network"), phrase("Tensor parallel"), phrase("Context parallel"),
            phrase("Expert parallel"), phrase("Between stages"), phrase("Pipeline bubble"),
            phrase("Optimizer"), phrase("Host link"), phrase("Host, launch")},
        term));
}
}  // namespace shardscope
