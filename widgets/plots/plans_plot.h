// The Plans tab: every way to run the job by its memory and its throughput, the best one, and why its
// neighbours lose. Searched in the background, what was found before dimmed meanwhile; a click on a plan, or
// Enter on the one chosen with the arrow keys, adopts it.
#pragma once

#include <QTimer>
#include <memory>

#include "widgets/background.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plans_figure.h"

class QCheckBox;
class QComboBox;
class QPushButton;

namespace shardscope {

class NeighbourList;
class ProgressLine;

class PlansPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit PlansPlot(LiveModel& model, QWidget* parent = nullptr);
    ~PlansPlot() override;

    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;
    [[nodiscard]] const PlansFigure& figure();
    // The scenario with the plan that stands out, if one does.
    [[nodiscard]] std::optional<Scenario> chosen() const;
    // What is drawn belongs to an older scenario, or nothing is drawn yet.
    [[nodiscard]] bool pending() const override { return pause_.isActive() || search_.pending(); }

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void take_pins() override;
    void press(QMouseEvent* event) override;
    void move(QMouseEvent* event) override;
    void release(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    // What is drawn is not of the present scenario: it is searched for, or the search was stopped.
    [[nodiscard]] bool is_stale() const { return pending() || stopped_; }
    void search();
    void stop();
    void show_progress(double done);
    void place_progress();
    void take(SharedPlans found);
    void fill_list();
    void fold_list();
    [[nodiscard]] Output compared() const;
    [[nodiscard]] QString words_of(std::size_t index) const;
    [[nodiscard]] std::optional<std::size_t> point_of(std::size_t neighbour) const;
    void choose(std::optional<std::size_t> point);
    void show_words(std::size_t point, const QPoint& global);
    void step(int direction);
    void adopt(const Scenario& scenario);

    QComboBox* output_;
    QCheckBox* all_free_;
    NeighbourList* list_;
    ProgressLine* progress_;  // over the canvas, so that nothing moves
    QPushButton* again_;      // in its place, once a search was stopped
    bool stopped_ = false;
    std::unique_ptr<PlansFigure> figure_;
    std::optional<PlansSubject> asked_;
    std::optional<std::size_t> pressed_;
    QTimer pause_;
    Background search_;
};

}  // namespace shardscope
