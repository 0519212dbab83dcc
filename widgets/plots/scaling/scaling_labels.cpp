#include "widgets/plots/scaling/scaling_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "widgets/chart/painted_item.h"
#include "widgets/drawing.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr double kRoomForText = 400;  // px of axis from which labels have more text
constexpr double kScenarioDot = 4.5;
constexpr double kPinDot = 3.5;
constexpr double kClearly = 5;      // px that another curve is farther from the name of a curve
constexpr double kSame = -3;        // where curves coincide
constexpr double kTouching = 1e-9;  // px, below which a line touches a box
constexpr double kAny = std::numeric_limits<double>::infinity();  // px of crossed lines, or of distance

// Returns the point of the box that is nearest to a place.
QPointF closest_in(const QRectF& box, const QPointF& at) {
    return {std::clamp(at.x(), box.left(), box.right()), std::clamp(at.y(), box.top(), box.bottom())};
}

QRectF square(const QPointF& at, double radius) {
    return {at.x() - radius, at.y() - radius, 2 * radius, 2 * radius};
}

// Returns the distance from the box to the line, which runs from left to right, sampled at a few points of
// every segment; or `most`, if no sample is nearer.
double distance(const QRectF& box, const QPolygonF& line, double most = kAny) {
    double best = most;
    const auto compare = [&](const QPointF& a, const QPointF& b) {
        if (std::isnan(a.y()) || std::isnan(b.y())) return;
        for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            const QPointF at = a + (b - a) * share;
            const double x = std::max({box.left() - at.x(), at.x() - box.right(), 0.0});
            const double y = std::max({box.top() - at.y(), at.y() - box.bottom(), 0.0});
            if (x < best && y < best) best = std::min(best, std::sqrt(x * x + y * y));
        }
    };
    // From the box to the right and to the left, until all further segments are too far away.
    const auto beside = std::ranges::lower_bound(line, box.left(), {}, &QPointF::x) - line.begin();
    const auto middle = std::max<qsizetype>(beside, 1);
    for (qsizetype i = middle; i < line.size() && line[i - 1].x() <= box.right() + best; ++i)
        compare(line[i - 1], line[i]);
    for (qsizetype i = middle - 1; i > 0 && line[i].x() >= box.left() - best; --i)
        compare(line[i - 1], line[i]);
    return best;
}

}  // namespace

QString value_text(double value, ScalingY y) {
    switch (y) {
        case ScalingY::mfu: return shown(value, Quantity::percent);
        case ScalingY::tokens_per_s_per_gpu:
            return tr("%1 tokens/s/GPU").arg(shown(value, Quantity::rate, false));
        case ScalingY::tokens_per_s: return tr("%1 tokens/s").arg(shown(value, Quantity::big_count));
        case ScalingY::days: return shown(value, Quantity::days);
        case ScalingY::memory: return shown(value * kGiB, Quantity::bytes);
    }
    return {};
}

ScalingLabels::ScalingLabels(QCPPainter& painter, const ScalingScene& scene)
    : painter_(painter),
      scene_(scene),
      room_(scene.area.adjusted(2, 2, -2, -2)),
      roomy_(scene.area.width() >= kRoomForText) {
    for (const QRectF& box : scene.taken) room_.take(box);
    room_.avoid(scene.weak);
    if (seen(scene.strong)) room_.avoid(scene.strong);
    room_.avoid(scene.ideal, 0.8);
    room_.avoid(scene.repaired, 0.8);
    for (const QPolygonF& line : scene.ghost_lines) room_.avoid(line, 0.7);
    for (const ScalingLimit& limit : scene.limits) room_.avoid(limit.points());
    for (const AxisRange& stretch : scene.unfit) {
        for (const double end : {stretch.from, stretch.to}) {
            const double at = scene.x.coordToPixel(end);
            room_.avoid(QPolygonF{{at, scene.area.top()}, {at, scene.area.bottom()}}, 0.5);
        }
    }
}

void ScalingLabels::paint() {
    // The positions of the marks are determined first, so that labels avoid them; the marks are drawn last,
    // over everything.
    find_marks();
    name_limits();
    paint_node();
    paint_current();
    tag_pins();
    paint_knee();
    name_curves();
    name_others();
    paint_marks();
}

