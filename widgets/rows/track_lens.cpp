#include "widgets/rows/track_lens.h"

#include <QPainter>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/rows/painted_track.h"
#include "widgets/rows/track_slider.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"
#include "widgets/wall_mark.h"

namespace shardscope {
namespace {

constexpr int kPadding = 10;
constexpr int kGroove = 20;

}  // namespace

TrackLens::TrackLens(TrackSlider& slider) : QWidget(slider.window()), slider_(slider) {
    setObjectName(slider.parentWidget()->objectName() + QStringLiteral("/lens"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

QRectF TrackLens::groove() const {
    const double zoom = zoom_of(font());
    const QFontMetricsF body(font());
    const QFontMetricsF small(scaled_font(font(), kSmall));
    return {kPadding, kPadding / 2.0 + body.height() + small.height() + 4, width() - 2.0 * kPadding,
            kGroove * zoom};
}

void TrackLens::refresh(const QString& label) {
    if (!slider_.is_fine()) {
        hide();
        return;
    }
    label_ = label;
    if (parentWidget() != slider_.window()) setParent(slider_.window());
    const QFontMetricsF small(scaled_font(font(), kSmall));
    const int height = static_cast<int>(std::ceil(groove().bottom() + 4 + small.height() + kPadding / 2.0));
    constexpr int kGap = 6;
    const int width = slider_.width() + 2 * kPadding;
    const QPoint at =
        slider_.mapTo(slider_.window(), QPoint(-kPadding, static_cast<int>(slider_.groove().top())));
    const int above = at.y() - kGap - height;
    // There may be no space above the first row of a window.
    const int below = at.y() + static_cast<int>(slider_.groove().height()) + kGap;
    setGeometry(std::max(0, at.x()), above >= 0 ? above : below, width, height);
    track_ = slider_.magnified_track(std::max(1, static_cast<int>(groove().width() * devicePixelRatioF())));
    slope_ = slider_.slope_text();
    show();
    raise();
    update();
}

void TrackLens::paintEvent(QPaintEvent*) {
    const Theme& theme = current_theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);

    const QFont bold = scaled_font(font(), 1, true);
    const QFont small = scaled_font(font(), kSmall);
    const QRectF line(kPadding, kPadding / 2.0, width() - 2.0 * kPadding, QFontMetricsF(bold).height());
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, label_);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, slider_.valueText());
    painter.setFont(small);
    painter.setPen(theme.muted);
    const QRectF second(line.left(), line.bottom(), line.width(), QFontMetricsF(small).height());
    painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter, slope_);
    const QString note = tr("Shift: 10× finer");
    if (text_width(small, slope_) + kPadding + text_width(small, note) <= second.width())
        painter.drawText(second, Qt::AlignRight | Qt::AlignVCenter, note);

    const QRectF area = groove();
    const ParameterSlider::Stretch part = slider_.magnified();
    const bool mirrored = isRightToLeft();
    paint_track(painter, area, {.held = &track_, .mirrored = mirrored}, theme);
    const SliderScale scale = slider_.scale().part(part.from, part.to);
    const auto x_of = [&](double value) {
        const double place = scale.fraction(value);
        return area.left() + (mirrored ? 1 - place : place) * area.width();
    };
    // Ticks at round values, as many as there is space for.
    const QFontMetricsF metrics(small);
    constexpr int kLabels = 7;
    double last = -1e9;
    for (int i = 0; i < kLabels; ++i) {
        const double value = scale.roundest_between((i + 0.5) / kLabels, 0.4 / kLabels);
        const double x = x_of(value);
        const QString text = slider_.textOf(value);
        const double width = metrics.horizontalAdvance(text);
        const double left = std::clamp(x - width / 2, area.left(), area.right() - width);
        painter.fillRect(QRectF(std::floor(std::min(x, area.right() - 1)), area.bottom() + 1, 1, 3),
                         theme.border);
        if (!mirrored && left < last + metrics.height() / 2) continue;
        painter.setPen(theme.muted);
        painter.drawText(QRectF(left, area.bottom() + 4, width, metrics.height()), Qt::AlignCenter, text);
        last = left + width;
    }
    const double high = area.height() + 4;
    const QRectF knob(x_of(slider_.current()) - high * 0.36, area.center().y() - high / 2, high * 0.72, high);
    painter.setPen(QPen(Theme::light().text, 1.2));
    painter.setBrush(Qt::white);
    painter.drawRoundedRect(knob, 3, 3);
    if (const std::optional<Wall> wall = slider_.wall())
        paint_wall_mark(painter, knob.adjusted(2, 2, -2, -2), *wall, Theme::light());
}

}  // namespace shardscope
