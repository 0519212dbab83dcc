#include "fuzz/fuzz.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evidence/likely_range.h"
#include "planner/answer.h"

namespace shardscope::fuzz {
namespace {

std::vector<Target>& registered() {
    static std::vector<Target> all;
    return all;
}

bool equal(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b)); }

bool is_share(double value) { return value >= -1e-9 && value <= 1 + 1e-9; }

template <typename Terms>
void check_terms(const Terms& terms, double total, const char* what) {
    for (const double term : terms) promise(std::isfinite(term) && term >= -1e-9 * total, what);
    promise(equal(std::accumulate(terms.begin(), terms.end(), 0.0), total), what);
}

}  // namespace

const std::vector<Target>& targets() {
    std::ranges::sort(registered(), {}, [](const Target& target) { return std::string_view(target.name); });
    return registered();
}

Registration::Registration(const Target& target) { registered().push_back(target); }

Catalogue& catalogue() {
    constexpr int kRuns = 20000;
    static Problems none;
    static Catalogue all = Catalogue::with_folder({}, none);
    static int runs = 0;
    if (++runs % kRuns == 0) all = Catalogue::with_folder({}, none);
    return all;
}

void check_problems(const Problems& problems) {
    for (const Problem& problem : problems) {
        promise(!problem.what.empty(), "a problem says what it is");
        promise(!problem.text("file").empty(), "a problem is shown with its file");
    }
}

void check_answer(const Answer& answer) {
    const Estimate& found = answer.estimate;
    promise(std::isfinite(found.step.total) && found.step.total > 0, "a step takes a time");
    check_terms(found.step.terms, found.step.total, "the step's terms sum to the step");
    check_terms(found.memory.terms(), found.memory.peak, "the memory's terms sum to the peak");
    for (const double share : found.elasticity) promise(is_share(share), "a rate's share is in 0 to 1");
    promise(equal(std::accumulate(found.elasticity.begin(), found.elasticity.end(), 0.0), 1),
            "the rates' shares sum to 1");
    promise(std::isfinite(found.mfu) && found.mfu > 0, "MFU is a number");
    const LikelyRange likely = likely_range(answer);
    promise(likely.low <= likely.high, "the likely range has two ends");
}

}  // namespace shardscope::fuzz