// ---- helpers ---------------------------------------------------------------------------------------------

LabelLine ScalingLabels::bold(const QString& text) const {
    return {text, scene_.fonts.small_bold, scene_.theme.text};
}
LabelLine ScalingLabels::plain(const QString& text) const {
    return {text, scene_.fonts.small, scene_.theme.text};
}
LabelLine ScalingLabels::muted(const QString& text) const {
    return {text, scene_.fonts.small, scene_.theme.muted};
}

bool ScalingLabels::in_frame(const QPointF& at) const {
    return !std::isnan(at.y()) && scene_.area.adjusted(-1, -1, 1, 1).contains(at);
}

QPointF ScalingLabels::pixel(double gpus, double value) const {
    return drawn_at(scene_.x, scene_.y, gpus, value, painter_);
}

void ScalingLabels::guide(double at, double top, const QColor& color, const QRectF& around) {
    const double px = std::floor(at) + 0.5;
    const auto part = [&](double from, double to) {
        if (from >= to) return;
        const QPolygonF line({QPointF(px, from), QPointF(px, to)});
        painter_.setPen(line_pen(color, 1, {1, 2}));
        painter_.drawPolyline(line);
        room_.avoid(line, 0.5);
    };
    const bool interrupted = around.left() <= px && px <= around.right() && around.bottom() > top;
    if (interrupted) part(top, around.top());
    part(interrupted ? around.bottom() : top, scene_.area.bottom());
}

void ScalingLabels::draw(const QRectF& box, const LabelLines& lines) {
    draw_label(painter_, box, lines, Qt::AlignHCenter, halo_of(box));
    // The distance keeps the lines of two labels from being read as one label.
    constexpr double kApart = 7;
    room_.take(box.adjusted(0, -kApart, 0, kApart));
}

QColor ScalingLabels::halo_of(const QRectF& box) const {
    const auto crosses = [&](const QPolygonF& line) { return distance(box, line, 2) < 2; };
    const auto hatched = [&](const AxisRange& stretch) {
        return scene_.x.coordToPixel(stretch.from) < box.right() &&
               scene_.x.coordToPixel(stretch.to) > box.left();
    };
    const bool needed = crosses(scene_.weak) || crosses(scene_.strong) || crosses(scene_.ideal) ||
                        crosses(scene_.repaired) || std::ranges::any_of(scene_.ghost_lines, crosses) ||
                        std::ranges::any_of(scene_.limits, crosses, &ScalingLimit::points) ||
                        std::ranges::any_of(scene_.unfit, hatched);
    return needed ? scene_.theme.pane : QColor();
}

std::optional<QRectF> ScalingLabels::put(const LabelLines& lines, const QList<QPointF>& corners, double most,
                                         const Penalty& penalty) {
    const auto box = room_.place(size_of(lines), corners, most, penalty);
    if (box) draw(*box, lines);
    return box;
}

template <typename Corners>
std::optional<QRectF> ScalingLabels::put_one_of(const LabelLines& lines, const LabelLines& shorter,
                                                const Corners& corners, const Penalty& penalty,
                                                bool may_cross) {
    constexpr double kClear = 10;     // a guide may cross at most one line of text
    constexpr double kPassable = 16;  // accepted rather than having no name nearby
    const QList<QPointF> places = corners(size_of(lines));
    if (const auto box = put(lines, places, kClear, penalty)) return box;
    const LabelLines first{lines.front()};
    for (const LabelLines& less : {first, shorter}) {
        if (less == lines) continue;
        if (const auto box = put(less, corners(size_of(less)), kPassable, penalty)) return box;
    }
    if (!may_cross) return std::nullopt;
    if (const auto box = put(lines, places, kAny, penalty)) return box;
    return shorter == lines ? std::nullopt : put(shorter, corners(size_of(shorter)), kAny, penalty);
}

bool ScalingLabels::seen(const QPolygonF& points) const {
    for (int i = 1; i < points.size(); ++i) {
        if (in_frame(points[i - 1]) && in_frame(points[i])) return true;
    }
    return false;
}

