// E25, generalised: the best plans of a space.
//
// A plan is judged by its memory first and, if that suffices, by its step time. Plans that cannot be wanted
// are left out before they are judged, on grounds that keep the result exact: the step cannot be shorter than
// what the slowest stage computes, recomputation included, and the bubble, whatever the sharding adds
// (`compute_floor`), plus what no compute hides (`unhidden_floor`). The folded operators are shared by all
// plans of equal degrees and micro-batch, and so are the parts that memory adds up from; cells are visited in
// the order of the throughput they could reach at most, so that the first plans judged rule most of the
// others out.
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

// What is best: an output as the full estimate gives it, or throughput, which is quicker to know.
struct Objective {
    double (*get)(const Answer&) = nullptr;  // null: throughput (tokens/s/GPU), more is better
    bool less = false;                       // less is better
};

struct Candidate {  // a plan that was judged
    Plan plan;
    double number = 0;  // in canonical order of the space, from zero
    Verdict verdict = Verdict::does_not_fit;
    double peak = std::numeric_limits<double>::infinity();  // bytes
    double step = 0;                                        // s
    double tokens_per_s_per_gpu = 0;                        // as if it fitted
    double score = 0;
};

struct SearchOptions {  // what the search is for
    Objective objective;
    std::size_t top = 1;          // plans wanted, best first
    bool allow_risky = false;     // counts what may or may not fit as fitting
    bool count_feasible = false;  // judges the memory of every plan
    bool frontier = false;        // also the best plan for every amount of memory
    bool everything = false;      // judges and keeps every plan that fits
    bool best_of_cells = false;   // also the best plan of every cell: one for each way to cut the model
    double from = 0;              // numbers of the plans looked at: [from, to)
    double to = std::numeric_limits<double>::infinity();
    unsigned threads = 1;
    // Throughput that a plan of the space is known to reach: what cannot is left out.
    double reached = -std::numeric_limits<double>::infinity();
    std::stop_token stop{};
    // Hears the share of the space that is done, from any thread; the first parts take longest.
    std::function<void(double)> progress{};
};

struct SearchResult {                 // the best plans, and what was looked at
    double space = 0;                 // plans looked at or ruled out
    double feasible = 0;              // plans that fit, if counted
    double evaluated = 0;             // plans whose memory or step time was worked out
    double full_rate = 0;             // tokens/s/GPU at an MFU of one
    std::vector<Candidate> best;      // `top` of them, or everything in canonical order
    std::vector<Candidate> frontier;  // ascending in memory and throughput
    std::vector<Candidate> of_cells;  // in canonical order
    Candidate smallest;  // the plan that needs least memory, where none fits; infinite: no plan is valid
    bool stopped = false;
};

// `base` holds the values of what is not free; they must make sense (`is_valid` but for plan parameters).
SearchResult search_plans(const Settings& base, const ParameterSet& free, const SearchOptions& options);

// Plans that fit, found elsewhere and in any order, ranked as a search ranks them.
class Merge {
  public:
    Merge();
    ~Merge();
    Merge(const Merge&) = delete;
    Merge& operator=(const Merge&) = delete;
    void take(const Candidate& candidate);
    void take_smallest(const Candidate& candidate);
    // The `top` best, the frontier, the smallest, and how many were taken.
    [[nodiscard]] SearchResult result(std::size_t top) const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace shardscope
