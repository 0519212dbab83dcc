#include "explore/plan_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "explore/balanced_layout.h"
#include "explore/change_text.h"
#include "parameters/interned_text.h"
#include "planner/planner.h"
#include "scenario/gpu_groups.h"
#include "scenario/software_support.h"
#include "schedules/schedule.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

// Returns whether an output depends on the plan through throughput only. With a critical-batch law the whole
// run also depends on the plan's batch.
bool follows_throughput(Output id, const Settings& s) {
    constexpr std::array kRates{Output::mfu, Output::tokens_per_s, Output::tokens_per_s_per_gpu};
    constexpr std::array kRun{Output::training_days, Output::gpu_hours, Output::cost};
    const bool any_batch = s.choice<CriticalBatchLaw>(P::critical_batch_law) == CriticalBatchLaw::none;
    return std::ranges::find(kRates, id) != kRates.end() ||
           (any_batch && std::ranges::find(kRun, id) != kRun.end());
}

// Terms of the step that are reported together. The label is also the key in the JSON result's `parts_s`.
struct Share {
    const char* label;
    std::vector<StepTerm> terms;
    const char* brief = label;
};
const std::vector<Share>& shares() {
    using enum StepTerm;
    static const std::vector<Share> all{
        {translatable("exposed communication"),
         {network, tensor_network, context_network, expert_network, stage_network},
         translatable("exposed comm.")},
        {translatable("bubble"), {bubble}},
        {translatable("recomputation"), {StepTerm::recompute}},
        {translatable("matmuls and attention"), {matmul, attention}},
        {translatable("elementwise"), {elementwise}},
        {translatable("copies"), {memory_copies}},
        {translatable("optimizer"), {optimizer}},
        {translatable("host"), {host_link, host}}};
    return all;
}

double seconds(const StepTime& step, const Share& share) {
    double sum = 0;
    for (const StepTerm term : share.terms) sum += step.term(term);
    return sum;
}

// The values one step away from the present one: the next smaller and the next larger one, or, of choices
// without an order, all others.
std::vector<double> steps_from(P id, const Settings& s) {
    std::vector<double> stops = tried_values(id, s);
    // Zero means all GPUs; a group of one GPU shards nothing.
    if (id == P::shard_group) std::erase(stops, 1);
    if (id == P::schedule || id == P::context_parallel_kind || id == P::moe_dispatcher) {
        std::erase(stops, s[id]);
        return stops;
    }
    const auto here = std::ranges::find(stops, s[id]);
    if (here == stops.end()) {
        // The present value is between two of the slider's values.
        std::vector<double> out;
        const auto above = std::ranges::upper_bound(stops, s[id]);
        if (above != stops.begin()) out.push_back(*(above - 1));
        if (above != stops.end()) out.push_back(*above);
        return out;
    }
    std::vector<double> out;
    if (here != stops.begin()) out.push_back(*(here - 1));
    if (here + 1 != stops.end()) out.push_back(*(here + 1));
    return out;
}

Neighbour neighbour(const Answer& best, const Scenario& scenario, P id, bool allow_risky) {
    Neighbour out{.id = id, .from = best.settings[id], .answer = answer(scenario)};
    out.to = out.answer.settings[id];
    if (!out.answer.valid()) return out;
    const Estimate& e = out.answer.estimate;
    if (e.verdict == Verdict::does_not_fit) out.over = e.memory.peak - e.memory.capacity;
    else if (e.verdict == Verdict::risky && !allow_risky)
        out.over = e.memory.peak - e.memory.most_that_fits();
    // Steps with different batches are compared per token.
    const double scale = best.estimate.tokens_per_gpu / e.tokens_per_gpu;
    out.slower = scale * e.step.total - best.estimate.step.total;
    for (const Share& share : shares()) {
        const double part = scale * seconds(e.step, share) - seconds(best.estimate.step, share);
        if (part != 0) out.parts.push_back({share.label, share.brief, share.terms.front(), part});
    }
    std::ranges::stable_sort(out.parts, std::greater<>(), &Neighbour::LostTime::seconds);
    return out;
}

// Returns the schedules that a search for a pipeline leaves out because the software does not have them:
// "V-Half, V-Min".
std::string missing_schedules(const PlanQuestion& question, const Settings& s) {
    const bool pipelines = question.free[index(P::pipeline_parallel)] || s[P::pipeline_parallel] > 1;
    if (!question.free[index(P::schedule)] || !pipelines) return {};
    std::vector<std::string> out;
    for (const Schedule* schedule : schedules()) {
        if (!is_available(*schedule, s)) out.push_back(format(P::schedule, Value(schedule->kind)));
    }
    return joined(out, ", ");
}

