// A repair to click: what changes in bold, below it what comes of it.
#pragma once

#include <QAbstractButton>

#include "explore/repair.h"

namespace shardscope {

class RepairButton : public QAbstractButton {
    Q_OBJECT
  public:
    explicit RepairButton(QWidget* parent = nullptr);
    // One that does not work is dashed and disabled and says why. The best one has a heavier edge.
    void set_repair(const Repair& repair, bool best);
    // In a small window: without the memory.
    void set_brief(bool brief);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    [[nodiscard]] QString before_rate() const { return brief_ && !rate_.isEmpty() ? QString() : result_; }

    QString label_;
    QString result_;  // "fits, 74.1 GiB, "
    QString rate_;    // "MFU 46.0 %", set in bold
    bool best_ = false;
    bool brief_ = false;
};

}  // namespace shardscope
