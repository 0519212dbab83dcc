// The switch for the batch that stays constant when the number of GPUs changes: per GPU (weak scaling) or
// global (strong scaling). Object names: "hold", its segments "hold/per-gpu" and "hold/global".
#pragma once

#include <QWidget>

#include "widgets/live_model.h"

class QLabel;
class QToolButton;

namespace shardscope {

class HoldSwitch : public QWidget {
    Q_OBJECT
  public:
    explicit HoldSwitch(LiveModel& model, QWidget* parent = nullptr);

    [[nodiscard]] static bool matches(const QString& words);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    QToolButton* make_segment(const QString& name, const char* end, Hold hold);
    void refresh();
    void place();

    LiveModel& model_;
    QLabel* label_ = nullptr;
    QToolButton* per_gpu_ = nullptr;
    QToolButton* global_ = nullptr;
};

}  // namespace shardscope
