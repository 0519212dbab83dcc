#include "widgets/panels/verdict_chip.h"

#include <QFontMetricsF>
#include <QPainter>
#include <array>
#include <cmath>

#include "widgets/drawing.h"

namespace shardscope {
namespace {

constexpr double kMark = 12;   // tick and warning sign
constexpr double kBlock = 22;  // hatched block of what does not fit

Theme::Chip chip_of(Verdict verdict, bool valid) {
    const Theme& theme = current_theme();
    if (!valid) return {theme.text, theme.window, theme.border};
    switch (verdict) {
        case Verdict::fits: return theme.fits;
        case Verdict::risky: return theme.risky;
        case Verdict::does_not_fit: return theme.does_not_fit;
    }
    return theme.fits;
}

void draw_tick(QPainter& painter, const QPointF& at) {
    const std::array<QPointF, 3> tick{at + QPointF(0, 6), at + QPointF(4, 10), at + QPointF(11, 2)};
    painter.drawPolyline(tick.data(), static_cast<int>(tick.size()));
}

void draw_warning(QPainter& painter, const QPointF& at) {
    const std::array<QPointF, 3> corners{at + QPointF(6, 0.5), at + QPointF(12, 11), at + QPointF(0, 11)};
    painter.drawPolygon(corners.data(), static_cast<int>(corners.size()));
    painter.drawLine(at + QPointF(6, 4.5), at + QPointF(6, 7));
    painter.drawPoint(at + QPointF(6, 9.2));
}

}  // namespace

void VerdictChip::set_verdict(const Answer& answer) {
    verdict_ = answer.estimate.verdict;
    valid_ = answer.valid();
    QString text = tr("NOT VALID");
    if (valid_) {
        switch (verdict_) {
            case Verdict::fits: text = tr("FITS"); break;
            case Verdict::risky: text = tr("RISKY"); break;
            case Verdict::does_not_fit: text = tr("DOES NOT FIT"); break;
        }
    }
    set_runs({{text, scaled_font(font(), 1, true), chip_of(verdict_, valid_).text}});
    update();
}

QSize VerdictChip::sizeHint() const {
    const double lead = !valid_ ? 0 : verdict_ == Verdict::does_not_fit ? kBlock : kMark + 6;
    const double height = std::max(26.0, QFontMetricsF(font()).height() + 10);
    return {static_cast<int>(std::ceil(20 + lead + natural_width())), static_cast<int>(height)};
}

void VerdictChip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme::Chip chip = chip_of(verdict_, valid_);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(chip.edge, 1));
    painter.setBrush(chip.fill);
    painter.drawRoundedRect(box, 3, 3);
    double x = 10;
    const double middle = height() / 2.0;
    if (valid_ && verdict_ == Verdict::does_not_fit) {
        hatch_over(painter, QRectF(1, 1, kBlock, height() - 2), current_theme(), chip.text, 5, 1.4);
        x += kBlock;
    } else if (valid_) {
        painter.setPen(QPen(chip.text, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        const QPointF at(x, std::round(middle - kMark / 2));
        if (verdict_ == Verdict::fits) draw_tick(painter, at);
        else draw_warning(painter, at);
        x += kMark + 6;
    }
    if (!runs().empty()) {
        const Run& run = runs().front();
        const QFontMetricsF metrics(run.font);
        painter.setFont(run.font);
        painter.setPen(chip.text);
        painter.drawText(QPointF(x, std::round(middle + metrics.capHeight() / 2)), run.text);
    }
    paint_focus(painter);
}

void BandGlyph::set_band(double low, double value, double high) {
    if (low == low_ && value == value_ && high == high_) return;
    low_ = low;
    value_ = value;
    high_ = high;
    update();
}

void BandGlyph::paintEvent(QPaintEvent*) {
    if (std::isnan(value_)) return;
    QPainter painter(this);
    const Theme& theme = current_theme();
    // MFU has the same fixed scale everywhere; it is extended only for a range that exceeds it.
    const double top = std::max(0.6, high_);
    const double y = std::floor(height() / 2.0) + 0.5;
    const auto at = [&](double share) { return std::round(1 + share / top * (width() - 3)) + 0.5; };
    painter.setPen(QPen(theme.line, 1));
    painter.drawLine(QPointF(at(0), y), QPointF(at(top), y));
    painter.drawLine(QPointF(at(0), y - 2), QPointF(at(0), y + 2));
    painter.drawLine(QPointF(at(top), y - 2), QPointF(at(top), y + 2));
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.line);
    painter.drawRect(QRectF(QPointF(at(low_), y - 4), QPointF(at(high_), y + 4)));
    painter.fillRect(QRectF(at(value_) - 1.5, y - 6, 3, 12), theme.text);
}

}  // namespace shardscope
