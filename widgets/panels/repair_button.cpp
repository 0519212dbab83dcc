#include "widgets/panels/repair_button.h"

#include <QFocusEvent>
#include <QPainter>
#include <QScreen>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kInset = 8;

// Returns the parts of a plan that have room in the first line.
QString first_line(const QString& label, const QFont& font, double room) {
    QString out = label;
    for (qsizetype parts = label.count(QLatin1Char(',')); parts > 0 && text_width(font, out) > room; --parts)
        out = label.section(QLatin1Char(','), 0, parts - 1) + QLatin1Char(',');
    return out;
}

}  // namespace

RepairButton::RepairButton(QWidget* parent) : QAbstractButton(parent) { setFocusPolicy(Qt::StrongFocus); }

void RepairButton::set_repair(const Repair& repair, bool best) {
    label_ = QString::fromStdString(repair.label);
    const QString result = QString::fromStdString(repair.result);
    const qsizetype rate = repair.works ? result.indexOf(QLatin1String("MFU ")) : -1;
    result_ = rate < 0 ? result : result.left(rate);
    rate_ = rate < 0 ? QString() : result.mid(rate);
    risky_ = repair.risky;
    best_ = best && repair.works;
    setObjectName(QStringLiteral("repair/") +
                  (repair.id ? text_of(parameter(*repair.id).key) : QStringLiteral("plan")));
    setText(label_);
    setEnabled(repair.works);
    setCursor(repair.works ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAccessibleName(label_ + QStringLiteral(": ") + result);
    QString job;
    if (repair.works && !repair.same_job)
        job = QLatin1Char('\n') + tr("It changes the job or the machine, not only the plan.");
    // The place of the best plan during its search has no parameter.
    if (!repair.works && repair.id)
        job = QLatin1Char('\n') + tr("It is disabled, because the scenario would not fit with it.");
    setToolTip(wrapped_tool_tip(tr("%1: %2").arg(label_, result) + job));
    setAccessibleDescription(
        repair.works ? tr("Changes the scenario, as one step that can be undone: %1. Predicted: %2.")
                               .arg(label_, result) +
                           QString(job).replace(QLatin1Char('\n'), QLatin1Char(' '))
                     : QString());
    update();
}

QString RepairButton::before_rate() const {
    if (!brief_ || rate_.isEmpty()) return result_;
    return risky_ ? result_.section(QLatin1Char(' '), 0, 0) + QLatin1Char(' ') : QString();
}

void RepairButton::set_brief(bool brief) {
    if (brief == brief_) return;
    brief_ = brief;
    update();
}

RepairButton::Lines RepairButton::lines() const {
    Lines out;
    out.first = first_line(label_, scaled_font(font(), 1, true), longest_ - 2 * kInset);
    out.second = label_.mid(out.first.size()).trimmed();
    if (!out.second.isEmpty()) out.second += QStringLiteral("; ");
    out.second += before_rate();
    return out;
}

QSize RepairButton::sizeHint() const {
    const QFont small = scaled_font(font(), kSmall);
    const Lines text = lines();
    const double first = text_width(scaled_font(font(), 1, true), text.first);
    const double second =
        text_width(small, text.second) + text_width(scaled_font(font(), kSmall, true), rate_);
    return {static_cast<int>(std::ceil(std::max(first, second) + 2 * kInset + 2)), height_for(font())};
}

int RepairButton::height_for(const QFont& font) {
    constexpr double kAround = 6;  // above, below and between the lines
    const double lines = QFontMetricsF(font).height() + QFontMetricsF(scaled_font(font, kSmall)).height();
    return static_cast<int>(std::ceil(lines + kAround));
}

// The tool tip is above the button, because the tabs and the plot below it show what the repair changes.
bool RepairButton::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractButton::event(event);
    QToolTip::showText(mapToGlobal(QPoint()), toolTip(), this);
    if (QWidget* tip = shown_tool_tip()) {
        constexpr int kAway = 4;
        const QRect room = screen()->availableGeometry();
        const QPoint above = mapToGlobal(QPoint(0, -kAway - tip->height()));
        tip->move(std::clamp(above.x(), room.left(), std::max(room.left(), room.right() - tip->width())),
                  std::max(room.top(), above.y()));
    }
    return true;
}

void RepairButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = current_theme();
    const double edge = best_ || hasFocus() ? 2 : 1;
    QPen pen(isEnabled() ? best_ || hasFocus() ? theme.accent : theme.border : theme.border, edge);
    if (!isEnabled()) pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.setBrush(!isEnabled()   ? theme.window
                     : isDown()     ? theme.line
                     : underMouse() ? theme.grid
                                    : theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2), 3, 3);
    if (hasFocus() && best_) {
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(3.5, 3.5, -3.5, -3.5), 2, 2);
    }

    const QFont bold = scaled_font(font(), 1, isEnabled());
    const QFont small = scaled_font(font(), kSmall);
    const QFontMetricsF first(bold);
    const QFontMetricsF second(small);
    const double top = (height() - first.height() - second.height() - 2) / 2;
    painter.setFont(bold);
    painter.setPen(isEnabled() ? theme.text : theme.muted);
    const Lines text = lines();
    painter.drawText(QPointF(kInset, std::round(top + first.ascent())), text.first);
    const double y = std::round(top + first.height() + 2 + second.ascent());
    painter.setFont(small);
    painter.drawText(QPointF(kInset, y), text.second);
    painter.setFont(scaled_font(font(), kSmall, true));
    painter.drawText(QPointF(kInset + text_width(small, text.second), y), rate_);
}

void RepairButton::enterEvent(QEnterEvent*) {
    update();
    Q_EMIT pointed(true);
}

void RepairButton::leaveEvent(QEvent*) {
    update();
    Q_EMIT pointed(false);
}

void RepairButton::focusInEvent(QFocusEvent* event) {
    QAbstractButton::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        Q_EMIT pointed(true);
}

void RepairButton::focusOutEvent(QFocusEvent* event) {
    QAbstractButton::focusOutEvent(event);
    Q_EMIT pointed(false);
}

}  // namespace shardscope
