// Constraints of the GPUs and their nodes.
#include <algorithm>
#include <cmath>

#include "parameters/matrix_format.h"
#include "scenario/constraint.h"
#include "scenario/problem_text.h"
#include "scenario/torus.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using Level = Constraint::Level;

// ---- Whole nodes ------------------------------------------------------------------------------------------

constexpr P kGpus[] = {P::gpus};

bool nodes_are_full(const Settings& s) {
    return s[P::gpus] <= s[P::gpus_used_per_node] || std::fmod(s[P::gpus], s[P::gpus_used_per_node]) == 0;
}

Problem nodes_not_full(const Settings& s) {
    return value_problem(P::gpus, s,
                         translate("not a multiple of the {1} GPUs of a node",
                                   {format(P::gpus_used_per_node, s[P::gpus_used_per_node])}),
                         suggest_multiples(s[P::gpus], s[P::gpus_used_per_node]));
}

// ---- Precisions that the GPU supports ---------------------------------------------------------------------

constexpr P kPrecision[] = {P::precision};

// The recipe mxfp8 of fp8 needs matrix units that scale blocks, as the precision mxfp8 does.
bool supports(const Settings& s, Precision precision) {
    return !std::isnan(s[peak_of(matrix_format(precision, s.choice<Fp8Recipe>(P::fp8_recipe)))]);
}

bool is_supported(const Settings& s) { return supports(s, s.choice<Precision>(P::precision)); }

Problem unsupported_precision(const Settings& s) {
    if (matrix_format(s) == Precision::mxfp8 && !std::isnan(s[P::peak_flops_fp8]))
        return {pointer_to(P::precision), translate("the GPU has no MXFP8"),
                translate("its data sheet gives no peak for it"),
                translate("choose fp8 with another recipe or give cluster.gpu.peak_flops.mxfp8")};
    return {pointer_to(P::precision),
            translate("the GPU has no peak for {1}", {format(P::precision, s[P::precision])}),
            translate("its data sheet gives none"),
            translate("choose another precision or give cluster.gpu.peak_flops")};
}

// ---- Torus ------------------------------------------------------------------------------------------------

bool torus_has_all_gpus(const Settings& s) {
    if (s[P::torus] == 0 || s.choice<Topology>(P::topology) != Topology::torus) return true;
    const std::optional<TorusShape> shape = torus_shape(s);
    if (!shape) return false;
    double gpus = 1;
    for (const double axis : *shape) gpus *= std::max(1.0, axis);
    return gpus == s[P::gpus_per_node];
}

Problem torus_without_all_gpus(const Settings& s) {
    return value_problem(P::torus, s,
                         translate("it is not the shape of the {1} GPUs of a node",
                                   {format(P::gpus_per_node, s[P::gpus_per_node])}),
                         translate("write the GPUs along each axis, such as 16x16 or 8x8x16"));
}

constexpr Constraint kMachineConstraints[] = {
    {.level = Level::node, .blocks = false, .holds = torus_has_all_gpus, .problem = torus_without_all_gpus},
    {.blocks = false,
     .parameters = kPrecision,
     .holds = is_supported,
     .problem = unsupported_precision,
     .narrow =
         [](P, const Settings& s, ValidValues& values) {
             values.keep_if(
                 [&](double value) { return supports(s, static_cast<Precision>(static_cast<int>(value))); });
         }},
    {.level = Level::node,
     .parameters = kGpus,
     .holds = nodes_are_full,
     .problem = nodes_not_full,
     .narrow =
         [](P, const Settings& s, ValidValues& values) {
             values.multiples_above(s[P::gpus_used_per_node], s[P::gpus_used_per_node]);
         }},
};

}  // namespace

std::span<const Constraint> machine_constraints() { return kMachineConstraints; }

}  // namespace shardscope
