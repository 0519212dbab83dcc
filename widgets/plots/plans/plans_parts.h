// The implementation of PlansFigure, shared by its two files: plans_figure.cpp (layout) and
// plans_painting.cpp (painting).
//
// This header includes qcustomplot.h, which takes seconds to compile, so only these two files may include it.
#pragma once

#include <optional>
#include <vector>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/plots/plans/plans_figure.h"

namespace shardscope {

struct PlansFigure::Parts {
    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    SharedPlans data;
    Output id = Output::mfu;
    bool hypothetical = false;
    std::optional<PlanDot> current;
    std::vector<PlanDot> ghosts;
    QString stale;  // the reason, empty if up to date
    double strength = 1;
    std::optional<std::size_t> highlight;
    QCPGraph* cloud;
    QCPGraph* frontier;
    AxisZoom x_zoom;
    AxisZoom y_zoom;
    double lane = 0;  // px below the frame, for plans without a rate

    explicit Parts(QCustomPlot& target);

    [[nodiscard]] QCPAxis& x() const { return *plot.xAxis; }
    [[nodiscard]] QCPAxis& y() const { return *plot.yAxis; }
    [[nodiscard]] QRectF frame() const { return frame_of(*plot.axisRect()); }
    // The frame with the lane of the plans that have no rate.
    [[nodiscard]] QRectF whole() const { return frame().adjusted(0, 0, 0, lane); }
    // Convert to the units of the axes.
    [[nodiscard]] static double gib(double bytes) { return bytes / plot_unit(Quantity::bytes).factor; }
    [[nodiscard]] double axis_y(double value) const { return value / plot_unit(output(id).quantity).factor; }

    void style();
    void fill();
    void fit();
    void show_part();
    void lay_out();

    // Returns the position of a plan with this peak memory and value. Without a value it is in the lane;
    // beyond the frame it is at the frame's edge.
    [[nodiscard]] QPointF place(double peak, double value) const;
    [[nodiscard]] bool beyond(double peak) const { return !x_zoom.zoomed() && gib(peak) > x().range().upper; }
    // While the user has zoomed in, marks outside the frame are not moved to its edge, but cut off.
    [[nodiscard]] bool zoomed() const { return x_zoom.zoomed() || y_zoom.zoomed(); }
    void clip(QCPPainter& painter) const {
        if (zoomed()) painter.setClipRect(whole());
    }
    // Returns the positions of all marks. Marks without a value are moved apart where they would overlap.
    [[nodiscard]] std::vector<QPointF> places() const;
    // Positions of the current plan and the pins. At the edge of the lane each is one step further inwards,
    // beginning with the current plan.
    [[nodiscard]] QPointF own_place() const { return place(current->peak, current->of(id)); }
    [[nodiscard]] QPointF ghost_place(std::size_t index) const;
    [[nodiscard]] bool at_lane_edge(const PlanDot& dot) const {
        return lane > 0 && beyond(dot.peak) && std::isnan(dot.of(id));
    }
    [[nodiscard]] std::optional<std::size_t> best_point() const;
    [[nodiscard]] bool current_is_best() const;

    // The labels of the current plan and the pins, and their positions, which are chosen before those of any
    // other label.
    struct OwnLabels {
        LabelLines lines;
        std::optional<QRectF> current;
        std::vector<QRectF> tags;
    };

    void paint_below(QCPPainter& painter) const;
    void paint_above(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter) const;
    // `at` contains the positions of all marks.
    void paint_plans(QCPPainter& painter, LabelPlacer& room, const std::vector<QPointF>& at) const;
    void paint_neighbour(QCPPainter& painter, const Neighbour& n, const QPointF& at, bool beyond_frame) const;
    [[nodiscard]] OwnLabels place_own(LabelPlacer& room) const;
    void paint_dots(QCPPainter& painter, const OwnLabels& own) const;
    void paint_lane(QCPPainter& painter, LabelPlacer& room) const;
    void paint_key(QCPPainter& painter) const;
    void paint_on_ground(QCPPainter& painter, const QRectF& box, const LabelLines& lines) const;
    void paint_labels(QCPPainter& painter, LabelPlacer& room, const std::vector<QPointF>& at) const;
    void paint_words(QCPPainter& painter, const QString& words) const;
    [[nodiscard]] QString value_words(double value) const {
        return QString::fromStdString(format(value, output(id).quantity));
    }
};

}  // namespace shardscope
