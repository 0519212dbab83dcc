#include "planner/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>

#include "planner/degrees_parts.h"
#include "planner/operator_work_cache.h"
#include "planner/ranking.h"
#include "step/step.h"
#include "system/jobs.h"

namespace shardscope {
namespace {

// Sets the values that all plans of a cell have.
void set_cell(const Cell& cell, const Degrees& d, Settings& s) {
    const auto set = [&](P id, Value value) { s.set(id, value, Origin::given); };
    for (std::size_t i = 0; i < kCellSize; ++i) set(kPlanParameters[i], cell.value[i]);
    set(P::accumulation, cell.accumulation);
    // The first schedule stands for all of the cell: they have the same number of weight copies and gather
    // the weights in the same way.
    set(P::virtual_stages, d.schedule_choices.front().virtual_stages);
    set(P::schedule, d.schedule_choices.front().schedule);
}

void set_activations(const ActivationChoice& choice, Settings& s) {
    s.set(P::recompute, choice.recompute, Origin::given);
    s.set(P::activation_offload, choice.offload, Origin::given);
}

// Returns an upper bound of the throughput if all layers, on one stage, take at least `layers` s for a
// micro-batch: the slowest stage computes at least as long as the average one, for any number of stages and
// micro-batches.
double most_rate(double layers, const Settings& s) {
    const double tokens = s[P::sequence_length] * s[P::micro_batch] / s[P::context_parallel];
    return tokens / (s[P::tensor_parallel] * layers);
}

// Returns whether the cells split a micro-batch in the same way but for experts.
bool splits_alike(const Cell& a, const Cell& b) {
    const auto before = a.value.begin() + Plan::place(P::pipeline_parallel);
    return std::equal(a.value.begin(), before, b.value.begin());
}

// The memory of every stage of a pipeline that differs from the others (see Stages).
using WorkOfStages = BoundedList<ActivationMemory, kDistinctStages>;
using MicroBatchOfStages = BoundedList<MicroBatchMemory, kDistinctStages>;

// Returns the peak of the fullest stage.
double peak_of(std::span<const StateMemory> stages, const WorkOfStages& work, const Compiled& c) {
    double peak = 0;
    for (std::size_t i = 0; i < stages.size(); ++i) peak = std::max(peak, peak_memory(stages[i], work[i], c));
    return peak;
}

class PlanSearch {
  public:
    PlanSearch(const Settings& base, const ParameterSet& free, const SearchOptions& options,
               OperatorWorkCache& cache)
        : options_(options),
          evaluates_all_(options.everything ||
                         (options.count_feasible && (options.from > 0 || std::isfinite(options.to)))),
          counts_(options.count_feasible && !evaluates_all_),
          space_(base, free),
          most_bytes_(options.allow_risky ? memory_limits(base).most_at_risk()
                                          : memory_limits(base).most_that_fits()),
          cells_(space_.cells().size()),
          parts_(space_.degrees().size()),
          cache_(cache),
          least_(options.reached) {
        machine_.settings = base;
        compile_machine(machine_);
        cache_.prepare(base);
    }
    SearchResult run();

  private:
    struct Worker {
        Answer a;  // scratch; `a.compiled` is the plan being evaluated
        BestPlans best;
        Frontier frontier;
        std::vector<Candidate> all;
        std::vector<Candidate> of_cells;
        Candidate smallest;
        double feasible = 0;
        double evaluated = 0;
        Candidate best_here{};               // of the cell
        const StateParts* states = nullptr;  // of the cell with its current schedule

        OperatorWork uncached{};                          // of the cell, if the cache is full
        std::vector<MicroBatchOfStages> micro_batches{};  // of the cell, by activation choice
        // The memory of the cell with its current schedule, one entry per activation choice.
        std::vector<WorkOfStages> work{};
        std::vector<ActivationBytes> work_bytes{};   // the same, the stages one after the other
        std::vector<ActivationBytes> least_bytes{};  // by stage: a lower bound for all of them

        // Lower bounds of the cell, computed when a schedule first needs them: by activation choice, and by
        // placement.
        bool has_bounds = false;
        double passes = 0;  // of a layer, for which the bounds hold
        std::vector<ComputeBound> compute_bounds{};
        std::vector<double> unhidden{};  // s
        double least_unhidden = 0;       // s

