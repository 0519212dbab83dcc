// A box that contains messages and progress. It lies over the free end of the menu bar, so that nothing moves
// when a message appears, and a message of up to two lines covers nothing that can be clicked.
#pragma once

#include <QFrame>

class QMenuBar;

namespace shardscope {

class FloatingNotes : public QFrame {
    Q_OBJECT
  public:
    // The box is as wide as the menus leave room for. `menus` is a child of `window`.
    FloatingNotes(const QMenuBar& menus, QWidget* window);
    void add(QWidget* note);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void place();

    const QMenuBar& menus_;
};

}  // namespace shardscope
