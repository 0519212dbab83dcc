#include "app/pane_line.h"

#include <QWidget>

#include "widgets/theme/theme.h"

namespace shardscope {

QWidget* pane_line(bool vertical) {
    auto* widget = new QWidget;
    widget->setObjectName(QStringLiteral("pane-line"));
    widget->setAttribute(Qt::WA_StyledBackground);
    if (vertical) widget->setFixedWidth(1);
    else widget->setFixedHeight(1);
    const auto paint = [widget] {
        widget->setStyleSheet(QStringLiteral("background:%1").arg(current_theme().line.name()));
    };
    QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, widget, paint);
    paint();
    return widget;
}

}  // namespace shardscope