        [[nodiscard]] std::span<const ActivationBytes> bytes_of_work(std::size_t choice) const {
            return std::span(work_bytes).subspan(choice * least_bytes.size(), least_bytes.size());
        }
    };
    // The bounds that the survey of a cell computes.
    struct CellBounds {
        double rate = 0;  // of any plan at most; tokens/s/GPU
        double peak = 0;  // of any plan at least, if plans are counted; bytes
    };
    // Most degrees are ruled out before their parts are needed.
    struct LazyParts {
        std::once_flag made;
        std::unique_ptr<DegreesParts> parts;
    };

    void compile_totals();
    template <typename Work>
    void in_parallel(std::vector<Worker>& workers, std::size_t count, double from, double to, Work&& work);
    void survey(std::size_t from, std::size_t to, Worker& w);
    [[nodiscard]] double count_fitting(std::size_t index, Worker& w);
    void set_schedule(const ScheduleChoice& choice, DegreesParts& parts, const Degrees& d, Worker& w) const;
    void make_micro_batches(Worker& w) const;
    [[nodiscard]] DegreesParts& parts_of(const Cell& cell, Worker& w);
    void make_bounds(const Degrees& d, DegreesParts& parts, Worker& w) const;
    static void set_sharding(std::size_t sharding, const Degrees& d, const DegreesParts& parts, Compiled& c);
    void visit(std::size_t index, Worker& w);
    void visit_schedule(const Degrees& d, DegreesParts& parts, double least, double number, Worker& w);
    void evaluate(const Degrees& d, const DegreesParts& parts, std::size_t r, double compute, double number,
                  Worker& w);
    void judge(Worker& w, Candidate& candidate) const;
    [[nodiscard]] bool by_throughput() const { return !options_.objective.get; }
    // Returns whether a plan that reaches at most `rate` may be among the best.
    [[nodiscard]] bool may_be_best(double rate) const {
        return !by_throughput() || rate * kRounding >= least_.load(std::memory_order_relaxed);
    }
    // Returns whether a plan that reaches at most `rate` may be the best of its cell.
    [[nodiscard]] bool may_be_best_here(double rate, const Worker& w) const {
        return options_.best_of_cells && (!by_throughput() || rate * kRounding >= w.best_here.score);
    }
    // Returns the most memory that a plan may need on the frontier; bytes.
    [[nodiscard]] double most_bytes_on_frontier(double rate, const Worker& w) const {
        constexpr double kAny = std::numeric_limits<double>::infinity();
        return options_.frontier ? std::min(most_bytes_, w.frontier.most_bytes(by_throughput() ? rate : kAny))
                                 : kNone;
    }
    // Returns the most memory with which a plan that reaches at most `rate` may be part of the result; bytes.
    [[nodiscard]] double most_bytes(double rate, const Worker& w) const {
        if (evaluates_all_) return std::numeric_limits<double>::infinity();
        const double most =
            may_be_best(rate) || may_be_best_here(rate, w) ? most_bytes_ : most_bytes_on_frontier(rate, w);
        // As long as no plan fits, the smallest one is searched for.
        const bool none_fits = w.feasible == 0 && std::isinf(least_.load(std::memory_order_relaxed));
        return none_fits ? std::max(most, w.smallest.peak) : most;
    }

