// The report of a plan search: the best plans, the neighbours of the best one, and why those are worse.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explain/output.h"
#include "planner/search.h"

namespace shardscope {

struct PlanQuestion {   // the input of a plan search
    Scenario scenario;  // parameters that are not free keep their values
    ParameterSet free;
    Output objective = Output::mfu;
    bool allow_risky = false;
    std::size_t top = 5;
};
// The scenario's automatic parameters or, if it has none, those that are usually free.
ParameterSet free_of(const Scenario& scenario);
// The objective is throughput if the output depends on nothing else, else the output itself.
Objective objective_of(Output id, const Settings& settings);
// The options of a search for the best plans, the frontier and the number of plans that fit.
SearchOptions options_of(const PlanQuestion& question);

// A plan that differs from the best one by one step of one parameter, and in the parameters that must follow.
struct Neighbour {
    P id;
    double from = 0;
    double to = 0;
    Answer answer{};
    // Bytes above the usable memory or, if the verdict is risky, above that less the margin; 0: it fits.
    double over = 0;
    bool searched = false;  // the search varied the parameter
    double slower = 0;      // s per step, scaled to the tokens of the best plan's step; negative: faster
    struct LostTime {       // a part of `slower`
        std::string label;  // "exposed communication": in English, why() translates it
        std::string brief;  // a shorter label
        StepTerm term = StepTerm::count;  // the first of the terms in the part
        double seconds = 0;
    };
    std::vector<LostTime> parts{};  // they sum to `slower`; the largest loss comes first
    [[nodiscard]] bool valid() const { return answer.valid(); }
};
// A plan in one line: "TP 8 SP, PP 4×5 interleaved, zero1, micro-batch 1 × 48".
std::string short_plan(const Settings& settings);
// "does not fit: 3.4 GiB too much", "exposed communication +12 ms, bubble +3 ms".
std::string why(const Neighbour& neighbour);
// The parts that make up most of the loss, largest first; none if the plan is not slower, or does not fit.
std::vector<Neighbour::LostTime> main_losses(const Neighbour& neighbour);
// "Tensor parallel 4 → 8"
std::string title(const Neighbour& neighbour);
std::vector<Neighbour> neighbours_of(const Answer& best, const ParameterSet& free, bool allow_risky);

struct PlanReport {  // the best plans, and why each neighbour loses
    PlanQuestion question;
    double space = 0;  // valid plans
    double feasible = 0;
    double evaluated = 0;
    double full_rate = 0;       // tokens/s/GPU at an MFU of one
    std::vector<Answer> plans;  // best first
    // The scenario's own plan, if it has a valid one and does not leave it to the planner. The search may not
    // have tried it: `missing_in_software` says which of its choices the software does not offer.
    std::optional<Answer> own;
    std::vector<Candidate> frontier;  // ascending in memory and in the objective
    std::vector<Neighbour> neighbours;
    std::string reason;  // why there is no plan; empty if there is one
    [[nodiscard]] bool found() const { return !plans.empty(); }
};
// Runs the search. `progress` receives the share of it that is done, from any thread.
PlanReport plan_report(const PlanQuestion& question, unsigned threads, const std::stop_token& stop = {},
                       const std::function<void(double)>& progress = {});
// Reports on the result of a search.
PlanReport plan_report(const PlanQuestion& question, const SearchResult& found);

}  // namespace shardscope
