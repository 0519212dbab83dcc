// The painted track of a slider: what would happen along its groove, all else held.
//
// Choices, degrees and other lists are estimated at each of their values. Along a continuous groove every
// third pixel column is, and a straight line gives the columns between; where two neighbours differ in
// whether they fit, in their wall or much in their MFU, bisection goes on to single columns, so that the
// edges of what fits are exact to the pixel. All tracks of the window together take about a thousand
// estimates.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "estimate/estimate.h"
#include "scenario/scenario.h"
#include "scenario/slider_scale.h"

namespace shardscope {

// What one value would bring.
struct TrackPoint {
    double place = 0;  // along the groove, 0 … 1
    double value = 0;
    bool fits = false;  // and is valid
    Wall wall = Wall::memory;
    double mfu = 0;
};

// What is painted in one pixel column, or in the cell of one value.
struct TrackColumn {
    bool fits = false;
    double mfu = 0;
    bool operator==(const TrackColumn&) const = default;
};

// The wall changes hands between two values that fit.
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
    // What was estimated, in the order of the groove. One of them is the scenario's own value, unless that
    // has no place among the cells.
    std::vector<TrackPoint> points;
    bool operator==(const Track& other) const {
        return cells == other.cells && columns == other.columns && changes == other.changes;
    }
};

// How finely a continuous groove is looked at.
struct TrackGrain {
    int columns = 104;  // pixel columns of the groove
    int stride = 3;     // columns from one estimate to the next
    int halvings = 4;   // of the column a wall changes in
    // What is automatic takes the best of three plans, the scenario's own and those made at the groove's
    // ends, instead of a plan made at each point: a first guess that costs little.
    bool few_plans = false;
};

// Parameters that are automatic in the scenario are planned anew at each point; `locked(answer.scenario)`
// holds the plan. Once `stop` is asked for, what is returned means nothing.
Track track(const Scenario& scenario, P id, const SliderScale& scale, TrackGrain grain,
            const std::stop_token& stop = {});

// The track in words: "MFU 12.1 % to 40.3 %; does not fit above 4,096; latency-bound below 512". Where the
// scenario's own wall binds is not said.
std::string track_words(const Scenario& scenario, P id, const SliderScale& scale);

}  // namespace shardscope
