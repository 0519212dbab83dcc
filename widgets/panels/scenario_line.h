// The scenarios in one line, where the window is too low for their table: mark, name and main numbers, as
// much of it as there is room for. A click on a pin takes it up again, on its letter compares the headline
// with it.
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
    // How much of every scenario is said, most first; `named`: long names shortened.
    enum class Detail { whole, named, current_named, mfu, mark };
    struct Item {
        std::size_t row = 0;
        QRectF box;
        QString name;
        QString rest;
    };
    [[nodiscard]] std::vector<Item> items(Detail detail) const;
    [[nodiscard]] std::vector<Item> items() const;  // as many as there is room for
    void describe();

    LiveModel& model_;
    ScenarioModel& scenarios_;
};

}  // namespace shardscope
