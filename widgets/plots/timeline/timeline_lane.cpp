#include "widgets/plots/timeline/timeline_lane.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kTogether = 3;  // px of the mean pass below which a lane shows fractions
constexpr double kDense = 4;     // px below which neighbours run into each other

QColor blended(const QColor& a, const QColor& b, double share_of_b) {
    const auto part = [&](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share_of_b)); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

// Boxes of a few pixels: each pixel column has the mean colour of the boxes in it, so that their edges need
// not be at whole pixels.
class Columns {
  public:
    Columns(double left, double right)
        : left_(std::floor(left)),
          sums_(static_cast<std::size_t>(std::max(0.0, std::ceil(right) - left_)) + 1) {}

    void add(double from, double to, const QColor& colour) {
        auto column = static_cast<std::size_t>(std::max(0.0, from - left_));
        for (; from < to && column < sums_.size(); ++column) {
            const double end = std::min(to, left_ + static_cast<double>(column) + 1);
            const double weight = end - from;
            Sum& sum = sums_[column];
            sum.red += weight * colour.red();
            sum.green += weight * colour.green();
            sum.blue += weight * colour.blue();
            sum.weight += weight;
            from = end;
        }
    }
    void paint(QPainter& painter, const QRectF& box, const QColor& ground) const {
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            const Sum& sum = sums_[i];
            if (sum.weight <= 0) continue;
            const auto mean = [&](double value) { return static_cast<int>(value / sum.weight); };
            const QColor colour(mean(sum.red), mean(sum.green), mean(sum.blue));
            painter.fillRect(QRectF(left_ + static_cast<double>(i), box.top(), 1, box.height()),
                             blended(ground, colour, std::min(1.0, sum.weight)));
        }
    }

  private:
    struct Sum {
        double red = 0, green = 0, blue = 0, weight = 0;
    };
    double left_;
    std::vector<Sum> sums_;
};

// Boxes too narrow to be distinguished: for every few pixels the fractions of time of the activities are
// drawn one above the other, so that area is still proportional to time.
class Shares {
  public:
    Shares(double left, double right)
        : left_(std::floor(left)),
          sums_(static_cast<std::size_t>(std::max(0.0, (right - left_) / kWidth)) + 1) {}

    void add(double from, double to, const Interval& interval) {
        auto bin = static_cast<std::size_t>(std::max(0.0, (from - left_) / kWidth));
        for (; from < to && bin < sums_.size(); ++bin) {
            const double end = std::min(to, left_ + static_cast<double>(bin + 1) * kWidth);
            sums_[bin][slot(interval)] += (end - from) / kWidth;
            from = end;
        }
    }
    void paint(QPainter& painter, const QRectF& box, const Theme& theme) const {
        for (std::size_t bin = 0; bin < sums_.size(); ++bin) {
            const double left = left_ + static_cast<double>(bin) * kWidth;
            double bottom = box.bottom();
            for (std::size_t i = 0; i < kSlots; ++i) {
                if (sums_[bin][i] <= 0) continue;
                const double height = std::min(sums_[bin][i] * box.height(), bottom - box.top());
                Interval like;
                like.activity = static_cast<Activity>(i / 2);
                like.exposed = i % 2 == 0;
                painter.fillRect(QRectF(left, bottom - height, std::min(kWidth, box.right() - left), height),
                                 color_of(like, theme));
                bottom -= height;
            }
        }
    }

  private:
    static constexpr double kWidth = 4;  // px
    static constexpr std::size_t kSlots = 2 * kActivities;
    static std::size_t slot(const Interval& interval) {
        // All exposed communication has one colour, and so one slot; hidden communication is above it.
        const Activity activity = is_communication(interval.activity) ? Activity::gather : interval.activity;
        return 2 * static_cast<std::size_t>(activity) + (interval.exposed ? 0 : 1);
    }
    double left_;
    std::vector<std::array<double, kSlots>> sums_;
};

// Returns the number in an interval's box: that of its layer, else of its micro-batch; 0 for none.
int number_of(const Interval& interval, const LaneView& view) {
    const bool numbered = interval.activity == Activity::forward || interval.activity == Activity::backward ||
                          interval.activity == Activity::weight_gradient;
    if (!numbered) return 0;
    if (interval.layer > 0) return interval.layer;
    return view.cut ? interval.micro_batch : 0;
}

