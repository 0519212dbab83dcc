// Drawing functions that all figures share, on a plain QPainter: text with halos, placement of labels, ticks,
// hatched areas.
#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QPainter>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "widgets/theme/theme.h"

namespace shardscope {

// Returns the text colour with the higher contrast on `ground`.
QColor ink_on(const QColor& ground);
// Returns the opaque colour of a fill that covers this share of `ground`. Qt divides large transparent fills
// among threads, which takes several times as long as the fill itself.
QColor tint(const QColor& color, double share, const QColor& ground);
QColor band_color(const Theme& theme);  // of bands of likely values

struct FigureFonts {
    QFont body, bold, small, small_bold;
    explicit FigureFonts(const QFont& base);
};

// A line of a label with its font and colour. The lines of a label are drawn one below the other.
struct LabelLine {
    QString text;
    QFont font;
    QColor color;
    bool operator==(const LabelLine&) const = default;
};
using LabelLines = QList<LabelLine>;
QSizeF size_of(const LabelLines& lines);

// Draws text with the baseline's left end at `at`. A halo colour keeps the text legible where it crosses a
// line.
void draw_text(QPainter& painter, const QPointF& at, const QString& text, const QFont& font,
               const QColor& color, const QColor& halo = {});
void draw_label(QPainter& painter, const QRectF& box, const LabelLines& lines, Qt::Alignment alignment,
                const QColor& halo = {});
// Breaks a text into two lines of about the same length, after a comma if it has one; returns it unchanged if
// there is no place to break it.
QString in_two_lines(const QString& text);
// Draws a line of text rotated, reading upwards, centred in `box`.
void draw_upright(QPainter& painter, const QRectF& box, const LabelLine& line, const QColor& halo = {});

// Returns the distance from a place to the nearest point of a box, in px.
double distance_to(const QRectF& box, const QPointF& at);

// Finds free positions for direct labels. A label never covers another label or a mark, and avoids lines
// where possible.
class LabelPlacer {
  public:
    explicit LabelPlacer(const QRectF& area) : area_(area) {}
    void take(const QRectF& box) { taken_.append(box); }
    void avoid(const QPolygonF& line, double weight = 1) { lines_.append({line, weight}); }
    // Returns the best of the candidate positions (top left corners) and reserves it; earlier candidates are
    // preferred. Returns nullopt if all positions are occupied or cross more than `most` px of lines.
    // `penalty` gives an extra cost of a box, in px of crossed lines.
    std::optional<QRectF> place(const QSizeF& size, const QList<QPointF>& corners,
                                double most = std::numeric_limits<double>::infinity(),
                                const std::function<double(const QRectF&)>& penalty = {});
    // Like `place` for a label that must not be missing: if all positions are occupied, it gets the nearest
    // free one, or else covers what is at the first.
    QRectF place_or_cover(const QSizeF& size, const QList<QPointF>& corners);
    [[nodiscard]] const QRectF& area() const { return area_; }