double ScalingLabels::penalty_for(const QPolygonF& points, const QRectF& box) const {
    constexpr double kTooFar = 16;
    constexpr double kAnother = 25;
    return 0.5 * std::max(0.0, distance(box, points) - kTooFar) +
           (is_at_another(points, box, kSame) ? kAnother : 0);
}

bool ScalingLabels::any_other(const QPolygonF& points,
                              const std::function<bool(const QPolygonF&)>& holds) const {
    const auto other = [&](const QPolygonF& line) { return &line != &points && holds(line); };
    return other(scene_.weak) || other(scene_.strong) || other(scene_.ideal) ||
           std::ranges::any_of(scene_.ghost_lines, other);
}

bool ScalingLabels::is_at_another(const QPolygonF& points, const QRectF& box, double farther) const {
    const double own = distance(box, points);
    return any_other(points, [&](const QPolygonF& other) {
        const double nearest = std::max(own + farther, kTouching);
        return distance(box, other, nearest) < nearest;
    });
}

std::optional<QLineF> ScalingLabels::leader(const QRectF& box, const QPolygonF& points) const {
    QLineF out;
    double shortest = std::numeric_limits<double>::infinity();
    for (const QPointF& at : points) {
        if (!in_frame(at)) continue;
        const QLineF line(closest_in(box, at), at);
        if (line.length() >= shortest) continue;
        shortest = line.length();
        out = line;
    }
    constexpr double kApart = 2;  // px from other curves
    const auto crossed = [&](const QPolygonF& other) {
        for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
            if (distance(QRectF(out.pointAt(share), QSizeF(0, 0)), other, kApart) < kApart) return true;
        }
        return false;
    };
    if (!std::isfinite(shortest) || any_other(points, crossed)) return std::nullopt;
    return out;
}

void ScalingLabels::draw_leader(const QLineF& line) {
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setPen(line_pen(scene_.theme.text, 1));
    painter_.drawLine(line);
    room_.avoid(QPolygonF({line.p1(), line.p2()}));
}

void ScalingLabels::name_curve(const QPolygonF& points, const LabelLines& lines, const LabelLines& shorter,
                               std::initializer_list<double> shares, double gap, bool may_cross) {
    if (!seen(points)) return;
    QPolygonF there;
    for (const QPointF& point : points) {
        if (in_frame(point)) there.append(point);
    }
    const auto corners_at = [&](const QSizeF& size, std::initializer_list<double> distances) {
        const double w = size.width();
        QList<QPointF> out;
        for (const double share : shares) {
            const double last = static_cast<double>(there.size() - 1);
            const QPointF at = there[static_cast<qsizetype>(std::lround(share * last))];
            for (const double farther : distances) {
                out.append({at.x() - w / 2, at.y() + gap * farther});
                out.append({at.x() - w / 2, at.y() - gap * farther - size.height()});
                out.append({at.x() - w - gap, at.y() + gap * (farther - 1)});
                out.append({at.x() + gap, at.y() + gap * (farther - 1)});
            }
            // Positions beside a guide.
            for (const double aside : {0.2, 0.8}) {
                out.append({at.x() - aside * w, at.y() + gap});
                out.append({at.x() - aside * w, at.y() - gap - size.height()});
            }
        }
        return out;
    };
    // No name may be read as that of another curve, unless the two coincide everywhere.
    const auto put_beside = [&](double farther, bool crossing) {
        const auto corners = [&](const QSizeF& size) {
            QList<QPointF> out = corners_at(size, {1.0, 2.2});
            out.removeIf([&](const QPointF& at) { return is_at_another(points, {at, size}, farther); });
            return out;
        };
        return put_one_of(
            lines, shorter, corners, [&](const QRectF& box) { return penalty_for(points, box); }, crossing);
    };
    auto placed = put_beside(kClearly, may_cross);
    if (!placed) {
        // Farther away a line leads to the curve.
        constexpr double kLittle = 6;
        QList<QPointF> away = corners_at(size_of(shorter), {3.0, 4.5, 6.0});
        away.removeIf([&](const QPointF& corner) { return !leader({corner, size_of(shorter)}, points); });
        placed = put(shorter, away, kLittle);
        if (const auto line = placed ? leader(*placed, points) : std::nullopt) {
            constexpr double kEnd = 2;
            draw_leader(*line);
            painter_.setBrush(scene_.theme.text);
            painter_.drawEllipse(line->p2(), kEnd, kEnd);
            painter_.setBrush(Qt::NoBrush);
        }
    }
    if (!placed && !may_cross) placed = put_beside(kClearly, true);
    if (!placed) put_beside(kSame, true);
}

