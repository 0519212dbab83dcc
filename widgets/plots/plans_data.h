// The plans of a job as plain numbers: the best one, those one step away from it, the best for every amount
// of memory, and the best for every way to cut the model.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "explore/plan_report.h"
#include "widgets/plots/plot_data.h"

namespace shardscope {

// What the plans may be compared by: all follow throughput.
inline constexpr std::array kPlanOutputs{Output::mfu, Output::tokens_per_s, Output::training_days,
                                         Output::cost};
bool compares_plans(Output id);

// What a plan is: of several, the last one counts.
enum class PlanMark : unsigned char {
    cut,        // the best for its degrees of parallelism and micro-batch
    frontier,   // the best that makes do with its memory
    neighbour,  // one step away from the best
    best
};

struct PlanPoint {
    PlanMark mark = PlanMark::cut;
    Plan plan;
    Verdict verdict = Verdict::does_not_fit;
    double peak = 0;                  // bytes
    double tokens_per_s_per_gpu = 0;  // as if it fitted
    std::size_t neighbour = 0;        // of a neighbour: its place in the report
    [[nodiscard]] bool fits() const { return verdict != Verdict::does_not_fit; }
};

struct PlansData {
    PlanReport report;
    std::vector<PlanPoint> points;  // one for each plan, ascending in memory
    double capacity = 0;            // usable bytes
    double margin = 0;              // bytes either side of it within which the verdict is risky

    // nullptr when nothing fits.
    [[nodiscard]] const Answer* best() const { return report.found() ? &report.plans.front() : nullptr; }
    [[nodiscard]] const Neighbour* neighbour_of(const PlanPoint& point) const;
    // With the plan in place of what is free, nothing automatic.
    [[nodiscard]] Scenario scenario_of(const PlanPoint& point) const;
    // An output of the best plan, in SI units; NaN when it means nothing.
    [[nodiscard]] double at_best(Output id) const;
    // The same of another plan that fits, from its throughput and its batch.
    [[nodiscard]] double value(Output id, const Candidate& candidate) const;
    // NaN when it does not fit and `hypothetical` is off.
    [[nodiscard]] double value(Output id, const PlanPoint& point, bool hypothetical) const;

  private:
    [[nodiscard]] double value(Output id, double tokens_per_s_per_gpu) const;
    // Days and cost of the whole run: another batch may need other tokens.
    [[nodiscard]] bool weighs_batch(Output id) const;
    [[nodiscard]] double tokens_against_best(const Scenario& scenario) const;
};

// What a search is of: the scenario with everything locked and the same values wherever `free` says that they
// do not matter. Two scenarios of one subject have the same plans.
struct PlansSubject {
    Scenario scenario;
    ParameterSet free;
    bool operator==(const PlansSubject& other) const = default;
    // Whether there is anything to search: all but the plan makes sense.
    [[nodiscard]] bool makes_sense() const;
};
// Free is what is automatic; where nothing is, or with `all_free`, what usually is.
PlansSubject plans_subject(const Scenario& scenario, bool all_free);

// Takes a few seconds on the largest machines. Null when stopped. `progress` hears the share that is done,
// from any thread. The last one is kept, so that a picture, its caption and its
// table are of one search.
using SharedPlans = std::shared_ptr<const PlansData>;
SharedPlans plans_data(const PlansSubject& subject, unsigned threads, const std::stop_token& stop = {},
                       const std::function<void(double)>& progress = {});

// A scenario among the plans: the current one, or a pin.
struct PlanDot {
    char letter = 'A';
    bool fits = false;
    double peak = 0;                                  // bytes
    std::array<double, kPlanOutputs.size()> value{};  // NaN where it means nothing
    Plan plan;
    [[nodiscard]] double of(Output id) const;
};
// None when the answer is not valid.
std::optional<PlanDot> plan_dot(char letter, const Answer& answer, bool hypothetical);

PlotTable plans_table(const PlansData& data, const Answer& current, const std::vector<Pin>& pins,
                      bool hypothetical);

}  // namespace shardscope
