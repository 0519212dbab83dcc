#include "physics/step_terms.h"

#include <array>

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
std::string_view label_of(StepTerm term) {
    return pick(
        std::array<std::string_view, kStepTerms>{"Matmuls", "Attention", "Elementwise", "Recompute", "Copies",
                                                 "Network", "Tensor parallel", "Context parallel",
                                                 "Expert parallel", "Between stages", "Pipeline bubble",
                                                 "Optimizer", "Host link", "Host, launch"},
        term);
}
}  // namespace shardscope