  private:
    struct Line {
        QPolygonF points;
        double weight;
    };
    [[nodiscard]] double cost(const QRectF& box) const;
    QRectF area_;
    QList<QRectF> taken_;
    QList<Line> lines_;
};

// Returns candidate top left corners of a label of `size` around `anchor`, at the distance `gap`: above,
// below, right, left, then diagonally.
QList<QPointF> around(const QPointF& anchor, const QSizeF& size, double gap);

// Marks. `edge` is the colour of the ring or the outline.
void draw_ring(QPainter& painter, const QPointF& at, double radius, const QColor& fill, const QColor& edge);
void draw_diamond(QPainter& painter, const QPointF& at, double radius, const QColor& fill,
                  const QColor& edge);
// Draws the user's own measured run: a diamond with a core, which distinguishes it from a public run.
void draw_user_run(QPainter& painter, const QPointF& at, const Theme& theme);
void draw_cross(QPainter& painter, const QPointF& at, double radius, const QColor& color);
void draw_triangle(QPainter& painter, const QPointF& tip, double width, const QColor& color);
// Draws a pin's letter on a box of the pin's colour.
void draw_tag(QPainter& painter, const QRectF& box, char letter, const QColor& color, const QFont& font);
inline constexpr double kTag = 16;

// A pin whose step, or memory, is this many times that of the scenario is drawn with a broken bar, so that it
// does not determine the scale.
inline constexpr double kFarPin = 2.5;
// Draws a bar from `left` to `right` that is broken before its right end: it is longer than its axis.
void draw_broken_bar(QPainter& painter, const QRectF& bar, const QColor& color, const QColor& ground);

// A limit that pins have and the scenario does not.
struct PinLimit {
    double value = 0;
    char letter = 'B';  // of the first of its pins, whose colour and dash it has
    QString letters;    // of all its pins: "B, C"
};
// Returns the limits of pins that differ from `own`, each once; `limit_of` returns that of one.
template <typename Pins, typename Limit>
std::vector<PinLimit> limits_of_pins(const Pins& pins, double own, Limit limit_of) {
    std::vector<PinLimit> out;
    for (const auto& pin : pins) {
        const double value = limit_of(pin);
        if (value == own) continue;
        const auto same = std::ranges::find(out, value, &PinLimit::value);
        const QString letter(QLatin1Char(pin.letter));
        if (same == out.end()) out.push_back({value, pin.letter, letter});
        else same->letters += QStringLiteral(", ") + letter;
    }
    return out;
}

// Hatches an area in which scenarios do not fit; its edges are in the border colour.
void draw_unfit(QPainter& painter, const QRectF& area, const Theme& theme);
// Labels an area inside it if there is enough space; the text is rotated if the area is narrow.
void draw_area_words(QPainter& painter, const QRectF& area, const LabelLine& words, const QColor& ground,
                     LabelPlacer& room);

// Ticks of one axis.
struct Tick {
    double value = 0;
    QString text;
    bool current = false;  // the scenario's own value: bold, never dropped
};
// Returns at most `most` round values from `low` to `high`.
std::vector<double> linear_ticks(double low, double high, int most);
// Returns the powers of `base` within the range; none if `low` is not positive.
std::vector<double> log_ticks(double low, double high, double base);
// Returns 1, 2 and 5 times the powers of ten within the range.
std::vector<double> decade_ticks(double low, double high);
// Returns the usual ticks of an axis, or finer ones if they are fewer than three. With `whole` the values are
// whole numbers.
std::vector<double> enough_ticks(std::vector<double> usual, double low, double high, bool whole = false);
// Returns which labels are kept so that they are `gap` px apart: every n-th label, among them `anchor`, and
// the current value. `center` contains the centres of the ticks in px.
std::vector<bool> thinned(const std::vector<Tick>& ticks, const std::vector<double>& center,
                          const FigureFonts& fonts, double gap, std::size_t anchor);

// A segment of the strip under an axis that shows which wall binds where; `left` and `right` are in px. With
// `named` the word "wall" precedes the strip.
struct WallSegment {
    double left = 0;
    double right = 0;
    Wall wall = Wall::compute;
};
void draw_wall_strip(QPainter& painter, const QRectF& strip, const std::vector<WallSegment>& segments,
                     const Theme& theme, const FigureFonts& fonts, bool named = true);
inline constexpr double kStrip = 15;      // its height, px
inline constexpr double kTickLength = 4;  // px

// Draws ticks below `top`, and as many of their labels as there is room for.
void draw_x_ticks(QPainter& painter, double top, const std::vector<Tick>& ticks,
                  const std::vector<double>& center, std::size_t anchor, const Theme& theme,
                  const FigureFonts& fonts);

// Cuts a polyline at `low` and `high`: values outside become NaN, and points are inserted where the line
// crosses a limit. SVG output is not clipped, so nothing may be drawn beyond the frame.
void cut_to_range(QList<double>& x, QList<double>& y, double low, double high, bool log_x, bool log_y);

// Draws a line of very many points or parts as two adjacent lines that are one pixel wide. Qt draws a line of
// one pixel's width a hundred times as fast as a wider one.
void draw_dense_line(QPainter& painter, const QPolygonF& line, const QColor& color);
QPen line_pen(const QColor& color, double width, const QList<double>& dash = {});
// Returns the dash pattern of a pin, B … G, in px.
const QList<double>& pin_dash(char letter);

}  // namespace shardscope