// `room_for`: px that a box needs for its number.
void paint_box(QPainter& painter, const QRectF& box, const Interval& interval, const LaneView& view,
               double room_for) {
    const Theme* theme = view.theme;
    const QColor colour = color_of(interval, *theme);
    // Leave a hairline between neighbours if there is room for it.
    constexpr double kRoom = 3;
    const QRectF filled = box.width() >= kRoom ? box.adjusted(0, 0, -1, 0) : box;
    painter.fillRect(filled, colour);
    const bool outlined = interval.activity == Activity::bubble || interval.activity == Activity::recompute ||
                          (is_communication(interval.activity) && !interval.exposed);
    if (outlined && box.width() >= kRoom && box.height() >= kRoom) {
        painter.setPen(QPen(interval.activity == Activity::bubble      ? theme->line
                            : interval.activity == Activity::recompute ? theme->compute
                                                                       : theme->communication,
                            1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(filled.adjusted(0, 0, -1, -1));
    }
    const bool omitted = interval.activity == Activity::omitted;
    const int number = number_of(interval, view);
    if (!omitted && number == 0) return;
    const QString text =
        omitted ? tr("× %1 more").arg(shown(view.omitted, Quantity::count)) : QString::number(number);
    const double width = text_width(view.font, text);
    const double cap = QFontMetricsF(view.font).capHeight();
    if (box.height() < cap + 4 || filled.width() < (omitted ? width : room_for) + 2) return;
    draw_text(painter,
              {std::round(filled.center().x() - width / 2), std::round(filled.center().y() + cap / 2)}, text,
              view.font, omitted ? theme->muted : ink_on(colour));
}

}  // namespace

bool is_communication(Activity activity) { return activity >= Activity::gather; }

QColor color_of(const Interval& interval, const Theme& theme) {
    constexpr int kDarker = 150;  // percent
    QColor out = theme.compute;
    switch (interval.activity) {
        case Activity::forward: break;
        case Activity::backward: out = theme.compute.darker(kDarker); break;
        case Activity::weight_gradient: out = theme.compute_second; break;
        case Activity::recompute: out = theme.recompute; break;
        case Activity::memory_copies: out = theme.of(StepTerm::memory_copies); break;
        case Activity::optimizer: out = theme.of(StepTerm::optimizer); break;
        case Activity::host_link: out = theme.host_link; break;
        case Activity::host: out = theme.latency; break;
        case Activity::bubble: out = theme.pane; break;
        case Activity::omitted: out = theme.grid; break;
        default: out = interval.exposed ? theme.communication : theme.communication_hidden;
    }
    constexpr double kPale = 0.55;
    return interval.previous ? blended(out, theme.pane, kPale) : out;
}

bool is_crowded(const std::vector<Interval>& compute, const LaneView& view) {
    double seconds = 0;
    double count = 0;
    for (const Interval& interval : compute) {
        const bool passes = interval.activity == Activity::forward ||
                            interval.activity == Activity::backward ||
                            interval.activity == Activity::weight_gradient;
        if (!passes || interval.end < view.shown.from || interval.start > view.shown.to) continue;
        seconds += interval.seconds();
        count += 1;
    }
    return count > 0 &&
           view.pixel_of(view.shown.from + seconds / count) - view.pixel_of(view.shown.from) < kTogether;
}

void paint_lane(QPainter& painter, const QRectF& box, const std::vector<Interval>& intervals, bool crowded,
                const LaneView& view) {
    const Theme& theme = *view.theme;
    Columns columns(box.left(), box.right());
    Shares shares(box.left(), box.right());
    // Boxes of equal width are either all numbered or not at all.
    int most = 0;
    for (const Interval& interval : intervals) most = std::max(most, number_of(interval, view));
    const double room_for = text_width(view.font, QString::number(most));
    const auto draw = [&](const Interval& interval) {
        const double from = std::max(box.left(), view.pixel_of(interval.start));
        const double to = std::min(box.right(), view.pixel_of(interval.end));
        if (!(to > from)) return;
        if (to - from < kDense) {
            // A bubble has the background colour.
            if (interval.activity == Activity::bubble) return;
            if (crowded) shares.add(from, to, interval);
            else columns.add(from, to, color_of(interval, theme));
            return;
        }
        const double left = std::round(from);
        paint_box(painter, QRectF(left, box.top(), std::max(1.0, std::round(to) - left), box.height()),
                  interval, view, room_for);
    };
    // Draw overlapped communication below exposed intervals.
    for (const Interval& interval : intervals) {
        if (!interval.exposed) draw(interval);
    }
    for (const Interval& interval : intervals) {
        if (interval.exposed) draw(interval);
    }
    columns.paint(painter, box, theme.pane);
    shares.paint(painter, box, theme);
}

}  // namespace shardscope
