// One line at the bottom: the current scenario and the pinned ones, each with its letter and its main
// numbers. Object names: "scenarios/A" for the current one, "scenarios/B" … for pins, whose click takes them
// up again.
#pragma once

#include <QWidget>

#include "widgets/live_model.h"

class QHBoxLayout;
class QLabel;

namespace shardscope {

class ScenarioStrip : public QWidget {
    Q_OBJECT
  public:
    explicit ScenarioStrip(LiveModel& model, QWidget* parent = nullptr);

  Q_SIGNALS:
    void measured_requested();

  private:
    void refresh_current();
    void rebuild_pins();

    LiveModel& model_;
    QLabel* current_ = nullptr;
    QLabel* hint_ = nullptr;
    QHBoxLayout* pins_ = nullptr;
};

}  // namespace shardscope
