#include "widgets/rows/painted_track.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr double kHatchPitch = 5;
constexpr double kHatchLine = 1.4;
constexpr double kRadius = 2;

// Paints one strip of the groove, column by column from left to right.
class Strip {
  public:
    Strip(QPainter& painter, const QRectF& area, const Track& track, const TrackPicture& picture,
          const Theme& theme)
        : painter_(painter),
          area_(area),
          track_(track),
          mirrored_(picture.mirrored),
          unsure_(picture.guess && &track == picture.replanned),
          theme_(theme) {}

    void paint() {
        if (track_.cells) {
            for (std::size_t i = 0; i < track_.columns.size(); ++i) paint_cell(i);
        } else {
            paint_columns();
        }
    }

    // Returns the outline of the cells, or of the whole strip, moved inwards by `inset` px.
    [[nodiscard]] QPainterPath outline(double inset) const {
        QPainterPath path;
        const auto inside = [&](const QRectF& rect) { return rect.adjusted(inset, inset, -inset, -inset); };
        if (track_.cells) {
            for (std::size_t i = 0; i < count(); ++i) path.addRect(inside(cell(i)));
        } else {
            path.addRoundedRect(inside(area_), kRadius, kRadius);
        }
        return path;
    }

  private:
    [[nodiscard]] std::size_t count() const { return track_.columns.size(); }
    [[nodiscard]] const TrackColumn& column(std::size_t from_left) const {
        return track_.columns[mirrored_ ? count() - 1 - from_left : from_left];
    }
    [[nodiscard]] double x(std::size_t edge) const {
        return area_.left() + area_.width() * static_cast<double>(edge) / static_cast<double>(count());
    }
    // Cells start on whole pixels, 2 px apart, or 1 px where many cells share a narrow groove.
    [[nodiscard]] QRectF cell(std::size_t i) const {
        constexpr double kNarrow = 10;
        const bool narrow = area_.width() / static_cast<double>(count()) < kNarrow;
        const double left = std::round(x(i)) + (i > 0 ? 1 : 0);
        const double right = std::round(x(i + 1)) - (i + 1 < count() && !narrow ? 1 : 0);
        return {left, area_.top(), right - left, area_.height()};
    }
    void paint_cell(std::size_t i) {
        if (column(i).fits) {
            painter_.fillRect(cell(i), mfu_color(column(i).mfu));
            if (column(i).risky) warn(cell(i));
        } else {
            hatch(cell(i));
        }
    }
    void hatch(const QRectF& area) {
        if (unsure_) {
            painter_.fillRect(area, theme_.hatch_ground);
        } else {
            fill_hatch(painter_, area, theme_, kHatchPitch, kHatchLine);
        }
    }
    // Hatches the lower half, as the memory bar hatches what may run out of memory.
    void warn(const QRectF& area) {
        Theme risky = theme_;
        risky.hatch_ground = theme_.pane;
        risky.hatch_line = theme_.risk;
        fill_hatch(painter_, area.adjusted(0, std::floor(area.height() / 2) + 1, 0, 0), risky,
                   kHatchPitch - 1, kHatchLine + 0.6);
    }
    void paint_columns() {
        QImage line(static_cast<int>(count()), 1, QImage::Format_ARGB32_Premultiplied);
        auto* pixels = reinterpret_cast<QRgb*>(line.scanLine(0));
        for (std::size_t i = 0; i < count(); ++i) {
            const TrackColumn& c = column(i);
            pixels[i] = c.fits ? mfu_color(c.mfu).rgb() : qRgba(0, 0, 0, 0);
        }
        for (std::size_t from = 0; from < count(); ++from) {
            if (column(from).fits) continue;
            std::size_t to = from;
            while (to < count() && !column(to).fits) ++to;
            hatch(QRectF(QPointF(x(from), area_.top()), QPointF(x(to), area_.bottom())));
            from = to;
        }
        painter_.drawImage(area_, line);
        for (std::size_t from = 0; from < count(); ++from) {
            if (!column(from).risky) continue;
            std::size_t to = from;
            while (to < count() && column(to).risky) ++to;
            warn(QRectF(QPointF(x(from), area_.top()), QPointF(x(to), area_.bottom())));
            from = to;
        }
    }

    QPainter& painter_;
    QRectF area_;
    const Track& track_;
    bool mirrored_;
    bool unsure_;
    const Theme& theme_;
};

// Paints a black line with white borders, which is visible on every colour, and a triangle above it that
// attracts attention.
void paint_notch(QPainter& painter, const QRectF& groove, double x, const Theme& theme) {
    constexpr double kBorders = 3;
    x = std::clamp(std::round(x - 0.5) + 0.5, groove.left() + kBorders / 2, groove.right() - kBorders / 2);
    painter.fillRect(QRectF(x - kBorders / 2, groove.top(), kBorders, groove.height()), Qt::white);
    painter.fillRect(QRectF(x - 0.5, groove.top(), 1, groove.height()), Qt::black);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.text);
    const std::array<QPointF, 3> triangle{QPointF(x - 3.5, groove.top() - 4),
                                          QPointF(x + 3.5, groove.top() - 4), QPointF(x, groove.top())};
    painter.drawPolygon(triangle.data(), static_cast<int>(triangle.size()));
}

}  // namespace

void paint_track(QPainter& painter, const QRectF& groove, const TrackPicture& picture, const Theme& theme) {
    painter.save();
    const Track& primary = picture.replanned ? *picture.replanned : *picture.held;
    QRectF upper = groove;
    QRectF lower = groove;
    if (picture.replanned) {
        upper.setHeight(std::round(groove.height() / 4));
        lower.setTop(upper.bottom() + 1);
    }
    const Strip whole(painter, groove, *picture.held, picture, theme);
    {
        painter.save();
        painter.setClipPath(whole.outline(0));
        painter.setRenderHint(QPainter::Antialiasing, false);
        if (picture.replanned) {
            Strip(painter, upper, *picture.held, picture, theme).paint();
            painter.fillRect(QRectF(groove.left(), upper.bottom(), groove.width(), 1), theme.window);
            if (picture.stale) painter.setOpacity(kStaleStrength);
        }
        Strip(painter, lower, primary, picture, theme).paint();
        painter.restore();
    }
    // A dark edge would be invisible on the dark pane, as the colours of a low MFU nearly are.
    const bool dark = theme.kind == Theme::Kind::dark;
    painter.strokePath(whole.outline(0.5), QPen(dark ? QColor(255, 255, 255, 56) : QColor(0, 0, 0, 71), 1));
    for (const WallChange& change : primary.changes) {
        const double place = picture.mirrored ? 1 - change.place : change.place;
        paint_notch(painter, groove, groove.left() + place * groove.width(), theme);
    }
    painter.restore();
}

}  // namespace shardscope
