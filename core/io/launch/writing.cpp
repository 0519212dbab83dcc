#include "launch/writing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "explain/output.h"
#include "scenario/gpu_groups.h"
#include "text/encode.h"
#include "text/translate.h"
#include "text/units.h"

namespace shardscope::launch {

std::vector<P> unset_by_fsdp2(const Settings& s) {
    std::vector<P> out{P::fp8_recipe,
                       P::main_gradient_precision,
                       P::attention,
                       P::context_parallel_kind,
                       P::context_parallel_inner,
                       P::expert_tensor_parallel,
                       P::moe_dispatcher,
                       P::overlap_grad_reduce,
                       P::overlap_param_gather,
                       P::recompute_modules,
                       P::sequence_parallel,
                       P::async_tensor_parallel,
                       P::cuda_graphs};
    if (!is_fsdp(s)) out.push_back(P::shard_group);
    return out;
}

bool is_compiled(const Settings& s) {
    const std::string software = written(P::software, s[P::software]);
    return software.ends_with("-compile") || software == "torchtitan";
}

std::string whole(double value) {
    constexpr double kMost = 9e18;
    return std::to_string(static_cast<long long>(std::round(std::fmin(value, kMost))));
}

std::string LaunchPlan::whole(P id) const { return launch::whole(s[id]); }

std::string LaunchPlan::named(P id) const { return translate(parameter(id).label) + " " + format(id, s[id]); }

void LaunchPlan::note_missing_option(const LaunchFormat& tool, P id, const char* sentence,
                                     std::string_view written) {
    note(translate(sentence, {tool.label, named(id), written}));
}

void LaunchPlan::note_mismatches(const LaunchFormat& tool, bool writes_pattern) {
    if (s[P::layer_pattern] != 0 && !writes_pattern)
        note(translate("The layer pattern is not written; the file describes layers of one kind."));
    if (&tool != &kDeepspeed && is(P::sharding, Sharding::zero_pp))
        note_missing_option(
            tool, P::sharding,
            translatable("{1} has no option for “{2}”; ZeRO-3 is written, which neither rounds nor "
                         "keeps a second copy of the weights."));
    if (&tool != &kDeepspeed && is(P::offload, Offload::optimizer_nvme))
        note_missing_option(
            tool, P::offload,
            translatable("{1} has no option for “{2}”; it offloads to the host's memory at most."));
    const std::string predicted = written(P::software, s[P::software]);
    if (predicted.starts_with(tool.stack) || tool.name.starts_with(predicted)) return;
    note(translate("The prediction is for the software {1}; for {2} choose {3}.",
                   {format(P::software, s[P::software]), tool.label,
                    format(P::software, parse(P::software, tool.stack).value)}));
}

namespace {

// Returns whether the prediction would be another one if a setting had its usual value.
bool changes_prediction(const Answer& answer, P id) {
    Scenario without = answer.scenario;
    without.withdraw(id);
    const double usual = resolve(without)[id];
    const double here = answer.settings[id];
    if (same_value(usual, here)) return false;
    const Answer other = shardscope::answer(without);
    return !other.valid() || other.estimate.step.total != answer.estimate.step.total ||
           other.estimate.memory.peak != answer.estimate.memory.peak;
}

}  // namespace

void LaunchPlan::note_unset(const LaunchFormat& tool, const std::vector<P>& ids,
                            const std::vector<P>& written) {
    static constexpr std::array kInFewFiles{
        P::moment_precision,   P::fp8_param_gather, P::bf16_layers,           P::loss,           P::packing,
        P::activation_offload, P::moe_overlap,      P::static_expert_buffers, P::pipeline_layout};
    const auto add = [&](P id) {
        if (std::ranges::find(written, id) == written.end() && changes_prediction(answer, id))
            note(translate("The file does not set “{1}”; choose it in {2}.", {named(id), tool.label}));
    };
    std::ranges::for_each(kInFewFiles, add);
    std::ranges::for_each(ids, add);
}

void LaunchPlan::note_fsdp2_limits() {
    if (is(P::offload, Offload::optimizer) || is(P::offload, Offload::optimizer_nvme))
        note(
            translate("FSDP2 offloads weights, gradients and optimizer together (CPUOffloadPolicy) or "
                      "nothing; no offload is written."));
    if (is(P::sharding, Sharding::zero2))
        note(translate(
            "FSDP2 has no ZeRO-2; the nearest equivalent is written: weights stay gathered from the "
            "forward to the backward pass."));
    if (is(P::recompute, kRecomputeSelective))
        note(
            translate("Recompute of only the attention core is a setting of the model; flash attention "
                      "always does it."));
}

std::string header(const LaunchFormat& tool, const Answer& answer, const std::string& how_to_start) {
    const EnglishScope written;
    // The first two lines contain no text of the scenario. Python looks there for the encoding of a file, and
    // a title such as "coding: unicode_escape \n…" would turn a comment into code.
    std::string out = comment_line("Option names: " + std::string(tool.checked));
    const std::string memory =
        text_of(Output::peak_memory, answer) + " of " + text_of(Output::capacity, answer);
    if (answer.fits()) {
        out += comment_line("Predicted: " + text_of(Output::step_time, answer) + " a step, MFU " +
                            text_of(Output::mfu, answer) + ", " + memory + " at peak");
    } else {
        out += comment_line("Predicted: does not fit, " + memory + " at peak");
    }
    out += comment_line(answer.scenario.title() + ", by Shardscope " SHARDSCOPE_VERSION);
    return out + how_to_start;
}

std::string start_comment(const std::string& launcher, const std::string& program) {
    return comment_line("Start on every node:") + comment_line("  " + launcher + " \\") +
           comment_line("      " + program);
}

Hosts hosts(const Settings& s) {
    const double gpus = std::fmin(s[P::gpus], s[P::gpus_used_per_node]);
    return {s[P::gpus] / gpus, gpus};
}

std::string torchrun(LaunchPlan& plan) {
    const Hosts on = hosts(plan.s);
    constexpr double kMostInAHost = 16;
    if (on.gpus > kMostInAHost) {
        plan.note(translate(
            "A node of the scenario, {1} GPUs, is more than one host: start as many processes on each "
            "as it has GPUs.",
            {whole(on.gpus)}));
    }
    std::string out = "torchrun --nnodes=" + whole(on.nodes) + " --nproc-per-node=" + whole(on.gpus);
    if (on.nodes > 1) out += " --rdzv-backend=c10d --rdzv-endpoint=\"$HEAD_NODE:29500\"";
    return out;
}

double steps(const Answer& answer) {
    const Settings& s = answer.settings;
    if (s[P::training_tokens] <= 0) return 0;
    return std::ceil(s[P::training_tokens] / (s[P::global_batch] * s[P::sequence_length]));
}

}  // namespace shardscope::launch
