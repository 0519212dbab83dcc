#include "widgets/panels/why_row.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/formula.h"

namespace shardscope {
namespace {

constexpr double kGap = 6;
constexpr double kBar = 40;
constexpr double kSquare = 9;
constexpr double kChevron = 9;  // kept free in every row, so that values are aligned
constexpr double kLeast = 60;   // a label narrower than this is hard to read

}  // namespace

bool WhyRow::set_text(const QString& symbol, const QString& label, const QString& value) {
    if (symbol == symbol_ && label == label_ && value == value_) return false;
    symbol_ = symbol;
    label_ = label;
    value_ = value;
    known_width_ = -1;
    setAccessibleName(label + QStringLiteral(": ") + value);
    update();
    return true;
}

bool WhyRow::set_bar(double share, const QColor& color) {
    if (share_ == share && color == color_) return false;
    share_ = share;
    color_ = color;
    known_width_ = -1;
    update();
    return true;
}

void WhyRow::set_opens(const std::optional<Subject>& opens) {
    if (opens == opens_) return;
    opens_ = opens;
    setFocusPolicy(opens ? Qt::TabFocus : Qt::NoFocus);
    setCursor(opens ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAttribute(Qt::WA_Hover, opens.has_value());
    setAccessibleDescription(opens ? tr("Enter explains it") : QString());
    update();
}

void WhyRow::mouseReleaseEvent(QMouseEvent* event) {
    if (!opens_ || event->button() != Qt::LeftButton || !rect().contains(event->pos())) return;
    const Subject subject = *opens_;  // copied, because the receiver replaces opens_
    Q_EMIT opened(subject);
}

void WhyRow::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    if (!opens_ || (key != Qt::Key_Return && key != Qt::Key_Enter && key != Qt::Key_Space)) {
        QWidget::keyPressEvent(event);
        return;
    }
    const Subject subject = *opens_;
    Q_EMIT opened(subject);
}

WhyRow::Places WhyRow::places(int width) const {
    double left = share_ ? kSquare + kGap : 0;
    if (!symbol_.isEmpty()) {
        QFont italic = font();
        italic.setItalic(true);
        // Symbols form a column; a long symbol (η_qkv) moves only its own label.
        left = std::max(22.0, formula_width(italic, symbol_) + kGap);
    }
    const double bar = share_ ? kBar + kGap : 0;
    const double value = text_width(scaled_font(font(), 1), value_);
    const double right = width - kChevron;
    const double beside = right - left - bar - value - kGap;
    const double label = text_width(font(), label_);
    if (beside >= std::min(label, kLeast)) return {left, beside, false, right};
    return {left, right - left - bar, true, right};
}

int WhyRow::heightForWidth(int width) const {
    if (width == known_width_) return known_height_;
    const Places at = places(width);
    const QFontMetricsF metrics(font());
    double height = metrics.height();
    if (text_width(font(), label_) > at.label_width) {
        height = metrics.boundingRect(QRectF(0, 0, at.label_width, 1e4), Qt::TextWordWrap, label_).height();
    }
    if (at.value_below) height += metrics.height();
    known_width_ = width;
    known_height_ = static_cast<int>(std::ceil(height + 3));
    return known_height_;
}

void WhyRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = current_theme();
    const Places at = places(width());
    const QFontMetricsF metrics(font());
    const QFont value_font = scaled_font(font(), 1);
    const double baseline = std::round(1.5 + metrics.ascent());
    if (!symbol_.isEmpty()) {
        QFont italic = font();
        italic.setItalic(true);
        painter.setPen(theme.text);
        draw_formula(painter, QPointF(0, baseline), italic, symbol_);
    }
    if (share_)
        painter.fillRect(
            QRectF(0, std::round(baseline - metrics.capHeight() / 2 - kSquare / 2), kSquare, kSquare),
            color_);
    painter.setFont(font());
    const bool pointed = opens_ && (underMouse() || hasFocus());
    painter.setPen(pointed ? theme.accent : share_ || symbol_.isEmpty() ? theme.text : theme.muted);
    painter.drawText(QRectF(at.label_left, 1.5, at.label_width, height()), Qt::TextWordWrap, label_);
    const double value_width = text_width(value_font, value_);
    if (share_) {
        const QRectF track(at.right - value_width - kGap - kBar,
                           std::round(baseline - metrics.capHeight() / 2 - 4), kBar, 8);
        painter.fillRect(track, theme.line);
        painter.fillRect(
            QRectF(track.topLeft(), QSizeF(track.width() * std::clamp(*share_, 0.0, 1.0), track.height())),
            color_);
    }
    painter.setFont(value_font);
    painter.setPen(theme.text);
    const double y = at.value_below ? std::round(height() - 1.5 - metrics.descent()) : baseline;
    painter.drawText(QPointF(at.right - value_width, y), value_);
    if (!opens_) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(
        QPen(pointed ? theme.accent : theme.muted, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const double middle = y - metrics.capHeight() / 2;
    const std::array<QPointF, 3> chevron{QPointF(width() - 5, middle - 3), QPointF(width() - 2, middle),
                                         QPointF(width() - 5, middle + 3)};
    painter.drawPolyline(chevron.data(), static_cast<int>(chevron.size()));
    if (!hasFocus()) return;
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
}

void WhyRow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) known_width_ = -1;
}

void WhyBox::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(current_theme().line, 1));
    painter.setBrush(current_theme().window);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
}

}  // namespace shardscope
