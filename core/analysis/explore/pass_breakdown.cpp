#include "explore/pass_breakdown.h"

#include <algorithm>

#include "scenario/gpu_groups.h"

namespace shardscope {
namespace {

// Adds the seconds to the part of the same activity, if there is one, else as a new part.
void add(std::vector<Part>& out, Activity activity, double seconds) {
    if (seconds <= 0) return;
    const auto same = std::ranges::find(out, activity, &Part::activity);
    if (same == out.end()) out.push_back({activity, seconds});
    else same->seconds += seconds;
}
void add(std::vector<Part>& out, const std::vector<Part>& parts, double times) {
    for (const Part& part : parts) add(out, part.activity, times * part.seconds);
}

void add_pass(std::vector<Part>& out, const PassTime& pass, Activity activity) {
    const auto of = [&](StepTerm which) { return pass.terms[static_cast<std::size_t>(which)]; };
    add(out, activity, of(StepTerm::matmul) + of(StepTerm::attention) + of(StepTerm::elementwise));
    add(out, Activity::recompute, of(StepTerm::recompute));
    add(out, Activity::tensor_exchange, of(StepTerm::tensor_network));
    add(out, Activity::context_exchange, of(StepTerm::context_network));
    add(out, Activity::expert_exchange, of(StepTerm::expert_network));
}

// Adds the communication that overlaps with `times` items of the trace. The gather comes first, so it is
// hidden first. Weights that are fetched from the host are exposed and hidden in the same shares as the rest
// of the traffic; like other transfers to the host they are drawn only where the step waits for them.
void add_communication(std::vector<Part>& exposed, std::vector<Part>& hidden, const LayerPasses& item,
                       double times) {
    const double fetched = item.fetched_share();
    const double gather = item.gather - item.fetch;
    const double all_hidden = (1 - fetched) * item.exposure.hidden;
    const double all_exposed = (1 - fetched) * item.exposure.exposed;
    const double hidden_gather = std::min(gather, all_hidden);
    const bool reduces = item.traffic.total() > item.gather;
    const double exposed_gather = reduces ? std::min(gather - hidden_gather, all_exposed) : all_exposed;
    add(hidden, Activity::gather, times * hidden_gather);
    add(hidden, Activity::reduce, times * (all_hidden - hidden_gather));
    add(exposed, Activity::gather, times * exposed_gather);
    add(exposed, Activity::reduce, times * (all_exposed - exposed_gather));
    add(exposed, Activity::host_link, times * fetched * item.exposure.exposed);
}

}  // namespace

double sum(const std::vector<Part>& parts) {
    double out = 0;
    for (const Part& part : parts) out += part.seconds;
    return out;
}

PassSeconds PassParts::seconds() const { return {sum(lead), sum(chain), sum(tail)}; }

StageSeconds PassBreakdown::StagePasses::seconds() const {
    StageSeconds out;
    for (std::size_t i = 0; i < kPassKinds; ++i) out.pass[i] = pass[i].seconds();
    out.first_forward = first_forward.seconds();
    out.last_gradient = last_gradient.seconds();
    return out;
}

PassBreakdown::PassBreakdown(const Compiled& compiled, const Estimate& estimate)
    : c_(compiled),
      estimate_(estimate),
      layers_(compiled),
      slowest_stage_(&compiled.stages[estimate.step.stage]) {}

LayerParts PassBreakdown::compute(const Layer& layer, Phase phase, double passes) const {
    LayerParts out;
    const bool backward = phase == Phase::backward;
    const PassTime& pass = backward ? layer.work.backward : layer.work.forward;
    if (backward) add(out.chain, Activity::recompute, layer.recompute.time.total());
    add_pass(out.chain, pass, backward ? Activity::backward : Activity::forward);
    add(out.hidden, Activity::context_exchange, pass.hidden);
    for (auto* list : {&out.chain, &out.hidden}) {
        for (Part& part : *list) part.seconds *= passes * c_.passes.share;
    }
    return out;
}

LayerParts PassBreakdown::visit(const StepTrace& trace, std::size_t kind, Phase phase, bool at_end,
                                bool most_traffic) const {
    const double passes = c_.passes.passes_per_visit;
    LayerParts out = compute(layers_.of_kind[kind], phase, passes);
    const LayerPasses& item = trace.passes(kind, phase, at_end, most_traffic);
    const double items = passes / item.together;
    add_communication(out.exposed, out.hidden, item, items);
    out.offload_wait = items * item.waits_for_offload();
    out.host_wait = items * item.waits_for_host();
    return out;
}

std::vector<Part> PassBreakdown::end_chain(const PassTime& pass, Activity activity) const {
    std::vector<Part> out;
    add_pass(out, pass, activity);
    return out;
}

double PassBreakdown::communication_at_end(const StepTrace& trace, Phase phase, bool most_traffic,
                                           StepTerm of) const {
    double out = 0;
    for (const UnhiddenTerm& term : trace.unhidden.items()) {
        if (term.term == of && term.phase == phase && (most_traffic || term.frequency == Frequency::visit))
            out += term.time.total();
    }
    return out;
}

std::vector<Part> PassBreakdown::update(const StepTrace& trace) const {
    std::vector<Part> out;
    for (const UnhiddenTerm& term : trace.unhidden.items()) {
        if (term.phase != Phase::update) continue;
        const Activity activity = term.term == StepTerm::optimizer   ? Activity::optimizer
                                  : term.term == StepTerm::host_link ? Activity::host_link
                                                                     : Activity::host;
        add(out, activity, term.time.total());
    }
    return out;
}

// FSDP copies gathered weights in both passes. Without FSDP, gradients are accumulated after the backward
// pass.
double PassBreakdown::memory_copy_seconds(const StepTime& step, bool forward) const {
    const double all = step.term(StepTerm::memory_copies) / c_.passes.count;
    const double before = shards_weights(c_.settings) ? all / 2 : 0;
    return forward ? before : all - before;
}

PassParts PassBreakdown::whole_pass(const StepTrace& trace, const StepTime& step, PassKind kind, bool first,
                                    bool last) const {
    const bool splits = c_.schedule->splits_backward;
    const bool forwards = kind == PassKind::forward;
    const bool gives_gradients = kind == (splits ? PassKind::weight_gradient : PassKind::backward);
    const Phase phase = forwards ? Phase::forward : Phase::backward;
    const Stage& stage = trace.stage;
    PassParts out;

    // The compute of one pass through all layers of the GPU.
    const double share = c_.passes.share;
    double weights = 0;
    for (std::size_t i = 0; splits && i < layers_.kinds(); ++i)
        weights += share * stage.counts[i] * c_.work.layers[i].weight_gradient.total();
    if (kind == PassKind::weight_gradient) {
        add(out.chain, Activity::weight_gradient, weights);
    } else {
        for (std::size_t i = 0; i < layers_.kinds(); ++i) {
            if (stage.counts[i] <= 0) continue;
            const LayerParts alone = compute(layers_.of_kind[i], phase, 1);
            add(out.chain, alone.chain, stage.counts[i]);
            add(out.hidden, alone.hidden, stage.counts[i]);
        }
        const Activity activity = forwards ? Activity::forward : Activity::backward;
        each_end(stage, layers_, [&](const End& end, double times) {
            const PassTime& pass = forwards ? end.forward : end.backward;
            std::vector<Part> chain;
            add_pass(chain, pass, activity);
            add(out.chain, chain, share * times);
            add(out.hidden, Activity::context_exchange, share * times * pass.hidden);
        });
        for (Part& part : out.chain) {
            if (part.activity == Activity::backward) part.seconds -= weights;
        }
    }

    // Communication and waits for the host.
    if (kind != PassKind::weight_gradient) {
        const double message = trace.messages.total() / c_.passes.count / 2;
        const double visible = step.term(StepTerm::stage_network) / c_.passes.count / 2;
        add(out.tail, Activity::stage_message, visible);
        add(out.hidden, Activity::stage_message, message - visible);
    }
    if (forwards || gives_gradients) {
        const double passes = c_.passes.count;
        const bool alone = c_.passes.passes_per_visit == 1;  // each visit is one pass
        const bool carries = forwards ? first : last;        // the traffic that occurs once per step
        double copy = 0;
        double wait = 0;
        for (const LayerPasses& item : trace.layers.items()) {
            if (item.phase != phase) continue;
            copy += item.count / passes * item.waits_for_offload();
            wait += item.count / passes * item.waits_for_host();
            // Traffic that overlaps with several passes is drawn in equal parts in each pass of a visit, and
            // the traffic of one visit or one group of visits in its first or last pass.
            double items = item.count / passes;
            if (alone && item.visits == Visits::with_most_traffic) items = carries ? item.count : 0;
            if (alone && item.visits == Visits::others) items = carries ? 0 : item.count / (passes - 1);
            add_communication(out.tail, out.hidden, item, items);
        }
        const double at_end = alone || carries ? communication_at_end(trace, phase, carries) : 0;
        const double fetch =
            alone || carries ? communication_at_end(trace, phase, carries, StepTerm::host_link) : 0;
        add(out.lead, Activity::host_link, fetch);
        if (forwards) add(out.lead, Activity::gather, at_end);
        else add(out.tail, Activity::reduce, at_end);
        add(out.tail, Activity::memory_copies, memory_copy_seconds(step, forwards));
        add(out.tail, Activity::host_link, copy);
        add(out.tail, Activity::host, wait);
    }

    for (std::vector<Part>* parts : {&out.lead, &out.chain, &out.tail, &out.hidden}) {
        for (Part& part : *parts) part.seconds /= c_.pipeline.virtual_stages * c_.stages.weight_copies;
    }
    return out;
}

PassBreakdown::StagePasses PassBreakdown::stage_passes(const Stage& stage) const {
    StagePasses out;
    const StepTrace trace(stage, layers_, c_);
    const StepTime step = stage.has_same_content(*slowest_stage_) ? estimate_.step : step_time(c_, stage);
    const bool splits = c_.schedule->splits_backward;
    const PassKind gradient = splits ? PassKind::weight_gradient : PassKind::backward;
    // With one micro-batch, its forward pass is `first_forward` and its backward pass `last_gradient`.
    for (std::size_t i = 0; i < kPassKinds; ++i) {
        const auto kind = static_cast<PassKind>(i);
        if (kind == PassKind::weight_gradient && !splits) continue;
        out.pass[i] = whole_pass(trace, step, kind, false, false);
    }
    out.first_forward = whole_pass(trace, step, PassKind::forward, true, false);
    out.last_gradient = whole_pass(trace, step, gradient, false, true);
    return out;
}

}  // namespace shardscope
