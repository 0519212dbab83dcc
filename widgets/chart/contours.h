// Level lines and region borders of values on a grid, computed by marching triangles: each cell is divided
// into four triangles around its centre, on each of which values are linear.
//
// The largest of several fields changes exactly where two of them are equal, so the borders between regions
// are as smooth as level lines and meet in points. Positions are fractions of the frame, 0 … 1.
#pragma once

#include <QList>
#include <QPolygonF>
#include <cstddef>
#include <vector>

namespace shardscope {

// Positions of the nodes in ascending order. Node (i, j) has the index j · columns + i.
struct Grid {
    std::vector<double> u;
    std::vector<double> v;
    [[nodiscard]] std::size_t columns() const { return u.size(); }
    [[nodiscard]] std::size_t size() const { return u.size() * v.size(); }
};
using Field = std::vector<double>;  // one value per node

// A position on the grid, which can be used to interpolate many fields.
struct GridPlace {
    std::size_t node = 0;  // lower left node of its cell
    double across = 0;     // fraction of the cell
    double up = 0;
};
GridPlace place_on(const Grid& grid, double u, double v);
// Interpolates bilinearly between the four nodes of the cell.
double value_at(const Grid& grid, const Field& field, const GridPlace& place);

// Returns the lines along which `field` is zero, where no field of `within` is negative.
QList<QPolygonF> level_lines(const Grid& grid, const Field& field, const std::vector<Field>& within = {});
// Smooths the steps that a jump in the field leaves from cell to cell. The ends of the line stay in place,
// and no point moves by much more than a cell.
QPolygonF smoothed(QPolygonF line);
// Returns the lines along which the largest of `fields` changes, where no field of `within` is negative.
QList<QPolygonF> borders(const Grid& grid, const std::vector<Field>& fields,
                         const std::vector<Field>& within = {});

}  // namespace shardscope