// Names the scenario's own plan where it fits although no plan of the search does.
std::string own_that_fits(const std::optional<Answer>& own) {
    if (!own || !own->fits()) return {};
    std::string out = translate("; the scenario's own plan fits, with {1} on each GPU",
                                {text_of(Output::tokens_per_s_per_gpu, *own)});
    const std::vector<std::string> missing = missing_in_software(own->settings);
    if (!missing.empty()) out += ": " + joined(missing, " ");
    return out;
}

std::string why_none(const PlanQuestion& question, const SearchResult& found, const Settings& s) {
    if (found.space == 0 || !std::isfinite(found.smallest.peak))
        return translate(
            "no plan is valid for {1} GPUs and the fixed values: the degrees must divide the GPUs, heads and "
            "layers, and the data-parallel GPUs must divide the batch",
            {format(P::gpus, s[P::gpus])});
    const Answer least = answer(with_plan(locked(question.scenario), found.smallest.plan, question.free));
    const MemoryUse& memory = least.estimate.memory;
    const auto largest = std::ranges::max_element(memory.terms());
    const auto term = static_cast<MemoryTerm>(largest - memory.terms().begin());
    std::string out = translate(
        "none of {1} plans fits: the smallest needs {2} of the usable {3}; its largest term is {5}, {4}",
        {format(found.space, Quantity::count), format(memory.peak, Quantity::bytes),
         format(memory.capacity, Quantity::bytes), format(*largest, Quantity::bytes), label_of(term)});
    if (const std::string missing = missing_schedules(question, s); !missing.empty())
        out += translate("; schedules that {1} does not have were left out: {2}",
                         {format(P::software, s[P::software]), missing});
    return out;
}

}  // namespace

ParameterSet free_of(const Scenario& scenario) {
    return scenario.automatic.any() ? scenario.automatic : default_free_parameters();
}

Objective objective_of(Output id, const Settings& settings) {
    if (follows_throughput(id, settings)) return {};
    return {output(id).get, less_is_better(id)};
}

SearchOptions options_of(const PlanQuestion& question) {
    SearchOptions options;
    options.objective = objective_of(question.objective, resolve(question.scenario));
    options.top = question.top;
    options.allow_risky = question.allow_risky;
    options.count_feasible = true;
    options.frontier = true;
    return options;
}

std::string short_plan(const Settings& s) {
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
    const auto degree = [&](const char* name, P id) {
        if (s[id] > 1) add(name + (" " + format(id, s[id])));
    };
    degree("TP", P::tensor_parallel);
    if (s[P::tensor_parallel] > 1 && s.on(P::sequence_parallel)) out += " SP";
    degree("CP", P::context_parallel);
    if (s[P::context_parallel] > 1 && s[P::context_parallel_kind] != 0)
        out += " " + format(P::context_parallel_kind, s[P::context_parallel_kind]);
    degree("EP", P::expert_parallel);
    if (s[P::expert_parallel] > 1 && s[P::moe_dispatcher] != 0)
        out += " " + format(P::moe_dispatcher, s[P::moe_dispatcher]);
    const double expert_tensor = expert_tensor_parallel(s);
    if (expert_tensor != s[P::tensor_parallel]) add("ETP " + format(expert_tensor, Quantity::count));
    degree("PP", P::pipeline_parallel);
    if (s[P::virtual_stages] > 1) out += "×" + format(P::virtual_stages, s[P::virtual_stages]);
    if (s[P::pipeline_parallel] > 1) out += " " + format(P::schedule, s[P::schedule]);
    std::string sharing = format(P::sharding, s[P::sharding]);
    if (s[P::shard_group] > 0)
        sharing = translate("{1} over {2}", {sharing, format(P::shard_group, s[P::shard_group])});
    if (is_fsdp(s) && !s.on(P::reshard_after_forward)) sharing = translate("{1} no reshard", {sharing});
    add(sharing);
    add(translate("micro-batch {1} × {2}",
                  {format(P::micro_batch, s[P::micro_batch]), format(P::accumulation, s[P::accumulation])}));
    if (s[P::recompute] != 0) add(translate("recompute {1}", {format(P::recompute, s[P::recompute])}));
    if (s[P::activation_offload] > 0)
        add(translate("offloaded activations {1}",
                      {format(P::activation_offload, s[P::activation_offload])}));
    if (s[P::offload] != 0) add(translate("offload {1}", {format(P::offload, s[P::offload])}));
    return out;
}

std::string title(const Neighbour& n) { return change_text(n.id, n.from, n.to); }

