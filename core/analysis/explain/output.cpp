#include "explain/output.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "containers/no_value.h"
#include "effects/offload.h"
#include "evidence/likely_range.h"
#include "evidence/validated.h"
#include "explain/symbols.h"
#include "explain/takeover.h"
#include "memory/memory.h"
#include "model/operators.h"
#include "scenario/gpu_groups.h"
#include "scenario/software_support.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

double memory_term(const Answer& a, MemoryTerm term) { return a.estimate.memory.term(term); }
double step_term(const Answer& a, StepTerm term) { return a.estimate.step.term(term); }
double elasticity(const Answer& a, Rate rate) {
    return a.estimate.elasticity[static_cast<std::size_t>(rate)];
}
double wall_share(const Answer& a) { return std::ranges::max(a.estimate.elasticity); }

constexpr std::array<OutputRow, kOutputs> kTable{{
#define SHARDSCOPE_OUTPUT(id, ...) OutputRow{__VA_ARGS__},
#include "explain/outputs.inc"
#undef SHARDSCOPE_OUTPUT
}};

// The name of a wall at the start of a sentence. Capitals depend on the language, so that these names are
// translated separately.
std::string capitalised(Wall wall) {
    constexpr std::array<std::string_view, 8> kNames{translatable("Memory"),
                                                     translatable("Compute"),
                                                     translatable("Memory bandwidth"),
                                                     translatable("Intra-node bandwidth"),
                                                     translatable("Inter-node bandwidth"),
                                                     translatable("Latency"),
                                                     translatable("The host's memory or the link to it"),
                                                     translatable("Balanced")};
    return translate(kNames[static_cast<std::size_t>(wall)]);
}

// The name of a wall within a sentence.
std::string name_of_wall(Wall wall) {
    return wall == Wall::host_link ? translate("the host's memory or the link to it") : label_of(wall);
}

// A rate at which the wall changes, in three digits. It is rounded away from the present value, so that the
// wall has changed there.
std::string rounded(P input, double value, bool below) {
    const double unit = units_of(parameter(input).quantity).front().factor;
    const double digit = unit * std::pow(10, std::floor(std::log10(value / unit)) - 2);
    const std::string text =
        format(input, digit * (below ? std::floor(value / digit) : std::ceil(value / digit)));
    // A rate of the GPU is named, because the sentence is about a link.
    return parameter(input).group == Group::gpu && input != P::intra_node_bandwidth
               ? translate("{1} of {2}", {label_of(input), text})
               : text;
}

// "Inter-node bandwidth is the wall up to 150 Gbit/s.", in the words of an answer of Solve.
std::string takeover_sentence(const Answer& answer) {
    const Takeovers found = takeovers(answer);
    if (answer.estimate.wall == Wall::memory) {
        return found.above
                   ? translate("It fits with at least {1} of GPU memory, which includes a margin of {2}.",
                               {format(P::memory, found.above->value),
                                format(answer.settings[P::risk_margin], Quantity::percent)})
                   : std::string();
    }
    const std::string below = found.below ? rounded(found.input, found.below->value, true) : "";
    const std::string above = found.above ? rounded(found.input, found.above->value, false) : "";
    if (found.below && found.above)
        return translate("{1} is the wall up to {2}, {3} from {4} up.",
                         {capitalised(found.below->next), below, name_of_wall(found.above->next), above});
    if (found.below) return translate("{1} is the wall up to {2}.", {capitalised(found.below->next), below});
    if (found.above)
        return translate("{1} is the wall from {2} up.", {capitalised(found.above->next), above});
    return {};
}

// The part of the step that waits for the network, at the present tokens per GPU, and the tokens from which
// perfect overlap would hide the gathers. What is exposed is that of the estimate, as in the waterfall.
std::string exposed_sentence(const Answer& answer) {
    const StepTime& step = answer.estimate.step;
    const double exposed = step.term(StepTerm::network) / step.total;
    const double threshold = answer.estimate.ideal.threshold_tokens;
    const std::string share = format(exposed, Quantity::percent);
    const std::string have = format(answer.compiled.tokens_per_micro_batch, Quantity::tokens, false);
    const std::string need = format(std::max(1.0, std::round(threshold)), Quantity::tokens, false);
    return answer.settings.listed()
               ? translate(
                     "{1} of the step waits for the network at {2} samples per GPU; perfect overlap "
                     "would hide the gathers from {3} samples per GPU on, the ideal threshold.",
                     {share, have, need})
               : translate(
                     "{1} of the step waits for the network at {2} tokens per GPU; perfect overlap "
                     "would hide the gathers from {3} tokens per GPU on, the ideal threshold.",
                     {share, have, need});
}

