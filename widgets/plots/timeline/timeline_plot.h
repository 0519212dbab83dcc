// The Timeline tab: one step in time, which can be zoomed.
#pragma once

#include <memory>

#include "widgets/plots/live_plot.h"
#include "widgets/plots/timeline/timeline_figure.h"

namespace shardscope {

class TimelinePlot : public LivePlot {
    Q_OBJECT
  public:
    explicit TimelinePlot(LiveModel& model, QWidget* parent = nullptr);
    ~TimelinePlot() override;

    // Returns the figure, brought up to date even while the plot is hidden.
    [[nodiscard]] const TimelineFigure& figure();

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] Output main_output() const override { return Output::step_time; }
    void update_pins() override;
    void press(QMouseEvent* event) override;
    void move(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    std::unique_ptr<TimelineFigure> figure_;
};

}  // namespace shardscope
