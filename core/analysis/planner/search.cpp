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
    const auto set = [&](P id, double value) { s.set(id, value, Origin::given); };
    for (std::size_t i = 0; i < kCellSize; ++i) set(kPlanParameters[i], cell.value[i]);
    set(P::accumulation, cell.accumulation);
    // The first schedule stands for all of the cell: they have the same number of weight copies and gather
    // the weights in the same way.
    set(P::virtual_stages, d.schedule_choices.front().virtual_stages);
    set(P::schedule, d.schedule_choices.front().schedule);
}

// Whether the cells split a micro-batch in the same way but for experts.
bool splits_alike(const Cell& a, const Cell& b) {
    const auto before = a.value.begin() + Plan::place(P::pipeline_parallel);
    return std::equal(a.value.begin(), before, b.value.begin());
}

class Search {
  public:
    Search(const Settings& base, const ParameterSet& free, const SearchOptions& options)
        : options_(options),
          evaluates_all_(options.everything ||
                         (options.count_feasible && (options.from > 0 || std::isfinite(options.to)))),
          counts_(options.count_feasible && !evaluates_all_),
          space_(base, free),
          most_bytes_(largest_peak(options.allow_risky ? Verdict::risky : Verdict::fits, base)),
          cells_(space_.cells().size()),
          parts_(space_.degrees().size()),
          least_(options.reached) {
        machine_.settings = base;
        compile_machine(machine_);
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
        Candidate best_here{};  // of the cell

        // Lower bounds of the cell, computed when they are first needed: by recomputation …
        bool has_bounds = false;
        std::vector<ComputeFloor> floors{};
        // … and by index of the sharding and of the placement.
        std::vector<std::vector<double>> unhidden{};  // s
        double least_unhidden = 0;                    // s

        // Of the cell with its current schedule, by recomputation.
        std::vector<double> floor{};  // s; infinite: no plan is needed
        std::vector<WorkOfStages> work{};
        std::vector<WorkBytes> work_bytes{};  // by stage
    };
    // What the first look at a cell finds.
    struct CellBounds {
        const OperatorWork* work = nullptr;  // null: not cached
        double rate = 0;                     // of any plan at most; tokens/s/GPU
        double peak = 0;                     // of any plan at least, if plans are counted; bytes
    };

    void compile_totals();
    template <typename Work>
    void in_parallel(std::vector<Worker>& workers, std::size_t count, double from, double to, Work&& work);
    void survey(std::size_t from, std::size_t to, OperatorWorkCache& cache, Worker& w);
    [[nodiscard]] double count_fitting(std::size_t index, Worker& w);
    void enter(std::size_t index, Worker& w);
    void set_schedule(const ScheduleChoice& choice, Compiled& c) const;
    void make_work(Worker& w) const;
    [[nodiscard]] DegreesParts& parts_of(const Cell& cell, Worker& w);
    void make_bounds(const DegreesParts& parts, Worker& w) const;
    static void set_sharding(const ShardingParts& parts, const StateSharding& values, Compiled& c);
    void visit(std::size_t index, Worker& w);
    void visit_schedule(const Cell& cell, const DegreesParts& parts, double least_compute, double number,
                        Worker& w);
    void evaluate(const Cell& cell, const DegreesParts& parts, double number, Worker& w);
    void judge(Worker& w, Candidate& candidate) const;
    [[nodiscard]] bool by_throughput() const { return !options_.objective.get; }
    // Whether a plan that reaches at most `rate` may be among the best …
    [[nodiscard]] bool may_be_best(double rate) const {
        return !by_throughput() || rate * kRounding >= least_.load(std::memory_order_relaxed);
    }
    // … or the best of its cell …
    [[nodiscard]] bool may_be_best_here(double rate, const Worker& w) const {
        return options_.best_of_cells && (!by_throughput() || rate * kRounding >= w.best_here.score);
    }
    // … or, if it needs at least `peak` bytes, on the frontier.
    [[nodiscard]] bool may_be_on_frontier(double rate, double peak, const Worker& w) const {
        constexpr double kAny = std::numeric_limits<double>::infinity();
        return options_.frontier && !w.frontier.beats(by_throughput() ? rate : kAny, peak);
    }
    // Whether a plan may be part of the result that reaches at most `rate` and needs at least `peak` bytes.
    [[nodiscard]] bool may_be_needed(double rate, double peak, const Worker& w) const {
        if (evaluates_all_) return true;
        // As long as no plan fits, the smallest one is searched for.
        if (w.feasible == 0 && std::isinf(least_.load(std::memory_order_relaxed)) && peak <= w.smallest.peak)
            return true;
        return peak <= most_bytes_ &&
               (may_be_best(rate) || may_be_best_here(rate, w) || may_be_on_frontier(rate, peak, w));
    }

