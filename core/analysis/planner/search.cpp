#include "planner/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <span>

#include "memory/memory.h"
#include "planner/operator_work_cache.h"
#include "step/bounds.h"
#include "step/step.h"
#include "system/jobs.h"

namespace shardscope {
namespace {

// Bounds and results are summed in different orders, so a plan is ruled out only when it is worse by more
// than rounding errors.
constexpr double kRounding = 1 + 1e-9;

// Of every stage of a pipeline that differs from the others (see Stages).
using WorkOfStages = BoundedList<WorkMemory, kDistinctStages>;

// What one stage holds and communicates under one way to store the model states.
struct StagePlacement {
    UnhiddenFloor unhidden;
    StateMemory state;
};

// Layout and traffic of one sharding of the model states under given degrees, and the ways to store them: by
// resharding and offload.
struct ShardingParts {
    Layout layout;
    StateBytes state;
    Traffic traffic;
    std::vector<TrafficFloor> traffic_floors;  // by placement
    std::vector<StagePlacement> stages;        // by placement, the stages one after the other
    [[nodiscard]] std::span<const StagePlacement> of_placement(std::size_t i) const {
        const std::size_t count = stages.size() / traffic_floors.size();
        return std::span(stages).subspan(i * count, count);
    }
};

// What plans of equal degrees have in common. Each thread computes it when it first needs it.
struct DegreesParts {
    bool made = false;
    Stages stages;
    Layout layout;  // without the sharding
    std::vector<ShardingParts> shardings;
};

// Whether `a` needs less memory.
bool smaller(const Candidate& a, const Candidate& b) {
    return a.peak != b.peak ? a.peak < b.peak : a.number < b.number;
}

// Whether `a` is faster. Of two equally fast plans, the one that needs less memory is better.
bool better(const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : smaller(a, b);
}

// The best plans that one thread has found. All threads share `least`: plans of a lower score are not needed.
class Best {
  public:
    Best(std::size_t top, std::atomic<double>& least) : top_(top), least_(least) {}
    void take(const Candidate& candidate) {
        if (top_ == 0) return;
        kept_.push_back(candidate);
        std::ranges::push_heap(kept_, better);
        if (kept_.size() <= top_) {
            if (kept_.size() == top_) raise(kept_.front().score);
            return;
        }
        std::ranges::pop_heap(kept_, better);
        kept_.pop_back();
        raise(kept_.front().score);
    }
    [[nodiscard]] const std::vector<Candidate>& kept() const { return kept_; }

  private:
    // This thread alone has `top` plans of at least this score.
    void raise(double score) {
        double now = least_.load(std::memory_order_relaxed);
        while (score > now && !least_.compare_exchange_weak(now, score, std::memory_order_relaxed)) {
        }
    }
    std::size_t top_;
    std::atomic<double>& least_;
    std::vector<Candidate> kept_;  // a heap with the worst in front
};

// The best plan for every amount of memory, ascending in memory and in score: a plan that needs more memory
// than another must have a higher score.
class Frontier {
  public:
    // Whether a kept plan that needs no more memory has a higher score, by more than rounding errors.
    [[nodiscard]] bool beats(double score, double peak) const {
        const auto after = std::ranges::upper_bound(kept_, peak, {}, &Candidate::peak);
        return after != kept_.begin() && (after - 1)->score > score * kRounding;
    }
    void take(const Candidate& candidate) {
        auto after = std::ranges::upper_bound(kept_, candidate.peak, {}, &Candidate::peak);
        if (after != kept_.begin() && !better(candidate, *(after - 1))) return;
        auto from = after;
        while (from != kept_.begin() && (from - 1)->peak == candidate.peak) --from;
        auto to = after;
        while (to != kept_.end() && !better(*to, candidate)) ++to;
        kept_.insert(kept_.erase(from, to), candidate);
    }
    [[nodiscard]] const std::vector<Candidate>& kept() const { return kept_; }

