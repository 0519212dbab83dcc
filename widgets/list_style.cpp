#include "widgets/list_style.h"

#include <QApplication>
#include <QFontInfo>
#include <QHeaderView>
#include <QTableView>

#include "widgets/drawing.h"
#include "widgets/theme/theme.h"

namespace shardscope {

void prepare_list(QTableView& list) {
    list.setFrameShape(QFrame::NoFrame);
    list.setShowGrid(false);
    list.setWordWrap(false);
    list.setTabKeyNavigation(false);
    list.setSelectionMode(QAbstractItemView::SingleSelection);
    list.setSelectionBehavior(QAbstractItemView::SelectRows);
    list.setEditTriggers(QAbstractItemView::NoEditTriggers);
    list.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list.verticalHeader()->hide();
    list.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    list.horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    list.horizontalHeader()->setMinimumSectionSize(0);
    list.horizontalHeader()->setHighlightSections(false);
    list.horizontalHeader()->setSectionsClickable(false);
}

QFont list_font(const QWidget& list) {
    return scaled_font(list.parentWidget() ? list.parentWidget()->font() : QApplication::font(), kSmall);
}

QString list_style(const QWidget& list, int cell) {
    const Theme& theme = current_theme();
    return QStringLiteral(
               "QTableView { background: %1; border-top: 1px solid %2; font-size: %5px; }"
               "QTableView::item { padding: 0 %4px; border: 0; }"
               "QTableView::item:selected { background: %2; color: %6; }"
               "QHeaderView { background: %1; font-size: %5px; }"
               "QHeaderView::section { background: %1; color: %3; border: 0; "
               "padding: 0 %4px; border-bottom: 1px solid %2; }")
        .arg(theme.pane.name(), theme.line.name(), theme.muted.name())
        .arg(cell)
        .arg(QFontInfo(list_font(list)).pixelSize())
        .arg(theme.text.name());
}

}  // namespace shardscope
