// The button of a folded side panel: it is narrow, at the edge of the window, and its text runs downwards.
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