    const SearchOptions& options_;
    bool evaluates_all_;  // no plan may be ruled out
    bool counts_;         // plans that fit are counted without evaluating each
    PlanSpace space_;
    Compiled machine_;
    double most_bytes_;  // peak of a plan that fits
    std::vector<CellBounds> cells_;
    std::vector<DegreesParts> parts_;  // by degrees
    std::mutex cache_mutex_;
    std::atomic<double> least_;
};

// Computes what does not depend on how the model is split.
void Search::compile_totals() {
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

// Looks at the cells from … to − 1, which differ in pipeline and expert parallelism and micro-batch only:
// computes their bounds and counts their plans that fit. Operator times are computed once for all cells that
// split a micro-batch in the same way.
void Search::survey(std::size_t from, std::size_t to, OperatorWorkCache& cache, Worker& w) {
    Compiled& c = w.a.compiled;
    const auto set = [&](std::size_t i) {
        const Cell& cell = space_.cells()[i];
        set_cell(cell, space_.degrees()[cell.degrees], c.settings);
    };
    std::vector<std::pair<OperatorSplit, std::size_t>> order;
    for (std::size_t i = from; i < to; ++i) {
        set(i);
        order.emplace_back(operator_split_of(c.settings), i);
    }
    std::ranges::sort(order);
    OperatorWork uncached;
    const OperatorWork* work = nullptr;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto& [split, i] = order[k];
        set(i);
        if (k == 0 || split != order[k - 1].first) {
            OperatorWork* entry = nullptr;
            {
                const std::lock_guard lock(cache_mutex_);
                entry = cache.entry(c.settings);
            }
            OperatorWork& place = entry ? *entry : uncached;
            if (!entry || !entry->computed()) place = compute_operator_work(c);
            work = &place;
        }
        // The slowest stage computes at least as long as the average one, for any number of stages and
        // micro-batches.
        const double tensor = c.settings[P::tensor_parallel];
        cells_[i] = {work == &uncached ? nullptr : work, work->tokens / (tensor * work->layers), 0};
        if (!counts_) continue;
        c.work = work->work;
        cells_[i].peak = count_fitting(i, w);
    }
}

// Counts the plans of a cell that fit. Returns a lower bound of the peak of all its plans.
double Search::count_fitting(std::size_t index, Worker& w) {
    const Cell& cell = space_.cells()[index];
    const Degrees& d = space_.degrees()[cell.degrees];
    Compiled& c = w.a.compiled;
    DegreesParts& parts = parts_of(cell, w);
    compile_pipeline(c);
    double least = std::numeric_limits<double>::infinity();
    for (const ScheduleChoice& choice : d.schedule_choices) {
        if (!choice.micro_batches.allows(cell.accumulation)) continue;
        set_schedule(choice, c);
        std::call_once(parts.placements_made,
                       [&] { make_placements(d, counts_ ? most_bytes_ : 0, c, parts); });
        make_work(w);
        for (const WorkOfStages& work : w.work) {
            w.work_bytes.clear();
            for (const WorkMemory& stage : work) w.work_bytes.push_back(bytes_of(stage));
            w.feasible += parts.limits.count(w.work_bytes, [&](std::size_t placement) {
                const auto [sharding, place] = parts.placements[placement];
                return peak_of(parts.shardings[sharding].of_placement(place), work, c) <= most_bytes_;
            });
            least = std::min(least, peak_of(std::span<const StateMemory>(parts.least), work, c));
        }
    }
    return least;
}

void Search::set_schedule(const ScheduleChoice& choice, Compiled& c) const {
    c.settings.set(P::virtual_stages, choice.virtual_stages, Origin::given);
    c.settings.set(P::schedule, choice.schedule, Origin::given);
    compile_schedule(c);
}

// Computes the working memory of every stage for every recomputation. It does not depend on the sharding.
void Search::make_work(Worker& w) const {
    Compiled& c = w.a.compiled;
    w.work.clear();
    for (const double recompute : space_.recomputes()) {
        c.settings.set(P::recompute, recompute, Origin::given);
        WorkOfStages& work = w.work.emplace_back();
        for (std::size_t i = 0; i < c.stages.size(); ++i) work.add(work_memory(c.stages[i], c));
    }
}

