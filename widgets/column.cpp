#include "widgets/column.h"

#include <QVBoxLayout>

namespace shardscope {

QVBoxLayout* make_column(QWidget* widget) {
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    return layout;
}

void place_in_order(QLayout& column, const QWidgetList& wanted) {
    auto& rows = static_cast<QVBoxLayout&>(column);
    for (int i = 0; i < wanted.size(); ++i) {
        if (rows.itemAt(i)->widget() == wanted[i]) continue;
        rows.removeWidget(wanted[i]);
        rows.insertWidget(i, wanted[i]);
    }
}

QWidgetList focus_stops(const QWidget* row) {
    QWidgetList out;
    for (auto* part : row->findChildren<QWidget*>()) {
        // The list of a combo box is a separate window, so it is left out.
        if (part->focusPolicy() & Qt::TabFocus && part->window() == row->window()) out << part;
    }
    return out;
}

}  // namespace shardscope
