// The implementation of TimelineFigure, shared by its two files: timeline_figure.cpp (layout and positions)
// and timeline_painting.cpp (painting).
//
// This header includes qcustomplot.h, which takes seconds to compile, so only these two files may include it.
#pragma once

#include <utility>
#include <vector>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/plots/timeline/timeline_curve.h"
#include "widgets/plots/timeline/timeline_figure.h"
#include "widgets/plots/timeline/timeline_lane.h"

namespace shardscope {

inline constexpr double kClosest = 1e-5;  // fraction of the step that the deepest zoom shows
inline constexpr int kKeyRows = 2;        // always reserved, so that the lanes do not move

struct TimelineFigure::Parts {
    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    TimelineData data;
    std::vector<Ghost> ghosts;
    bool dimmed = false;
    AxisZoom x_zoom{kClosest};
    double memory_top = 1;  // bytes
    struct KeyEntry {
        QColor colour;  // invalid: the entry is text alone
        QString text;
        double left = 0;
        int row = 0;
        bool plain = false;  // a remark in plain type, not the name of an activity
    };
    std::vector<KeyEntry> placed;  // wrapped to the width
    int key_rows = kKeyRows;

    explicit Parts(QCustomPlot& target);

    // The unit in which the picture writes all times.
    struct TimeUnit {
        const char* symbol;
        double seconds;
    };
    TimeUnit unit() const;
    QString in_unit(double seconds) const;  // without the unit

    QCPAxis& x() const { return *plot.xAxis; }
    QRectF frame() const { return frame_of(*plot.axisRect()); }
    bool has_pipeline() const { return data.line.stage_count > 1; }
    double longest() const;
    // Returns whether the step of a pin is so long that it is drawn with a broken bar.
    bool is_far(const Ghost& ghost) const { return ghost.end > kFarPin * data.line.end; }
    double at(double seconds) const { return x().coordToPixel(seconds); }

    void fit();
    void show_part();
    void lay_out();
    void place_key();
    double label_width() const;
    QString communication_label() const;
    bool shows_shares() const;
    QString label(std::size_t stage) const;
    std::vector<std::pair<QColor, QString>> key() const;
    double key_line() const { return QFontMetricsF(fonts.small).height() + 1; }
    double key_base(int row) const;
    int key_margin() const;
    QRectF key_area() const;
    QRectF lanes() const;
    QRectF memory_area() const;
    QRectF lane(std::size_t stage, bool communication) const;
    bool follows_gap(std::size_t stage) const;  // the stages directly before it are not drawn

    void paint(QCPPainter& painter) const;
    void paint_key(QCPPainter& painter) const;
    void paint_lanes(QCPPainter& painter) const;
    LaneView view() const;
    void paint_memory(QCPPainter& painter) const;
    CurveView curve_view(const QRectF& area) const;
    std::vector<PinLimit> pinned_limits() const;  // those that are drawn
    void paint_limits_of_pins(QCPPainter& painter) const;
    void paint_axis(QCPPainter& painter) const;
    void paint_ends(QCPPainter& painter) const;
    void paint_far_pins(QCPPainter& painter, std::vector<QRectF>& taken) const;
    void paint_no_time(QCPPainter& painter) const;
};

}  // namespace shardscope