// Stages and layout. The cell's values must be set in `w.a.compiled`.
DegreesParts& Search::parts_of(const Cell& cell, Worker& w) {
    DegreesParts& parts = parts_[cell.degrees];
    Compiled& c = w.a.compiled;
    std::call_once(parts.stages_made, [&] {
        c.layout = layout_of(c.settings);
        parts.layout = c.layout;
        parts.stages = stages_of(c);
    });
    c.layout = parts.layout;
    c.stages = parts.stages;
    return parts;
}

void Search::set_sharding(const ShardingParts& parts, const StateSharding& values, Compiled& c) {
    c.layout = parts.layout;
    c.state = parts.state;
    c.traffic = parts.traffic;
    c.settings.set(P::sharding, values.sharding, Origin::given);
    c.settings.set(P::shard_group, values.group, Origin::given);
}

void Search::judge(Worker& w, Candidate& candidate) const {
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

// Lower bounds of the cell's step times: compute for every recomputation, and unhidden terms for every
// placement.
void Search::make_bounds(const DegreesParts& parts, Worker& w) const {
    if (w.has_bounds) return;
    w.has_bounds = true;
    Compiled& c = w.a.compiled;
    w.unhidden.resize(parts.shardings.size());
    w.least_unhidden = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < parts.shardings.size(); ++k) {
        w.unhidden[k].clear();
        const ShardingParts& sharding = parts.shardings[k];
        for (std::size_t p = 0; p < sharding.traffic_floors.size(); ++p) {
            double stage = std::numeric_limits<double>::infinity();
            for (const StagePlacement& placement : sharding.of_placement(p))
                stage = std::min(stage, placement.unhidden.total(c.passes));
            w.unhidden[k].push_back(stage);
            w.least_unhidden = std::min(w.least_unhidden, stage);
        }
    }
    w.floors.clear();
    for (const double recompute : space_.recomputes()) {
        c.settings.set(P::recompute, recompute, Origin::given);
        w.floors.push_back(compute_floor(c));
    }
}

// Applies the cheapest bound first and the most expensive one last, so that most cells are ruled out early.
void Search::visit(std::size_t index, Worker& w) {
    w.best_here = {};
    w.best_here.score = -std::numeric_limits<double>::infinity();
    const CellBounds& bounds = cells_[index];
    if (!may_be_needed(bounds.rate, bounds.peak, w)) return;

    const Cell& cell = space_.cells()[index];
    const Degrees& d = space_.degrees()[cell.degrees];
    Compiled& c = w.a.compiled;
    set_cell(cell, d, c.settings);
    if (bounds.work) c.work = bounds.work->work;
    else compile_operators(c);
    DegreesParts& parts = parts_of(cell, w);
    compile_pipeline(c);
    w.has_bounds = false;
    w.least_unhidden = 0;

    // No plan is faster than one without recomputation.
    c.settings.set(P::recompute, 0, Origin::given);
    const ComputeFloor least = compute_floor(c);
    if (!may_be_needed(c.tokens_per_gpu / least.computing, bounds.peak, w)) return;

    double number = cell.first;
    for (const ScheduleChoice& choice : d.schedule_choices) {
        if (!choice.micro_batches.allows(cell.accumulation)) continue;
        const double first_number = number;
        number += d.sharding_plans * static_cast<double>(space_.recomputes().size());
        if (number <= options_.from || first_number >= options_.to) continue;
        set_schedule(choice, c);
        const double floor = with_bubble(least, c);
        if (!may_be_needed(c.tokens_per_gpu / (floor + w.least_unhidden), bounds.peak, w)) continue;
        std::call_once(parts.placements_made,
                       [&] { make_placements(d, counts_ ? most_bytes_ : 0, c, parts); });
        visit_schedule(cell, parts, floor, first_number, w);
    }
    if (w.best_here.verdict != Verdict::does_not_fit) w.of_cells.push_back(w.best_here);
}

// Evaluates the plans of one schedule that may be needed; `number` is that of the first one. No plan computes
// for less than `least_compute` s.
void Search::visit_schedule(const Cell& cell, const DegreesParts& parts, double least_compute, double number,
                            Worker& w) {
    Compiled& c = w.a.compiled;
    make_work(w);
    bool needed = false;
    w.floor.assign(w.work.size(), std::numeric_limits<double>::infinity());
    for (std::size_t r = 0; r < w.work.size(); ++r) {
        const double peak = peak_of(std::span<const StateMemory>(parts.least), w.work[r], c);
        const auto may_be = [&](double compute) {
            return may_be_needed(c.tokens_per_gpu / (compute + w.least_unhidden), peak, w);
        };
        if (!may_be(least_compute)) continue;
        make_bounds(parts, w);
        const double floor = with_bubble(w.floors[r], c);
        if (!may_be(floor)) continue;
        w.floor[r] = floor;
        needed = true;
    }
    if (needed) evaluate(cell, parts, number, w);
}

