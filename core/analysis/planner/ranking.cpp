#include "planner/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace shardscope {

bool smaller(const Candidate& a, const Candidate& b) {
    return a.peak != b.peak ? a.peak < b.peak : a.number < b.number;
}

bool better(const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : smaller(a, b);
}

void BestPlans::take(const Candidate& candidate) {
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

// This thread alone has `top` plans of at least this score.
void BestPlans::raise(double score) {
    double now = least_.load(std::memory_order_relaxed);
    while (score > now && !least_.compare_exchange_weak(now, score, std::memory_order_relaxed)) {
    }
}

double Frontier::most_bytes(double score) const {
    const auto better = std::ranges::upper_bound(kept_, score * kRounding, {}, &Candidate::score);
    return better == kept_.end() ? std::numeric_limits<double>::infinity()
                                 : std::nextafter(better->peak, 0.0);
}

void Frontier::take(const Candidate& candidate) {
    auto after = std::ranges::upper_bound(kept_, candidate.peak, {}, &Candidate::peak);
    if (after != kept_.begin() && !better(candidate, *(after - 1))) return;
    auto from = after;
    while (from != kept_.begin() && (from - 1)->peak == candidate.peak) --from;
    auto to = after;
    while (to != kept_.end() && !better(*to, candidate)) ++to;
    kept_.insert(kept_.erase(from, to), candidate);
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
