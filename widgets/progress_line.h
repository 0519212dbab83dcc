// Shows long background work: a description, the progress, and a button that stops it. Object names: NAME,
// "NAME/text", "NAME/bar", "NAME/stop".
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;

namespace shardscope {

class ProgressLine : public QWidget {
    Q_OBJECT
  public:
    ProgressLine(const QString& name, const QString& stop_tool_tip, QWidget* parent = nullptr);

    void show_step(const QString& text, int done, int of);

  Q_SIGNALS:
    void stopped();

  private:
    QLabel* text_;
    QProgressBar* bar_;
};

}  // namespace shardscope
