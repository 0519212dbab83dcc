// Helpers for columns of widgets without margins and gaps, and for the way of the Tab key through them.
#pragma once

#include <QWidget>

class QLayout;
class QVBoxLayout;

namespace shardscope {

QVBoxLayout* make_column(QWidget* widget);
// Moves these widgets to the top of the column, in this order.
void place_in_order(QLayout& column, const QWidgetList& wanted);
// Returns the parts of a row that the Tab key reaches.
QWidgetList focus_stops(const QWidget* row);

}  // namespace shardscope
