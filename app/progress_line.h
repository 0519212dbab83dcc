// Long work beside the window: what it is, how far it is, and a way to stop it. Object names: "progress",
// "progress/text", "progress/bar", "progress/stop".
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;

namespace shardscope {

class ProgressLine : public QWidget {
    Q_OBJECT
  public:
    explicit ProgressLine(QWidget* parent = nullptr);

    void show_step(const QString& text, int done, int of);

  Q_SIGNALS:
    void stopped();

  private:
    QLabel* text_;
    QProgressBar* bar_;
};

}  // namespace shardscope
