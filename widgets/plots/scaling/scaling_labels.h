// The marks and direct labels of the scaling plot, which are drawn over the curves.
#pragma once

#include <QLineF>
#include <QPolygonF>
#include <functional>
#include <initializer_list>
#include <limits>
#include <vector>

#include "widgets/chart/figure_parts.h"
#include "widgets/plots/scaling/scaling_data.h"
#include "widgets/plots/scaling/scaling_figure.h"

class QCPAxis;
class QCPPainter;

namespace shardscope {

QString value_text(double value, ScalingY y);  // "40.3 %", "4,857 tokens/s/GPU"

// A limit of memory.
struct ScalingLimit {
    QLineF line;  // px
    LabelLine name;
    [[nodiscard]] QPolygonF points() const { return {line.p1(), line.p2()}; }
};

// What the labels describe, and where it is drawn.
struct ScalingScene {
    const QCPAxis& x;
    const QCPAxis& y;
    QRectF area;  // the frame
    const Theme& theme;
    const FigureFonts& fonts;
    const ScalingData& data;
    const ScalingOptions& options;
    const std::vector<ScalingFigure::Ghost>& ghosts;
    std::vector<AxisRange> unfit;
    QPolygonF weak, strong, ideal, repaired;  // pixels, NaN for gaps; empty when not shown
    std::vector<QPolygonF> ghost_lines;
    std::vector<ScalingLimit> limits;
    std::vector<QRectF> taken;  // boxes of other labels
};

class ScalingLabels {
  public:
    ScalingLabels(QCPPainter& painter, const ScalingScene& scene);
    void paint();

  private:
    struct Diamond {
        QPointF at;
        const MeasuredPoint* run;
    };

    struct Pin {
        QPointF at;
        char letter;
    };

    void find_marks();
    void name_limits();
    void paint_node();
    void paint_current();
    void tag_pins();
    void name_value(const QRectF& tag, const ScalingData& data);
    void paint_knee();
    void name_curves();
    void name_unfit();
    void name_memory();
    void name_others();
    void paint_marks();

    [[nodiscard]] LabelLine bold(const QString& text) const;
    [[nodiscard]] LabelLine plain(const QString& text) const;
    [[nodiscard]] LabelLine muted(const QString& text) const;
    [[nodiscard]] bool in_frame(const QPointF& at) const;
    [[nodiscard]] QPointF pixel(double gpus, double value) const;
    using Penalty = std::function<double(const QRectF&)>;
    // Draws a dotted line from `top` to the axis, interrupted at the label `around`.
    void guide(double at, double top, const QColor& color, const QRectF& around = {});
    void draw(const QRectF& box, const LabelLines& lines);
    // A halo is only needed over lines and hatches. On the band it would be a hole.
    [[nodiscard]] QColor halo_of(const QRectF& box) const;
    // Returns the box of the label; nothing if there is no space for it.
    std::optional<QRectF> put(const LabelLines& lines, const QList<QPointF>& corners,
                              double most = std::numeric_limits<double>::infinity(),
                              const Penalty& penalty = {});
    // Draws `lines`, or `shorter` if there is no clear space for the long form. If neither has clear space,
    // the label crosses lines where it `may_cross` them.
    template <typename Corners>
    std::optional<QRectF> put_one_of(const LabelLines& lines, const LabelLines& shorter,
                                     const Corners& corners, const Penalty& penalty = {},
                                     bool may_cross = true);
    // Returns whether any part of the line is visible; a single point draws nothing.
    [[nodiscard]] bool seen(const QPolygonF& points) const;
    // Returns the extra cost of placing the name of the curve `points` at this box, in px of crossed lines.
    [[nodiscard]] double penalty_for(const QPolygonF& points, const QRectF& box) const;
    // Returns whether the box could be read as the name of another curve, which it covers or which is not
    // `farther` px farther away.
    [[nodiscard]] bool is_at_another(const QPolygonF& points, const QRectF& box, double farther) const;
    // Returns a line from the box to the curve's nearest point if it crosses no other curve.
    [[nodiscard]] std::optional<QLineF> leader(const QRectF& box, const QPolygonF& points) const;
    void draw_leader(const QLineF& line);
    [[nodiscard]] bool any_other(const QPolygonF& points,
                                 const std::function<bool(const QPolygonF&)>& holds) const;
    // Names a curve next to one of its points, which are given as fractions along it, at the distance `gap`
    // px. Unless the name `may_cross` lines, it is rather farther away, with a line that leads to the curve.
    void name_curve(const QPolygonF& points, const LabelLines& lines, const LabelLines& shorter,
                    std::initializer_list<double> shares, double gap, bool may_cross = true);

    QCPPainter& painter_;
    const ScalingScene& scene_;
    LabelPlacer room_;
    bool roomy_;
    double value_ = 0;  // of the scenario; NaN if it does not fit
    bool has_dot_ = false;
    bool has_knee_ = false;
    bool label_states_unfit_ = false;  // the scenario's label already does
    QPointF dot_, knee_;
    std::vector<Diamond> diamonds_;
    std::vector<Pin> pins_;
};

}  // namespace shardscope