// The costs besides computing. Their first one is the network of shardings that gather no weights.
struct Cost {
    StepTerm term;
    std::string_view sentence;
};

// The largest cost besides computing.
const Cost& worst_cost(const StepTime& step) {
    static constexpr std::array costs{
        Cost{StepTerm::network,
             translatable("{1} of the step waits for the gradient reduction, which runs once per step.")},
        Cost{StepTerm::tensor_network,
             translatable("{1} of the step goes to tensor-parallel communication.")},
        Cost{StepTerm::context_network, translatable("{1} of the step goes to the context-parallel ring.")},
        Cost{StepTerm::expert_network,
             translatable("{1} of the step goes to the all-to-all between tokens and experts.")},
        Cost{StepTerm::stage_network, translatable("{1} of the step goes to messages between stages.")},
        Cost{StepTerm::bubble, translatable("{1} of the step is the pipeline's bubble.")},
        Cost{StepTerm::host_link,
             translatable("{1} of the step waits for the host's memory or the link to it.")},
    };
    return *std::ranges::max_element(costs, {}, [&](const Cost& cost) { return step.term(cost.term); });
}

// Names the largest cost besides computing. Where weights are gathered, that is what the network leaves
// exposed unless another cost is larger. Empty if no cost is worth a sentence.
std::string cost_sentence(const Answer& answer) {
    const StepTime& step = answer.estimate.step;
    const Cost& worst = worst_cost(step);
    const double share = step.term(worst.term) / step.total;
    constexpr double kLarge = 0.1;
    constexpr double kNegligible = 0.005;
    if (shards_weights(answer.settings) && (worst.term == StepTerm::network || share < kLarge))
        return exposed_sentence(answer);
    if (share < kNegligible) return {};
    return translate(worst.sentence, {format(share, Quantity::percent)});
}

// The rows of the waterfall that latency lengthens.
std::string latency_sentence(const Estimate& e) {
    const auto share = [&](double seconds) { return format(seconds / e.step.total, Quantity::percent); };
    return translate(
        "Latency is in two places: launch and host time, {2} of the step, and the hops of messages, which "
        "are a part of the {1} that wait for communication. No bandwidth shortens it.",
        {share(e.exposed_communication()), share(e.step.term(StepTerm::host))});
}

std::string whole_percent(double share) { return format(std::round(share * 100), Quantity::count) + " %"; }

// "Compute is the wall: it limits 65 % of the step."
std::string lead_sentence(const Estimate& e) {
    const auto largest = std::ranges::max_element(e.elasticity);
    const std::string share = whole_percent(*largest);
    if (e.wall == Wall::balanced) {
        const Wall wall = e.wall_of(static_cast<Rate>(largest - e.elasticity.begin()));
        return translate("No wall dominates: {1} limits {2} of the step.", {name_of_wall(wall), share});
    }
    if (e.wall == Wall::host_link)
        return translate("The host's memory or the link to it is the wall: it limits {1} of the step.",
                         {share});
    return translate("{1} is the wall: it limits {2} of the step.", {capitalised(e.wall), share});
}

// Names the second wall where it takes a large share, too.
std::string second_sentence(const Estimate& e) {
    constexpr double kLarge = 0.3;
    auto shares = e.elasticity;
    *std::ranges::max_element(shares) = 0;
    const auto second = std::ranges::max_element(shares);
    if (*second < kLarge) return {};
    const Wall wall = e.wall_of(static_cast<Rate>(second - shares.begin()));
    return translate("{1} limits a further {2}.", {capitalised(wall), whole_percent(*second)});
}

std::string risk_sentence(const MemoryUse& memory) {
    const double spare = memory.capacity - memory.peak;
    const std::string away = format(std::fabs(spare), Quantity::bytes);
    return spare >= 0 ? translate("Only {1} free: risk of running out of memory.", {away})
                      : translate("{1} more than the limit: high risk of running out of memory.", {away});
}

}  // namespace

std::span<const OutputRow, kOutputs> outputs() { return kTable; }
const OutputRow& output(Output id) { return kTable[static_cast<std::size_t>(id)]; }
std::string label_of(Output id) { return translate(output(id).label); }

