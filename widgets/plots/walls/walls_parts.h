// The implementation of WallsFigure, shared by its two files: walls_figure.cpp (layout and positions) and
// walls_painting.cpp (painting).
//
// This header includes qcustomplot.h, which takes seconds to compile, so only these two files may include it.
#pragma once

#include <algorithm>
#include <vector>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/plots/walls/walls_figure.h"
#include "widgets/plots/walls/walls_labels.h"

namespace shardscope {

// The areas of the map and its profiles, in pixels.
struct WallsPanes {
    QRectF map, top, right;
};

// Ticks of a map's axis with their positions along the frame.
struct WallsTicks {
    std::vector<Tick> ticks;
    std::vector<double> place;
};
WallsTicks ticks_of(const WallsScale& scale, const AxisZoom& zoom, double now);

struct WallsFigure::Parts {
    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    WallsData data;
    WallsPoint point;
    std::vector<Ghost> ghosts;
    double top_mfu = kMfuScale;  // upper end of the profiles' scale
    AxisZoom x_zoom, y_zoom;     // of positions on the frame
    bool dimmed = false;
    bool stale = false;
    bool focused = false;

    // The background as it was last painted.
    QImage image;
    QList<QLineF> hatch;
    QRectF hatch_frame;
    // The labels as they were last placed.
    QRectF own_tag;
    std::vector<WallsTag> region_tags;

    explicit Parts(QCustomPlot& target) : plot(target) {
        prepare(plot);
        plot.plotLayout()->clear();
        new PaintedItem(plot, QStringLiteral("overlay"), [this](QCPPainter& painter) { paint(painter); });
    }

    void forget_ground() {
        image = {};
        hatch_frame = {};
    }

    [[nodiscard]] WallsPanes panes() const;
    [[nodiscard]] WallsPart part() const { return {x_zoom.range(), y_zoom.range()}; }
    [[nodiscard]] bool zoomed() const { return x_zoom.zoomed() || y_zoom.zoomed(); }
    // Returns where a position lies in the shown part, 0 … 1.
    [[nodiscard]] static double share_of(const AxisZoom& zoom, double place) {
        const AxisRange shown = zoom.range();
        return (place - shown.from) / (shown.to - shown.from);
    }
    [[nodiscard]] QPointF at(const QRectF& frame, const QPointF& place) const {
        return {frame.left() + share_of(x_zoom, place.x()) * frame.width(),
                frame.bottom() - share_of(y_zoom, place.y()) * frame.height()};
    }
    [[nodiscard]] QPointF at(const QRectF& frame, const WallsPoint& where) const {
        return at(frame, QPointF(data.x.place_of(where.x), data.y.place_of(where.y)));
    }
    [[nodiscard]] QPolygonF at(const QRectF& frame, const QPolygonF& places) const {
        QPolygonF out;
        out.reserve(places.size());
        for (const QPointF& place : places) out.append(at(frame, place));
        return out;
    }
    [[nodiscard]] bool on_map(const WallsPoint& where) const {
        return x_zoom.contains(data.x.place_of(where.x)) && y_zoom.contains(data.y.place_of(where.y));
    }

    void paint(QCPPainter& painter);
    void paint_ground(QCPPainter& painter, const QRectF& frame);
    void paint_lines(QCPPainter& painter, const QRectF& frame) const;
    void stroke(QCPPainter& painter, const QRectF& frame, const QList<QPolygonF>& lines,
                const QPen& pen) const;
    void paint_words(QCPPainter& painter, const QRectF& frame);
    void paint_arms(QCPPainter& painter, const WallsPanes& where) const;
    void paint_ring(QCPPainter& painter, const WallsPanes& where) const;
    void paint_axes(QCPPainter& painter, const WallsPanes& where) const;
    void paint_profiles(QCPPainter& painter, const WallsPanes& where) const;
    QList<QPolygonF> lines_of(const QRectF& area, const WallsProfile& profile, bool along_x) const;
    void paint_profile(QCPPainter& painter, const QRectF& area, const QList<QPolygonF>& lines,
                       const QPen& pen) const;
    void paint_scale(QCPPainter& painter, const WallsPanes& where) const;
    [[nodiscard]] double tick_step() const { return top_mfu > kMfuScale ? 0.5 : 0.2; }
    [[nodiscard]] QPointF on_profile(const QRectF& area, double place, double mfu, bool along_x) const {
        const double share = std::clamp(mfu / top_mfu, 0.0, 1.0);
        return along_x ? QPointF(area.left() + place * area.width(), area.bottom() - share * area.height())
                       : QPointF(area.left() + share * area.width(), area.bottom() - place * area.height());
    }
};

}  // namespace shardscope