// ---- labels ----------------------------------------------------------------------------------------------

void ScalingLabels::find_marks() {
    const ScalingData& data = scene_.data;
    const ScalingY quantity = scene_.options.y;
    value_ = data.y(data.current, quantity);
    has_dot_ = scene_.x.range().contains(data.current.x) && scene_.y.range().contains(value_);
    // The label of a value outside the part that is shown is at the nearer edge.
    const double lower = scene_.y.range().lower;
    dot_ =
        pixel(data.current.x, std::isnan(value_) ? lower : std::clamp(value_, lower, scene_.y.range().upper));
    if (has_dot_) room_.take(square(dot_, kScenarioDot + 3));

    for (const MeasuredPoint& run : data.measured) {
        const double value = data.y(run, quantity);
        if (!scene_.options.measured || !scene_.x.range().contains(run.gpus) ||
            !scene_.y.range().contains(value)) {
            continue;
        }
        diamonds_.push_back({pixel(run.gpus, value), &run});
        room_.take(square(diamonds_.back().at, 6));
    }

    if (seen(scene_.strong) && in_frame(scene_.strong.back())) room_.take(square(scene_.strong.back(), 5));

    for (const ScalingFigure::Ghost& pinned : scene_.ghosts) {
        const double value = pinned.data.y(pinned.data.current, quantity);
        if (!scene_.y.range().contains(value) || !scene_.x.range().contains(pinned.data.current.x)) continue;
        pins_.push_back({pixel(pinned.data.current.x, value), pinned.letter});
        room_.take(square(pins_.back().at, kPinDot));
    }

    const auto knee = std::ranges::find(data.curves.weak, data.curves.knee, &CurvePoint::x);
    // The knee is one of the rate, not of the memory.
    has_knee_ = scene_.options.weak && quantity != ScalingY::memory && data.curves.knee > 0 &&
                knee != data.curves.weak.end() && data.shows(*knee) &&
                scene_.y.range().contains(data.y(*knee, quantity));
    if (has_knee_) {
        knee_ = pixel(knee->x, data.y(*knee, quantity)) - QPointF(0, 5);
        room_.take(QRectF(knee_.x() - 5, knee_.y() - 9, 10, 9));
    }
}

// Labels each limit above or below its line, where no line crosses the label.
void ScalingLabels::name_limits() {
    constexpr double kOff = 3;   // px from the line
    constexpr double kEdge = 6;  // px from the frame
    const QRectF& area = scene_.area;
    for (const ScalingLimit& limit : scene_.limits) {
        const LabelLines lines{limit.name};
        const QSizeF size = size_of(lines);
        const double y = limit.line.y1();
        QList<QPointF> corners;
        for (const double left : {area.left() + kEdge, area.right() - kEdge - size.width(),
                                  area.center().x() - size.width() / 2}) {
            for (const double top : {y - kOff - size.height(), y + kOff}) corners.append({left, top});
        }
        draw_label(painter_, room_.place_or_cover(size, corners), lines, Qt::AlignLeft, scene_.theme.pane);
    }
}

// Labels the GPU count of one node, above which communication crosses nodes.
void ScalingLabels::paint_node() {
    const double node = scene_.data.curves.node;
    if (node <= 1 || node < scene_.data.fewest_gpus() || !scene_.x.range().contains(node)) return;
    const QRectF& area = scene_.area;
    const double px = scene_.x.coordToPixel(node);
    const double top = area.top() + 0.3 * area.height();
    guide(px, top, scene_.theme.muted);
    const LabelLines lines{muted(tr("one node"))};
    const QSizeF size = size_of(lines);
    QList<QPointF> corners;
    for (const double down : {0.0, 0.08, 0.16, -0.08, 0.3}) {
        corners.append({px + 5, top + down * area.height()});
        corners.append({px - 5 - size.width(), top + down * area.height()});
    }
    put(lines, corners);
}

