// A box that contains messages and progress. It covers a line of the window that has no plot, so that nothing
// moves when a message appears and no number of a plot is hidden.
#pragma once

#include <QFrame>

namespace shardscope {

class FloatingNotes : public QFrame {
    Q_OBJECT
  public:
    // The box is as wide as its parent allows. It ends at the lower edge of `line`, a descendant of the
    // parent.
    FloatingNotes(const QWidget& line, QWidget* parent);
    void add(QWidget* note);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void place();

    const QWidget& line_;
};

}  // namespace shardscope
