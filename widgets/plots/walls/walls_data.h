// The data of the Walls map, ready to be drawn at any size: the map of two inputs, its fields on a grid, and
// the lines between its regions. It is computed in the background and consists of plain values that may be
// passed between threads.
#pragma once

#include <QList>
#include <QPolygonF>
#include <QString>
#include <array>
#include <stop_token>
#include <vector>

#include "explore/map.h"
#include "widgets/chart/axis_range.h"
#include "widgets/chart/contours.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

// Maps the values of one axis to positions along the frame, 0 … 1.
class WallsScale {
  public:
    WallsScale() = default;
    WallsScale(const Axis& axis, const Settings& settings);

    [[nodiscard]] P id() const { return axis_.id; }
    [[nodiscard]] const Axis& axis() const { return axis_; }
    // Returns whether the values are discrete: each has its own band of the frame, with nothing between two
    // bands.
    [[nodiscard]] bool is_discrete() const { return apart_; }
    [[nodiscard]] bool is_logarithmic() const { return logarithmic_; }
    [[nodiscard]] double place_of(double value) const;
    [[nodiscard]] double value_at(double place) const;
    // The positions of the grid's nodes, and the index of the axis value at each node.
    [[nodiscard]] const std::vector<double>& nodes() const { return nodes_; }
    [[nodiscard]] std::size_t index_of(std::size_t node) const { return apart_ ? node / 2 : node; }

  private:
    Axis axis_;
    bool apart_ = false;
    bool logarithmic_ = false;
    std::vector<double> nodes_;
};

// A scenario on the map.
struct WallsPoint {
    double x = 0;  // values of the axes
    double y = 0;
    MapCell cell;
};

struct WallsData {
    struct Contour {
        double mfu = 0;
        QList<QPolygonF> lines;
    };
    WallMap map;
    WallsScale x, y;
    bool planned = false;       // automatic parameters were re-planned in every cell; else the plan is held
    bool hypothetical = false;  // show rates even where memory does not suffice
    double capacity = 0;        // usable bytes of the scenario

    Grid grid;
    Field mfu;
    Field spare;   // ≥ 0: it fits; the log of available ÷ needed memory
    Field exists;  // ≥ 0: the two values are valid together
    Field cover;   // ≥ 0: the ideal threshold is reached, where there is one
    std::array<Field, kRates> elasticity;
    Field links_over_host_link;  // < 0: the wall of intra-node bandwidth is the link to the host

    // Positions on the frame, with v pointing upwards.
    QList<Contour> contours;
    QList<QPolygonF> edges;         // borders between the walls, where it fits
    QList<QPolygonF> memory_edges;  // border of the area that does not fit
    QList<QPolygonF> exists_edges;
    QList<QPolygonF> threshold;

    [[nodiscard]] bool empty() const { return map.cells.empty(); }
    // NaN if there is no value to show.
    [[nodiscard]] double shown_mfu(const GridPlace& place) const;
    [[nodiscard]] double shown_mfu(const MapCell& cell) const;
    // Returns the highest MFU that is shown.
    [[nodiscard]] double highest_mfu() const;
};

// The part of a map that is shown, in positions from 0 to 1.
struct WallsPart {
    AxisRange x{0, 1};
    AxisRange y{0, 1};
    // Return the position at a share of the frame.
    [[nodiscard]] double x_at(double share) const { return x.from + share * (x.to - x.from); }
    [[nodiscard]] double y_at(double share) const { return y.from + share * (y.to - y.from); }
};

struct WallsRequest {
    Scenario scenario;  // both inputs are edited in it; `locked` holds its plan
    Axis x, y;
    bool planned = false;
    bool hypothetical = false;
    double capacity = 0;
};
// Returns an empty result when stopped.
WallsData walls_data(const WallsRequest& request, unsigned threads, const std::stop_token& stop = {});
// The same from a map of the request that was computed elsewhere; its axes must be ascending.
WallsData walls_data(const WallsRequest& request, WallMap map);
WallsPoint walls_point(const Answer& answer, P x, P y);

// The MFU along one arm of a crosshair at `point`: positions along the arm and the MFU there, which is NaN if
// there is no value to show. The point itself is included.
struct WallsProfile {
    std::vector<double> place;
    std::vector<double> mfu;
    std::vector<bool> fits;
};
WallsProfile profile_along_x(const WallsData& data, const WallsPoint& point);
WallsProfile profile_along_y(const WallsData& data, const WallsPoint& point);

// The inputs that can be axes of a map: everything with a row in the window except on/off switches.
const std::vector<P>& walls_inputs();
inline constexpr P kWallsX = P::gpus;
inline constexpr P kWallsY = P::sequence_length;
// Values per side of the fine map, and of the coarse map during a drag.
inline constexpr int kWallsFine = 96;
inline constexpr int kWallsCoarse = 24;

// Returns whether anything would be re-planned, so that the held and the re-planned map differ.
bool needs_replanning(const Scenario& scenario);

PlotTable walls_table(const WallsData& data);
QString walls_caption(const WallsData& data);

}  // namespace shardscope
