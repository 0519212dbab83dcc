// The Validation tab: the public runs, predicted against measured, and one's own beside them. A run under the
// pointer says what it is; a click, or the arrow keys and Enter, loads it as the scenario.
#pragma once

#include <QWidget>
#include <memory>

#include "explain/output.h"
#include "widgets/plots/validation_figure.h"

class QComboBox;
class QCustomPlot;
class QMouseEvent;

namespace shardscope {

class LiveModel;
class OptionRow;

class ValidationPlot : public QWidget {
    Q_OBJECT
  public:
    explicit ValidationPlot(LiveModel& model, QWidget* parent = nullptr);
    ~ValidationPlot() override;

    // What is drawn, up to date also while the plot is hidden.
    [[nodiscard]] const ValidationFigure& figure();
    [[nodiscard]] Output output() const;  // of the axes
    // The run as its tool tip says it.
    [[nodiscard]] QString words_of(std::size_t index) const;

  Q_SIGNALS:
    void table_requested();
    void export_requested();

  protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void refresh();  // now, or when next shown
    void bring_up_to_date();
    void restyle();
    void replot();

    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release(QMouseEvent* event);
    void point_to(std::optional<std::size_t> point, const QPoint& global);
    void load(std::size_t point);

    LiveModel& model_;
    OptionRow* row_;
    QComboBox* quantity_;
    QCustomPlot* plot_;
    std::unique_ptr<ValidationFigure> figure_;
    std::vector<std::size_t> by_size_;    // the points as the arrow keys pass them
    std::optional<std::size_t> pressed_;  // the run under the button
    bool loaded_ = false;                 // the public runs: once, when first looked at
    bool stale_ = true;
};

}  // namespace shardscope