std::optional<Output> find_output(std::string_view path) {
    for (std::size_t i = 0; i < kOutputs; ++i) {
        if (kTable[i].path == path) return static_cast<Output>(i);
    }
    std::optional<Output> found;
    for (std::size_t i = 0; i < kOutputs; ++i) {
        const std::string_view full = kTable[i].path;
        if (full.substr(full.rfind('.') + 1) != path) continue;
        if (found) return std::nullopt;
        found = static_cast<Output>(i);
    }
    return found;
}

Output output_of(MemoryTerm term) {
    constexpr std::array outputs{Output::memory_weights,     Output::memory_gradients,
                                 Output::memory_optimizer,   Output::memory_gathered,
                                 Output::memory_activations, Output::memory_logits,
                                 Output::memory_context,     Output::memory_allocator};
    static_assert(outputs.size() == kMemoryTerms);
    return outputs[static_cast<std::size_t>(term)];
}

Output output_of(StepTerm term) {
    constexpr std::array outputs{Output::step_matmul,
                                 Output::step_attention,
                                 Output::step_elementwise,
                                 Output::step_recompute,
                                 Output::step_copies,
                                 Output::step_network,
                                 Output::step_tensor_network,
                                 Output::step_context_network,
                                 Output::step_expert_network,
                                 Output::step_stage_network,
                                 Output::step_bubble,
                                 Output::step_optimizer,
                                 Output::step_host_link,
                                 Output::step_host,
                                 Output::step_time};
    static_assert(outputs.size() == kStepTerms + 1);
    return outputs[static_cast<std::size_t>(term)];
}

bool less_is_better(Output id) {
    switch (id) {
        case Output::expected_failures:
        case Output::tokens_needed:
        case Output::steps: return true;
        case Output::time_between_failures: return false;
        default: break;
    }
    switch (output(id).quantity) {
        case Quantity::seconds:
        case Quantity::bytes:
        case Quantity::days:
        case Quantity::hours:
        case Quantity::money:
        case Quantity::watts:
        case Quantity::joules: return true;
        default: return false;
    }
}

double value_of(Output id, const Answer& answer, bool hypothetical) {
    const OutputRow& row = output(id);
    const bool shown = answer.valid() && (!row.requires_fit || hypothetical || answer.estimate.fits());
    return shown ? row.get(answer) : kNoValue;
}

std::string text_of(Output id, const Answer& answer, bool hypothetical) {
    return format(value_of(id, answer, hypothetical), output(id).quantity);
}

std::vector<Output> whole_run(const Answer& answer) {
    std::vector<Output> out{Output::training_days, Output::gpu_hours};
    if (!answer.valid()) return out;
    if (answer.settings[P::price_per_gpu_hour] > 0) out.push_back(Output::cost);
    if (answer.settings[P::tdp] > 0) out.push_back(Output::energy);
    if (answer.estimate.run.goodput < 1) {
        out.insert(out.end(),
                   {Output::goodput, Output::days_without_failures, Output::expected_failures,
                    Output::time_between_failures, Output::checkpoint_interval, Output::checkpoint_write});
    }
    out.insert(out.end(), {Output::steps, Output::batch_tokens});
    if (std::isfinite(answer.estimate.run.critical_batch))
        out.insert(out.end(), {Output::critical_batch, Output::tokens_needed});
    return out;
}

WallSentences wall_sentences(const Answer& answer) {
    WallSentences out;
    if (!answer.valid()) return out;
    const Estimate& e = answer.estimate;
    const Settings& s = answer.settings;
    if (e.wall == Wall::memory) {
        const MemoryTerms& terms = e.memory.terms();
        const auto largest = static_cast<std::size_t>(std::ranges::max_element(terms) - terms.begin());
        const Output term = output_of(static_cast<MemoryTerm>(largest));
        const std::string need = format(terms[largest], Quantity::bytes);
        const std::string capacity = format(e.memory.capacity, Quantity::bytes);
        const std::string over = format(e.memory.peak - e.memory.capacity, Quantity::bytes);
        out.lead = translate("Memory is the wall: {1} too much.", {over});
        out.takeover = takeover_sentence(answer);
        const Stage& fullest = fullest_stage(answer);
        const double left_activations = left_on_gpu(offloaded_activation_bytes(fullest, answer.compiled),
                                                    host_memory_for_activations(fullest, answer.compiled));
        if (left_activations > 0)
            out.details.push_back(translate("The host has no memory for {1} of the offloaded activations.",
                                            {format(left_activations, Quantity::bytes)}));
        const double left = e.memory.term(MemoryTerm::optimizer);
        if (s.choice<Offload>(P::offload) != Offload::none && left > 0)
            out.details.push_back(translate("The host has no memory for {1} of the offloaded state.",
                                            {format(left, Quantity::bytes)}));
        out.details.push_back(
            output(term).label.ends_with('s')
                ? translate("{1} alone need {2} of {3}.", {label_of(term), need, capacity})
                : translate("{1} alone needs {2} of {3}.", {label_of(term), need, capacity}));
        return out;
    }
    out.lead = lead_sentence(e);
    const bool by_hand = s[P::mfu_override] > 0;
    if (!by_hand) {
        out.second = second_sentence(e);
        out.takeover = takeover_sentence(answer);
    }
    if (e.verdict == Verdict::risky) out.details.push_back(risk_sentence(e.memory));
    if (by_hand) {
        out.details.push_back(translate("The MFU is set by hand; {1} is predicted.",
                                        {format(e.predicted_mfu, Quantity::percent)}));
    } else if (s[P::gpus] <= 1) {
        out.details.push_back(translate("One GPU: there is no communication between GPUs."));
    } else {
        // The threshold depends on bandwidths only; a latency-bound step may exceed it.
        const std::string cost = e.wall == Wall::latency ? latency_sentence(e) : cost_sentence(answer);
        if (!cost.empty()) out.details.push_back(cost);
    }
    return out;
}

