// The plans that a search keeps: the best ones, and the best for every amount of memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "planner/search.h"

namespace shardscope {

// Bounds and results are summed in different orders, so a plan is ruled out only when it is worse by more
// than rounding errors.
inline constexpr double kRounding = 1 + 1e-9;

// Returns whether `a` needs less memory.
bool smaller(const Candidate& a, const Candidate& b);
// Returns whether `a` is faster. Of two equally fast plans, the one that needs less memory is better.
bool better(const Candidate& a, const Candidate& b);

// The best plans that one thread has found. All threads share `least`: plans of a lower score are not needed.
class BestPlans {
  public:
    BestPlans(std::size_t top, std::atomic<double>& least) : top_(top), least_(least) {}
    void take(const Candidate& candidate);
    [[nodiscard]] const std::vector<Candidate>& kept() const { return kept_; }

  private:
    void raise(double score);

    std::size_t top_;
    std::atomic<double>& least_;
    std::vector<Candidate> kept_;  // a heap with the worst in front
};

// The best plan for every amount of memory, ascending in memory and in score: a plan that needs more memory
// than another must have a higher score.
class Frontier {
  public:
    // Returns the most memory with which a plan of at most this score may belong to the frontier: less than
    // any kept plan of a higher score, by more than rounding errors, needs; bytes.
    [[nodiscard]] double most_bytes(double score) const;
    void take(const Candidate& candidate);
    [[nodiscard]] const std::vector<Candidate>& kept() const { return kept_; }

  private:
    std::vector<Candidate> kept_;
};

}  // namespace shardscope
