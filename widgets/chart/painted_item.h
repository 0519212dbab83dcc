// An item on a QCustomPlot that is painted by a function: hatches below the curves, labels above them.
//
// This header includes qcustomplot.h, which takes seconds to compile, so only the figures' .cpp files may
// include it.
#pragma once

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "widgets/chart/figure_parts.h"

namespace shardscope {

class PaintedItem : public QCPAbstractItem {
  public:
    // The plot owns the item. `layer` is one of QCustomPlot's predefined layers: "background", "overlay", …
    PaintedItem(QCustomPlot& plot, const QString& layer, std::function<void(QCPPainter&)> paint)
        : QCPAbstractItem(&plot), paint_(std::move(paint)) {
        setLayer(layer);
        setClipToAxisRect(false);
        setSelectable(false);
        setAntialiased(false);  // the functions enable it themselves, without QCPPainter's half pixel
    }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

  protected:
    void draw(QCPPainter* painter) override {
        painter->save();
        paint_(*painter);
        painter->restore();
    }

  private:
    std::function<void(QCPPainter&)> paint_;
};

// Returns the rectangle that the axes' ends span: QCustomPlot counts pixels upwards from the last one.
inline QRectF frame_of(const QCPAxisRect& rect) {
    return {static_cast<double>(rect.left()), static_cast<double>(rect.bottom() - rect.height()),
            static_cast<double>(rect.width()), static_cast<double>(rect.height())};
}

// Returns the position at which a graph's point is drawn: on screen QCPPainter shifts antialiased lines by
// half a pixel.
inline QPointF drawn_at(const QCPAxis& x, const QCPAxis& y, double key, double value,
                        const QCPPainter& painter) {
    const double shift = painter.modes().testFlag(QCPPainter::pmVectorized) ? 0 : 0.5;
    return {x.coordToPixel(key) + shift, y.coordToPixel(value) + shift};
}

// Applies the settings that all plots share: no interactions, no automatic legend or margins, fast lines.
inline void prepare(QCustomPlot& plot) {
    plot.setInteractions(QCP::iNone);
    plot.setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
    plot.setNoAntialiasingOnDrag(false);
    plot.setAutoAddPlottableToLegend(false);
    plot.plotLayout()->setMargins(QMargins(0, 0, 0, 0));
    plot.axisRect()->setAutoMargins(QCP::msNone);
}

// Lets the figure set the axis' ticks itself.
inline void use_manual_ticks(QCPAxis& axis) {
    axis.setTicker(QSharedPointer<QCPAxisTickerText>::create());
    axis.setSubTicks(false);
    axis.setTickLength(0, static_cast<int>(kTickLength));
    axis.setTickLabelPadding(4);
    axis.grid()->setZeroLinePen(Qt::NoPen);
}

inline constexpr double kFigureMargin = 8;  // px, between the figure's edge and its outermost content

// Returns the width of the widest tick label that the figure has set, px.
inline double widest_tick(const QCPAxis& axis, const QFont& font) {
    const QFontMetricsF metrics(font);
    double widest = 0;
    const auto labels = axis.ticker().staticCast<QCPAxisTickerText>()->ticks();
    for (const QString& text : labels) widest = std::max(widest, metrics.horizontalAdvance(text));
    return widest;
}

// Sets the margins between the plot's edges and its only frame, rounded up to whole px.
inline void set_margins(QCustomPlot& plot, double left, double top, double right, double bottom) {
    const auto whole = [](double px) { return static_cast<int>(std::ceil(px)); };
    plot.axisRect()->setMargins({whole(left), whole(top), whole(right), whole(bottom)});
}

// Makes both axes logarithmic, with ticks that the figure sets and only horizontal grid lines.
inline void make_logarithmic(QCustomPlot& plot) {
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        use_manual_ticks(*axis);
        axis->setRange(1, 1000);
    }
    plot.xAxis->grid()->setVisible(false);
}

// Applies the theme's colours and the figure's fonts to every panel.
inline void style_plot(QCustomPlot& plot, const Theme& theme, const FigureFonts& fonts) {
    plot.setBackground(QBrush(theme.pane));
    for (const QCPAxisRect* rect : plot.axisRects()) {
        for (QCPAxis* axis : rect->axes()) {
            axis->setBasePen(QPen(theme.border, 1));
            axis->setTickPen(QPen(theme.border, 1));
            axis->setTickLabelFont(fonts.small);
            axis->setTickLabelColor(theme.muted);
            axis->grid()->setPen(QPen(theme.grid, 1));
        }
    }
}

}  // namespace shardscope
