// The Scaling tab: MFU, a rate, days or memory over the GPU count, live. Dragging the current dot or its
// guide changes the GPU count, a double click sets it.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "widgets/background.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/scaling/scaling_figure.h"
#include "widgets/repairs.h"

class QCheckBox;
class QComboBox;

namespace shardscope {

class ScalingPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit ScalingPlot(LiveModel& model, QWidget* parent = nullptr);
    ~ScalingPlot() override;

    // Returns the figure, brought up to date even while the plot is hidden.
    [[nodiscard]] const ScalingFigure& figure();
    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;
    [[nodiscard]] std::optional<Place> place_at(const QPointF& pixel) const override;
    // Returns whether the re-planned curves are still being computed.
    [[nodiscard]] bool pending() const override { return background_.pending() || pins_.pending(); }

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void update_pins() override;
    void press(QMouseEvent* event) override;
    void move(QMouseEvent* event) override;
    void double_click(QMouseEvent* event) override;
    void end_drag() override;
    [[nodiscard]] bool is_handle(const QPointF& pixel) const override { return near_guide(pixel); }

  private:
    // The check boxes of the curves with the names that a view uses for them.
    [[nodiscard]] std::array<std::pair<const char*, QCheckBox*>, 5> curves() const;
    void take_options();
    void show_y();
    const Repair* repair_for(const ScalingData& fresh);
    void enable_options();
    void update_repair();
    [[nodiscard]] bool near_guide(const QPointF& pixel) const;

    Repairs& repairs_;
    QComboBox* y_;
    QCheckBox* weak_;
    QCheckBox* strong_;
    QCheckBox* ideal_;
    QCheckBox* band_;
    QCheckBox* measured_;
    std::unique_ptr<ScalingFigure> figure_;
    bool dragging_ = false;
    QCheckBox* anew_;
    Background background_;
    Background pins_;
};

}  // namespace shardscope
