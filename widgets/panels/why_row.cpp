#include "widgets/panels/why_row.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/panels/drawing.h"

namespace shardscope {
namespace {

constexpr double kGap = 6;
constexpr double kBar = 40;
constexpr double kSquare = 9;
constexpr double kLeast = 60;  // a label narrower than this reads badly

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

void WhyRow::set_strong(bool strong) {
    if (strong == strong_) return;
    strong_ = strong;
    known_width_ = -1;
    update();
}

WhyRow::Places WhyRow::places(int width) const {
    double left = share_ ? kSquare + kGap : 0;
    if (!symbol_.isEmpty()) {
        QFont italic = font();
        italic.setItalic(true);
        // Symbols stand in a column; a long one (η_qkv) moves its own label only.
        left = std::max(22.0, text_width(italic, symbol_) + kGap);
    }
    const double bar = share_ ? kBar + kGap : 0;
    const double value = text_width(scaled_font(font(), 1, strong_), value_);
    const double beside = width - left - bar - value - kGap;
    const double label = text_width(font(), label_);
    if (beside >= std::min(label, kLeast)) return {left, beside, false};
    return {left, width - left - bar, true};
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
    const QFont value_font = scaled_font(font(), 1, strong_);
    const double baseline = std::round(1.5 + metrics.ascent());
    if (!symbol_.isEmpty()) {
        QFont italic = font();
        italic.setItalic(true);
        painter.setFont(italic);
        painter.setPen(theme.text);
        painter.drawText(QPointF(0, baseline), symbol_);
    }
    if (share_)
        painter.fillRect(
            QRectF(0, std::round(baseline - metrics.capHeight() / 2 - kSquare / 2), kSquare, kSquare),
            color_);
    painter.setFont(font());
    painter.setPen(share_ || symbol_.isEmpty() ? theme.text : theme.muted);
    painter.drawText(QRectF(at.label_left, 1.5, at.label_width, height()), Qt::TextWordWrap, label_);
    const double value_width = text_width(value_font, value_);
    if (share_) {
        const QRectF track(width() - value_width - kGap - kBar,
                           std::round(baseline - metrics.capHeight() / 2 - 4), kBar, 8);
        painter.fillRect(track, theme.line);
        painter.fillRect(
            QRectF(track.topLeft(), QSizeF(track.width() * std::clamp(*share_, 0.0, 1.0), track.height())),
            color_);
    }
    painter.setFont(value_font);
    painter.setPen(theme.text);
    const double y = at.value_below ? std::round(height() - 1.5 - metrics.descent()) : baseline;
    painter.drawText(QPointF(width() - value_width, y), value_);
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
