// The Validation tab: the public runs, predicted against measured, and one's own beside them. A run under the
// pointer says what it is; a click, or the arrow keys and Enter, loads it as the scenario.
#pragma once

#include <memory>

#include "widgets/plots/live_plot.h"
#include "widgets/plots/validation_figure.h"

class QComboBox;

namespace shardscope {

class ValidationPlot : public LivePlot {
    Q_OBJECT
  public:
    explicit ValidationPlot(LiveModel& model, QWidget* parent = nullptr);
    ~ValidationPlot() override;

    // The readable rows of a table of runs as a family of its own, named `name`, in place of an earlier one
    // of that name; a problem for each of the others. False when there is none, and nothing changes.
    bool add_runs(const std::string& text, const std::string& name, Problems& problems);
    // What is drawn, up to date also while the plot is hidden.
    [[nodiscard]] const ValidationFigure& figure();
    [[nodiscard]] FigureRequest request() const override;  // with one's own runs
    [[nodiscard]] View view() const override;
    void show_view(const View& view) override;
    // The run as its tool tip says it.
    [[nodiscard]] QString words_of(std::size_t index) const;

  protected:
    void update_figure() override;
    void take_pins() override;
    void refit_figure() override;
    void style_figure(const Theme& theme, const QFont& font) override;
    [[nodiscard]] QString description() const override;
    void press(QMouseEvent* event) override;
    void move(QMouseEvent* event) override;
    void release(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void point_to(std::optional<std::size_t> point, const QPoint& global);
    void load(std::size_t point);

    QComboBox* quantity_;
    std::unique_ptr<ValidationFigure> figure_;
    std::vector<std::size_t> by_size_;    // the points as the arrow keys pass them
    std::optional<std::size_t> pressed_;  // the run under the button
    OwnRuns own_;
    bool loaded_ = false;  // public and own runs: once, when first looked at
};

}  // namespace shardscope
