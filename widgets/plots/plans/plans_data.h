// The data of the plans plot: the best plan of a job, the plans one step away from it, the best plan for
// every amount of memory, and the best plan for every way to partition the model.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "explore/plan_report.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

// The outputs by which plans can be compared; each follows from the throughput.
inline constexpr std::array kPlanOutputs{Output::mfu, Output::tokens_per_s, Output::training_days,
                                         Output::cost};
bool compares_plans(Output id);

// The role of a plan. If several apply, the last one in this order counts.
enum class PlanMark : unsigned char {
    cut,        // the best for its degrees of parallelism and micro-batch
    frontier,   // the best plan that needs no more memory
    neighbour,  // one step away from the best
    best
};

struct PlanPoint {
    PlanMark mark = PlanMark::cut;
    Plan plan;
    Verdict verdict = Verdict::does_not_fit;
    double peak = 0;                  // bytes
    double tokens_per_s_per_gpu = 0;  // as if it fitted
    std::size_t neighbour = 0;        // for a neighbour: its index in the report
    [[nodiscard]] bool fits() const { return verdict != Verdict::does_not_fit; }
};

struct PlansData {
    PlanReport report;
    std::vector<PlanPoint> points;  // one for each plan, ascending in memory
    MemoryLimits limits;

    // nullptr when nothing fits.
    [[nodiscard]] const Answer* best() const { return report.found() ? &report.plans.front() : nullptr; }
    [[nodiscard]] const Neighbour* neighbour_of(const PlanPoint& point) const;
    // Returns the scenario whose free parameters are set by the plan; nothing in it is automatic.
    [[nodiscard]] Scenario scenario_of(const PlanPoint& point) const;
    // Returns an output of the best plan, in SI units; NaN if it has no meaningful value.
    [[nodiscard]] double at_best(Output id) const;
    // Returns the same output of another plan that fits, from its throughput and its batch.
    [[nodiscard]] double value(Output id, const Candidate& candidate) const;
    // NaN when it does not fit and `hypothetical` is off.
    [[nodiscard]] double value(Output id, const PlanPoint& point, bool hypothetical) const;

  private:
    [[nodiscard]] double value(Output id, double tokens_per_s_per_gpu) const;
    // Returns whether the output covers the whole run (days, cost), so that another batch may need another
    // number of tokens.
    [[nodiscard]] bool depends_on_batch(Output id) const;
    [[nodiscard]] double tokens_against_best(const Scenario& scenario) const;
};

// The input of a plan search: the scenario with everything locked, and default values for the parameters in
// `free`, whose values do not matter. Two scenarios with equal subjects have the same plans.
struct PlansSubject {
    Scenario scenario;
    ParameterSet free;
    bool operator==(const PlansSubject& other) const = default;
    // Returns whether there is anything to search: apart from its plan the scenario is valid.
    [[nodiscard]] bool makes_sense() const;
};
// The automatic parameters are free. Without any, or with `all_free`, the parameters that are usually free
// are free as well.
PlansSubject plans_subject(const Scenario& scenario, bool all_free);

// Searches the plans, which takes a few seconds for the largest clusters. Returns nullptr when stopped.
// `progress` is called with the completed fraction, from any thread. The last result is cached, so that a
// picture, its caption and its table show the same search.
using SharedPlans = std::shared_ptr<const PlansData>;
SharedPlans plans_data(const PlansSubject& subject, unsigned threads, const std::stop_token& stop = {},
                       const std::function<void(double)>& progress = {});

// The plan of a scenario among the others: that of the current scenario or of a pin.
struct PlanDot {
    char letter = 'A';
    bool fits = false;
    double peak = 0;                                  // bytes
    std::array<double, kPlanOutputs.size()> value{};  // NaN if not meaningful
    Plan plan;
    [[nodiscard]] double of(Output id) const;
};
// Returns nullopt if the answer is not valid.
std::optional<PlanDot> plan_dot(char letter, const Answer& answer, bool hypothetical);

PlotTable plans_table(const PlansData& data, const Answer& current, const std::vector<Pin>& pins,
                      bool hypothetical);

}  // namespace shardscope
