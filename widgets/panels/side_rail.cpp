#include "widgets/panels/side_rail.h"

#include <QStyleOptionToolButton>
#include <QStylePainter>

namespace shardscope {

SideRail::SideRail(const QString& name, const QString& accessible_name, const QString& tool_tip,
                   QWidget* parent)
    : QToolButton(parent) {
    setObjectName(name);
    setToolTip(tool_tip);
    setAccessibleName(accessible_name);
    setFixedWidth(30);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setAutoRaise(true);
}

void SideRail::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionToolButton option;
    initStyleOption(&option);
    option.text.clear();
    painter.drawComplexControl(QStyle::CC_ToolButton, option);
    constexpr int kTop = 14;
    const QFontMetrics metrics(font());
    painter.translate(width() / 2.0 - (metrics.ascent() - metrics.descent()) / 2.0, kTop);
    painter.rotate(90);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(0, 0, metrics.elidedText(text(), Qt::ElideRight, height() - 2 * kTop));
}

}  // namespace shardscope
