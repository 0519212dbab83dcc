// The Sensitivity tab: what each input is worth to one output, live. A click on a bar opens its sweep; with
// the keyboard the arrows choose a bar and Enter opens it. Where the output chosen has no value, as when the
// scenario does not fit, the bars are those of peak memory until it has one again.
//
// Where something in the plan is automatic, everything is shown with the plan held and found anew: the latter
// in the background, the last ones dimmed meanwhile.
#pragma once

#include "widgets/background.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/sensitivity_figure.h"

class QCheckBox;
class QComboBox;

namespace shardscope {

class SensitivityPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit SensitivityPlot(LiveModel& model, QWidget* parent = nullptr);

    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;
    // What is drawn, up to date also while the plot is hidden.
    [[nodiscard]] const SensitivityFigure& figure();
    // The plans at the bars' ends are still being found.
    [[nodiscard]] bool pending() const override { return background_.pending(); }

  Q_SIGNALS:
    void sweep_requested(P id, Output output);

  protected:
    void update_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void press(QMouseEvent* event) override;
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
    SensitivityQuestion asked_;  // what the figure shows, or will
    Background background_;
};

}  // namespace shardscope
