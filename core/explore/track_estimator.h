// Estimates of one parameter's values, all else held, for its painted track.
#pragma once

#include "estimate/answer.h"
#include "explore/track.h"

namespace shardscope {

class TrackEstimator {
  public:
    TrackEstimator(const Scenario& scenario, P id);

    // The scenario as it is.
    [[nodiscard]] const Settings& settings() const { return settings_; }
    TrackPoint present(double place);
    // After an edit to `value`. A value that no edit reaches does not fit.
    TrackPoint at(double value, double place);

  private:
    [[nodiscard]] TrackPoint point(const Scenario& of, double value, double place);
    [[nodiscard]] bool is_base(const Scenario& other) const;

    Scenario base_;
    P id_;
    Settings settings_;
    bool alone_;     // nothing follows the parameter: the edit is an assignment
    Scenario edit_;  // the base with the parameter given
    std::size_t stored_;
    Answer scratch_;
};

}  // namespace shardscope
