#include "widgets/panels/run_label.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr double kMarker = 10;
constexpr double kMarkerGap = 6;

}  // namespace

RunLabel::RunLabel(const QString& object_name, QWidget* parent) : QLabel(parent) {
    setObjectName(object_name);
    setTextFormat(Qt::PlainText);
}

void RunLabel::set_runs(const QList<Run>& runs) {
    if (runs == runs_) return;
    runs_ = runs;
    QString whole;
    natural_width_ = marker_ == Marker::none ? 0 : kMarker + kMarkerGap;
    for (const Run& run : runs_) {
        whole += run.text;
        natural_width_ += text_width(run.font, run.text);
    }
    setText(whole);
    update();
}

void RunLabel::set_marker(Marker marker, const QColor& color) {
    if (marker == marker_ && color == marker_color_) return;
    const auto width_of = [](Marker which) { return which == Marker::none ? 0.0 : kMarker + kMarkerGap; };
    natural_width_ += width_of(marker) - width_of(marker_);
    marker_ = marker;
    marker_color_ = color;
    update();
}

void RunLabel::set_baseline(int pixels) {
    baseline_ = pixels;
    update();
}

void RunLabel::make_clickable(const Subject& shown) {
    subject_ = shown;
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleDescription(tr("Enter explains it"));
}

QSize RunLabel::sizeHint() const {
    double height = 0;
    for (const Run& run : runs_) height = std::max(height, QFontMetricsF(run.font).height());
    return {static_cast<int>(std::ceil(natural_width_)), static_cast<int>(std::ceil(height))};
}

void RunLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    double ascent = 0;
    double descent = 0;
    for (const Run& run : runs_) {
        ascent = std::max(ascent, QFontMetricsF(run.font).ascent());
        descent = std::max(descent, QFontMetricsF(run.font).descent());
    }
    const double baseline =
        baseline_ >= 0 ? baseline_ : std::round((height() - ascent - descent) / 2 + ascent);
    double x = (alignment() & Qt::AlignRight) != 0 ? std::max(0.0, width() - natural_width_) : 0;
    if (marker_ != Marker::none && !runs_.empty()) {
        const double middle = baseline - QFontMetricsF(runs_.front().font).capHeight() / 2;
        const QRectF square(x, std::round(middle - kMarker / 2), kMarker, kMarker);
        if (marker_ == Marker::square) {
            painter.fillRect(square, marker_color_);
        } else {
            fill_hatch(painter, square, current_theme(), 4, 1.2);
            painter.setPen(current_theme().border);
            painter.drawRect(square.adjusted(0.5, 0.5, -0.5, -0.5));
        }
        x += kMarker + kMarkerGap;
    }
    for (qsizetype i = 0; i < runs_.size(); ++i) {
        const Run& run = runs_[i];
        const QFontMetricsF metrics(run.font);
        QString text = run.text;
        // Only the last run may be shortened; the layout must leave enough space for the others.
        if (i + 1 == runs_.size() && x + text_width(run.font, text) > width() + 1) {
            text = metrics.elidedText(text, Qt::ElideRight, std::max(0.0, width() - x));
        }
        painter.setFont(run.font);
        painter.setPen(run.color);
        painter.drawText(QPointF(x, baseline), text);
        x += text_width(run.font, text);
    }
    paint_focus(painter);
}

void RunLabel::paint_focus(QPainter& painter) {
    if (!hasFocus()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(current_theme().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
}

void RunLabel::mouseReleaseEvent(QMouseEvent* event) {
    if (subject_ && event->button() == Qt::LeftButton && rect().contains(event->pos())) {
        Q_EMIT clicked();
        return;
    }
    QLabel::mouseReleaseEvent(event);
}

void RunLabel::keyPressEvent(QKeyEvent* event) {
    const bool pressed =
        event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (subject_ && pressed) {
        Q_EMIT clicked();
        return;
    }
    QLabel::keyPressEvent(event);
}

}  // namespace shardscope
