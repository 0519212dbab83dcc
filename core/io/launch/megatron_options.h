// The options of Megatron-LM that set a single parameter, and the reader of its arguments.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "launch/megatron_command.h"
#include "launch/reading.h"
#include "launch/writing.h"

namespace shardscope::launch {

// Returns "--num-layers" for P::layers; "" where no single option sets the parameter.
std::string_view option_of(P id);
// Returns the value of the option that sets the parameter. Where it is absent, adds a problem to the
// command's and returns the parameter's minimum.
double required_number(MegatronCommand& command, P id);
// Returns the modules of layers with experts that CUDA graphs repeat, if the experts' buffers are not static.
// A graph has no part of recomputed experts (megatron/core/transformer/transformer_config.py).
inline std::string graphs_with_experts(const Settings& settings) {
    return recomputes(settings, RecomputeModule::moe) ? "attn" : "attn moe_router";
}
// Returns the value of an option that names a choice, of which `known` are those that the scenario can have.
// The first of them is the default. Any other value is noted, and the default is returned.
std::string modelled_choice(MegatronCommand& command, ScenarioBuilder& out, const char* option,
                            std::initializer_list<const char*> known);

bool is_megatron(std::string_view text);
LaunchRead read_megatron(std::string_view text, const Scenario& base, Problems& problems);

// Reads options that are already separated, such as the list of arguments that Megatron-LM logs. That list
// has every option, so that options which are not read are not noted.
LaunchRead read_megatron_arguments(std::span<const MegatronArgument> arguments, const Scenario& base,
                                   Problems& problems);

// Returns whether the tool's arguments can express the order of the layers: any order of layers with and
// without a window, linear attention or experts, and hybrid models of Mamba-2. Of these, Primus has experts
// in any order, and windows in all layers or in all but every n-th.
bool writes_layer_pattern(const Settings& settings, const LaunchFormat& tool);
// Returns the sentence with which a tool is refused whose arguments cannot express the order of the layers.
std::string refused_layers(const Settings& settings, const LaunchFormat& tool);
// Returns the arguments of an answer, for Megatron-LM and for tools that take its arguments in another form.
// `tool` is the one that the notes name.
std::vector<MegatronArgument> megatron_arguments(LaunchSettings& plan, const LaunchFormat& tool);
// Return the options of rotary embeddings, routing and the activation that a model's preset gives. They
// change what the model learns and not its time or memory, so that they belong to the preset and not to the
// scenario.
std::vector<MegatronArgument> rotary_options(const Preset* model);
std::vector<MegatronArgument> routing_options(const Preset* model);
std::vector<MegatronArgument> activation_options(const Preset* model, bool has_bias);
// Adds notes on the options of positions, routing and the activation that the model's preset does not give.
void note_options_without_preset(LaunchSettings& plan);

// Returns the values of --cp-comm-type, in the order of ContextParallelKind.
std::span<const char* const, 4> context_parallel_kinds();
// Returns the modules of a set as --recompute-modules names them ("core_attn mlp").
std::string megatron_modules(unsigned set);

}  // namespace shardscope::launch
