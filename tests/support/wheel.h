// Sends a mouse wheel event as the window system does.
#pragma once

#include <QApplication>
#include <QWheelEvent>
#include <QWidget>

namespace shardscope::testing {

// `angle` is in eighths of a degree, 120 a notch; up is positive. Returns whether the widget accepted the
// event.
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
