// A folded side panel: a narrow button at the window's edge, its text from top to bottom.
#pragma once

#include <QToolButton>

namespace shardscope {

class SideRail : public QToolButton {
    Q_OBJECT
  public:
    SideRail(const QString& name, const QString& accessible_name, const QString& tool_tip,
             QWidget* parent = nullptr);

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace shardscope
