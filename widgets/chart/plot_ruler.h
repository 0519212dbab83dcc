// The ruler of a plot: a line that follows the pointer, with a card of all values there. A click fixes it as
// A, a second click as B, and the card then shows the differences; Esc removes both.
//
// The ruler is a transparent widget over the canvas, so that moving it does not draw the plot again. The plot
// says through a Source where the ruler can stand and what is there; the ruler knows no scenario. Object
// name: that of the canvas with "/ruler".
#pragma once

#include <QColor>
#include <QPen>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "containers/no_value.h"
#include "text/units.h"

class QPainter;

namespace shardscope {

// One value at the ruler.
struct RulerReading {
    QString name;  // "Strong"
    QColor color{};
    double value = kNoValue;  // NaN: `text` says why there is none
    Quantity quantity = Quantity::count;
    QString text{};         // instead of the value: "does not fit", "compute"
    double y = kNoValue;    // where the value is drawn, px; NaN: nowhere
    QPen curve{Qt::NoPen};  // how its curve is drawn; none: it has no curve, and its swatch is a bar
    bool exact = false;     // a time that is written like those of the tool tips

    [[nodiscard]] QString shown() const;
    [[nodiscard]] QString written(double number) const;
};

// What the ruler shows at one place of the axis.
struct RulerStop {
    QPointF place;                  // in axis values, which stay valid when the axes change
    QString title;                  // "2,048 GPUs"
    double x = 0;                   // px
    QRectF area;                    // the part of the canvas that the line crosses, px
    std::optional<double> cross{};  // y of a second, horizontal line, px
    std::vector<RulerReading> readings;

    // Returns whether a curve is at this pixel.
    [[nodiscard]] bool is_on_curve(const QPointF& pixel) const;
};

class PlotRuler : public QWidget {
    Q_OBJECT
  public:
    struct Source {
        // Returns the place that the ruler takes for a pixel; none outside the plot.
        std::function<std::optional<QPointF>(const QPointF& pixel)> place_at;
        // Returns what is at a place; none where it is not visible.
        std::function<std::optional<RulerStop>(const QPointF& place)> stop_at;
    };
    // `canvas` is the parent; the ruler follows its size and takes no mouse events from it.
    explicit PlotRuler(QWidget& canvas);

    void set_source(Source source);
    [[nodiscard]] bool is_used() const { return source_.place_at != nullptr; }

    // Returns whether the card has a column for the pointer: A and B are not both fixed.
    [[nodiscard]] bool follows() const { return is_used() && fixed_.size() < kMostFixed; }

    // The card keeps clear of the tool tip of the canvas, if one is shown.
    void hover(const QPointF& pixel);
    void leave();
    // Fixes the ruler at the place of this pixel: as A, then as B, then as B again. Returns whether there is
    // such a place.
    bool fix(const QPointF& pixel);
    void take_back();  // what the last `fix` has done
    // Removes the fixed places; returns whether there were any.
    bool clear();

    // Returns whether a curve is at this pixel.
    [[nodiscard]] bool is_on_curve(const QPointF& pixel) const;

    // Return the text of the card, a line for each value: of all that it shows, and of the fixed places
    // alone.
    [[nodiscard]] QString words() const { return words_of(columns()); }
    [[nodiscard]] QString fixed_words() const;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Column {
        QString title;
        std::optional<RulerStop> stop;
    };
    // Returns the fixed stops and the one under the pointer, in this order.
    [[nodiscard]] std::vector<Column> columns() const;
    [[nodiscard]] static QString words_of(const std::vector<Column>& all);
    void paint_line(QPainter& painter, const Column& column) const;
    void paint_card(QPainter& painter, const std::vector<Column>& columns) const;
    [[nodiscard]] QRectF shown_tip() const;
    [[nodiscard]] QRectF place_card(const QSizeF& size, const std::vector<Column>& columns) const;

    static constexpr std::size_t kMostFixed = 2;
    Source source_;
    std::optional<QPointF> hovered_;
    QRectF tip_;                   // where a tool tip is shown
    std::vector<QPointF> fixed_;   // A and B
    std::vector<QPointF> before_;  // as it was before the last `fix`
};

}  // namespace shardscope
