// The Sensitivity tab: how much each input affects one output, live. A click on a bar opens its sweep; on the
// keyboard the arrows select a bar and Enter opens it. If the selected output has no value, for example
// because the scenario does not fit, the bars show peak memory until it has one again.
//
// If something in the plan is automatic, everything is shown with the plan held and with re-planning. The
// latter is computed in the background, and the previous values are dimmed meanwhile.
#pragma once

#include "widgets/background.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/sensitivity/sensitivity_figure.h"

class QCheckBox;
class QComboBox;

namespace shardscope {

class SensitivityPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit SensitivityPlot(LiveModel& model, QWidget* parent = nullptr);

    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;
    // Returns the figure, brought up to date even while the plot is hidden.
    [[nodiscard]] const SensitivityFigure& figure();
    // Returns whether the plans at the ends of the bars are still being searched.
    [[nodiscard]] bool pending() const override { return background_.pending(); }

  Q_SIGNALS:
    void sweep_requested(P id, Output output);

  protected:
    void update_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void press(QMouseEvent* event) override;
    [[nodiscard]] bool is_button(const QPointF& pixel) const override { return figure_.bar_at(pixel) >= 0; }
    void move(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void select(int bar);
    void open(int bar);
    [[nodiscard]] SensitivityQuestion question() const;

    QComboBox* output_;
    QComboBox* change_;
    QCheckBox* anew_;
    SensitivityFigure figure_;
    SensitivityQuestion asked_;  // what the figure shows or will show
    Background background_;
};

}  // namespace shardscope
