// The plans of a job, drawn: memory along x, what they are compared by along y, what does not fit hatched at
// the right. The best plan is a ring, the best for every amount of memory a stepped line, the neighbours of
// the best are squares in the colour of what they lose to.
#pragma once

#include <QFont>
#include <QPointF>
#include <QSize>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/plots/plans_data.h"
#include "widgets/theme/theme.h"

class QCustomPlot;

namespace shardscope {

class PlansFigure {
  public:
    // `plot` must outlive the figure and show nothing else.
    explicit PlansFigure(QCustomPlot& plot);
    ~PlansFigure();
    PlansFigure(const PlansFigure&) = delete;
    PlansFigure& operator=(const PlansFigure&) = delete;

    void set_style(const Theme& theme, const QFont& font);
    void set_data(SharedPlans data);  // the axes stay, see `refit`
    void set_output(Output id);       // one of kPlanOutputs
    void set_hypothetical(bool on);
    void set_current(const std::optional<PlanDot>& dot);
    void set_ghosts(std::vector<PlanDot> ghosts);
    // What is drawn is of other plans than those that are wanted, and fades; the words say why. Empty: it is
    // of those.
    void set_stale(const QString& why);
    // How strongly it is drawn: 1, less while an input is not valid.
    void set_strength(double strength);
    void set_highlight(std::optional<std::size_t> point);
    // Ranges and margins for what is shown now.
    void refit();

    // nullptr before the first search.
    [[nodiscard]] const PlansData* data() const;
    [[nodiscard]] std::optional<std::size_t> highlight() const;
    [[nodiscard]] QString description() const;

    // In pixels of the plot, valid after the first drawing: the mark at a place, and a mark's place.
    [[nodiscard]] std::optional<std::size_t> point_at(const QPointF& pixel) const;
    [[nodiscard]] QPointF pixel_of(std::size_t point) const;
    [[nodiscard]] QPointF current_pixel() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// What a neighbour loses most by, as a colour; what does not fit has none.
QColor loss_color(const Neighbour& neighbour, const Theme& theme);
// "2,545,240 of 7,374,384 plans fit"
QString plans_count_words(const PlanReport& report);
// What ring, line, marks and hatches mean, for captions.
QString plans_words(const PlansData& data, bool hypothetical);

}  // namespace shardscope