// Tries all shardings and placements under one schedule.
void Search::evaluate(const Cell& cell, const DegreesParts& parts, double number, Worker& w) {
    Compiled& c = w.a.compiled;
    const auto set = [&](P id, double value) { c.settings.set(id, value, Origin::given); };
    const Degrees& d = space_.degrees()[cell.degrees];
    const std::vector<double>& recomputes = space_.recomputes();
    for (std::size_t k = 0; k < d.shardings.size(); ++k) {
        const StateSharding& sharing = d.shardings[k];
        const ShardingParts& sharding = parts.shardings[k];
        const std::vector<double>& unhidden = w.unhidden[k];
        const double first = number;
        number += sharing.plans * static_cast<double>(recomputes.size());
        const double least_unhidden = *std::ranges::min_element(unhidden);
        const std::size_t offloads = sharing.offloads.size();
        std::optional<TrafficPasses> beside;  // set when the first plan of the sharding may be needed
        for (std::size_t r = 0; r < recomputes.size(); ++r) {
            if (std::isinf(w.floor[r])) continue;
            const auto may_be = [&](double floor, double peak) {
                return may_be_needed(c.tokens_per_gpu / floor, peak, w);
            };
            const double least_peak = peak_of(std::span<const StateMemory>(sharding.least), w.work[r], c);
            if (!may_be(w.floor[r] + least_unhidden, least_peak)) continue;
            if (!beside) {
                set_sharding(sharding, sharing, c);
                beside = traffic_passes(c);
            }
            for (std::size_t p = 0; p < unhidden.size(); ++p) {
                const double reshard = static_cast<double>(p / offloads);
                const double plan_number =
                    first +
                    (reshard * static_cast<double>(recomputes.size()) + static_cast<double>(r)) *
                        static_cast<double>(offloads) +
                    static_cast<double>(p % offloads);
                if (plan_number < options_.from || plan_number >= options_.to) continue;
                const double peak = peak_of(sharding.of_placement(p), w.work[r], c);
                double floor = w.floor[r] + unhidden[p];
                if (!may_be(floor, peak)) continue;
                floor += exposed_traffic_floor(w.floors[r], sharding.traffic_floors[p], *beside,
                                               c.settings[P::overlap]);
                if (!may_be(floor, peak)) continue;
                ++w.evaluated;
                set(P::reshard_after_forward, sharing.reshards[p / offloads]);
                set(P::recompute, recomputes[r]);
                set(P::offload, sharing.offloads[p % offloads]);
                Candidate candidate{
                    plan_of(c.settings), plan_number, verdict_of(peak, c.settings), peak, 0, 0, 0};
                if (smaller(candidate, w.smallest)) w.smallest = candidate;
                if (peak > most_bytes_) continue;
                if (!counts_) ++w.feasible;
                const double most = c.tokens_per_gpu / floor;
                const bool on_frontier = may_be_on_frontier(most, peak, w);
                const bool wanted = options_.everything || may_be_best(most) || may_be_best_here(most, w);
                if (!wanted && !on_frontier) continue;
                judge(w, candidate);
                if (options_.everything) w.all.push_back(candidate);
                else w.best.take(candidate);
                if (on_frontier) w.frontier.take(candidate);
                if (options_.best_of_cells && better(candidate, w.best_here)) w.best_here = candidate;
            }
        }
    }
}

// Calls work(i, worker) for all i below `count`. Meanwhile the reported progress grows from `from` to `to`.
template <typename Work>
void Search::in_parallel(std::vector<Worker>& workers, std::size_t count, double from, double to,
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

SearchResult Search::run() {
    const auto& cells = space_.cells();
    compile_totals();
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
    // Later searches of this thread reuse the cache.
    static thread_local OperatorWorkCache operators;
    operators.prepare(machine_.settings);
    OperatorWorkCache& cache = operators;
    const double surveyed = counts_ ? 0.9 : 0.5;  // share of the time, about
    in_parallel(workers, blocks.size() - 1, 0, surveyed,
                [&](std::size_t i, Worker& w) { survey(blocks[i], blocks[i + 1], cache, w); });

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
    return Search(base, free, options).run();
}

}  // namespace shardscope
