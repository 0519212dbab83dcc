// E25, generalised: a branch-and-bound search for the best plans of a space.
//
// The search looks at every cell once: it computes the operator times that the plans of the cell share, or a
// lower bound of them in large spaces of models with rare kinds of layers, an upper bound of the plans'
// throughput and, if plans are counted, how many of them fit. The memory of a plan consists of the states,
// which depend on the sharding, and the work, which does not. So all shardings are compared at once with the
// work of one schedule and one activation choice (PlacementLimits).
//
// Then cells are visited in descending order of the highest throughput they could reach, so that the first
// plans rule out most of the others by lower bounds of the step time and the memory, which keeps the result
// exact: under any sharding a step takes at least the compute time of the slowest stage, recomputation
// included, and the bubble (`compute_bound`), plus the time that no compute can hide (`unhidden_bound`). Only
// the remaining plans are evaluated.
//
// The result does not depend on the number of threads.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <vector>

#include "planner/answer.h"
#include "planner/space.h"

namespace shardscope {

// What the search optimises: an output of the full estimate, or throughput, which is cheaper to compute.
struct Objective {
    double (*get)(const Answer&) = nullptr;  // null: throughput (tokens/s/GPU), more is better
    bool less = false;                       // less is better
};

struct Candidate {  // a plan that was evaluated
    Plan plan;
    double number = 0;  // in canonical order of the space, from zero
    Verdict verdict = Verdict::does_not_fit;
    double peak = std::numeric_limits<double>::infinity();  // bytes
    double step = 0;                                        // s
    double tokens_per_s_per_gpu = 0;                        // as if it fitted
    double score = 0;
};

// What a search for plans maximizes, and how it runs.
struct SearchOptions {
    Objective objective;
    std::size_t top = 1;          // number of plans to return, best first
    bool allow_risky = false;     // counts plans of verdict risky as fitting
    bool count_feasible = false;  // counts the plans that fit
    bool frontier = false;        // also the best plan for every amount of memory
    bool everything = false;      // evaluates and returns every plan that fits
    bool best_of_cells = false;   // also the best plan of every cell: one for each way to split the model
    double from = 0;              // numbers of the plans to search: [from, to)
    double to = std::numeric_limits<double>::infinity();
    unsigned threads = 1;
    // A throughput that some plan of the space is known to reach: plans that cannot reach it are left out.
    double reached = -std::numeric_limits<double>::infinity();
    std::stop_token stop{};
    // Receives the share of the space that is done, from any thread; the first cells take longest.
    std::function<void(double)> progress{};
};

// The plans that a search found.
struct SearchResult {
    double space = 0;                 // plans evaluated or ruled out
    double feasible = 0;              // plans that fit, if counted
    double evaluated = 0;             // plans whose step time was computed or bounded one by one
    double full_rate = 0;             // tokens/s/GPU at an MFU of one
    std::vector<Candidate> best;      // `top` plans, or all of them in canonical order
    std::vector<Candidate> frontier;  // ascending in memory and throughput
    std::vector<Candidate> of_cells;  // the best plan of each cell, in canonical order
    // The plan that needs least memory; infinite peak: some plan fits, or none is valid.
    Candidate smallest;
    bool stopped = false;
};

// `base` has the values of the parameters that are not free; they must be valid (`is_valid`) but for plan
// parameters.
SearchResult search_plans(const Settings& base, const ParameterSet& free, const SearchOptions& options);

// Ranks fitting plans of other searches, given in any order, as one search would.
class CandidateRanking {
  public:
    CandidateRanking();
    ~CandidateRanking();
    CandidateRanking(const CandidateRanking&) = delete;
    CandidateRanking& operator=(const CandidateRanking&) = delete;
    void take(const Candidate& candidate);
    void add_smallest(const Candidate& candidate);
    // The `top` best plans, the frontier, the smallest plan, and the number of plans given to `take`.
    [[nodiscard]] SearchResult result(std::size_t top) const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shardscope
