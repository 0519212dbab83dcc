#include "explore/pass_breakdown.h"

#include <algorithm>

#include "compile/effect_inputs.h"
#include "scenario/gpu_groups.h"
#include "step/step.h"
#include "step/trace.h"

namespace shardscope {
namespace {

double sum(const std::vector<Part>& parts) {
    double out = 0;
    for (const Part& part : parts) out += part.seconds;
    return out;
}

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

}  // namespace

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
      policy_(traffic_policy(compiled.settings)),
      slowest_stage_(&compiled.stages[estimate.step.slowest]) {}

StepTime PassBreakdown::step_of(const Stage& stage) const {
    const std::size_t index = c_.stages.index_of(stage);
    return index == estimate_.step.slowest ? estimate_.step : step_time(c_, index);
}

LayerParts PassBreakdown::parts(const Layer& layer, bool backward, double passes,
                                const LayerTraffic& traffic) const {
    LayerParts out;
    const PassTime& pass = backward ? layer.work.backward : layer.work.forward;
    const double share = passes * c_.passes.share;
    if (backward) add(out.chain, Activity::recompute, layer.recompute.time.total());
    add_pass(out.chain, pass, backward ? Activity::backward : Activity::forward);
    add(out.hidden, Activity::context_exchange, pass.hidden);
    for (auto* list : {&out.chain, &out.hidden}) {
        for (Part& part : *list) part.seconds *= share;
    }
    const LayerPasses item =
        layer_passes(layer, backward ? Phase::backward : Phase::forward, passes, traffic.both(), c_);
    // The gather comes first, so it is hidden first.
    const auto& [both, exposed, hidden] = item.exposure;
    const double gather = traffic.gather.total();
    const double hidden_gather = std::min(gather, hidden);
    const bool reduces = traffic.reduce.total() > 0;
    const double exposed_gather = reduces ? std::min(gather - hidden_gather, exposed) : exposed;
    add(out.hidden, Activity::gather, hidden_gather);
    add(out.hidden, Activity::reduce, hidden - hidden_gather);
    add(out.exposed, Activity::gather, exposed_gather);
    add(out.exposed, Activity::reduce, exposed - exposed_gather);
    out.copy = item.waits_for_copy();
    out.wait = item.waits_for_host();
    return out;
}

LayerParts PassBreakdown::with_group(const Layer& layer, bool backward, double passes,
                                     const LayerTraffic& traffic) const {
    const auto seconds = [](const LayerParts& of) {
        return sum(of.chain) + sum(of.exposed) + of.copy + of.wait;
    };
    LayerParts out = parts(layer, backward, 1);
    const double exposed =
        std::max(0.0, seconds(parts(layer, backward, passes, traffic)) - passes * seconds(out));
    const Activity activity = backward ? Activity::reduce : Activity::gather;
    add(out.exposed, activity, exposed);
    add(out.hidden, activity, traffic.both().total() - exposed);
    return out;
}

LayerParts PassBreakdown::forward(const Layer& layer, bool at_end, bool first_visit) const {
    return parts(layer, false, c_.passes.passes_per_visit,
                 forward_traffic(policy_, layer.traffic, at_end, first_visit));
}

LayerParts PassBreakdown::backward(const Layer& layer, bool at_end, bool last_visit) const {
    return parts(layer, true, c_.passes.passes_per_visit,
                 backward_traffic(policy_, layer.traffic, at_end, last_visit));
}

std::vector<Part> PassBreakdown::end_chain(const PassTime& pass, Activity activity) const {
    std::vector<Part> out;
    add_pass(out, pass, activity);
    return out;
}

double PassBreakdown::first_gather(const Stage& stage, bool first_visit) const {
    return gathers_before(policy_, stage_traffic(stage, layers_, c_), first_visit).total();
}

double PassBreakdown::last_reduce(const Stage& stage, bool last_visit) const {
    return reductions_after(policy_, stage_traffic(stage, layers_, c_), last_visit).total();
}

// FSDP copies gathered weights in both passes. Without FSDP, gradients are accumulated after the backward
// pass.
double PassBreakdown::copy_seconds(const StepTime& step, bool forward) const {
    const double all = step.term(StepTerm::memory_copies) / c_.passes.count;
    const double before = is_fsdp(c_.settings) ? all / 2 : 0;
    return forward ? before : all - before;
}

PassParts PassBreakdown::whole_pass(const Stage& stage, PassKind kind, bool first, bool last) const {
    const bool splits = c_.schedule->splits_backward;
    const bool forwards = kind == PassKind::forward;
    const bool gives_gradients = kind == (splits ? PassKind::weight_gradient : PassKind::backward);
    PassParts out;

    // The compute of one pass through all layers of the GPU.
    const double share = c_.passes.share;
    double weights = 0;
    for (std::size_t i = 0; splits && i < layers_.kinds(); ++i)
        weights += share * stage.counts[i] * c_.work.layers[i].weight_gradient.total();
    if (kind == PassKind::weight_gradient) {
        add(out.chain, Activity::weight_gradient, weights);
    } else {
        const auto add_layers = [&](const Layer& layer, double count) {
            if (count <= 0) return;
            const LayerParts alone = parts(layer, !forwards, 1);
            add(out.chain, alone.chain, count);
            add(out.hidden, alone.hidden, count);
        };
        const Activity activity = forwards ? Activity::forward : Activity::backward;
        const auto add_end = [&](const End& end, double times) {
            const PassTime& pass = forwards ? end.forward : end.backward;
            std::vector<Part> chain;
            add_pass(chain, pass, activity);
            add(out.chain, chain, share * times);
            add(out.hidden, Activity::context_exchange, share * times * pass.hidden);
        };
        for (std::size_t i = 0; i < layers_.kinds(); ++i) add_layers(layers_.of_kind[i], stage.counts[i]);
        each_end(stage, layers_, add_end);
        for (Part& part : out.chain) {
            if (part.activity == Activity::backward) part.seconds -= weights;
        }
    }

    // Communication and waits for the host.
    const StepTime step = step_of(stage);
    if (kind != PassKind::weight_gradient) {
        const double message = messages_of_step(c_).total() / c_.passes.count / 2;
        const double visible = step.term(StepTerm::stage_network) / c_.passes.count / 2;
        add(out.tail, Activity::stage_message, visible);
        add(out.hidden, Activity::stage_message, message - visible);
    }
    double copy = 0;
    double wait = 0;
    // The exposed communication of one kind of layers. For layers far from the end of the stage, that of a
    // whole visit is spread over its passes; for those near it, it is part of the visit's first or last pass.
    const bool alone = c_.passes.passes_per_visit == 1;  // each visit is one pass
    const bool first_visit = alone ? first : true;
    const bool last_visit = alone ? last : true;
    const auto add_traffic = [&](const Layer& layer, double count, bool last_kind) {
        if (count <= 0) return;
        const Passes passes = passes_beside_traffic(
            forwards ? policy_.gathers_each_visit : policy_.reduces_each_visit, c_.passes);
        const LayerPositions places = layer_positions(count, last_kind, passes);
        const bool carries = forwards ? first : last;
        const auto carried = [&](bool end) {
            return !carries   ? LayerTraffic{}
                   : forwards ? forward_traffic(policy_, layer.traffic, end, true)
                              : backward_traffic(policy_, layer.traffic, end, true);
        };
        const auto add_parts = [&](const LayerParts& with, double times) {
            add(out.tail, with.exposed, times);
            for (const Part& part : with.hidden) {
                if (part.activity != Activity::context_exchange)
                    add(out.hidden, part.activity, times * part.seconds);
            }
            copy += times * with.copy;
            wait += times * with.wait;
        };
        // The communication that overlaps with a group of passes is drawn in the first or the last of them.
        const bool in_groups = passes.passes_per_visit > c_.passes.passes_per_visit;
        for (const bool end : {false, true}) {
            const double times = (end ? places.at_end : places.inner) / c_.passes.passes_per_visit;
            if (times <= 0) continue;
            add_parts(in_groups
                          ? with_group(layer, !forwards, carries ? passes.passes_per_visit : 1, carried(end))
                      : forwards ? this->forward(layer, end, first_visit)
                                 : this->backward(layer, end, last_visit),
                      times);
        }
        if (places.beside_end > 0) add_parts(parts(layer, !forwards, 1, carried(false)), places.beside_end);
    };
    if (forwards || gives_gradients) {
        for (std::size_t i = 0; i < layers_.kinds(); ++i)
            add_traffic(layers_.of_kind[i], stage.counts[i], i == stage.last_kind);
    }
    if (forwards && (alone || first)) add(out.lead, Activity::gather, first_gather(stage, first));
    if (gives_gradients && (alone || last)) add(out.tail, Activity::reduce, last_reduce(stage, last));
    add(out.tail, Activity::memory_copies, forwards || gives_gradients ? copy_seconds(step, forwards) : 0);
    add(out.tail, Activity::host_link, copy);
    add(out.tail, Activity::host, wait);

    for (std::vector<Part>* parts : {&out.lead, &out.chain, &out.tail, &out.hidden}) {
        for (Part& part : *parts) part.seconds /= c_.pipeline.virtual_stages * c_.stages.weight_copies;
    }
    return out;
}

PassBreakdown::StagePasses PassBreakdown::stage_passes(const Stage& stage) const {
    StagePasses out;
    const bool splits = c_.schedule->splits_backward;
    const PassKind gradient = splits ? PassKind::weight_gradient : PassKind::backward;
    // With one micro-batch, its forward pass is `first_forward` and its backward pass `last_gradient`.
    for (std::size_t i = 0; i < kPassKinds; ++i) {
        const auto kind = static_cast<PassKind>(i);
        if (kind == PassKind::weight_gradient && !splits) continue;
        out.pass[i] = whole_pass(stage, kind, false, false);
    }
    out.first_forward = whole_pass(stage, PassKind::forward, true, false);
    out.last_gradient = whole_pass(stage, gradient, false, true);
    return out;
}

}  // namespace shardscope
