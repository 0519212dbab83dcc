// Level lines and regions of values on a grid, by marching triangles: every cell is four triangles around its
// middle, on each of which values are linear.
//
// Where the largest of several values changes is exactly where two of them are equal, so the borders between
// regions are as smooth as level lines and meet in points. Places are shares of the frame, 0 … 1.
#pragma once

#include <QList>
#include <QPolygonF>
#include <cstddef>
#include <vector>

namespace shardscope {

// Places of the nodes, rising. Node (i, j) has the index j · columns + i.
struct Grid {
    std::vector<double> u;
    std::vector<double> v;
    [[nodiscard]] std::size_t columns() const { return u.size(); }
    [[nodiscard]] std::size_t size() const { return u.size() * v.size(); }
};
using Field = std::vector<double>;  // one value a node

// Where a place lies on the grid, for many fields at once.
struct GridPlace {
    std::size_t node = 0;  // lower left of its cell
    double across = 0;     // share of the cell
    double up = 0;
};
GridPlace place_on(const Grid& grid, double u, double v);
// Between the four nodes, bilinear.
double value_at(const Grid& grid, const Field& field, const GridPlace& place);

// Where `field` is zero and every one of `within` is not negative.
QList<QPolygonF> level_lines(const Grid& grid, const Field& field, const std::vector<Field>& within = {});
// A line without the steps that a jump leaves from cell to cell; its ends stay, nothing moves by much more
// than a cell.
QPolygonF smoothed(QPolygonF line);
// Where the largest of `fields` changes, again within.
QList<QPolygonF> borders(const Grid& grid, const std::vector<Field>& fields,
                         const std::vector<Field>& within = {});

}  // namespace shardscope
