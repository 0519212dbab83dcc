// The scenarios in one line, for windows that are too low for their table. It shows mark, name and main
// numbers in as much detail as fits. A click on a pin makes it the current scenario; a click on its letter
// compares the headline with it.
#pragma once

#include <QWidget>

#include "widgets/panels/scenario_model.h"

namespace shardscope {

class ScenarioLine : public QWidget {
    Q_OBJECT
  public:
    ScenarioLine(LiveModel& model, ScenarioModel& scenarios, QWidget* parent = nullptr);

  Q_SIGNALS:
    void measured_requested();

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

  private:
    // How much of every scenario is shown beside its mark.
    enum class Rest { summary, mfu, none };
    struct Detail {
        double name = 0;      // the most px of the current scenario's name
        double pin_name = 0;  // of the others; 0: without a name
        Rest rest = Rest::summary;
    };
    struct Item {
        std::size_t row = 0;
        QRectF box;
        QString name;
        QString rest;
    };
    [[nodiscard]] std::vector<Item> items(Detail detail) const;
    [[nodiscard]] std::vector<Item> items() const;  // with as much detail as fits
    void describe();

    LiveModel& model_;
    ScenarioModel& scenarios_;
};

}  // namespace shardscope
