// Draws the plans of a job: memory along x, the output by which they are compared along y, and at the right a
// hatched area for plans that do not fit. The best plan is a ring, the best plans for every amount of memory
// form a stepped line, and the neighbours of the best plan are squares in the colour of their largest loss.
#pragma once

#include <QFont>
#include <QPointF>
#include <QSize>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/plans/plans_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class PlansFigure : public ZoomableFigure {
  public:
    // `plot` must outlive the figure and show nothing else.
    explicit PlansFigure(QCustomPlot& plot);
    ~PlansFigure() override;

    void set_style(const Theme& theme, const QFont& font);
    void set_data(SharedPlans data);  // keeps the axes, see `refit`
    void set_output(Output id);       // one of kPlanOutputs
    void set_hypothetical(bool on);
    void set_current(const std::optional<PlanDot>& dot);
    void set_ghosts(std::vector<PlanDot> ghosts);
    // Fades the drawing because it does not show the requested plans; `why` tells the user the reason. An
    // empty text means that the drawing is up to date.
    void set_stale(const QString& why);
    // Sets how strongly the plans are drawn: 1, or less while an input is not valid.
    void set_strength(double strength);
    void set_highlight(std::optional<std::size_t> point);
    // Fits the axis ranges, unless the user has zoomed in, and the margins to the current data.
    void refit();

    // nullptr before the first search.
    [[nodiscard]] const PlansData* data() const;
    [[nodiscard]] std::optional<std::size_t> highlight() const;
    [[nodiscard]] QString description() const;

    // Positions in pixels of the plot, valid after the first drawing: the mark at a position, and the
    // positions of marks.
    [[nodiscard]] std::optional<std::size_t> point_at(const QPointF& pixel) const;
    [[nodiscard]] QPointF pixel_of(std::size_t point) const;

    [[nodiscard]] QPointF zoom_center() const override;
    [[nodiscard]] bool shows_scenario() const override;

  protected:
    [[nodiscard]] std::vector<Frame> frames() const override;
    void apply_zoom() override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Returns the colour of the step term by which a neighbour loses most; a muted colour if it does not fit or
// loses nothing.
QColor loss_color(const Neighbour& neighbour, const Theme& theme);
// "2,545,240 of 7,374,384 plans fit"
QString plans_count_words(const PlanReport& report);
// Explains the ring, the line, the marks and the hatches, for captions.
QString plans_caption(const PlansData& data, bool hypothetical);

}  // namespace shardscope
