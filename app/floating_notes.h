// A box at the lower edge of another widget that contains messages and progress. It covers this widget, so
// that nothing moves when a message appears.
#pragma once

#include <QFrame>

namespace shardscope {

class FloatingNotes : public QFrame {
    Q_OBJECT
  public:
    // The box follows the size of `over`, which is its parent.
    explicit FloatingNotes(QWidget* over);
    void add(QWidget* note);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();
};

}  // namespace shardscope
