// Estimates a scenario at different values of one parameter, for the parameter's painted track.
#pragma once

#include <initializer_list>
#include <optional>
#include <stop_token>
#include <vector>

#include "explore/track.h"
#include "planner/answer.h"
#include "planner/plan.h"
#include "scenario/domain.h"

namespace shardscope {

class TrackEstimator {
  public:
    TrackEstimator(const Scenario& scenario, P id, const std::stop_token& stop = {});
    // Restricts later calls to the present plan and the best plans at these values.
    void keep_plans_of(std::initializer_list<double> values);

    // The unchanged scenario.
    [[nodiscard]] const Settings& settings() const { return settings_; }
    TrackPoint present(double place);
    // The scenario after an edit to `value`. If the edit changes nothing, or if the value is beyond all
    // values that are possible, such as fewer GPUs than one replica of the model has, the point does not fit.
    TrackPoint at(double value, double place);

  private:
    [[nodiscard]] TrackPoint point(const Scenario& of, double value, double place);
    // `of` has no automatic parameters.
    [[nodiscard]] TrackPoint judged(const Scenario& of, double value, double place);
    [[nodiscard]] bool is_base(const Scenario& other) const;
    // Returns whether an edit to `value` would only lead to the first or the last possible value.
    [[nodiscard]] bool is_out_of_reach(double value) const;

    Scenario base_;
    P id_;
    Settings settings_;
    Settings for_edit_;  // whose rules an edit of the parameter obeys
    Domain range_;       // of possible values on the slider
    bool alone_;         // no other parameter follows an edit, so that the edit is an assignment
    Scenario edit_;      // the base with the parameter given
    std::size_t stored_;
    std::vector<Plan> plans_;     // to choose from; none: planned at each point
    std::optional<Plan> latest_;  // the plan of the latest point
    std::stop_token stop_;
    Answer scratch_;
};

}  // namespace shardscope
