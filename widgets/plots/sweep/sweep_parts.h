// The implementation of SweepFigure, shared by its three files: sweep_figure.cpp (layout), sweep_axes.cpp
// (axes and positions along them) and sweep_painting.cpp (painting).
//
// This header includes qcustomplot.h, which takes seconds to compile, so only these files may include it.
#pragma once

#include <limits>
#include <vector>

#include "widgets/chart/figure_parts.h"
#include "widgets/chart/painted_item.h"
#include "widgets/chart/panel_grid.h"
#include "widgets/plots/sweep/sweep_figure.h"

namespace shardscope {

// Everything drawn is in the units of the axes: GiB, %, Gbit/s.
struct SweepFigure::Parts {
    // One output of one scenario.
    struct Panel {
        QCPAxisRect* rect = nullptr;
        std::vector<QCPCurve*> lines;  // one per series
        std::vector<QCPCurve*> ghosts;
        [[nodiscard]] QCPAxis& x() const { return *rect->axis(QCPAxis::atBottom); }
        [[nodiscard]] QCPAxis& y() const { return *rect->axis(QCPAxis::atLeft); }
    };
    // One scenario with its outputs one below the other. There is one block for the current scenario and,
    // side by side, one for each pinned scenario.
    struct Block {
        char letter = 'A';
        std::vector<Panel> panels;
        bool left = true;    // it is the first in its row, so its y axes are labelled
        bool lowest = true;  // it is the last in its column, so the x axis is named below it
    };

    QCustomPlot& plot;
    const Theme* theme = &Theme::light();
    FigureFonts fonts{QFont()};
    SweepData data;
    QString name;  // of the scenario
    std::vector<Ghost> ghosts;
    bool beside = false;  // ghosts have their own blocks
    double strength = 1;
    std::vector<Block> blocks;
    PanelGrid grid;
    int title_height = 0;       // height over the first output of a block
    std::vector<double> stops;  // for discrete values: their order along x
    AxisZoom x_zoom;
    std::vector<AxisZoom> y_zoom;  // one per output

    explicit Parts(QCustomPlot& target);
    void make_blocks();
    [[nodiscard]] bool as_made() const;
    Panel make_panel(std::size_t block) const;
    void place_blocks();
    void style_panels();
    void find_stops();
    void fill(QCPCurve& line, const Panel& panel, std::size_t p, const std::vector<SweepPoint>& points,
              const QPen& pen, const QCPScatterStyle& mark) const;
    void fill_lines();
    void fit_x();
    void fit_y(std::size_t p);
    void fit_axes();
    void show_part();
    void show_y(std::size_t p);
    // Returns whether a pixel is in the part of the x axis that is shown.
    [[nodiscard]] static bool in_frame(const Panel& panel, const QPointF& pixel) {
        return !std::isnan(pixel.y()) && frame_of(*panel.rect).adjusted(-1, -1, 1, 1).contains(pixel);
    }
    void lay_out(const QSize& size);

    [[nodiscard]] const SweepData& shown_in(std::size_t block) const {
        return block == 0 ? data : ghosts[block - 1].data;
    }
    // Returns whether there is no data yet; pins may be set already.
    [[nodiscard]] bool empty() const { return blocks.empty() || blocks.front().panels.empty(); }
    [[nodiscard]] const Panel& front() const { return blocks.front().panels.front(); }
    // Visits every series that the axes must contain.
    template <typename Visit>
    void for_each_series(Visit&& visit) const {
        for (const SweepSeries& series : data.series) visit(series);
        for (const Ghost& ghost : ghosts) {
            for (const SweepSeries& series : ghost.data.series) visit(series);
        }
    }

    // `marks`: the input has discrete values, so marks replace lines. `apart`: besides, the x axis shows the
    // input itself, and the marks are equally spaced.
    [[nodiscard]] bool marks() const { return is_discrete(data.x); }
    [[nodiscard]] bool apart() const { return !data.against && marks(); }
    [[nodiscard]] bool log_x() const;
    [[nodiscard]] Quantity along_quantity() const;
    [[nodiscard]] double axis_x(double along) const;
    [[nodiscard]] double axis_y(std::size_t p, const SweepPoint& point) const;
    [[nodiscard]] double tag_room() const;  // px right of a memory panel, for the labels of limits
    [[nodiscard]] QString usable_words() const;
    [[nodiscard]] std::vector<PinLimit> pinned_limits() const;
    [[nodiscard]] static QString limit_words(const PinLimit& pinned);
    [[nodiscard]] QPen pen_of(std::size_t block, std::size_t series) const;
    [[nodiscard]] QPen pen_of(const Ghost& ghost) const;
    [[nodiscard]] QCPScatterStyle mark_of(std::size_t block, std::size_t series) const;

    // `b` is the index of a block, `p` that of an output.
    void paint_below(QCPPainter& painter) const;
    void paint_above(QCPPainter& painter) const;
    void paint_titles(QCPPainter& painter, std::size_t b) const;
    void paint_strip(QCPPainter& painter, std::size_t b) const;
    void paint_x_axis(QCPPainter& painter, std::size_t b) const;
    void paint_panel(QCPPainter& painter, std::size_t b, std::size_t p) const;
    void paint_capacity(QCPPainter& painter, std::size_t b, std::size_t p, LabelPlacer& room) const;
    void paint_ends(QCPPainter& painter, std::size_t b, std::size_t p) const;
    void paint_members(QCPPainter& painter, std::size_t b, std::size_t p, const std::vector<QPolygonF>& lines,
                       LabelPlacer& room) const;
    void paint_tags(QCPPainter& painter, const Panel& panel, LabelPlacer& room) const;
    [[nodiscard]] std::vector<AxisRange> unfit(std::size_t block) const;
    [[nodiscard]] std::vector<Tick> ticks(std::size_t block, std::vector<double>& center) const;
    [[nodiscard]] QString name_of_member(const SweepData& shown, double member, bool with_label) const;
    [[nodiscard]] const QString& name_of(std::size_t block) const {
        return block == 0 ? name : ghosts[block - 1].name;
    }
    [[nodiscard]] QRectF title_row(std::size_t block) const;
};

// The scenario's own curve; nullptr in a family without it.
const SweepSeries* own_series(const SweepData& data);
bool is_memory(Output id);

inline constexpr double kHalfStep = 0.5;     // half the distance between discrete values
inline constexpr double kAxisTitleGap = 10;  // from an axis's title to its frame

}  // namespace shardscope
