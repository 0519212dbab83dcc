// How lists look in the window: flat; below a figure also in the small face, with the pane's colours.
#pragma once

#include <QFont>
#include <QString>

class QTableView;
class QWidget;

namespace shardscope {

// Whole rows are chosen, nothing is edited; columns as wide as the list says.
void prepare_list(QTableView& list);

// Of the window's own size: a list's style sheet changes its own.
QFont list_font(const QWidget& list);

// `cell`: px at both sides of a cell's text.
QString list_style(const QWidget& list, int cell);

}  // namespace shardscope