void ScalingLabels::paint_current() {
    const ScalingData& data = scene_.data;
    const QRectF& area = scene_.area;
    if (!scene_.x.range().contains(data.current.x)) return;
    const QString gpus =
        data.current.x == 1 ? tr("1 GPU") : tr("%1 GPUs").arg(shown(data.current.x, Quantity::count));
    LabelLines lines;
    if (std::isnan(value_)) {
        const QString have = shown(data.capacity, Quantity::bytes);
        lines.append(bold(tr("A %1: does not fit").arg(gpus)));
        lines.append(
            plain(tr("%1 of %2").arg(shown(data.current.peak_memory, Quantity::bytes, false), have)));
    } else {
        // An arrow points to a value outside the part that is shown.
        const QString beyond = has_dot_                          ? QString()
                               : value_ > scene_.y.range().upper ? QStringLiteral(" ↑")
                                                                 : QStringLiteral(" ↓");
        lines.append(bold(tr("A %1 %2").arg(gpus, value_text(value_, scene_.options.y)) + beyond));
        if (scene_.options.y == ScalingY::memory) {
            const QString limit = shown(data.capacity, Quantity::bytes);
            lines.append(plain((data.current.fits() ? tr("of %1") : tr("does not fit in %1")).arg(limit)));
        } else if (!data.current.fits()) {
            lines.append(plain(tr("hypothetical, does not fit")));
        } else if (data.current.verdict == Verdict::risky) {
            lines.append(plain(tr("risky: it may run out of memory")));
        }
        const auto run = std::ranges::find_if(diamonds_, [&](const Diamond& diamond) {
            return diamond.run->same_settings && diamond.run->gpus == data.current.x;
        });
        if (run != diamonds_.end()) {
            const double measured = data.y(*run->run, scene_.options.y);
            lines.append(plain((run->run->own ? tr("my run %1") : tr("measured %1"))
                                   .arg(value_text(measured, scene_.options.y))));
        }
    }
    const QSizeF size = size_of(lines);
    constexpr double kEdge = 4;
    const double most_left = std::max(area.left() + kEdge, area.right() - kEdge - size.width());
    const bool has_place = !std::isnan(value_);
    QList<QPointF> corners;
    const auto add = [&](double top) {
        // Above the dot the label is centred, has one end over the dot, or ends beside it. Below the dot it
        // ends beside the guide if it can.
        using Shares = std::array<double, 5>;
        const bool below = top > dot_.y();
        for (const double share :
             below ? Shares{1.1, -0.1, 0.5, 0.1, 0.9} : Shares{0.5, 0.1, 0.9, 1.1, -0.1}) {
            corners.append(
                {std::clamp(dot_.x() - share * size.width(), area.left() + kEdge, most_left), top});
        }
    };
    // From the dot to the label, nearest first.
    constexpr std::array kGaps{9.0, 16.0, 26.0, 40.0, 58.0, 80.0, 110.0, 140.0};
    for (const double gap : kGaps) {
        if (has_place) add(dot_.y() - gap - size.height());
        if (has_place) add(dot_.y() + gap);
    }
    for (const double share : {0.1, 0.3, 0.5, 0.7}) add(area.top() + share * area.height());
    const auto box = room_.place(size, corners, kAny, [&](const QRectF& at) {
        constexpr double kNear = 12;
        constexpr double kFarther = 0.4;
        constexpr double kAtPin = 25;  // where a pin has its letter
        double out = has_place ? kFarther * std::max(0.0, distance_to(at, dot_) - kNear) : 0;
        for (const Pin& pin : pins_) {
            if (distance_to(at, pin.at) < kTag + 6) out += kAtPin;
        }
        return out;
    });
    const bool above = box && box->bottom() < dot_.y();
    guide(dot_.x(), above ? box->bottom() + 2 : dot_.y(), scene_.theme.text,
          box.value_or(QRectF()).adjusted(0, -2, 0, 2));
    if (box) draw(*box, lines);
    label_states_unfit_ = box && !data.current.fits();
}

