// The Operators tab: the roofline above the list of operators. A dot and its row are selected together.
#pragma once

#include <memory>
#include <optional>

#include "widgets/plots/live_plot.h"
#include "widgets/plots/operators/operators_figure.h"

class QComboBox;

namespace shardscope {

class OperatorGrid;

class OperatorsPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit OperatorsPlot(LiveModel& model, QWidget* parent = nullptr);
    ~OperatorsPlot() override;

    // Returns the figure, brought up to date even while the plot is hidden.
    [[nodiscard]] const OperatorsFigure& figure();
    // The selected operator.
    [[nodiscard]] std::optional<Subject> focused_subject() const override;

  protected:
    void update_figure() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    [[nodiscard]] Output main_output() const override { return Output::step_time; }
    void update_pins() override;
    void move(QMouseEvent* event) override;
    void press(QMouseEvent* event) override;
    [[nodiscard]] bool is_button(const QPointF& pixel) const override {
        return figure_->row_at(pixel).has_value();
    }
    void resizeEvent(QResizeEvent* event) override;

  private:
    void choose(std::optional<std::size_t> row);
    void divide_height();

    QComboBox* order_;
    QComboBox* columns_;
    OperatorGrid* list_;
    std::unique_ptr<OperatorsFigure> figure_;
};

}  // namespace shardscope