std::vector<Neighbour::LostTime> main_losses(const Neighbour& n) {
    std::vector<Neighbour::LostTime> out;
    if (!n.valid() || n.over > 0 || n.slower <= 0) return out;
    constexpr std::size_t kMost = 2;
    constexpr double kMinReportedShare = 0.1;  // of the whole loss
    for (const Neighbour::LostTime& part : n.parts) {
        if (out.size() == kMost || part.seconds < kMinReportedShare * n.slower) break;
        out.push_back(part);
    }
    return out;
}

std::string why(const Neighbour& n) {
    if (!n.valid()) return translate("not valid");
    if (n.over > 0 && n.answer.estimate.verdict == Verdict::risky)
        return translate("may not fit: uses {1} of the margin", {format(n.over, Quantity::bytes)});
    if (n.over > 0) return translate("does not fit: {1} too much", {format(n.over, Quantity::bytes)});
    constexpr double kSame = 1e-9;
    const double scale = n.answer.estimate.step.total;
    if (std::fabs(n.slower) <= kSame * scale) return translate("the same step time");
    if (n.slower < 0) {
        const std::string time = format(-n.slower, Quantity::seconds);
        const Settings& s = n.answer.settings;
        Settings before = s;
        before.set(n.id, n.from, Origin::given);
        const std::vector<std::string> known = missing_in_software(before);
        if (std::ranges::any_of(missing_in_software(s), [&](const std::string& missing) {
                return std::ranges::find(known, missing) == known.end();
            }))
            return translate("faster by {1}, but not in {2}", {time, format(P::software, s[P::software])});
        if (!n.searched) return translate("faster by {1}; the search does not vary it", {time});
        return translate("faster by {1}", {time});
    }
    return joined(main_losses(n), ", ", [](const Neighbour::LostTime& part) {
        return translate(part.label) + " +" + format(part.seconds, Quantity::seconds);
    });
}

namespace {

// Returns the parameters whose neighbours are reported: those that were searched, and settings of experts
// that depend on the software's version and on the network.
std::vector<P> reported(const ParameterSet& free, const Settings& s) {
    std::vector<P> out;
    for (const P id : kPlanParameters) {
        if (free[index(id)]) out.push_back(id);
    }
    if (s[P::experts] <= 0 || s[P::expert_parallel] <= 1) return out;
    if (!free[index(P::moe_dispatcher)]) out.push_back(P::moe_dispatcher);
    out.push_back(P::moe_overlap);
    return out;
}

}  // namespace

std::vector<Neighbour> neighbours_of(const Answer& best, const ParameterSet& free, bool allow_risky) {
    std::vector<Neighbour> out;
    const Scenario base = locked(best.scenario);
    for (const P id : reported(free, best.settings)) {
        for (const double value : steps_from(id, best.settings)) {
            const Scenario next = edited(base, id, value);
            if (resolve(next)[id] == best.settings[id]) continue;
            Neighbour one = neighbour(best, next, id, allow_risky);
            one.searched = free[index(id)];
            // A switch without an effect does not make a different plan.
            const bool same = one.slower == 0 && one.answer.estimate.memory.peak == best.estimate.memory.peak;
            if (one.valid() && !same) out.push_back(std::move(one));
        }
    }
    if (const std::string layout = balanced_layout(best); !layout.empty()) {
        const Scenario next = assigned(base, P::pipeline_layout, intern_text(layout));
        Neighbour one = neighbour(best, next, P::pipeline_layout, allow_risky);
        if (one.valid() && one.slower < 0) out.push_back(std::move(one));
    }
    return out;
}

PlanReport plan_report(const PlanQuestion& question, const SearchResult& found) {
    PlanReport out;
    out.question = question;
    out.space = found.space;
    out.feasible = found.feasible;
    out.evaluated = found.evaluated;
    out.full_rate = found.full_rate;
    out.frontier = found.frontier;
    if (question.scenario.automatic.none()) out.own = answer(question.scenario);
    if (out.own && !out.own->valid()) out.own.reset();
    for (const Candidate& candidate : found.best)
        out.plans.push_back(answer(with_plan(locked(question.scenario), candidate.plan, question.free)));
    if (out.found()) out.neighbours = neighbours_of(out.plans.front(), question.free, question.allow_risky);
    else out.reason = why_none(question, found, resolve(question.scenario)) + own_that_fits(out.own);
    return out;
}

PlanReport plan_report(const PlanQuestion& question, unsigned threads, const std::stop_token& stop,
                       const std::function<void(double)>& progress) {
    const Settings settings = resolve(question.scenario);
    SearchOptions options = options_of(question);
    options.threads = threads;
    options.stop = stop;
    options.progress = progress;
    return plan_report(question, search_plans(settings, question.free, options));
}

}  // namespace shardscope
