// A box that contains messages and progress. It lies over the free end of the menu bar, so that nothing moves
// when a message appears. It ends above the buttons of the tool bar, unless the user unfolds a long message.
#pragma once

#include <QFrame>

class QMenuBar;
class QToolBar;

namespace shardscope {

class FloatingNotes : public QFrame {
    Q_OBJECT
  public:
    // The box is as wide as the menus leave room for. The bars are children of `window`.
    FloatingNotes(const QMenuBar& menus, const QToolBar& tools, QWidget* window);
    void add(QWidget* note);
    // Gives the notes the height that they need, also over the tool bar.
    void set_unfolded(bool unfolded);

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void place();
    [[nodiscard]] int top_of_tools() const;

    const QMenuBar& menus_;
    const QToolBar& tools_;
    bool unfolded_ = false;
};

}  // namespace shardscope