std::string WallSentences::text() const {
    std::vector<std::string> all{lead, second, takeover};
    all.insert(all.end(), details.begin(), details.end());
    std::erase(all, std::string());
    return joined(all, " ");
}

std::string wall_sentence(const Answer& answer) { return wall_sentences(answer).text(); }

bool exceeds_context(const Answer& answer) {
    const Preset* model = answer.scenario.model;
    return answer.valid() && model && model->context > 0 && document_tokens(answer.settings) > model->context;
}

std::vector<std::string> warnings(const Answer& answer) {
    std::vector<std::string> out;
    if (!answer.valid()) return out;
    const Settings& s = answer.settings;
    if (s.listed()) {
        out.push_back(translate("The model is a list of operators: a token is one sample."));
        if (s[P::pipeline_parallel] > 1)
            out.push_back(translate(
                "The layers of a list differ; every pipeline stage is estimated with average layers."));
    } else if (std::fmod(s[P::head_size], 8) != 0) {
        out.push_back(translate(
            "Head size {1} is not a multiple of 8: tensor cores run such attention far below their peak.",
            {format(s[P::head_size], Quantity::count)}));
    }
    if (exceeds_context(answer)) {
        const Preset& model = *answer.scenario.model;
        out.push_back(translate(
            "The sequence of {1} tokens is longer than the context of {3}, {2} positions. Training at this "
            "length needs an extended position encoding, such as a larger RoPE base; memory and time are "
            "estimated for this length.",
            {format(s[P::sequence_length], Quantity::count), format(model.context, Quantity::count),
             model.shown_title()}));
    }
    const double positions = s[P::learned_positions];
    if (positions > 0 && positions < s[P::sequence_length]) {
        out.push_back(translate("The sequence is longer than the model's {1} learned positions.",
                                {format(positions, Quantity::count)}));
    }
    if (s[P::mfu_override] > 0) {
        out.push_back(
            translate("The MFU is set by hand: the parts of the step are the predicted ones, scaled, and "
                      "plans are compared by the prediction."));
    }
    if (answer.estimate.run.batch > answer.estimate.run.critical_batch) {
        out.push_back(
            translate("The batch of {1} tokens is above the critical batch of {2}: larger ones save little "
                      "time and cost many tokens.",
                      {format(answer.estimate.run.batch, Quantity::big_count),
                       format(answer.estimate.run.critical_batch, Quantity::big_count)}));
    }
    const bool selective = s[P::recompute] == kRecomputeSelective;
    if (!selective && s[P::recompute_modules] > 0 && s.origin(P::recompute_modules) == Origin::given) {
        out.push_back(
            translate("The recomputed modules have no effect: set the recomputation to selective."));
    }
    const Preset* gpu = answer.scenario.gpu_preset();
    if (gpu && !runs_on(s.choice<Software>(P::software), gpu->vendor))
        out.push_back(
            translate("{1} does not run on {2}.", {format(P::software, s[P::software]), gpu->shown_title()}));
    for (const std::string& note : missing_in_software(answer.settings)) out.push_back(note);
    for (const std::string& note : extrapolation_warnings(answer)) out.push_back(note);
    return out;
}

}  // namespace shardscope
