// Single changes that make a scenario fit, or fit without risk, with their predicted results.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

struct Repair {           // one change and its result
    std::optional<P> id;  // none: several plan parameters at once
    double value = 0;
    bool works = false;  // it fits, maybe with little to spare
    bool risky = false;  // it may run out of memory
    // GPUs, memory, sequence length, global batch and the optimizer's precision stay as they are.
    bool same_job = false;
    std::string label;   // "Tensor parallel 1 → 2, Accumulation 1 → 2" names all that changes;
                         // "More GPUs" when it does not work
    std::string result;  // "fits, 74 GiB, MFU 46.0 %", or why it does not work
    double mfu = 0;
    double peak = 0;      // bytes on the fullest GPU
    double capacity = 0;  // usable bytes of a GPU
    Scenario scenario;    // the scenario with the repair made
    Scenario planned;     // the same, with its automatic parameters chosen
};

// Returns whether a scenario does not fit or may run out of memory.
bool needs_repair(const Answer& answer);

// Returns the repairs, the one with the highest predicted MFU first, whether or not they change the job or
// are risky. Those of a risky scenario are not. Changes that do not work come last. The global batch is held
// where it can be split into the new micro-batches. Automatic parameters are re-planned for each and are not
// changed otherwise. Returns none when it was stopped.
std::vector<Repair> repairs(const Scenario& scenario, const std::stop_token& stop = {});

// The best of all plans for the same job, by a search that may take seconds. Automatic parameters stay
// automatic. Empty if the whole plan is automatic, because it is the best already, if the best of a risky
// scenario is risky, too, or when it was stopped.
std::optional<Repair> other_plan(const Scenario& scenario, unsigned threads,
                                 const std::stop_token& stop = {});

// Returns `single` and `plan` in one list, best first.
std::vector<Repair> with_other_plan(std::vector<Repair> single, std::optional<Repair> plan);

// The best repair: the first that works and is not risky, or a risky one if all that work are. nullptr if
// none works.
const Repair* best_of(const std::vector<Repair>& repairs);

// A change of a plan that fits is offered if it raises MFU at least by this.
inline constexpr double kMinReportedGain = 0.002;

// The most effective single change: the best repair if the scenario does not fit or is risky, else the
// one-step change of the plan that raises MFU most and still fits; one that is risky only if no other helps.
// Empty if none does.
std::optional<Repair> best_fix(const Answer& now);

}  // namespace shardscope
