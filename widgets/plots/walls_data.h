// What the Walls map shows, ready to be drawn at any size: the map of two inputs, its fields on a grid, and
// the lines between its regions. Made in the background; plain values that may be handed between threads.
#pragma once

#include <QList>
#include <QPolygonF>
#include <QString>
#include <array>
#include <stop_token>
#include <vector>

#include "explore/map.h"
#include "widgets/plots/contours.h"
#include "widgets/plots/plot_data.h"

namespace shardscope {

// Where the values of one axis stand along the frame, 0 … 1.
class WallsScale {
  public:
    WallsScale() = default;
    WallsScale(const Axis& axis, const Settings& settings);

    [[nodiscard]] P id() const { return axis_.id; }
    [[nodiscard]] const Axis& axis() const { return axis_; }
    // Every value has a band of the frame to itself, with nothing between two of them.
    [[nodiscard]] bool stands_apart() const { return apart_; }
    [[nodiscard]] bool is_logarithmic() const { return logarithmic_; }
    [[nodiscard]] double place_of(double value) const;
    [[nodiscard]] double value_at(double place) const;
    // Nodes of the grid, and the value of the axis that each shows.
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
    bool planned = false;       // what is automatic was planned anew in every cell; else the plan is held
    bool hypothetical = false;  // rates are shown where memory does not suffice
    double capacity = 0;        // usable bytes of the scenario

    Grid grid;
    Field mfu;
    Field spare;   // ≥ 0: it fits; the log of what memory leaves
    Field exists;  // ≥ 0: the two values can be had together
    Field cover;   // ≥ 0: the ideal threshold is reached, where there is one
    std::array<Field, kRates> elasticity;

    // Places on the frame, v upwards.
    QList<Contour> contours;
    QList<QPolygonF> edges;         // between the walls, where it fits
    QList<QPolygonF> memory_edges;  // of what does not fit
    QList<QPolygonF> exists_edges;
    QList<QPolygonF> threshold;

    [[nodiscard]] bool empty() const { return map.cells.empty(); }
    // NaN where nothing is to be shown.
    [[nodiscard]] double shown_mfu(const GridPlace& place) const;
    [[nodiscard]] double shown_mfu(const MapCell& cell) const;
    // Highest MFU that is shown.
    [[nodiscard]] double highest_mfu() const;
};

struct WallsRequest {
    Scenario scenario;  // as it is to be edited: `locked` to hold the plan
    Axis x, y;
    bool planned = false;
    bool hypothetical = false;
    double capacity = 0;
};
// Empty when it was stopped.
WallsData walls_data(const WallsRequest& request, unsigned threads, const std::stop_token& stop = {});
// The same of a map that was made elsewhere of the request, its axes rising.
WallsData walls_data(const WallsRequest& request, WallMap map);
WallsPoint walls_point(const Answer& answer, P x, P y);

// MFU along one arm of a crosshair at `point`: places along the arm and MFU, which is NaN where nothing is to
// be shown; the point itself is among them.
struct WallsProfile {
    std::vector<double> place;
    std::vector<double> mfu;
    std::vector<bool> fits;
};
WallsProfile profile_along_x(const WallsData& data, const WallsPoint& point);
WallsProfile profile_along_y(const WallsData& data, const WallsPoint& point);

// Inputs a map may have as its axes: everything with a row in the window that is not a mere switch.
const std::vector<P>& walls_inputs();
inline constexpr P kWallsX = P::gpus;
inline constexpr P kWallsY = P::sequence_length;
// A side of the map: fine, and while something is dragged.
inline constexpr int kWallsFine = 96;
inline constexpr int kWallsCoarse = 24;

// Whether anything is planned anew, so that the two maps differ.
bool plans_anew(const Scenario& scenario);

PlotTable walls_table(const WallsData& data);
QString walls_words(const WallsData& data);

}  // namespace shardscope
