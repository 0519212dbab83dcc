// The Scaling tab: MFU, a rate or days over the GPU count, live. Dragging the current dot or its guide
// changes the GPU count, a double click sets it.
#pragma once

#include <QString>
#include <QWidget>
#include <memory>

#include "widgets/plots/scaling_figure.h"

class QCheckBox;
class QComboBox;
class QCustomPlot;
class QMouseEvent;

namespace shardscope {

class LiveModel;
class OptionRow;

class ScalingPlot : public QWidget {
    Q_OBJECT
  public:
    explicit ScalingPlot(LiveModel& model, QWidget* parent = nullptr);
    ~ScalingPlot() override;

    // What is drawn, up to date also while the plot is hidden.
    [[nodiscard]] const ScalingFigure& figure();
    // Rates where memory does not suffice, labelled as such.
    void show_hypothetical(bool on);

  Q_SIGNALS:
    void table_requested();
    void export_requested();

  protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void refresh();  // now, or when next shown
    void bring_up_to_date();
    void restyle();
    void take_options();
    void take_pins();
    void replot();

    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release();
    void double_click(QMouseEvent* event);

    LiveModel& model_;
    OptionRow* row_;
    QComboBox* y_;
    QCheckBox* weak_;
    QCheckBox* strong_;
    QCheckBox* ideal_;
    QCheckBox* band_;
    QCheckBox* measured_;
    QCustomPlot* plot_;
    std::unique_ptr<ScalingFigure> figure_;
    bool stale_ = true;
    bool hypothetical_ = false;
    bool dragging_ = false;
};

}  // namespace shardscope
