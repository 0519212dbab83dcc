#include "widgets/panels/why_rail.h"

#include <QStyleOptionToolButton>
#include <QStylePainter>

namespace shardscope {

WhyRail::WhyRail(QWidget* parent) : QToolButton(parent) {
    setObjectName(QStringLiteral("why-rail"));
    setToolTip(tr("Why? Opens the explanation (F9)"));
    setAccessibleName(tr("Why panel"));
    setFixedWidth(30);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setAutoRaise(true);
}

void WhyRail::paintEvent(QPaintEvent*) {
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