  private:
    std::vector<Candidate> kept_;
};

double peak_of(std::span<const StagePlacement> stages, const WorkOfStages& work, const Compiled& c) {
    double peak = 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
        peak = std::max(peak, peak_memory(stages[i].state, work[i], c));
    return peak;
}

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

class Search {
  public:
    Search(const Settings& base, const ParameterSet& free, const SearchOptions& options)
        : options_(options), base_(base), space_(base, free), least_(options.reached) {
        machine_.settings = base;
        compile_machine(machine_);
        compute_operator_work();
    }
    SearchResult run();

  private:
    struct Worker {
        Answer a;  // scratch; `a.compiled` is the plan being evaluated
        Best best;
        Frontier frontier;
        std::vector<Candidate> all;
        std::vector<Candidate> of_cells;
        Candidate smallest;
        double feasible = 0;
        double evaluated = 0;
        std::vector<DegreesParts> parts{};  // by degrees
        Candidate best_here{};              // of the cell

        // Of the cell with its current schedule: by recomputation …
        std::vector<ComputeFloor> floors{};
        std::vector<double> floor{};  // s
        std::vector<WorkOfStages> work{};
        // … and by index of the sharding and of the placement.
        std::vector<std::vector<double>> unhidden{};  // s
    };

    void compute_operator_work();
    [[nodiscard]] DegreesParts& parts_of(const Cell& cell, Worker& w) const;
    void make_placements(const Cell& cell, DegreesParts& parts, Compiled& c) const;
    static void set_sharding(const ShardingParts& parts, const StateSharding& values, Compiled& c);
    void visit(std::size_t index, Worker& w);
    void visit_schedule(const Cell& cell, const DegreesParts& parts, double number, Worker& w);
    void judge(Worker& w, Candidate& candidate) const;
    [[nodiscard]] bool by_throughput() const { return !options_.objective.get; }
    // Whether no plan may be ruled out by its bound. The frontier is not included here: it keeps a slow plan
    // only if that plan needs little memory.
    [[nodiscard]] bool evaluates_all() const { return options_.everything || options_.count_feasible; }
    // Whether a plan that reaches at most `rate` may be needed: among the best …
    [[nodiscard]] bool may_be_best(double rate) const {
        return options_.everything || !by_throughput() ||
               rate * kRounding >= least_.load(std::memory_order_relaxed);
    }
    // … or as the best of its cell.
    [[nodiscard]] bool may_be_best_here(double rate, const Worker& w) const {
        return options_.best_of_cells && (!by_throughput() || rate * kRounding >= w.best_here.score);
    }
    [[nodiscard]] bool may_be_wanted(double rate, const Worker& w) const {
        return evaluates_all() || options_.frontier || may_be_best(rate) || may_be_best_here(rate, w);
    }
    [[nodiscard]] bool fits(Verdict verdict) const {
        return verdict == Verdict::fits || (options_.allow_risky && verdict == Verdict::risky);
    }

