// The Validation tab: the public runs, predicted against measured, and the user's own runs beside them. A
// tool tip describes the run under the pointer; a click, or the arrow keys and Enter, load it as the
// scenario.
#pragma once

#include <memory>

#include "widgets/plots/live_plot.h"
#include "widgets/plots/validation/validation_figure.h"

class QComboBox;
class QLineEdit;

namespace shardscope {

class ValidationPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit ValidationPlot(LiveModel& model, QWidget* parent = nullptr);
    ~ValidationPlot() override;

    // Adds the readable rows of a table of runs as a family called `name`, which replaces an earlier one of
    // that name. Each of the other rows is reported as a problem. Returns false and changes nothing if no row
    // is readable.
    bool add_runs(const std::string& text, const std::string& name, Problems& problems);
    // Returns the figure, brought up to date even while the plot is hidden.
    [[nodiscard]] const ValidationFigure& figure();
    [[nodiscard]] FigureRequest request() const override;  // with the user's own runs
    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;
    // Returns the run that is chosen, with its measured step time; nothing without one.
    [[nodiscard]] std::optional<SavedScenario> chosen() const;
    // Returns the text of the run's tool tip.
    [[nodiscard]] QString words_of(std::size_t index) const;

  protected:
    void update_figure() override;
    void update_pins() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void press(QMouseEvent* event) override;
    [[nodiscard]] bool is_button(const QPointF& pixel) const override {
        return figure_->point_at(pixel).has_value();
    }
    void move(QMouseEvent* event) override;
    void release(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void point_to(std::optional<std::size_t> point, const QPoint& global);
    void load(std::size_t point);

    // Shows the runs of the quantity and the filter.
    void choose_runs();
    void set_measured();  // from the scenario and the pins

    QComboBox* quantity_;
    QLineEdit* filter_;
    std::unique_ptr<ValidationFigure> figure_;
    std::vector<std::size_t> by_size_;    // the points in the order of the arrow keys
    std::optional<std::size_t> pressed_;  // the run on which the button was pressed
    UserRuns own_;
    std::optional<ValidationRuns> runs_;  // all runs; they are predicted once, when first shown
};

}  // namespace shardscope
