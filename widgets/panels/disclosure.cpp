#include "widgets/panels/disclosure.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QStyle>
#include <algorithm>
#include <array>

#include "widgets/encode.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr int kPadding = 12;
constexpr int kGap = 8;

}  // namespace

Disclosure::Disclosure(const QString& title, bool heading, QWidget* parent)
    : QAbstractButton(parent), heading_(heading) {
    setText(title);
    setAccessibleName(title);
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
}

void Disclosure::set_summary(const QString& summary) {
    if (summary == summary_) return;
    summary_ = summary;
    setAccessibleDescription(summary);
    setToolTip(tool_tip(summary));
    update();
}

void Disclosure::set_side(QWidget* side) {
    side_ = side;
    place_side();
}

void Disclosure::set_heading_height(int height) {
    heading_height_ = height;
    updateGeometry();
}

void Disclosure::set_forced_open(bool open) {
    forced_open_ = open;
    update();
}

QSize Disclosure::sizeHint() const {
    if (!heading_) {
        return {text_left() + QFontMetrics(title_font()).horizontalAdvance(text()) + kGap / 2,
                fontMetrics().height() + 6};
    }
    return {120, std::max(heading_height_, fontMetrics().height() + 8)};
}

void Disclosure::paintEvent(QPaintEvent*) {
    const Theme& theme = current_theme();
    QPainter painter(this);
    painter.setLayoutDirection(layoutDirection());
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor plain = underMouse() ? theme.text : theme.muted;
    paint_arrow(painter, QPointF(padding() + arrow() / 2.0, height() / 2.0), plain);

    QRect area = rect().adjusted(text_left(), 0, heading_ ? -kPadding : 0, 0);
    painter.setFont(title_font());
    painter.setPen(heading_ ? theme.text : plain);
    draw(painter, area, Qt::AlignLeft, text());
    if (!summary_.isEmpty()) {
        area.setLeft(side_left() + (side_ && !side_->isHidden() ? side_->width() + kGap : 0));
        painter.setFont(scaled_font(this->font(), kSmall));
        painter.setPen(theme.muted);
        draw(painter, area, Qt::AlignRight,
             fitting_summary(painter.fontMetrics(), std::max(0, area.width())));
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        const int in = heading_ ? 3 : 1;
        painter.drawRoundedRect(QRectF(rect()).adjusted(in, in, -in, -in), 3, 3);
    }
}

// Leaves out the last parts of a summary that is too long.
QString Disclosure::fitting_summary(const QFontMetrics& metrics, int width) const {
    const QString dot = QStringLiteral(" · ");
    QString out = summary_;
    while (metrics.horizontalAdvance(out) > width && out.contains(dot)) out.truncate(out.lastIndexOf(dot));
    return metrics.elidedText(out, Qt::ElideRight, width);
}

void Disclosure::resizeEvent(QResizeEvent* event) {
    QAbstractButton::resizeEvent(event);
    place_side();
}

bool Disclosure::event(QEvent* event) {
    if (event->type() == QEvent::Enter || event->type() == QEvent::Leave) update();
    return QAbstractButton::event(event);
}

int Disclosure::padding() const { return heading_ ? kPadding : kGap / 2; }

int Disclosure::arrow() const { return fontMetrics().height() * 3 / 5; }

int Disclosure::text_left() const { return padding() + arrow() + 4; }

QFont Disclosure::title_font() const { return scaled_font(font(), heading_ ? 1 : kSmall, heading_); }

int Disclosure::side_left() const {
    return text_left() + QFontMetrics(title_font()).horizontalAdvance(text()) + kGap;
}

void Disclosure::place_side() {
    if (!side_) return;
    const QSize size = side_->sizeHint();
    side_->setGeometry(QStyle::visualRect(layoutDirection(), rect(),
                                          QRect(QPoint(side_left(), (height() - size.height()) / 2), size)));
}

void Disclosure::draw(QPainter& painter, const QRect& area, Qt::Alignment side, const QString& words) const {
    painter.drawText(QStyle::visualRect(layoutDirection(), rect(), area),
                     static_cast<int>(QStyle::visualAlignment(layoutDirection(), side) | Qt::AlignVCenter),
                     words);
}

void Disclosure::paint_arrow(QPainter& painter, QPointF at, const QColor& colour) const {
    if (isRightToLeft()) at.setX(width() - at.x());
    const double size = fontMetrics().height() * 0.22;
    painter.save();
    painter.translate(at);
    if (!isChecked() && !forced_open_) painter.rotate(isRightToLeft() ? 90 : -90);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const std::array<QPointF, 3> points{QPointF(-size, -size / 2), QPointF(size, -size / 2),
                                        QPointF(0, size * 0.7)};
    painter.drawPolygon(points.data(), static_cast<int>(points.size()));
    painter.restore();
}

}  // namespace shardscope
