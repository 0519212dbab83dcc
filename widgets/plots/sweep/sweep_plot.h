// The Sweep tab: any input against up to three outputs, live. The scenario is a ring on the curve; dragging
// it or its guide changes the input, a double click sets it. A second input makes a family of curves. The x
// axis shows the input or any output. Pins are ghosts, or have separate panels side by side; a click on the
// title of such a panel makes its scenario the current one.
//
// If something in the plan is automatic, the curves either hold the plan or re-plan at every point.
// Re-planned curves are computed in the background, and the previous ones are dimmed meanwhile.
#pragma once

#include <memory>
#include <optional>

#include "widgets/background.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/sweep/sweep_figure.h"

class QCheckBox;
class QComboBox;
class QToolButton;

namespace shardscope {

class SweepPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit SweepPlot(LiveModel& model, QWidget* parent = nullptr);
    ~SweepPlot() override;

    [[nodiscard]] FigureRequest request() const override;
    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;
    // Shows the sweep of this input with this output in the first panel.
    void show_sweep(P id, Output output);
    // Returns the figure, brought up to date even while the plot is hidden.
    [[nodiscard]] const SweepFigure& figure();
    // Returns whether the curves still belong to an older scenario.
    [[nodiscard]] bool pending() const override { return background_.pending() || pins_.pending(); }

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void update_pins() override;
    void press(QMouseEvent* event) override;
    [[nodiscard]] bool is_button(const QPointF& pixel) const override {
        return figure_->title_at(pixel) != 0;
    }
    void move(QMouseEvent* event) override;
    void double_click(QMouseEvent* event) override;
    void end_drag() override;
    [[nodiscard]] std::optional<Place> place_at(const QPointF& pixel) const override;
    [[nodiscard]] bool is_handle(const QPointF& pixel) const override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill_menu();
    void fit_options();
    void take_outputs();
    void step(int direction);
    [[nodiscard]] P input() const;
    [[nodiscard]] std::optional<Output> against() const;
    [[nodiscard]] std::vector<Axis> axes(const Answer& answer) const;
    [[nodiscard]] SweepOptions chosen() const;  // as the window shows it
    [[nodiscard]] bool near_guide(const QPointF& pixel) const;

    QComboBox* x_;
    QToolButton* y_;
    QComboBox* family_;
    QComboBox* against_;
    QCheckBox* anew_;
    std::vector<Output> outputs_{Output::mfu, Output::peak_memory};  // in the order they were chosen
    std::string x_range_;                                            // set by a view; "": the slider's range
    std::string family_range_;
    std::unique_ptr<SweepFigure> figure_;
    bool dragging_ = false;
    Background background_;
    Background pins_;  // side by side, pins are re-planned like the current scenario
};

}  // namespace shardscope