// Pins are tagged before curves are named, because a tag has few possible positions and a name has many.
void ScalingLabels::tag_pins() {
    constexpr double kGap = 7;
    const QSizeF size(kTag, kTag);
    for (std::size_t i = 0; i < scene_.ghosts.size(); ++i) {
        const char letter = scene_.ghosts[i].letter;
        const auto dot = std::ranges::find(pins_, letter, &Pin::letter);
        QList<QPointF> corners;
        if (dot != pins_.end()) {
            corners = around(dot->at, size, kGap);
        } else {
            // A pin without a dot has its letter on its curve.
            QPolygonF there;
            for (const QPointF& point : scene_.ghost_lines[i]) {
                if (in_frame(point)) there.append(point);
            }
            if (there.isEmpty()) continue;
            const double last = static_cast<double>(there.size() - 1);
            for (const double share : {0.9, 0.7, 0.5, 0.3, 0.1})
                corners += around(there[static_cast<qsizetype>(std::lround(share * last))], size, kGap);
        }
        const QRectF tag = room_.place_or_cover(size, corners);
        draw_tag(painter_, tag, letter, pin_color(scene_.theme, letter), scene_.fonts.small_bold);
        if (dot != pins_.end()) name_value(tag, scene_.ghosts[i].data);
    }
}

// Writes a pin's value beside its tag if there is clear space.
void ScalingLabels::name_value(const QRectF& tag, const ScalingData& data) {
    const ScalingY quantity = scene_.options.y;
    const LabelLines lines{plain(value_text(data.y(data.current, quantity), quantity))};
    const QSizeF size = size_of(lines);
    constexpr double kGap = 4;
    constexpr double kMostCrossed = 2;
    const double top = tag.center().y() - size.height() / 2;
    put(lines, {{tag.left() - kGap - size.width(), top}, {tag.right() + kGap, top}}, kMostCrossed);
}

void ScalingLabels::paint_knee() {
    if (!has_knee_) return;
    const LabelLines shorter{
        bold(tr("knee at %1 GPUs").arg(shown(scene_.data.curves.knee, Quantity::count)))};
    LabelLines lines = shorter;
    LabelLines narrow;
    if (roomy_) {
        lines.append(muted(tr("from here a GPU adds half as much")));
    } else {
        for (const QString& part : in_two_lines(shorter.front().text).split(QLatin1Char('\n')))
            narrow.append(bold(part));
    }
    const auto corners = [&](const QSizeF& size) {
        const QPointF up = knee_ - QPointF(0, 9);
        QList<QPointF> out;
        const auto add_above = [&](double gap) {
            for (const double shift : {0.5, 0.45, 0.4, 0.25, 0.75, 0.05, 0.95}) {
                out.append({up.x() - shift * size.width(), up.y() - gap - size.height()});
            }
        };
        add_above(5);
        // A position beside the mark is better than one far above it, where the name would be read as
        // another's.
        for (const double gap : {9.0, 6.0}) {
            for (const double left : {up.x() + gap, up.x() - gap - size.width()}) {
                for (const double down : {-0.3, -0.8, 0.2, 0.6})
                    out.append({left, knee_.y() + down * size.height() - 4});
            }
        }
        for (const double gap : {14.0, 26.0, 35.0, 44.0}) add_above(gap);
        return out;
    };
    const auto off = [&](const QRectF& at) {
        constexpr double kAside = 0.15;
        constexpr double kAbove = 0.25;
        return kAside * std::fabs(at.center().x() - knee_.x()) +
               kAbove * std::max(0.0, knee_.y() - 14 - at.bottom());
    };
    // The best place crosses no line. Otherwise crossing one is better than being far from the mark. A steep
    // curve crosses the name in two lines over less than their height, and the name in one line over much of
    // its width.
    constexpr double kEdgeOnly = 2;  // px of crossed lines: only the edge of a curve
    constexpr double kSteep = 26;    // px: less than the height of two lines of text
    auto box = put(lines, corners(size_of(lines)), kEdgeOnly);
    if (!box)
        box = roomy_ ? put(shorter, corners(size_of(shorter)), kEdgeOnly)
                     : put(narrow, corners(size_of(narrow)), kSteep);
    if (!box) box = put_one_of(lines, shorter, corners, off);
    // Farther away a line leads to the mark.
    const QPointF mark = knee_ - QPointF(0, 9);
    constexpr double kNear = 10;
    if (box && distance_to(*box, mark) > kNear) draw_leader({closest_in(*box, mark), mark});
    // Reserve the surroundings of the mark, so that no other name is beside it.
    room_.take(QRectF(knee_.x() - 18, knee_.y() - 24, 36, 30));
}