    const SearchOptions& options_;
    const Settings& base_;
    PlanSpace space_;
    Compiled machine_;
    // By cell: its operator times, and an upper bound of its throughput.
    std::vector<const OperatorWork*> operator_work_;
    std::vector<double> cell_bound_;
    std::atomic<double> least_;
};

// Computes the operator times once for all plans that split a micro-batch in the same way.
void Search::compute_operator_work() {
    // Later searches of this thread reuse the cache. The worker threads do not need it.
    static thread_local OperatorWorkCache operators;
    operators.prepare(base_);
    Compiled c = machine_;
    // Cells are in canonical order, so that equal splits are close together.
    std::vector<std::pair<OperatorSplit, const OperatorWork*>> near;
    const auto& cells = space_.cells();
    operator_work_.resize(cells.size());
    cell_bound_.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Degrees& d = space_.degrees()[cells[i].degrees];
        set_cell(cells[i], d, c.settings);
        const OperatorSplit cut = operator_split_of(c.settings);
        if (!near.empty()) {
            const OperatorSplit& last = near.back().first;
            if (cut.tensor != last.tensor || cut.context != last.context ||
                cut.sequence_parallel != last.sequence_parallel ||
                cut.async_tensor_parallel != last.async_tensor_parallel)
                near.clear();
        }
        auto found = std::ranges::find(near, cut, &std::pair<OperatorSplit, const OperatorWork*>::first);
        if (found == near.end()) {
            near.emplace_back(cut, &operators.of(c));
            found = near.end() - 1;
        }
        operator_work_[i] = found->second;
        // The slowest stage computes at least as long as the average one, for any number of stages and
        // micro-batches.
        cell_bound_[i] = operator_work_[i]->tokens / (d.tensor * operator_work_[i]->layers);
    }
    if (cells.empty()) return;
    compile_operators(c);  // for the totals that do not depend on the split
    machine_.operators = c.operators;
    machine_.parameters = c.parameters;
    machine_.active_parameters = c.active_parameters;
    machine_.layer_parameters = c.layer_parameters;
    machine_.root_parameters = c.root_parameters;
    machine_.flops_per_token = c.flops_per_token;
}

// Stages and layout. The cell's values must be set in `w.a.compiled`.
DegreesParts& Search::parts_of(const Cell& cell, Worker& w) const {
    DegreesParts& parts = w.parts[cell.degrees];
    Compiled& c = w.a.compiled;
    if (!parts.made) {
        parts.made = true;
        c.layout = layout_of(c.settings);
        parts.layout = c.layout;
        parts.stages = stages_of(c);
    }
    c.layout = parts.layout;
    c.stages = parts.stages;
    return parts;
}

// Computes the sharding groups, the bounds of their traffic and the memory of the states, none of which
// depend on the micro-batch.
void Search::make_placements(const Cell& cell, DegreesParts& parts, Compiled& c) const {
    const auto set = [&](P id, double value) { c.settings.set(id, value, Origin::given); };
    const std::size_t stages = parts.stages.size();
    for (const StateSharding& sharing : space_.degrees()[cell.degrees].shardings) {
        set(P::sharding, sharing.sharding);
        set(P::shard_group, sharing.group);
        compile_sharding(c);
        ShardingParts& made =
            parts.shardings.emplace_back(ShardingParts{c.layout, c.state, c.traffic, {}, {}});
        const std::size_t placements = sharing.reshards.size() * sharing.offloads.size();
        made.traffic_floors.reserve(placements);
        made.stages.reserve(placements * stages);
        for (const double reshard : sharing.reshards) {
            set(P::reshard_after_forward, reshard);
            for (const double offload : sharing.offloads) {
                set(P::offload, offload);
                made.traffic_floors.push_back(traffic_floor(c));
                for (std::size_t i = 0; i < stages; ++i)
                    made.stages.push_back({unhidden_floor(c.stages[i], c), state_memory(c.stages[i], c)});
            }
        }
    }
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

// Applies the cheapest bound first and the most expensive one last, so that most cells are ruled out early.
void Search::visit(std::size_t index, Worker& w) {
    w.best_here = {};
    w.best_here.score = -std::numeric_limits<double>::infinity();
    if (!may_be_wanted(cell_bound_[index], w)) return;

    const Cell& cell = space_.cells()[index];
    const Degrees& d = space_.degrees()[cell.degrees];
    Compiled& c = w.a.compiled;
    const auto set = [&](P id, double value) { c.settings.set(id, value, Origin::given); };
    set_cell(cell, d, c.settings);
    c.work = operator_work_[index]->work;
    DegreesParts& parts = parts_of(cell, w);
    compile_pipeline(c);
    const std::vector<double>& recomputes = space_.recomputes();

    // No plan is faster than one without recomputation.
    set(P::recompute, 0);
    const ComputeFloor least = compute_floor(c);
    if (!may_be_wanted(c.tokens_per_gpu / least.computing, w)) return;
    double least_unhidden = 0;  // `prepare` sets it
    bool prepared = false;
    const auto prepare = [&] {
        if (parts.shardings.empty()) make_placements(cell, parts, c);
        w.unhidden.resize(parts.shardings.size());
        least_unhidden = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < parts.shardings.size(); ++k) {
            w.unhidden[k].clear();
            const ShardingParts& sharding = parts.shardings[k];
            for (std::size_t p = 0; p < sharding.traffic_floors.size(); ++p) {
                double stage = std::numeric_limits<double>::infinity();
                for (const StagePlacement& placement : sharding.of_placement(p))
                    stage = std::min(stage, placement.unhidden.total(c.passes));
                w.unhidden[k].push_back(stage);
                least_unhidden = std::min(least_unhidden, stage);
            }
        }
        w.floors.clear();
        for (const double recompute : recomputes) {
            set(P::recompute, recompute);
            w.floors.push_back(compute_floor(c));
        }
        prepared = true;
    };

    double number = cell.first;
    for (const ScheduleChoice& choice : d.schedule_choices) {
        if (!choice.micro_batches.allows(cell.accumulation)) continue;
        const double first_number = number;
        number += d.sharding_plans * static_cast<double>(recomputes.size());
        if (number <= options_.from || first_number >= options_.to) continue;
        set(P::virtual_stages, choice.virtual_stages);
        set(P::schedule, choice.schedule);
        compile_schedule(c);
        const double floor = with_bubble(least, c);
        if (!may_be_wanted(c.tokens_per_gpu / (floor + least_unhidden), w)) continue;
        if (!prepared) {
            prepare();
            if (!may_be_wanted(c.tokens_per_gpu / (floor + least_unhidden), w)) continue;
        }
        visit_schedule(cell, parts, first_number, w);
    }
    if (w.best_here.verdict != Verdict::does_not_fit) w.of_cells.push_back(w.best_here);
}

// Tries all recomputations, shardings and placements under one schedule; `number` is that of the first plan.
void Search::visit_schedule(const Cell& cell, const DegreesParts& parts, double number, Worker& w) {
    Compiled& c = w.a.compiled;
    const Degrees& d = space_.degrees()[cell.degrees];
    const auto set = [&](P id, double value) { c.settings.set(id, value, Origin::given); };
    const std::vector<double>& recomputes = space_.recomputes();

    // A lower bound of the step and the working memory for every recomputed share; neither depends on the
    // sharding.
    w.floor.clear();
    w.work.clear();
    for (std::size_t r = 0; r < recomputes.size(); ++r) {
        w.floor.push_back(with_bubble(w.floors[r], c));
        set(P::recompute, recomputes[r]);
        WorkOfStages& work = w.work.emplace_back();
        for (std::size_t i = 0; i < c.stages.size(); ++i) work.add(work_memory(c.stages[i], c));
    }
    const double least_floor = *std::ranges::min_element(w.floor);

    for (std::size_t k = 0; k < d.shardings.size(); ++k) {
        const StateSharding& sharing = d.shardings[k];
        const std::vector<double>& unhidden = w.unhidden[k];
        const double first = number;
        number += sharing.plans * static_cast<double>(recomputes.size());
        const double least_unhidden = *std::ranges::min_element(unhidden);
        if (!may_be_wanted(c.tokens_per_gpu / (least_floor + least_unhidden), w)) continue;
        set_sharding(parts.shardings[k], sharing, c);
        const TrafficPasses beside = traffic_passes(c);
        const double overlap = c.settings[P::overlap];
        double next_number = first;
        for (std::size_t reshard = 0; reshard < sharing.reshards.size(); ++reshard) {
            for (std::size_t r = 0; r < recomputes.size(); ++r) {
                for (std::size_t o = 0; o < sharing.offloads.size(); ++o) {
                    const double plan_number = next_number++;
                    if (plan_number < options_.from || plan_number >= options_.to) continue;
                    const std::size_t p = reshard * sharing.offloads.size() + o;
                    double floor = w.floor[r] + unhidden[p];
                    if (!may_be_wanted(c.tokens_per_gpu / floor, w)) continue;
                    floor += exposed_traffic_floor(w.floors[r], parts.shardings[k].traffic_floors[p], beside,
                                                   overlap);
                    const double most = c.tokens_per_gpu / floor;
                    const bool wanted = may_be_best(most) || may_be_best_here(most, w);
                    if (!wanted && !evaluates_all() && !options_.frontier) continue;
                    ++w.evaluated;
                    const auto choose = [&] {
                        set(P::reshard_after_forward, sharing.reshards[reshard]);
                        set(P::recompute, recomputes[r]);
                        set(P::offload, sharing.offloads[o]);
                    };
                    const double peak = peak_of(parts.shardings[k].of_placement(p), w.work[r], c);
                    const Verdict verdict = verdict_of(peak, c.settings);
                    if (peak < w.smallest.peak ||
                        (peak == w.smallest.peak && plan_number < w.smallest.number)) {
                        choose();
                        w.smallest = {plan_of(c.settings), plan_number, verdict, peak, 0, 0, 0};
                    }
                    if (!fits(verdict)) continue;
                    ++w.feasible;
                    const bool on_frontier = options_.frontier && !w.frontier.beats(most, peak);
                    if (!wanted && !on_frontier) continue;
                    choose();
                    Candidate candidate{{}, plan_number, verdict, peak, 0, 0, 0};
                    judge(w, candidate);
                    candidate.plan = plan_of(c.settings);
                    if (options_.everything) w.all.push_back(candidate);
                    else w.best.take(candidate);
                    if (on_frontier) w.frontier.take(candidate);
                    if (options_.best_of_cells && better(candidate, w.best_here)) w.best_here = candidate;
                }
            }
        }
    }
}

SearchResult Search::run() {
    const auto& cells = space_.cells();
    std::vector<std::size_t> order(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // With `everything`, all cells are visited anyway.
    if (!options_.everything)
        std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return cell_bound_[i]; });

