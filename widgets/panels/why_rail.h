// The folded Why panel: a narrow button at the window's edge, its text from top to bottom.
#pragma once

#include <QToolButton>

namespace shardscope {

class WhyRail : public QToolButton {
    Q_OBJECT
  public:
    explicit WhyRail(QWidget* parent = nullptr);

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardscope
