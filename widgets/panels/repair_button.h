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
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    QString label_;
    QString result_;  // "fits, 74.1 GiB, "
    QString rate_;    // "MFU 46.0 %", set in bold
    bool best_ = false;
};

}  // namespace shardscope