    const unsigned threads = std::max(1U, options_.threads);
    std::vector<Worker> workers;
    for (unsigned i = 0; i < threads; ++i) {
        workers.push_back({{}, Best(options_.top, least_), {}, {}, {}, {}});
        workers.back().a.compiled = machine_;
        workers.back().parts.resize(space_.degrees().size());
    }
    std::atomic<std::size_t> next{0};
    parallel_for(threads, threads, [&](std::size_t thread) {
        for (std::size_t i = next++; i < order.size() && !options_.stop.stop_requested(); i = next++) {
            const Cell& cell = cells[order[i]];
            if (cell.first + cell.plans <= options_.from || cell.first >= options_.to) continue;
            visit(order[i], workers[thread]);
            if (options_.progress)
                options_.progress(static_cast<double>(i + 1) / static_cast<double>(order.size()));
        }
    });

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

struct CandidateRanking::Parts {
    std::vector<Candidate> all;
    Frontier frontier;
    Candidate smallest;
};

CandidateRanking::CandidateRanking() : parts_(std::make_unique<Parts>()) {}
CandidateRanking::~CandidateRanking() = default;

void CandidateRanking::take(const Candidate& candidate) {
    parts_->all.push_back(candidate);
    parts_->frontier.take(candidate);
}

void CandidateRanking::add_smallest(const Candidate& candidate) {
    if (smaller(candidate, parts_->smallest)) parts_->smallest = candidate;
}

SearchResult CandidateRanking::result(std::size_t top) const {
    SearchResult out;
    out.feasible = static_cast<double>(parts_->all.size());
    out.best = parts_->all;
    std::ranges::sort(out.best, better);
    if (out.best.size() > top) out.best.resize(top);
    out.frontier = parts_->frontier.kept();
    out.smallest = parts_->smallest;
    return out;
}

}  // namespace shardscope
