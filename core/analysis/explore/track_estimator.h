// Estimates of one parameter's values, all else held, for its painted track.
#pragma once

#include <initializer_list>
#include <optional>
#include <stop_token>
#include <vector>

#include "explore/track.h"
#include "planner/answer.h"
#include "planner/plan.h"

namespace shardscope {

class TrackEstimator {
  public:
    TrackEstimator(const Scenario& scenario, P id, const std::stop_token& stop = {});
    // From now on automatic parameters take the best of the present plan and those made at these values.
    void keep_plans_of(std::initializer_list<double> values);

    // The scenario as it is.
    [[nodiscard]] const Settings& settings() const { return settings_; }
    TrackPoint present(double place);
    // After an edit to `value`. A value that no edit reaches does not fit.
    TrackPoint at(double value, double place);

  private:
    [[nodiscard]] TrackPoint point(const Scenario& of, double value, double place);
    // With nothing automatic.
    [[nodiscard]] TrackPoint judged(const Scenario& of, double value, double place);
    [[nodiscard]] bool is_base(const Scenario& other) const;

    Scenario base_;
    P id_;
    Settings settings_;
    bool alone_;     // nothing follows the parameter: the edit is an assignment
    Scenario edit_;  // the base with the parameter given
    std::size_t stored_;
    std::vector<Plan> plans_;     // to choose from; none: planned at each point
    std::optional<Plan> latest_;  // the latest point's
    std::stop_token stop_;
    Answer scratch_;
};

}  // namespace shardscope
