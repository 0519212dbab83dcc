#include "widgets/panels/claim_row.h"

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/encode.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kInset = 9;
constexpr double kGap = 5;
constexpr double kMark = 12;  // size of the agreement's symbol

QColor color_of(Agreement agreement) {
    const Theme& theme = current_theme();
    switch (agreement) {
        case Agreement::agrees: return theme.fits.text;
        case Agreement::partly: return theme.risky.text;
        case Agreement::disagrees: return theme.text;
        case Agreement::answered:
        case Agreement::unknown: break;
    }
    return theme.muted;
}

// Draws a tick, a wave, a cross or a dash, so that agreement is not shown by colour alone.
void draw_mark(QPainter& painter, Agreement agreement, const QPointF& at) {
    if (agreement == Agreement::agrees) {
        const std::array<QPointF, 3> tick{at + QPointF(0, 6), at + QPointF(4, 10), at + QPointF(11, 2)};
        painter.drawPolyline(tick.data(), static_cast<int>(tick.size()));
    } else if (agreement == Agreement::partly) {
        const std::array<QPointF, 4> wave{at + QPointF(0, 8), at + QPointF(4, 4), at + QPointF(7, 8),
                                          at + QPointF(11, 4)};
        painter.drawPolyline(wave.data(), static_cast<int>(wave.size()));
    } else if (agreement == Agreement::disagrees) {
        painter.drawLine(at + QPointF(1, 2), at + QPointF(9, 10));
        painter.drawLine(at + QPointF(1, 10), at + QPointF(9, 2));
    } else {
        painter.drawLine(at + QPointF(1, 6), at + QPointF(9, 6));
    }
}

}  // namespace

QString agreement_text(Agreement agreement) {
    switch (agreement) {
        case Agreement::agrees: return ClaimRow::tr("agrees");
        case Agreement::partly: return ClaimRow::tr("partly");
        case Agreement::disagrees: return ClaimRow::tr("disagrees");
        case Agreement::answered: return ClaimRow::tr("answered");
        case Agreement::unknown: break;
    }
    return ClaimRow::tr("no value");
}

ClaimRow::ClaimRow(const Claim& claim, QWidget* parent)
    : QAbstractButton(parent), claim_(claim), says_(unbroken(preset_text(claim.statement))) {
    setObjectName(QStringLiteral("study/claim/") + QString::fromStdString(claim.name));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
    stated_label_ = claim.published ? preset_text(claim.by) : tr("our question");
    stated_ = QString::fromStdString(expected_text(claim));
    const QString source = preset_text(claim.source);
    const QString range = QString::fromStdString(range_text(claim));
    setToolTip(tool_tip(
        claim.published ? tr("Published: %1. The engine agrees with %2.").arg(source, range)
        : range.isEmpty()
            ? tr("Not published, our own question: %1.").arg(source)
            : tr("Not published, our own question: %1. The engine agrees with %2.").arg(source, range)));
    engine_ = QStringLiteral("…");
    name_it();
}

void ClaimRow::set_finding(const Finding& finding) {
    agreement_ = finding.agreement;
    engine_ = QString::fromStdString(text_of(claim_, finding.value));
    detail_ = QString::fromStdString(finding.reason.empty() ? values_text(claim_, finding) : finding.reason);
    name_it();
    updateGeometry();
}

void ClaimRow::name_it() {
    const QString verdict = agreement_ ? agreement_text(*agreement_) : tr("being worked out");
    setText(says_);
    setAccessibleName(says_);
    setAccessibleDescription(tr("%1: %2; the engine: %3, %4").arg(stated_label_, stated_, engine_, verdict));
    update();
}

double ClaimRow::text_height(int width) const {
    const QRectF area(0, 0, width - 2 * kInset, 10000);
    return std::ceil(QFontMetricsF(font()).boundingRect(area, Qt::TextWordWrap, says_).height());
}

int ClaimRow::heightForWidth(int width) const {
    const QFontMetricsF small(scaled_font(font(), kSmall));
    const double lines = detail_.isEmpty() ? 3 : 4;
    return static_cast<int>(std::ceil(2 * kInset + text_height(width) + kGap + lines * small.height() + 4));
}

QSize ClaimRow::sizeHint() const { return {200, heightForWidth(200)}; }

void ClaimRow::paint_numbers(QPainter& painter, const QRectF& area) const {
    const Theme& theme = current_theme();
    const QFont small = scaled_font(font(), kSmall);
    const QFont bold = scaled_font(font(), kSmall, true);
    const QFontMetricsF metrics(small);
    double y = area.top();
    const auto row = [&](const QString& label, const QString& value, const QFont& face) {
        const QRectF line(area.left(), y, area.width(), metrics.height());
        const double label_width = area.width() - QFontMetricsF(face).horizontalAdvance(value) - 8;
        painter.setFont(small);
        painter.setPen(theme.muted);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(label, Qt::ElideRight, label_width));
        painter.setFont(face);
        painter.setPen(theme.text);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, value);
        y += metrics.height();
    };
    row(stated_label_, stated_, small);
    row(tr("the engine"), engine_, bold);
    if (!detail_.isEmpty()) row({}, metrics.elidedText(detail_, Qt::ElideRight, area.width()), small);
    y += 4;
    if (!agreement_) return;
    painter.setPen(QPen(color_of(*agreement_), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    draw_mark(painter, *agreement_, {area.left(), std::round(y + (metrics.height() - kMark) / 2)});
    painter.setFont(bold);
    painter.drawText(QRectF(area.left() + kMark + 5, y, area.width(), metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, agreement_text(*agreement_));
}

void ClaimRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = current_theme();
    const double edge = hasFocus() ? 2 : 1;
    painter.setPen(QPen(hasFocus() ? theme.accent : theme.border, edge));
    painter.setBrush(isDown() ? theme.line : underMouse() ? theme.grid : theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2), 3, 3);
    const double height = text_height(width());
    painter.setFont(font());
    painter.setPen(theme.text);
    painter.drawText(QRectF(kInset, kInset, width() - 2 * kInset, height + 2), Qt::TextWordWrap, says_);
    paint_numbers(painter, QRectF(kInset, kInset + height + kGap, width() - 2 * kInset, 0));
}

void ClaimRow::enterEvent(QEnterEvent*) { update(); }
void ClaimRow::leaveEvent(QEvent*) { update(); }

}  // namespace shardscope
