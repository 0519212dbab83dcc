// The style of lists in the window. All lists are flat; lists below a figure also use the small font and the
// colours of the pane.
#pragma once

#include <QFont>
#include <QString>

class QTableView;
class QWidget;

namespace shardscope {

// Makes the list flat and read-only, with whole rows as the selection. The owner sets the column widths.
void prepare_list(QTableView& list);

// Returns the small font of lists. It derives from the parent's font, because the list's style sheet changes
// the list's own font.
QFont list_font(const QWidget& list);

// Returns the style sheet of a list; `cell` is the padding left and right of a cell's text, in px.
QString list_style(const QWidget& list, int cell);

}  // namespace shardscope