void ScalingLabels::name_curves() {
    const ScalingData& data = scene_.data;
    // Other GPU counts have other plans, so the size of a replica is not constant.
    const bool anew = data.plan == CurvePlan::replanned;
    if (seen(scene_.strong)) {
        const CurvePoint& end = data.curves.strong.back();
        const LabelLines shorter{bold(tr("strong"))};
        LabelLines lines{bold(tr("strong, %1 in all").arg(shown(data.global_batch, Quantity::count)))};
        if (!anew && end.x == data.global_batch * data.replica_gpus) {
            lines.append(muted(data.replica_gpus > 1 ? tr("one per replica, no more to split")
                                                     : tr("one per GPU, no more to split")));
        }
        name_curve(scene_.strong, roomy_ ? lines : shorter, shorter, {1.0, 0.9, 0.8, 0.6, 0.3, 0.0}, 12);
        if (const QPointF tip = scene_.strong.back(); in_frame(tip)) {
            painter_.setPen(line_pen(scene_.theme.text, 2));
            painter_.drawLine(tip - QPointF(0, 5), tip + QPointF(0, 5));
        }
    }
    if (seen(scene_.weak)) {
        const LabelLines shorter{bold(tr("weak"))};
        const QString sequences = shown(data.sequences_per_replica, Quantity::count);
        const LabelLines lines{
            bold(anew ? tr("weak, batch grows with the GPUs")
                 : data.replica_gpus > 1
                     ? tr("weak, %1 per %2 GPUs").arg(sequences, shown(data.replica_gpus, Quantity::count))
                     : tr("weak, %1 per GPU").arg(sequences))};
        name_curve(scene_.weak, roomy_ ? lines : shorter, shorter,
                   {0.62, 0.55, 0.7, 0.48, 0.78, 0.4, 0.9, 0.3, 1.0}, 10);
    }
    if (scene_.options.y == ScalingY::memory) name_memory();
    else name_unfit();
    const LabelLines ideal{muted(tr("ideal, closed form"))};
    name_curve(scene_.ideal, ideal, ideal, {0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2}, 6);
}

