// How the lists below a figure look: flat, in the small face, with the pane's colours.
#pragma once

#include <QApplication>
#include <QFontInfo>
#include <QString>
#include <QWidget>

#include "widgets/panels/drawing.h"
#include "widgets/theme/theme.h"

namespace shardscope {

// Of the window's own size: a list's style sheet changes its own.
inline QFont list_font(const QWidget& list) {
    return scaled_font(list.parentWidget() ? list.parentWidget()->font() : QApplication::font(), kSmall);
}

// `cell`: px at both sides of a cell's text.
inline QString list_style(const QWidget& list, int cell) {
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
