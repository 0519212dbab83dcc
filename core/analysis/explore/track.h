// The painted track of a slider: the results along its groove while all other inputs are held.
//
// Choices, degrees and other lists are estimated at each of their values. On a continuous groove every third
// pixel column is estimated, and the columns between are interpolated. Where two neighbours differ in whether
// they fit or are risky, in their wall or much in their MFU, bisection continues down to single columns, so
// that the edges of the range that fits are exact to the pixel. All tracks of the window together need about
// a thousand estimates.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "estimate/estimate.h"
#include "scenario/scenario.h"
#include "scenario/slider_scale.h"

namespace shardscope {

// The result for one value.
struct TrackPoint {
    double place = 0;  // along the groove, 0 … 1
    double value = 0;
    bool fits = false;  // the value is valid and fits
    Wall wall = Wall::memory;
    double mfu = 0;
    bool risky = false;  // it fits, but may run out of memory
};

// The result that is painted in one pixel column, or in the cell of one value.
struct TrackColumn {
    bool fits = false;
    double mfu = 0;
    bool risky = false;
    bool operator==(const TrackColumn&) const = default;
};

// A change of the wall between two values that fit.
struct WallChange {
    double place = 0;
    Wall before = Wall::memory;  // on the side of the smaller values
    Wall after = Wall::memory;
    bool operator==(const WallChange&) const = default;
};

struct Track {
    bool cells = false;  // a column is the cell of one value
    std::vector<TrackColumn> columns;
    std::vector<WallChange> changes;
    // The points that were estimated, in the order of the groove. They include the scenario's value, unless
    // the track has cells and none for that value.
    std::vector<TrackPoint> points;
    bool operator==(const Track& other) const {
        return cells == other.cells && columns == other.columns && changes == other.changes;
    }
};

// The resolution of a continuous groove.
struct TrackGrain {
    int columns = 104;  // pixel columns of the groove
    int stride = 3;     // columns from one estimate to the next where the MFU is not straight
    int halvings = 4;   // bisection steps for the position of a wall change
    // Automatic parameters get the best of three plans, that of the scenario and those of the groove's ends,
    // instead of a plan of each point. This is a cheap first approximation.
    bool few_plans = false;
};

// Automatic parameters are re-planned at each point, those of a model's shape at round values; pass
// `locked(answer.scenario)` to hold the plan. The result is meaningless when it was stopped.
Track track(const Scenario& scenario, P id, const SliderScale& scale, TrackGrain grain,
            const std::stop_token& stop = {});

// The track in words: "MFU 12.1 % to 40.3 %; does not fit above 4,096; latency-bound below 512". The range in
// which the scenario's present wall binds is not mentioned.
std::string track_words(const Scenario& scenario, P id, const SliderScale& scale);

}  // namespace shardscope