    static constexpr double kNone = -1;  // bytes: a plan is not needed, however small it is
    const SearchOptions& options_;
    bool evaluates_all_;             // no plan may be ruled out
    bool counts_;                    // plans that fit are counted without evaluating each
    bool bounds_operators_ = false;  // operator times are bounded before a cell is visited
    PlanSpace space_;
    Compiled machine_;
    double most_bytes_;  // peak of a plan that fits
    std::vector<CellBounds> cells_;
    std::vector<LazyParts> parts_;  // by degrees
    OperatorWorkCache& cache_;
    std::atomic<double> least_;
};

// Computes what does not depend on how the model is split.
void PlanSearch::compile_totals() {
    if (space_.cells().empty()) return;
    const Cell& any = space_.cells().front();
    Compiled c = machine_;
    set_cell(any, space_.degrees()[any.degrees], c.settings);
    compile_operators(c);
    machine_.operators = c.operators;
    machine_.parameters = c.parameters;
    machine_.active_parameters = c.active_parameters;
    machine_.layer_parameters = c.layer_parameters;
    machine_.root_parameters = c.root_parameters;
    machine_.flops_per_token = c.flops_per_token;
}

// Surveys the cells from … to − 1, which differ in the pipeline, the experts' degrees and dispatcher and the
// micro-batch only. It computes their bounds and counts their plans that fit. Operator times are computed
// once for all cells that split a micro-batch in the same way, or bounded if there are more cells than the
// cache holds and the bound is close.
void PlanSearch::survey(std::size_t from, std::size_t to, Worker& w) {
    Compiled& c = w.a.compiled;
    const auto set = [&](std::size_t i) {
        const Cell& cell = space_.cells()[i];
        set_cell(cell, space_.degrees()[cell.degrees], c.settings);
    };
    std::vector<std::pair<OperatorSplit, std::size_t>> order;
    order.reserve(to - from);
    for (std::size_t i = from; i < to; ++i) {
        set(i);
        order.emplace_back(operator_split_of(c.settings), i);
    }
    std::ranges::sort(order, std::less<>(), &std::pair<OperatorSplit, std::size_t>::first);
    for (auto first = order.begin(); first != order.end();) {
        const auto last = std::find_if(first, order.end(), [&](const auto& other) {
            return !other.first.equals_except_accumulation(first->first);
        });
        // If cells differ in the accumulation, the one with the most micro-batches takes the least time for
        // each. Their memory is the same.
        set((last - 1)->second);
        const OperatorWork* work = bounds_operators_ ? nullptr : &cache_.of(c, w.uncached);
        if (counts_) c.work = work->work;
        const double rate = most_rate(work ? work->layers : cache_.least_layers(c), c.settings);
        for (; first != last; ++first) {
            cells_[first->second] = {rate, 0};
            if (!counts_) continue;
            set(first->second);
            cells_[first->second].peak = count_fitting(first->second, w);
        }
    }
}

// Counts the plans of a cell that fit. Returns a lower bound of the peak of all its plans.
double PlanSearch::count_fitting(std::size_t index, Worker& w) {
    const Cell& cell = space_.cells()[index];
    const Degrees& d = space_.degrees()[cell.degrees];
    Compiled& c = w.a.compiled;
    DegreesParts& parts = parts_of(cell, w);
    compile_tokens(c);
    make_micro_batches(w);
    double least = std::numeric_limits<double>::infinity();
    for (const ScheduleChoice& choice : d.schedule_choices) {
        if (!choice.micro_batches.allows(cell.accumulation)) continue;
        set_schedule(choice, parts, d, w);
        const double peak = w.states->limits.least_peak(w.least_bytes);
        least = std::min(least, peak);
        if (peak > most_bytes_) continue;
        for (std::size_t r = 0; r < w.work.size(); ++r) {
            const auto fits = [&](std::size_t placement) {
                return peak_of(w.states->of(placement), w.work[r], c) <= most_bytes_;
            };
            // Offloaded state leaves less host memory for offloaded activations, which the limits leave out.
            w.feasible += space_.activations()[r].offload > 0
                              ? w.states->limits.count_each(w.bytes_of_work(r), fits)
                              : w.states->limits.count(w.bytes_of_work(r), fits);
        }
    }
    return least;
}

// Also computes the working memory of every stage under the schedule for every activation choice. It does not
// depend on the sharding.
void PlanSearch::set_schedule(const ScheduleChoice& choice, DegreesParts& parts, const Degrees& d,
                              Worker& w) const {
    Compiled& c = w.a.compiled;
    c.settings.set(P::virtual_stages, choice.virtual_stages, Origin::given);
    c.settings.set(P::schedule, choice.schedule, Origin::given);
    compile_schedule(c);
    std::call_once(parts.placements_made, [&] { make_placements(d, c, parts); });
    const bool own_states =
        c.schedule->layered || (c.settings.on(P::defers_reductions) && reduces_by_virtual_stage(c));
    StateParts& states =
        parts.states[own_states ? 1 + static_cast<std::size_t>(&choice - d.schedule_choices.data()) : 0];
    std::call_once(states.made, [&] { make_states(d, most_bytes_, c, parts, states); });
    w.states = &states;
    // Terms that no compute hides may recur with every pass.
    if (c.passes.count != w.passes) {
        w.passes = c.passes.count;
        w.has_bounds = false;
        w.least_unhidden = 0;
    }

    // The host's memory counts if any choice offloads activations; without offloaded bytes it has no effect.
    set_activations(space_.activations().back(), c.settings);
    const std::size_t stages = c.stages.size();
    BoundedList<ScheduleMemory, kDistinctStages> schedule;
    for (std::size_t i = 0; i < stages; ++i) schedule.add(schedule_memory(c.stages[i], c));
    w.work.clear();
    w.work_bytes.clear();
    for (const MicroBatchOfStages& micro_batch : w.micro_batches) {
        WorkOfStages& work = w.work.emplace_back();
        for (std::size_t i = 0; i < stages; ++i)
            w.work_bytes.push_back(bytes_of(work.add(activation_memory(micro_batch[i], schedule[i]))));
    }
    w.least_bytes.assign(w.work_bytes.begin(), w.work_bytes.begin() + static_cast<std::ptrdiff_t>(stages));
    for (std::size_t part = 1; part < w.micro_batches.size(); ++part) {
        for (std::size_t i = 0; i < stages; ++i) {
            const ActivationBytes& bytes = w.work_bytes[part * stages + i];
            ActivationBytes& least = w.least_bytes[i];
            least.forward = std::min(least.forward, bytes.forward);
            least.backward = std::min(least.backward, bytes.backward);
        }
    }
}

// Computes what a micro-batch needs on every stage for every activation choice.
void PlanSearch::make_micro_batches(Worker& w) const {
    Compiled& c = w.a.compiled;
    w.micro_batches.clear();
    for (const ActivationChoice& choice : space_.activations()) {
        set_activations(choice, c.settings);
        MicroBatchOfStages& stages = w.micro_batches.emplace_back();
        for (std::size_t i = 0; i < c.stages.size(); ++i) stages.add(micro_batch_memory(c.stages[i], c));
    }
}

// Stages and layout. The cell's values must be set in `w.a.compiled`.
DegreesParts& PlanSearch::parts_of(const Cell& cell, Worker& w) {
    auto& [made, parts] = parts_[cell.degrees];
    Compiled& c = w.a.compiled;
    std::call_once(made, [&] {
        parts = std::make_unique<DegreesParts>(space_.degrees()[cell.degrees].schedule_choices.size());
        c.layout = layout_of(c.settings);
        parts->layout = c.layout;
        parts->stages = stages_of(c);
    });
    c.layout = parts->layout;
    c.stages = parts->stages;
    return *parts;
}

void PlanSearch::set_sharding(std::size_t sharding, const Degrees& d, const DegreesParts& parts,
                              Compiled& c) {
    c.layout = parts.shardings[sharding].layout;
    c.state = parts.shardings[sharding].state;
    c.traffic = parts.traffic[sharding];
    c.settings.set(P::sharding, d.shardings[sharding].sharding, Origin::given);
    c.settings.set(P::shard_group, d.shardings[sharding].group, Origin::given);
}

void PlanSearch::judge(Worker& w, Candidate& candidate) const {
    Compiled& c = w.a.compiled;
    candidate.step = step_time(c).total;
    candidate.tokens_per_s_per_gpu = c.tokens_per_gpu / candidate.step;
    candidate.score = candidate.tokens_per_s_per_gpu;
    if (by_throughput()) return;
    compile_outputs(c);
    w.a.settings = c.settings;
    w.a.estimate = estimate(c);
    const double value = options_.objective.get(w.a);
    candidate.score = options_.objective.less ? -value : value;
    if (std::isnan(candidate.score)) candidate.score = -std::numeric_limits<double>::infinity();
}

// Lower bounds of the cell's step times: compute for every activation choice, and unhidden terms for
// every placement.
void PlanSearch::make_bounds(const Degrees& d, DegreesParts& parts, Worker& w) const {
    if (w.has_bounds) return;
    w.has_bounds = true;
    Compiled& c = w.a.compiled;
    std::call_once(parts.bounds_made, [&] { make_unit_bounds(d, c, parts); });
    w.unhidden.clear();
    for (std::size_t p = 0; p < parts.placements.size(); ++p) {
        double stage = std::numeric_limits<double>::infinity();
        for (const UnhiddenBound& bound : parts.unhidden_of(p))
            stage = std::min(stage, bound.total(c.passes));
        w.unhidden.push_back(stage);
    }
    w.least_unhidden = *std::ranges::min_element(w.unhidden);
    w.compute_bounds.clear();
    for (const ActivationChoice& choice : space_.activations()) {
        set_activations(choice, c.settings);
        w.compute_bounds.push_back(compute_bound(c));
    }
}

// Applies the cheapest bound first and the most expensive one last, so that most cells are ruled out early.
void PlanSearch::visit(std::size_t index, Worker& w) {
    w.best_here = {};
    w.best_here.score = -std::numeric_limits<double>::infinity();
    const CellBounds& bounds = cells_[index];
    if (bounds.peak > most_bytes(bounds.rate, w)) return;

    const Cell& cell = space_.cells()[index];
    const Degrees& d = space_.degrees()[cell.degrees];
    Compiled& c = w.a.compiled;
    set_cell(cell, d, c.settings);
    const OperatorWork& work = cache_.of(c, w.uncached);
    if (bounds.peak > most_bytes(most_rate(work.layers, c.settings), w)) return;
    c.work = work.work;
    DegreesParts& parts = parts_of(cell, w);
    compile_tokens(c);

    // No plan is faster than one without recomputation.
    c.settings.set(P::recompute, 0, Origin::given);
    const ComputeBound least = compute_bound(c);
    if (bounds.peak > most_bytes(c.tokens_per_gpu / least.computing, w)) return;
    make_micro_batches(w);
    w.has_bounds = false;
    w.least_unhidden = 0;

    double number = cell.first;
    for (const ScheduleChoice& choice : d.schedule_choices) {
        if (!choice.micro_batches.allows(cell.accumulation)) continue;
        const double first_number = number;
        number += d.sharding_plans * static_cast<double>(space_.activations().size());
        if (number <= options_.from || first_number >= options_.to) continue;
        set_schedule(choice, parts, d, w);
        const double bound = with_bubble(least, c) + w.least_unhidden;
        if (w.states->limits.least_peak(w.least_bytes) > most_bytes(c.tokens_per_gpu / bound, w)) continue;
        visit_schedule(d, parts, bound, first_number, w);
    }
    if (w.best_here.verdict != Verdict::does_not_fit) w.of_cells.push_back(w.best_here);
}

// Evaluates the plans of one schedule that may be needed; `number` is that of the first one. No step takes
// less than `least` s.
void PlanSearch::visit_schedule(const Degrees& d, DegreesParts& parts, double least, double number,
                                Worker& w) {
    const Compiled& c = w.a.compiled;
    for (std::size_t r = 0; r < w.work.size(); ++r) {
        const double peak = w.states->limits.least_peak(w.bytes_of_work(r));
        if (peak > most_bytes(c.tokens_per_gpu / least, w)) continue;
        make_bounds(d, parts, w);
        const double bound = with_bubble(w.compute_bounds[r], c);
        if (peak > most_bytes(c.tokens_per_gpu / (bound + w.least_unhidden), w)) continue;
        evaluate(d, parts, r, bound, number, w);
    }
}

// Tries all placements under one schedule and one activation choice. No plan computes for less than `compute`
// s.
void PlanSearch::evaluate(const Degrees& d, const DegreesParts& parts, std::size_t r, double compute,
                          double number, Worker& w) {
    Compiled& c = w.a.compiled;
    const auto set = [&](P id, double value) { c.settings.set(id, value, Origin::given); };
    const auto choices = static_cast<double>(space_.activations().size());
    const double most = most_bytes(c.tokens_per_gpu / (compute + w.least_unhidden), w);
    std::size_t sharding = d.shardings.size();  // that is set in `c`
    TrafficPasses beside;
    for (std::size_t p = 0; p < parts.placements.size(); ++p) {
        const double least_peak = w.states->limits.least_peak(w.bytes_of_work(r), p);
        if (least_peak > most) continue;
        double bound = compute + w.unhidden[p];
        if (least_peak > most_bytes(c.tokens_per_gpu / bound, w)) continue;
        const Placement& placement = parts.placements[p];
        const StateSharding& values = d.shardings[placement.sharding];
        // Canonical order: sharding, resharding, activations, offload.
        const auto offloads = static_cast<double>(values.offloads.size());
        const double plan_number =
            number + choices * parts.shardings[placement.sharding].first_placement +
            (static_cast<double>(placement.reshard) * choices + static_cast<double>(r)) * offloads +
            static_cast<double>(placement.offload);
        if (plan_number < options_.from || plan_number >= options_.to) continue;
        if (placement.sharding != sharding) {
            sharding = placement.sharding;
            set_sharding(sharding, d, parts, c);
            beside = traffic_passes(c);
        }
        bound += exposed_traffic_bound(w.compute_bounds[r], parts.traffic_bounds[p], beside,
                                       c.settings[P::overlap]);
        const double rate = c.tokens_per_gpu / bound;
        const double peak = peak_of(w.states->of(p), w.work[r], c);
        if (peak > most_bytes(rate, w)) continue;
        ++w.evaluated;
        set(P::reshard_after_forward, values.reshards[placement.reshard]);
        set_activations(space_.activations()[r], c.settings);
        set(P::offload, values.offloads[placement.offload]);
        Candidate candidate{plan_of(c.settings), plan_number, verdict_of(peak, c.settings), peak, 0, 0, 0};
        if (smaller(candidate, w.smallest)) w.smallest = candidate;
        if (peak > most_bytes_) continue;
        if (!counts_) ++w.feasible;
        const bool on_frontier = peak <= most_bytes_on_frontier(rate, w);
        if (!options_.everything && !may_be_best(rate) && !may_be_best_here(rate, w) && !on_frontier)
            continue;
        judge(w, candidate);
        if (options_.everything) w.all.push_back(candidate);
        else w.best.take(candidate);
        if (on_frontier) w.frontier.take(candidate);
        if (options_.best_of_cells && better(candidate, w.best_here)) w.best_here = candidate;
    }
}

// Calls work(i, worker) for all i below `count`. Meanwhile the reported progress grows from `from` to `to`.
template <typename Work>
void PlanSearch::in_parallel(std::vector<Worker>& workers, std::size_t count, double from, double to,
                             Work&& work) {
    std::atomic<std::size_t> next{0};
    parallel_for(workers.size(), options_.threads, [&](std::size_t thread) {
        for (std::size_t i = next++; i < count && !options_.stop.stop_requested(); i = next++) {
            work(i, workers[thread]);
            if (options_.progress)
                options_.progress(from +
                                  (to - from) * static_cast<double>(i + 1) / static_cast<double>(count));
        }
    });
}

SearchResult PlanSearch::run() {
    const auto& cells = space_.cells();
    compile_totals();
    bounds_operators_ =
        !counts_ && cells.size() > OperatorWorkCache::kMost && has_rare_blocks(machine_.operators);
    std::vector<Worker> workers;
    for (unsigned i = 0; i < std::max(1U, options_.threads); ++i) {
        workers.push_back({{}, BestPlans(options_.top, least_), {}, {}, {}, {}});
        workers.back().a.compiled = machine_;
    }

    // Cells are in canonical order, so that those of equal splits are in one block.
    std::vector<std::size_t> blocks{0};
    for (std::size_t i = 1; i < cells.size(); ++i) {
        if (!splits_alike(cells[i - 1], cells[i])) blocks.push_back(i);
    }
    if (!cells.empty()) blocks.push_back(cells.size());
    const double surveyed = counts_ ? 0.9 : 0.5;  // share of the time, about
    in_parallel(workers, blocks.size() - 1, 0, surveyed,
                [&](std::size_t i, Worker& w) { survey(blocks[i], blocks[i + 1], w); });

    std::vector<std::size_t> order(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t i) {
        return cells[i].first + cells[i].plans <= options_.from || cells[i].first >= options_.to;
    });
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return cells_[i].rate; });
    in_parallel(workers, order.size(), surveyed, 1, [&](std::size_t i, Worker& w) { visit(order[i], w); });

    SearchResult out;
    out.stopped = options_.stop.stop_requested();
    out.space = space_.size();
    out.full_rate = machine_.peak / machine_.flops_per_token;
    Frontier frontier;
    for (const Worker& w : workers) {
        out.feasible += w.feasible;
        out.evaluated += w.evaluated;
        const auto& kept = options_.everything ? w.all : w.best.kept();
        out.best.insert(out.best.end(), kept.begin(), kept.end());
        for (const Candidate& candidate : w.frontier.kept()) frontier.take(candidate);
        out.of_cells.insert(out.of_cells.end(), w.of_cells.begin(), w.of_cells.end());
        if (smaller(w.smallest, out.smallest)) out.smallest = w.smallest;
    }
    if (out.feasible > 0) out.smallest = {};
    if (options_.everything) {
        std::ranges::sort(out.best, {}, &Candidate::number);
    } else {
        std::ranges::sort(out.best, better);
        if (out.best.size() > options_.top) out.best.resize(options_.top);
    }
    std::ranges::sort(out.of_cells, {}, &Candidate::number);
    out.frontier = frontier.kept();
    return out;
}

}  // namespace

SearchResult search_plans(const Settings& base, const ParameterSet& free, const SearchOptions& options) {
    // Later searches of this thread reuse the cache.
    static thread_local OperatorWorkCache cache;
    return PlanSearch(base, free, options, cache).run();
}

}  // namespace shardscope
