// What a search has to say: the best plans, what else could have been, and why it loses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "explain/output.h"
#include "planner/search.h"

namespace shardscope {

struct PlanQuestion {   // what the best plan is asked for
    Scenario scenario;  // what is not free keeps the value it has here
    ParameterSet free;
    Output objective = Output::mfu;
    bool allow_risky = false;
    std::size_t top = 5;
};
// Of a scenario: what is automatic in it, or what is usually free.
ParameterSet free_of(const Scenario& scenario);
// Ranked by throughput where that is all the output depends on, else by the output itself.
Objective objective_of(Output id, const Settings& settings);
// Options of a search for the best plans, the frontier, and the number that fit.
SearchOptions options_of(const PlanQuestion& question);

// A plan that differs from the best one by one step of one parameter; others follow where they must.
struct Neighbour {
    P id = P::count;
    double from = 0;
    double to = 0;
    Answer answer;
    // Bytes beyond what is usable, as the verdict says it; of what may fit, into the margin; 0: it fits.
    double over = 0;
    double slower = 0;                    // s a step of as many tokens as the best plan's; negative: faster
    struct Part {                         // a share of the difference
        std::string label;                // "exposed communication": in English, why() says it
        std::string brief;                // the same where there is little room
        StepTerm term = StepTerm::count;  // the first of those it is the sum of
        double seconds = 0;
    };
    std::vector<Part> parts;  // what `slower` adds up from, the largest loss first
    [[nodiscard]] bool valid() const { return answer.valid(); }
};
// "TP 8 SP, PP 4×5 interleaved, zero1, micro-batch 1 × 48": what distinguishes a plan, in one line.
std::string short_plan(const Settings& settings);
// "does not fit by 3.4 GiB", "exposed communication +12 ms, bubble +3 ms".
std::string why(const Neighbour& neighbour);
// The parts of the loss that are worth saying, largest first; none where it does not lose, or does not fit.
std::vector<Neighbour::Part> main_losses(const Neighbour& neighbour);
// "Tensor parallel 4 → 8"
std::string title(const Neighbour& neighbour);
std::vector<Neighbour> neighbours_of(const Answer& best, const ParameterSet& free, bool allow_risky);

struct PlanReport {  // the best plans, and why each neighbour loses
    PlanQuestion question;
    double space = 0;  // valid plans
    double feasible = 0;
    double evaluated = 0;
    double full_rate = 0;             // tokens/s/GPU at an MFU of one
    std::vector<Answer> plans;        // best first
    std::vector<Candidate> frontier;  // ascending in memory and in the objective
    std::vector<Neighbour> neighbours;
    std::string reason;  // why there is no plan; empty when there is one
    [[nodiscard]] bool found() const { return !plans.empty(); }
};
// `progress` hears the share of the search that is done, from any thread.
PlanReport plan_report(const PlanQuestion& question, unsigned threads, const std::stop_token& stop = {},
                       const std::function<void(double)>& progress = {});
// The same from what a search found.
PlanReport plan_report(const PlanQuestion& question, const SearchResult& found);

}  // namespace shardscope