// Names the two families of memory inside their areas, and the curve after the best repair.
void ScalingLabels::name_memory() {
    const ScalingData& data = scene_.data;
    if (!scene_.repaired.isEmpty() && !data.repair_raises_limit()) {
        const LabelLines lines{muted(tr("after: %1").arg(text_of(data.repair)))};
        const LabelLines shorter{muted(tr("after the repair"))};
        // The curve is just below the limit, whose line may not strike the name through.
        name_curve(scene_.repaired, lines, shorter, {0.8, 0.7, 0.9, 0.6, 0.5, 0.3}, 6, false);
    }
    const auto name_area = [&](const QString& words, const auto& low, const auto& high) {
        const LabelLines lines{plain(words)};
        constexpr double kAround = 3;  // px, kept free of lines above and below
        const QSizeF size = size_of(lines) + QSizeF(0, 2 * kAround);
        // The area at each point; no height where the point is not valid.
        struct Column {
            double at, top, bottom;
        };
        std::vector<Column> columns;
        columns.reserve(data.curves.weak.size());
        for (const CurvePoint& point : data.curves.weak) {
            const double bottom = scene_.y.coordToPixel(low(point) / kGiB);
            columns.push_back({scene_.x.coordToPixel(point.x),
                               point.valid ? scene_.y.coordToPixel(high(point) / kGiB) : scene_.area.bottom(),
                               bottom});
        }
        QList<QPointF> corners;
        for (const Column& column : columns) {
            const double left = column.at + 4;
            // The area must be high enough over the whole width of the text.
            double top = scene_.area.top();
            double bottom = scene_.area.bottom();
            for (const Column& under : columns) {
                if (under.at < left - 4 || under.at > left + 1.3 * size.width()) continue;
                top = std::max(top, under.top);
                bottom = std::min(bottom, under.bottom);
            }
            constexpr double kRoom = 2;
            const double spare = bottom - top - size.height() - kRoom;
            if (spare < 0) continue;
            for (const double share : {0.5, 0.25, 0.75})
                corners.append({left, top + kRoom / 2 + share * spare});
        }
        if (const auto box = room_.place(size, corners)) draw(box->adjusted(0, kAround, 0, -kAround), lines);
    };
    name_area(
        tr("model states"), [](const CurvePoint&) { return 0.0; },
        [](const CurvePoint& point) { return point.sharded_memory; });
    name_area(
        tr("working memory"), [](const CurvePoint& point) { return point.sharded_memory; },
        [](const CurvePoint& point) { return point.peak_memory; });
}

void ScalingLabels::name_unfit() {
    const ScalingData& data = scene_.data;
    const QRectF& area = scene_.area;
    for (const AxisRange& stretch : scene_.unfit) {
        // The scenario's label already says it.
        if (label_states_unfit_ && data.current.x >= stretch.from && data.current.x <= stretch.to) continue;
        const double left = std::max(area.left(), scene_.x.coordToPixel(stretch.from));
        const double right = std::min(area.right(), scene_.x.coordToPixel(stretch.to));
        draw_area_words(painter_, QRectF(left, area.top(), right - left, area.height()),
                        bold(data.hypothetical ? tr("hypothetical, does not fit") : tr("does not fit")),
                        scene_.theme.hatch_ground, room_);
    }
    if (data.fewest_gpus() > scene_.x.range().lower) {
        const double right = std::min(area.right(), scene_.x.coordToPixel(data.fewest_gpus()));
        const QString gpus = shown(data.fewest_gpus(), Quantity::count);
        draw_area_words(painter_, QRectF(area.left(), area.top(), right - area.left(), area.height()),
                        muted(tr("the plan needs %1 GPUs").arg(gpus)), scene_.theme.grid, room_);
    }
}

void ScalingLabels::name_others() {
    const QString words = tr("published runs, other settings");
    const qsizetype comma = words.indexOf(QLatin1Char(','));
    // One label at one of the hollow diamonds names them all: at the first with clear space, else at the
    // first where the label crosses only a little of a line.
    for (const double most : {2.0, 10.0}) {
        for (const LabelLines& lines : {LabelLines{muted(words)}, LabelLines{muted(words.first(comma + 1)),
                                                                             muted(words.mid(comma + 2))}}) {
            for (const Diamond& diamond : diamonds_) {
                if (diamond.run->same_settings || diamond.run->own) continue;
                if (put(lines, around(diamond.at, size_of(lines), 8), most)) return;
            }
        }
    }
}

void ScalingLabels::paint_marks() {
    const Theme& theme = scene_.theme;
    if (has_knee_) draw_triangle(painter_, knee_, 10, theme.text);
    for (const Diamond& diamond : diamonds_) {
        // The solid diamond is larger, because it is often under the dot and must be visible around it.
        if (diamond.run->own) draw_user_run(painter_, diamond.at, theme);
        else if (diamond.run->same_settings) draw_diamond(painter_, diamond.at, 7, theme.text, theme.text);
        else draw_diamond(painter_, diamond.at, 5.5, theme.pane, theme.text);
    }
    for (const Pin& pin : pins_)
        draw_ring(painter_, pin.at, kPinDot, theme.pane, pin_color(theme, pin.letter));
    if (has_dot_) draw_ring(painter_, dot_, kScenarioDot, theme.pane, theme.text);
}

}  // namespace shardscope
