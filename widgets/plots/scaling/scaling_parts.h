// The implementation of ScalingFigure, shared by its files: scaling_figure.cpp (axes and curves),
// scaling_painting.cpp, scaling_memory.cpp (what is painted where memory is shown) and scaling_readings.cpp
// (values at a place).
//
// This header includes qcustomplot.h, which takes seconds to compile, so only these files may include it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/plots/scaling/scaling_figure.h"
#include "widgets/plots/scaling/scaling_labels.h"

namespace shardscope {

struct ScalingFigure::Parts {
    static constexpr double kMostGpus = 16384;
    static constexpr std::size_t kGhosts = 6;

    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    ScalingOptions options;
    ScalingData data;
    std::vector<Ghost> ghosts;
    bool dimmed = false;
    AxisZoom x_zoom, y_zoom;
    QCPGraph* weak = nullptr;
    QCPGraph* strong = nullptr;
    QCPGraph* ideal = nullptr;
    QCPGraph* repaired = nullptr;
    std::array<QCPGraph*, kGhosts> ghost{};

    explicit Parts(QCustomPlot& target);

    QCPAxis& x() const { return *plot.xAxis; }
    QCPAxis& y() const { return *plot.yAxis; }
    QRectF frame() const { return frame_of(*plot.axisRect()); }
    // Returns whether an axis of tokens/s/GPU holds for all curves beside that of the MFU. A pin with another
    // GPU, model or sequence has another rate at the same MFU.
    bool second_axis() const {
        return options.y == ScalingY::mfu && std::ranges::all_of(ghosts, [&](const Ghost& pinned) {
                   return std::fabs(pinned.data.full_rate / data.full_rate - 1) < 1e-6;
               });
    }
    bool memory() const { return options.y == ScalingY::memory; }

    void fill_graphs();
    void label_axes();
    void fit_y();
    void show_part();
    [[nodiscard]] bool zoomed() const { return x_zoom.zoomed() || y_zoom.zoomed(); }
    void lay_out();
    // Returns the range of the GPU counts when nothing is zoomed.
    AxisRange x_whole() const {
        double most = kMostGpus;
        while (most < data.current.x) most *= 2;
        return {1, most};
    }
    std::vector<double> gpus_ticks() const;

    void paint_below(QCPPainter& painter) const;
    void paint_band(QCPPainter& painter) const;
    void paint_memory(QCPPainter& painter) const;
    void paint_excess(QCPPainter& painter) const;
    std::vector<ScalingLimit> limits() const;
    void paint_above(QCPPainter& painter) const;
    void paint_strip(QCPPainter& painter) const;
    void paint_x_axis(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter) const;
    void paint_labels(QCPPainter& painter) const;

    QPointF pixel(double gpus, double value, const QCPPainter& painter) const;
    QPolygonF pixels(const ScalingData& shown, const Curve& curve, const QCPPainter& painter) const;
    QPointF current() const { return {data.current.x, data.y(data.current, options.y)}; }
    std::vector<AxisRange> unfit() const;
    // The strips above the axis where the weak curve fits but may run out of memory.
    std::vector<QRectF> risky() const;
};

}  // namespace shardscope
