// The Timeline tab: one step in time. The wheel and the keys + − 0 zoom, dragging moves the visible part, and
// a double click shows the whole step again.
#pragma once

#include <memory>
#include <optional>

#include "widgets/plots/live_plot.h"
#include "widgets/plots/timeline_figure.h"

class QWheelEvent;

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
    void double_click(QMouseEvent* event) override;
    void end_drag() override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void turn(QWheelEvent* event);
    void look(double factor, double pixel);

    std::unique_ptr<TimelineFigure> figure_;
    std::optional<double> dragged_from_;  // px
};

}  // namespace shardscope
