// A turn of the mouse wheel, as the window system would send it.
#pragma once

#include <QApplication>
#include <QWheelEvent>
#include <QWidget>

namespace shardscope::testing {

// `angle` in eighths of a degree, 120 a notch, up is positive. Whether the widget took the event.
inline bool turn_wheel(QWidget& widget, const QPointF& at, int angle) {
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, angle}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    event.ignore();
    QApplication::sendEvent(&widget, &event);
    return event.isAccepted();
}

inline bool turn_wheel(QWidget& widget, int angle = 120) {
    return turn_wheel(widget, QRectF(widget.rect()).center(), angle);
}

}  // namespace shardscope::testing
