// What the figures have in common, on a plain QPainter: haloed text, room for labels, ticks, hatched areas.
#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QPainter>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "widgets/theme/theme.h"

namespace shardscope {

struct FigureFonts {
    QFont body, bold, small, small_bold;
    explicit FigureFonts(const QFont& base);
};

// Lines of a label, one below the other, each with its face.
struct LabelLine {
    QString text;
    QFont font;
    QColor color;
    bool operator==(const LabelLine&) const = default;
};
using LabelLines = QList<LabelLine>;
QSizeF size_of(const LabelLines& lines);

// Text with the baseline's left end at `at`. With a halo colour it may cross a line and stay legible.
void draw_text(QPainter& painter, const QPointF& at, const QString& text, const QFont& font,
               const QColor& color, const QColor& halo = {});
void draw_label(QPainter& painter, const QRectF& box, const LabelLines& lines, Qt::Alignment alignment,
                const QColor& halo = {});
// Reading upwards, centred in `box`.
void draw_upright(QPainter& painter, const QRectF& box, const LabelLine& line, const QColor& halo = {});

// Finds room for direct labels: never over another label or a mark, and off the lines where it can be had.
class LabelRoom {
  public:
    explicit LabelRoom(const QRectF& area) : area_(area) {}
    void take(const QRectF& box) { taken_.append(box); }
    void avoid(const QPolygonF& line, double weight = 1) { lines_.append({line, weight}); }
    // The best of the candidate positions (top left corners), earlier ones preferred; none when all are
    // taken or cross more than `most` px of lines. What it returns is taken. `wrong` adds, in px of lines,
    // what else speaks against a box.
    std::optional<QRectF> place(const QSizeF& size, const QList<QPointF>& corners,
                                double most = std::numeric_limits<double>::infinity(),
                                const std::function<double(const QRectF&)>& wrong = {});
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

// Corners of a label of `size` around `anchor`, at `gap`: above, below, right, left, then diagonally.
QList<QPointF> around(const QPointF& anchor, const QSizeF& size, double gap);

// Marks. `edge` is the ring's or outline's colour.
void draw_ring(QPainter& painter, const QPointF& at, double radius, const QColor& fill, const QColor& edge);
void draw_diamond(QPainter& painter, const QPointF& at, double radius, const QColor& fill,
                  const QColor& edge);
// The person's own measured run: a diamond with a core, so that it is not taken for a public one.
void draw_own_run(QPainter& painter, const QPointF& at, const Theme& theme);
void draw_cross(QPainter& painter, const QPointF& at, double radius, const QColor& color);
void draw_triangle(QPainter& painter, const QPointF& tip, double width, const QColor& color);
// A pin's letter on its colour.
void draw_tag(QPainter& painter, const QRectF& box, char letter, const QColor& color, const QFont& font);
inline constexpr double kTag = 16;

// A hatched area of what does not fit, edges in the border colour.
void draw_unfit(QPainter& painter, const QRectF& area, const Theme& theme);
// What an area means, in it where there is room, upright where it is narrow.
void draw_area_words(QPainter& painter, const QRectF& area, const LabelLine& words, const QColor& ground,
                     LabelRoom& room);

// Ticks of one axis.
struct Tick {
    double value = 0;
    QString text;
    bool current = false;  // the scenario's own value: bold, never dropped
};
// Round values from `low` to `high`, `most` or fewer.
std::vector<double> linear_ticks(double low, double high, int most);
// Powers of `base` within the range; none where it begins at zero or below.
std::vector<double> log_ticks(double low, double high, double base);
// Which labels stay when they need `gap` px between them: every n-th, `anchor` and the current value among
// them. `center` gives the middle of a tick in px.
std::vector<bool> thinned(const std::vector<Tick>& ticks, const std::vector<double>& center,
                          const FigureFonts& fonts, double gap, std::size_t anchor);

// A piece of the strip under an axis that says which wall binds where; `left` and `right` in px. Named: with
// the word before it.
struct WallPiece {
    double left = 0;
    double right = 0;
    Wall wall = Wall::compute;
};
void draw_wall_strip(QPainter& painter, const QRectF& strip, const std::vector<WallPiece>& pieces,
                     const Theme& theme, const FigureFonts& fonts, bool named = true);
inline constexpr double kStrip = 15;      // its height, px
inline constexpr double kTickLength = 4;  // px

// Ticks and their labels below `top`, as many as there is room for.
void draw_x_ticks(QPainter& painter, double top, const std::vector<Tick>& ticks,
                  const std::vector<double>& center, std::size_t anchor, const Theme& theme,
                  const FigureFonts& fonts);

// A polyline cut at `low` and `high`: pieces outside become NaN, with points where it crosses. SVG knows no
// clipping, so that nothing may be drawn beyond the frame in the first place.
void cut_to_range(QList<double>& x, QList<double>& y, double low, double high, bool log_x, bool log_y);

// A line of very many points, or of many parts: two of a pixel's width beside each other. Qt draws one that
// is a pixel wide a hundred times as fast as one that is wider.
void draw_dense_line(QPainter& painter, const QPolygonF& line, const QColor& color);
QPen line_pen(const QColor& color, double width, const QList<double>& dash = {});
// Dashes of pins B … G, in px.
const QList<double>& pin_dash(char letter);

}  // namespace shardscope
