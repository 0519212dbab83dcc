// The Plans tab: all plans of the job by memory and throughput, the best plan, and why its neighbours are
// worse. The search runs in the background, and the previous result is dimmed meanwhile. A click on a plan,
// or Enter on the one selected with the arrow keys, adopts it.
#pragma once

#include <QTimer>
#include <memory>

#include "widgets/background.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plans/plans_figure.h"

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
    // The scenario with the highlighted plan, if there is one and it is up to date.
    [[nodiscard]] std::optional<Scenario> chosen() const;
    // Returns whether the figure shows an older scenario, or nothing yet.
    [[nodiscard]] bool pending() const override { return pause_.isActive() || search_.pending(); }

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void update_pins() override;
    void press(QMouseEvent* event) override;
    [[nodiscard]] bool is_button(const QPointF& pixel) const override {
        return figure_->point_at(pixel).has_value();
    }
    void move(QMouseEvent* event) override;
    void release(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    // Returns whether the figure does not show the current scenario: its search is pending or was stopped.
    [[nodiscard]] bool is_stale() const { return pending() || stopped_; }
    void search();
    void stop();
    void show_progress(double done);
    void place_progress();
    void take(SharedPlans found);
    void fill_list();
    void fold_list();
    [[nodiscard]] Output compared() const;
    [[nodiscard]] QString batch_change(const Scenario& scenario) const;
    [[nodiscard]] QString words_of(std::size_t index) const;
    [[nodiscard]] std::optional<std::size_t> point_of(std::size_t neighbour) const;
    void choose(std::optional<std::size_t> point);
    void show_words(std::size_t point, const QPoint& global);
    void step(int direction);
    void adopt(const Scenario& scenario);

    QComboBox* output_;
    QCheckBox* all_free_;
    NeighbourList* list_;
    ProgressLine* progress_;  // over the canvas, so that the layout does not change
    QPushButton* again_;      // in its place, after a search was stopped
    bool stopped_ = false;
    std::unique_ptr<PlansFigure> figure_;
    std::optional<PlansSubject> asked_;
    std::optional<std::size_t> pressed_;
    QTimer pause_;
    Background search_;
};

}  // namespace shardscope
